"""Replication: whether a model completes instances word for word; and the analysis of a published
replication file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dcq.asking.chain import ChainOutcome, go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.audit.replication import AuditedReplication, audit_replication
from dcq.audit.replication_versus_quiz import ReplicationVersusQuiz, compare_with_quiz
from dcq.audit.sentences import describe_replication
from dcq.commands import no_effect
from dcq.commands.asking import (
    Budget,
    Concurrency,
    MaxCalls,
    RequestsPerMinute,
    Reuse,
    Runs,
    TokensPerMinute,
    ask_each,
    show_chains,
)
from dcq.commands.output import AsJson, emit, open_store, percent, remark, table
from dcq.errors import InputError
from dcq.evidence.bootstrap import FEWEST
from dcq.evidence.replication.guidance import Guidance
from dcq.models.pacing.limits import Limits
from dcq.replication import replicate as replicating
from dcq.replication.freeze import PAIRED
from dcq.replication.method import METHODS
from dcq.replication.pieces import AS_RELEASED, CutRange
from dcq.replication.prompts import Instruction, Version
from dcq.replication.replicate import Design
from dcq.variants import annotators
from dcq.words import p_number, points_words, ranges, two_decimals
from dcq.words import percent as percent_words


def replicate(
    sample: Annotated[
        str | None, typer.Argument(help="Id of the sample; not with --audit.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model that completes; named as for `run`.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="The model that judges; by default only exact matches count."),
    ] = None,
    version: Annotated[
        Version | None,
        typer.Option(
            help="The wordings of the paper, or those of the authors' release.",
            show_default=Version.PAPER.value,
        ),
    ] = None,
    name_swapped: Annotated[
        bool,
        typer.Option(
            "--name-swapped",
            help="Also ask the guided question with a dataset that does not exist (ours).",
        ),
    ] = False,
    wrong_label: Annotated[
        bool,
        typer.Option(
            "--wrong-label",
            help="Also ask the guided question with another label than the instance has.",
        ),
    ] = False,
    cut_share: Annotated[
        str | None,
        typer.Option(
            "--cut-share",
            help="Between which shares of a text it is cut, or one share; left out, 0.4:0.7, as "
            "the release.",
        ),
    ] = None,
    first_instances: Annotated[
        bool,
        typer.Option(
            "--first-instances",
            help="Ask for the first instances of the split instead, in one call.",
        ),
    ] = False,
    continued: Runs = None,
    limit: Annotated[int | None, typer.Option(help="Only the first N instances.")] = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the newest replication of this sample and model."),
    ] = False,
    reuse: Reuse = False,
    rpm: RequestsPerMinute = None,
    tpm: TokensPerMinute = None,
    audit: Annotated[
        Path | None, typer.Option("--audit", help="A published replication file to analyse.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", help="With --audit: a published quiz of the same split, to compare with."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Have a model complete the instances of a sample, told the dataset and not told it.

    Budget and cap on calls are for model and judge together. With --first-instances, ask for the
    first instances of the sample's split instead. With --audit, analyse a published replication
    file, without asking any model.
    """
    cut_range = _read_cut_range(cut_share)
    controls = [
        instruction
        for instruction, requested in (
            (Instruction.SWAPPED, name_swapped),
            (Instruction.WRONG_LABEL, wrong_label),
        )
        if requested
    ]
    designed = bool(controls) or cut_share is not None or version is not None
    if audit is not None:
        if sample or model or judge or first_instances or continued or designed:
            raise InputError("A published file is analysed alone: replicate --audit FILE.")
        asking = {
            "--limit": limit,
            "--budget": budget,
            "--max-calls": max_calls,
            "--concurrency": concurrency,
            "--resume": resume,
            "--reuse": reuse,
            "--rpm": rpm,
            "--tpm": tpm,
        }
        no_effect.refuse(asking, "A published file is analysed without asking anybody")
        show_audit(audit, against, as_json)
        return
    if against is not None:
        raise InputError("Only a published file is compared so; add --audit FILE.")
    terms = Terms(limit, budget, max_calls, concurrency)
    if continued and (sample or model or judge or first_instances or resume or designed):
        raise InputError(
            "A run has its sample, its models and its questions already; give --run alone, or "
            "SAMPLE and --model."
        )
    if resume and designed:
        raise InputError(
            "A replication goes on with the questions and cuts that it has; leave --version, "
            "--name-swapped, --wrong-label and --cut-share out, or --resume."
        )
    if not continued and not (sample and model):
        raise InputError(
            "Name a sample and a model with --model, a run with --run, or a file with --audit."
        )
    if first_instances and (judge or limit or designed):
        raise InputError(
            "Asking for the first instances is one call that nobody judges; leave --judge, "
            "--limit, --version, --name-swapped, --wrong-label and --cut-share out."
        )
    store = open_store()
    design = Design(judge, version or Version.PAPER, [*PAIRED, *controls], cut_range)

    async def ask(watch: Watch, run_id: str | None) -> ChainOutcome:
        options = Options(terms, reuse, limits=Limits(rpm, tpm), watch=watch)
        if run_id is not None:
            return await go_on(store, METHODS.values(), run_id, options)
        if first_instances:
            return await replicating.ask_for_first_instances(
                store, sample or "", model or "", options, resume=resume
            )
        return await replicating.replicate(
            store, sample or "", model or "", design, options, resume=resume
        )

    requested: Sequence[str | None] = list(dict.fromkeys(continued or [])) or [None]
    ended, left_by = ask_each(requested, ask, "Replication")
    from dcq.documents.replication_document import document, sentence  # takes a while to import

    show_chains(store, ended, left_by, document, sentence, as_json=as_json)


def _read_cut_range(text: str | None) -> CutRange:
    """``0.4:0.7`` as a share; the release's where none is given."""
    if text is None:
        return AS_RELEASED
    first, colon, last = text.partition(":")
    try:
        return CutRange(float(first), float(last if colon else first))
    except ValueError:
        raise InputError(
            f"--cut-share {text[:40]!r} is no share; write two numbers, such as 0.4:0.7."
        ) from None


def show_audit(path: Path, against: Path | None, as_json: bool) -> None:
    """Analyse a published file, beside a published quiz if one is given, and print the result."""
    replication = audit_replication(path)
    comparison = compare_with_quiz(replication.rows, against) if against else None
    if as_json:
        document = replication.document()
        if comparison is not None:
            document["cross_check"] = comparison.document()
        emit(document, as_json, "")
    else:
        _show_audit(replication)
        if comparison is not None:
            _show_versus_quiz(comparison)
    _remark_on(replication)


def _show_audit(audit: AuditedReplication) -> None:
    emit(None, False, [describe_replication(audit), ""])
    rows = [_overlap_row("ROUGE-L", audit.rouge)]
    if audit.bleurt is not None:
        rows.append(_overlap_row("BLEURT", audit.bleurt))
    emit(None, False, table(["overlap", "n#", "general#", "guided#", "p#", "contaminated"], rows))
    matches = audit.matches
    counts = [
        ["equal but for space and case", audit.n, len(audit.equal), None, None, None],
        *(
            [
                name,
                tally.n,
                tally.exact,
                tally.near_exact,
                None if tally.interval is None else _share(tally.rate, tally.interval),
                "yes" if tally.contaminated else "no",
            ]
            for name, tally in (("judge", matches), ("people, both", audit.people))
            if tally is not None
        ),
    ]
    emit(None, False, "")
    columns = ["matches", "n#", "exact#", "near-exact#", "rate", "contaminated"]
    emit(None, False, table(columns, counts))
    if audit.agreement is not None:
        emit(None, False, ["", annotators.describe("The annotators", audit.agreement)])


def _show_versus_quiz(comparison: ReplicationVersusQuiz) -> None:
    rows = [
        [
            f"original at {slot}" + ("" if slot in comparison.sound else " (there twice)"),
            f"{cross_check.match_right} of {cross_check.match_right + cross_check.match_wrong}",
            f"{cross_check.other_right} of {cross_check.other_right + cross_check.other_wrong}",
            None
            if cross_check.difference is None or cross_check.low is None or cross_check.high is None
            else points_words(cross_check.difference, cross_check.low, cross_check.high),
            None if cross_check.odds_ratio is None else two_decimals(cross_check.odds_ratio),
            None if cross_check.p_value is None else p_number(cross_check.p_value),
        ]
        for slot, cross_check in comparison.slots.items()
    ]
    emit(
        None,
        False,
        ["", f"{comparison.matched} of the instances are in the quiz {comparison.name}."],
    )
    columns = ["quiz", "right of matches#", "right of others#", "difference", "odds ratio#", "p#"]
    emit(None, False, table(columns, rows))


def _remark_on(audit: AuditedReplication) -> None:
    if audit.compared:
        words = f"{len(audit.mismatches)} of {audit.n} rows have a stored ROUGE-L that is not ours"
        tail = f" (rows {ranges(audit.mismatches)})" if audit.mismatches else ""
        remark(f"{words}{tail}; scores are compared with two decimals.")
    if audit.judge_differs:
        remark(f"Judge and people differ in rows {ranges(audit.judge_differs)}.")
    if 0 < audit.rouge.n < FEWEST:
        remark(f"With fewer than {FEWEST} instances the p-value of a bootstrap is too small.")


def _overlap_row(name: str, guidance: Guidance) -> list[object]:
    return [
        name,
        guidance.n,
        None if guidance.general is None else two_decimals(guidance.general),
        None if guidance.guided is None else two_decimals(guidance.guided),
        None if guidance.p_value is None else p_number(guidance.p_value),
        None if guidance.p_value is None else "yes" if guidance.contaminated else "no",
    ]


def _share(rate: float | None, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{percent(rate)} ({percent_words(low)} to {percent_words(high)})"
