"""Having variants written, and choosing variants among candidates."""

from __future__ import annotations

import asyncio
import signal
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from dcq import settings
from dcq.asking.options import Options, Terms, Watch
from dcq.commands import no_effect
from dcq.commands.asking import (
    Budget,
    ByBatch,
    Concurrency,
    MaxCalls,
    RequestsPerMinute,
    Reuse,
    Runs,
    TokensPerMinute,
    check_batch,
    leave_if_stopped,
    make_progress,
    stop_on_signals,
)
from dcq.commands.output import AsJson, conclude_words, emit, open_store, remark, table
from dcq.documents.run_document import rewording_document
from dcq.errors import DcqError, InputError
from dcq.models.endpoints import resolve
from dcq.models.pacing.limits import Limits
from dcq.records import LETTERS, PartitionRole
from dcq.store import Store, samples
from dcq.store.runs import Event
from dcq.store.unused import discard_unused
from dcq.variants import choose_candidates, placebo, reword, sets
from dcq.variants.choose_candidates import balancing_document, describe, strategy_rows
from dcq.variants.freeze import SLOTS
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol
from dcq.variants.reword import RewordingDesign, Written

MOST_WORDINGS = 8


class PublishedPrompt(StrEnum):
    """The published prompts."""

    V1 = "v1"
    V2 = "v2"


class PerturbationKind(StrEnum):
    """What changes in a text."""

    WORD = "word"
    CHARACTER = "character"
    ORDER = "order"
    PARAPHRASE = "paraphrase"


def perturb(
    sample: Annotated[str | None, typer.Argument(help="Id of the sample.")] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The model that rewords; by default the offline generator (weaker)."),
    ] = None,
    variants: Annotated[
        int | None,
        typer.Option(
            help="Variants per instance, 3 or 4; 5 to 8 for a benchmark by lot.",
            show_default=str(SLOTS),
        ),
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(
            help="Texts per instance, 4 to 16; more than 4 give `balance` a choice.",
            show_default=str(SLOTS),
        ),
    ] = None,
    prompt: Annotated[
        PublishedPrompt | None,
        typer.Option(
            help="The paper's prompt (v1, the default) or that of the authors' release (v2)."
        ),
    ] = None,
    kind: Annotated[
        PerturbationKind | None,
        typer.Option(
            help="What changes: word, as in the paper; for studies also character or order "
            "(offline), or paraphrase (by a model, our prompt).",
            show_default=PerturbationKind.WORD.value,
        ),
    ] = None,
    new_set: Annotated[
        str | None,
        typer.Option(help="Write a new set of variants of this name, beside those that are there."),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", "--anew", help="Write all of them again; the old ones stay in the history."
        ),
    ] = False,
    make_placebo: Annotated[
        bool,
        typer.Option(
            "--placebo",
            help="Make a placebo, a control sample in which one variant of each instance plays the "
            "original, and write its variants.",
        ),
    ] = False,
    continued: Runs = None,
    limit: Annotated[
        int | None, typer.Option(help="Only the first N instances that lack variants.")
    ] = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue the newest rewording of this sample by this model."
        ),
    ] = False,
    reuse: Reuse = False,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    batch: ByBatch = False,
    as_json: AsJson = False,
) -> None:
    """Write word-level variants of a sample's instances and save them."""
    if batch:
        check_batch(concurrency, rpm, tpm)
    if prompt is not None and not model:
        raise InputError("The offline generator uses no prompt; add --model or drop --prompt.")
    protocol, offline_kind = _recipe(kind or PerturbationKind.WORD, model, prompt)
    terms = Terms(limit, budget, max_calls, concurrency)
    store = open_store()
    left_by: list[signal.Signals] = []
    if continued:
        others = sample or model or again or make_placebo or resume or batch or new_set
        if others or len(continued) > 1:
            raise InputError(
                "A run has its sample and its model already; give one --run, or SAMPLE and --model."
            )
        no_effect.refuse(
            {
                "--variants": variants,
                "--candidates": candidates,
                "--kind": kind,
            },
            "A run writes what it was planned for",
        )
    elif not sample:
        raise InputError("Name a sample, or a run with --run.")
    who = resolve(model, settings.load()) if model else None
    # A quiz takes four; `protect` takes all, also those that a quiz calls candidates.
    wanted, texts = (SLOTS if count is None else count for count in (variants, candidates))
    many = SLOTS < wanted <= MOST_WORDINGS
    texts = max(texts, wanted) if many else texts
    variant_count = SLOTS if many else wanted
    design = RewordingDesign(variant_count, texts, protocol, offline_kind, again)

    async def write(sample: str) -> Written:
        cancelled = asyncio.Event()
        stop_on_signals([cancelled], left_by)
        with make_progress() as progress:
            bar = progress.add_task("Instances with variants", total=None)

            def show(done: int, total: int) -> None:
                progress.update(bar, completed=done, total=total)

            watch = Watch(cancelled, on_news=remark)
            options = Options(terms, reuse, batch, Limits(rpm, tpm), watch=watch)
            if continued:
                return await reword.go_on(store, continued[0], options, on_instance=show)
            return await reword.reword_sample(
                store, sample, who, design, options, resume=resume, on_instance=show
            )

    made: list[str] = []
    try:
        begun = _make(store, sample or "", made, new_set, is_placebo=make_placebo)
        outcome = asyncio.run(write(begun))
    except DcqError:
        for empty in reversed(made):
            discard_unused(store, empty)
        raise
    for sentence in outcome.notes:
        remark(sentence)
    stopped = outcome.ended.event is not Event.FINISHED
    emit(
        rewording_document(store, outcome),
        as_json,
        f"{outcome.variants:,} variants written for {outcome.instances:,} instances, "
        f"{outcome.failed:,} {'left open' if stopped else 'failed'}. "
        + (
            f"Next: python -m dcq perturb --run {outcome.run}"
            if stopped
            else conclude_words(_target_of(store, outcome.sample))
        ),
    )
    leave_if_stopped([("", outcome.ended)], left_by)


def _make(
    store: Store, sample: str, made: list[str], new_set: str | None, *, is_placebo: bool
) -> str:
    """The sample to write variants for: the given one, its placebo, or a new set; what is new in
    the store is added to ``made``."""
    before = {known.id for known in samples.listing(store)}
    if is_placebo:
        placebo_sample = placebo.make(store, sample)
        sample = placebo_sample.sample
        made += {sample} - before
        for sentence in placebo_sample.notes:
            remark(sentence)
    if new_set is not None:
        sample = sets.begin_set(store, sample, new_set)
        made += {sample} - before
    return sample


def _target_of(store: Store, sample_id: str) -> str:
    """The target that a sample is, or that it serves as a control."""
    partition = samples.partition_of(store, sample_id)
    if partition.role is not PartitionRole.CONTROL:
        return sample_id
    return partition.placebo_of or "TARGET"


def _recipe(
    kind: PerturbationKind, model: str | None, prompt: PublishedPrompt | None
) -> tuple[Protocol, Perturbation]:
    """How a model is asked, and what an offline generator alters. Raises InputError for a kind that
    the chosen writer does not write."""
    if kind is PerturbationKind.PARAPHRASE:
        if not model or prompt:
            raise InputError(
                "Only a model paraphrases, with dcq's own prompt; add --model, and drop --prompt."
            )
        return Protocol.PARAPHRASE, Perturbation.WORD
    if kind is not PerturbationKind.WORD:
        if model:
            raise InputError(f"--kind {kind} is made offline; drop --model.")
        return Protocol.V1, Perturbation(kind)
    return Protocol(prompt or Protocol.V1), Perturbation.WORD


def balance(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    move_accepted: Annotated[
        bool,
        typer.Option(
            "--move-accepted",
            help="Also move accepted variants and those that a person wrote; what moves is to be "
            "reviewed again.",
        ),
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the newest choice back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose the variants, among the candidates, by which text alone finds no original."""
    store = open_store()
    if undo:
        no_effect.refuse(
            {"--move-accepted": move_accepted}, "What is taken back is the newest choice, whole"
        )
        restored = choose_candidates.undo(store, sample)
        emit(
            {"restored": restored},
            as_json,
            f"{restored} instances have their earlier variants again.",
        )
        return
    balancing = choose_candidates.choose(store, sample, keep_accepted=not move_accepted)
    if balancing.without_choice:
        remark(
            f"{balancing.without_choice} of {balancing.instances} instances have no more than four "
            "usable texts to choose from; ask for more with: python -m dcq perturb "
            f"{balancing.sample} --candidates 8"
        )
    rows = strategy_rows(balancing.before, balancing.after)
    letters = [f"{letter}#" for letter in LETTERS[:4]]
    strategy_table = table(["strategy", *letters], [list(row.values()) for row in rows])
    emit(
        balancing_document(balancing),
        as_json,
        Group(
            strategy_table,
            Text(
                f"Variants of {balancing.changed} of {balancing.instances} instances changed. "
                f"{describe(balancing.before, balancing.after)} "
                f"{conclude_words(_target_of(store, balancing.sample))}"
            ),
        ),
    )
