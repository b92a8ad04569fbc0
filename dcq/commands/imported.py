"""What others sent: it stands beside your own results until you take it in."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from dcq import settings
from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.files import others
from dcq.judging.answer import as_sent
from dcq.store import Store, sources
from dcq.store.sources import Source

imported = typer.Typer(
    help="What others sent: it stands beside your own results until you take it in.",
    no_args_is_help=True,
)
_Id = Annotated[str, typer.Argument(help="The id of what was imported, or its beginning.")]


@imported.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List what others sent, with what its rows give, judged as the sender's study."""
    store = open_store()
    found = sources.listing(store)
    lines = [line for source in found for line in _lines(store, source)]
    emit(
        [_document(store, source) for source in found],
        as_json,
        lines or "Nothing of others is here; import a bundle with: python -m dcq import FILE",
    )


@imported.command("take-in")
def take_in(source: _Id, as_json: AsJson = False) -> None:
    """Let the runs of one import count in your studies. Every conclusion that rests on them says
    so. It is recorded with your name (DCQ_AUTHOR) and can be taken back."""
    store = open_store()
    taken = others.take_in(store, source, settings.load().author)
    emit(
        _document(store, taken),
        as_json,
        f"What {taken.who} sent counts in your studies now. Take it back with: "
        f"python -m dcq imported take-back {_short(store, taken)}",
    )


@imported.command("take-back")
def take_back(source: _Id, as_json: AsJson = False) -> None:
    """Let the runs of one import no longer count in your studies."""
    store = open_store()
    taken = others.take_back(store, source, settings.load().author)
    emit(_document(store, taken), as_json, f"What {taken.who} sent no longer counts.")


@imported.command("ask-again")
def ask_again(
    run: Annotated[str, typer.Argument(help="The id of a run that others asked.")],
    model: Annotated[
        str | None,
        typer.Option(help="The model to ask. Left out, the questions are only made your own."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask the questions of a run of others as your own, with your key and at your model's
    address."""
    store = open_store()
    question = others.copy_questions(store, run)
    if question.quiz is None or model is None:
        if whose := sources.whose_rewordings(store, question.sample):
            remark(whose)
        what = (
            f"run {question.quiz}"
            if question.quiz
            else f"ask {question.run.method} {question.sample}"
        )
        emit(
            {"run": None, "quiz": question.quiz, "sample": question.sample},
            as_json,
            f"The questions are yours now. Ask them with: python -m dcq {what} --model "
            f"{shlex.quote(model) if model else 'MODEL'}",
        )
        return
    from dcq.commands.run import run as ask  # here, because it loads what asks

    ask(quiz=[question.quiz], model=[model], as_json=as_json)


def _short(store: Store, source: Source) -> str:
    """As much of an id as no other import begins with."""
    others = [other.id for other in sources.listing(store) if other.id != source.id]
    length = 12
    while any(other.startswith(source.id[:length]) for other in others):
        length += 1
    return source.id[:length]


def _lines(store: Store, source: Source) -> list[str]:
    lines = [
        f"{_short(store, source)}  from {source.who}, imported {source.at:%d %b %Y}"
        f"{f' by {source.author}' if source.author else ''}: {_state(source)}"
    ]
    return [
        *lines,
        *(
            f"  {as_sent(outcome.ruling, outcome.sentence)} (run {', '.join(outcome.runs)})"
            for outcome in sources.outcomes(store, source.id)
        ),
    ]


def _state(source: Source) -> str:
    if source.taking is None:
        return "stands beside your own"
    who = f" by {source.taking.author}" if source.taking.author else ""
    return f"taken {'in' if source.taken else 'back'}{who} on {source.taking.at:%d %b %Y}"


def _document(store: Store, source: Source) -> dict[str, Any]:
    taking = source.taking
    return {
        "id": source.id,
        "kind": source.kind.value,
        "sender": source.sender or None,
        "file": source.file or None,
        "study": source.study,
        "author": source.author,
        "imported_at": source.at.isoformat(timespec="seconds"),
        "taken_in": source.taken,
        "taken_by": taking.author if taking else None,
        "taken_at": taking.at.isoformat(timespec="seconds") if taking else None,
        "conclusions": [
            {
                "model": outcome.model,
                "partition": outcome.partition,
                "ruling": outcome.ruling,
                "sentence": outcome.sentence,
                "runs": list(outcome.runs),
            }
            for outcome in sources.outcomes(store, source.id)
        ],
    }
