"""What the commands on a study's file share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dcq.commands.output import table
from dcq.words import p_number

if TYPE_CHECKING:
    from rich.table import Table

    from dcq.study.spec import StudySpec
    from dcq.study.state import StudyState

StudyPath = Annotated[Path, typer.Argument(help="The study's file, such as study.toml.")]
Outside = Annotated[
    bool,
    typer.Option("--outside", help="Paths in the file may lead out of its folder."),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        help="A host that models in the file may be asked at, with your key: HOST, HOST:PORT or "
        "http://HOST:PORT; may be repeated."
    ),
]


def read_trusted(
    file: Path, allow_host: list[str] | None, *, outside: bool, asks: bool = True
) -> StudySpec:
    """The study in ``file``. Raises InputError for what is none and, where it ``asks`` models, for
    an address in it that nobody allowed."""
    from dcq.models.leave import check_addresses, read_allowed
    from dcq.study.file import read_study

    allowed = read_allowed(allow_host or ())
    spec = read_study(file, outside=outside)
    if asks:
        check_addresses([*(model.name for model in spec.models), spec.rewordings.model], allowed)
    return spec


def conclusions(state: StudyState) -> Table:
    """The conclusion on each pair, as a table."""
    rows = [
        [
            answer.model,
            answer.partition,
            answer.ruling.word,
            None if answer.q_value is None else p_number(answer.q_value),
        ]
        for answer in state.answers
    ]
    return table(["model", "partition", "conclusion", "q#"], rows)
