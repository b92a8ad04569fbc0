"""The answers on models and partitions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dcq.commands.output import AsJson, emit, remark, table
from dcq.commands.shown import CONCLUSION, nothing_of, shown_results
from dcq.judging import known, snapshot
from dcq.judging.answer import Answer
from dcq.judging.answer_words import below_its_word
from dcq.judging.answers import answers
from dcq.store import Store, studies
from dcq.words import p_number, percent


def answer(
    model: Annotated[str | None, typer.Option(help="Show only this model.")] = None,
    partition: Annotated[
        str | None, typer.Option(help="Show only this partition, KEY/SPLIT.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--study", help="Judge this saved study, not each benchmark by itself."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print one answer for each model and partition, from all methods that were asked.

    The options only select what is shown: an answer takes its whole study into account."""
    with shown_results() as shown, snapshot.hold_change_marker():
        known.check(shown.store, model=model, partition=partition)
        within = studies.load(shown.store, name) if name is not None else shown.within
        found = answers(shown.store, within, model=model, partition=partition)
        # What others sent is asked again by its owner.
        documents = _documents(shown.store, found, as_json=as_json, own=not shown.sender)
    missing = "" if found else _missing(model, partition, name)
    if as_json:
        senders = {"senders": [shown.sender]} if shown.sender else {}
        emit([document | senders for document in documents], True, "")
        if missing:
            remark(missing)
    elif found:
        for one, document in zip(found, documents, strict=True):
            _show(one, (document["repair"] or {}).get("command") or "")
    else:
        emit(None, False, missing)


def _documents(
    store: Store, found: list[Answer], *, as_json: bool, own: bool
) -> list[dict[str, Any]]:
    """The answers with their repairs and, as JSON, the prices of what could be asked."""
    if as_json:
        from dcq.investigation.could_ask import priced  # here, because only JSON has prices

        found = priced(store, found)
    if not own:
        return [one.document() | {"repair": None} for one in found]
    from dcq.study.repairs import with_repairs  # here, because it loads all that asks

    return with_repairs(store, found)


def _missing(model: str | None, partition: str | None, study: str | None) -> str:
    if model is None and partition is None:
        return "No answers yet; ask a model with: python -m dcq investigate BENCHMARK --model MODEL"
    return nothing_of(CONCLUSION, model, partition, study)


def _show(shown: Answer, next_command: str) -> None:
    from dcq.documents.answer_document import found_words

    emit(
        None,
        False,
        f"{shown.ruling.word.capitalize()}. {below_its_word(shown)}",
    )
    rows = [
        [
            each.name,
            each.n,
            found_words(each),
            None if each.p_value is None else p_number(each.p_value),
            percent(each.weight) if each.votes else "not counted",
        ]
        for each in shown.methods
    ]
    emit(None, False, table(["method", "n#", "found", "p#", "weight#"], rows))
    emit(None, False, [f"  {reason}" for reason in shown.reasons])
    if next_command:
        emit(None, False, f"  Next: {next_command}")
