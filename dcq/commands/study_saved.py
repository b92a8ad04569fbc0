"""Named choices of what is judged together."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from dcq import methods, settings
from dcq.commands.output import AsJson, emit, open_store, remark, table
from dcq.errors import InputError
from dcq.judging import known
from dcq.quiz.choice import fits_no_target
from dcq.store import Store, studies
from dcq.store.studies import Study

Name = Annotated[str, typer.Argument(help="The study's name.")]
Partitions = Annotated[
    list[str] | None,
    typer.Option("--partition", help="A tested partition, KEY/SPLIT; may be repeated."),
]
Models = Annotated[list[str] | None, typer.Option("--model", help="A model; may be repeated.")]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method", help=f"One of {', '.join(methods.names())}; may be repeated. All by default."
    ),
]
Controls = Annotated[
    list[str] | None,
    typer.Option("--control", help="A control partition, KEY/SPLIT; may be repeated."),
]
Everything = Annotated[
    bool, typer.Option("--everything", help="Save all that there is now as one study.")
]
Remove = Annotated[bool, typer.Option("--remove", help="Take the study off the list.")]


def list_(as_json: AsJson = False) -> None:
    """List the saved studies, the newest first."""
    _list(open_store(), as_json)


def show(name: Name, as_json: AsJson = False) -> None:
    """Show one saved study."""
    _show(open_store(), name, as_json)


def save(
    name: Name,
    partition: Partitions = None,
    model: Models = None,
    method: Methods = None,
    control: Controls = None,
    everything: Everything = False,
    as_json: AsJson = False,
) -> None:
    """Save a named choice of partitions, models, methods and controls, which are judged together.

    What is not narrowed down is all that there is now. What is asked later changes nothing in a
    saved study; save it again to take that in."""
    narrowed = any((partition, model, method, control))
    if not narrowed and not everything:
        raise InputError("Say what the study takes, such as --partition, or --everything.")
    if everything and narrowed:
        raise InputError("--everything narrows nothing; leave it out, or leave the others out.")
    store = open_store()
    chosen = Study(
        name,
        _tuple(partition),
        _tuple(model),
        methods.check(method),
        _tuple(control),
        settings.load().author,
    )
    new_study = studies.save(store, known.named_study(store, chosen))
    if sentence := fits_no_target(store, new_study.controls or (), new_study.partitions):
        remark(sentence)
    remark(
        f"Saved as revision {new_study.revision}. Its results: python -m dcq results --study "
        f"{shlex.quote(new_study.name)}"
    )
    _show(store, new_study.name, as_json)


def remove(name: Name, as_json: AsJson = False) -> None:
    """Take a study off the list; its history stays."""
    studies.remove(open_store(), name, author=settings.load().author)
    remark(f"The study “{name}” is off the list.")
    if as_json:
        emit({"removed": name}, True, "")


def study_by_name(
    name: Annotated[str | None, typer.Argument(help="The study to show or to save.")] = None,
    partition: Partitions = None,
    model: Models = None,
    method: Methods = None,
    control: Controls = None,
    everything: Everything = False,
    remove_it: Remove = False,
    as_json: AsJson = False,
) -> None:
    """List studies, show one, or save one, as earlier releases did; now: study list, show, save and
    remove."""
    narrowed = any((partition, model, method, control))
    if name is None:
        if narrowed or remove_it or everything:
            raise InputError("Name the study.")
        list_(as_json)
    elif remove_it:
        if narrowed or everything:
            raise InputError("A study is taken off the list whole; leave out what narrows it.")
        remove(name, as_json)
    elif narrowed or everything:
        save(name, partition, model, method, control, everything, as_json)
    else:
        _show(open_store(), name, as_json)


def _show(store: Store, name: str, as_json: bool) -> None:
    saved_study = studies.load(store, name)
    emit(document(saved_study), as_json, _describe(saved_study))


def document(study: Study) -> dict[str, Any]:
    """A study as JSON; null stands for no restriction."""
    return {
        "name": study.name,
        "partitions": study.partitions,
        "models": study.models,
        "methods": study.methods,
        "controls": study.controls,
        "author": study.author,
        "made_at": study.made_at and study.made_at.isoformat(),
        "revision": study.revision,
    }


def _list(store: Store, as_json: bool) -> None:
    saved_studies = studies.listing(store)
    rows = [[study.name, *map(_words, _choices(study)), study.author] for study in saved_studies]
    text = table(["study", "partitions", "models", "methods", "controls", "by"], rows)
    none = 'No study yet; make one with: python -m dcq study save "NAME" --partition KEY/SPLIT'
    emit(
        [document(saved_study) for saved_study in saved_studies],
        as_json,
        text if saved_studies else none,
    )


def _choices(saved_study: Study) -> tuple[tuple[str, ...] | None, ...]:
    return saved_study.partitions, saved_study.models, saved_study.methods, saved_study.controls


def _describe(saved_study: Study) -> list[str]:
    names = ("partitions", "models", "methods", "controls")
    lines = [
        f"{name}: {_words(chosen)}"
        for name, chosen in zip(names, _choices(saved_study), strict=True)
    ]
    fixed = (
        [f"fixed: {saved_study.made_at:%d %b %Y, %H:%M} UTC, revision {saved_study.revision}"]
        if saved_study.made_at
        else []
    )
    return [saved_study.name, *lines, *fixed]


def _words(chosen: tuple[str, ...] | None) -> str:
    return "all" if chosen is None else ", ".join(chosen) or "none"


def _tuple(values: list[str] | None) -> tuple[str, ...] | None:
    return tuple(values) if values else None
