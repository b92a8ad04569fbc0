"""Replication: whether a model completes instances word for word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dcq.asking.chain import Asked, go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.commands.asking import (
    Budget,
    Concurrency,
    MaxCalls,
    RequestsPerMinute,
    Reuse,
    Runs,
    TokensPerMinute,
    ask_each,
    leave_if_stopped,
)
from dcq.commands.output import AsJson, emit, open_store
from dcq.errors import DcqError, InputError
from dcq.models.pacing.limits import Limits
from dcq.replication import replicate as replicating
from dcq.replication.freeze import PAIRED
from dcq.replication.method import METHODS
from dcq.replication.pieces import AS_RELEASED, Share
from dcq.replication.prompts import Instruction, Version
from dcq.replication.replicate import Design
from dcq.store import Store


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
        Version, typer.Option(help="The wordings of the paper, or those of the authors' release.")
    ] = Version.PAPER,
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
    share = _read_share(cut_share)
    controls = [
        one
        for one, wanted in (
            (Instruction.SWAPPED, name_swapped),
            (Instruction.WRONG_LABEL, wrong_label),
        )
        if wanted
    ]
    designed = bool(controls) or cut_share is not None
    if audit is not None:
        if sample or model or judge or first_instances or continued or designed:
            raise InputError("A published file is analysed alone: replicate --audit FILE.")
        from dcq.commands.replicate_audit import show_audit

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
            "A replication goes on with the questions and cuts that it has; leave --name-swapped, "
            "--wrong-label and --cut-share out, or --resume."
        )
    if not continued and not (sample and model):
        raise InputError(
            "Name a sample and a model with --model, a run with --run, or a file with --audit."
        )
    if first_instances and (judge or limit or version is not Version.PAPER or designed):
        raise InputError(
            "Asking for the first instances is one call that nobody judges; leave --judge, "
            "--limit, --version, --name-swapped, --wrong-label and --cut-share out."
        )
    store = open_store()
    design = Design(judge, version, [*PAIRED, *controls], share)

    async def ask(watch: Watch, run_id: str | None) -> Asked:
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

    wanted: Sequence[str | None] = list(dict.fromkeys(continued or [])) or [None]
    ended, left_by = ask_each(wanted, ask, "Replication")
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    done = [whole for whole in ended if isinstance(whole, Asked)]
    _show(store, done, alone=len(ended) == 1, as_json=as_json)
    leave_if_stopped(
        [("", end if isinstance(end, DcqError) else end.ended) for end in ended], left_by
    )


def _read_share(text: str | None) -> Share:
    """``0.4:0.7`` as a share; the release's where none is given."""
    if text is None:
        return AS_RELEASED
    first, colon, last = text.partition(":")
    try:
        return Share(float(first), float(last if colon else first))
    except ValueError:
        raise InputError(
            f"--cut-share {text[:40]!r} is no share; write two numbers, such as 0.4:0.7."
        ) from None


def _show(store: Store, done: Sequence[Asked], *, alone: bool, as_json: bool) -> None:
    from dcq.documents.replication_document import document, sentence

    documents = [document(store, whole) for whole in done]
    words = [line for whole in done for line in sentence(store, whole).split("\n")]
    emit(documents[0] if alone else documents, as_json, words)
