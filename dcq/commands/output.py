"""The output of commands: JSON or a table on stdout, everything else on stderr."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from dcq import words
from dcq.environment import store_path

if TYPE_CHECKING:
    from dcq.languages import Guess
    from dcq.store import Store

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

err = Console(stderr=True, highlight=False)


def open_store() -> Store:
    """The store that the settings name."""
    # Imported here, so that commands without a store start faster.
    from dcq.store import Store

    return Store(store_path())


def complain(sentence: str) -> None:
    """Print an error message on stderr."""
    err.print(Text(sentence, style="red"), soft_wrap=True)


def remark(sentence: str) -> None:
    """Print a note on stderr."""
    err.print(Text(sentence, style="yellow"), soft_wrap=True)


def remark_guess(guessed: Guess | None) -> None:
    """Say on stderr which language was taken, if one was guessed. It is no note of a sample, which
    would be read again where the language is given."""
    if guessed is not None:
        remark(f"{guessed.reason}; if they are in another, give its code with --language.")


def emit(document: object, as_json: bool, human: RenderableType) -> None:
    """Print ``document`` as JSON, or ``human`` as text. Text is never read as markup."""
    if as_json:
        typer.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False)
    if not console.is_terminal:  # a file or a pipe: do not cut lines
        console.width = 240
    console.print(Text(human) if isinstance(human, str) else human, soft_wrap=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """A plain table; columns whose name ends in ``#`` hold numbers."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column.rstrip("#"), justify="right" if column.endswith("#") else "left")
    for row in rows:
        made.add_row(*(Text("–" if cell is None else str(cell)) for cell in row))
    return made


def percent(share: float | None) -> str | None:
    """A share as per cent with one decimal; None stays None."""
    return None if share is None else words.percent(share, 1)


def kappa_text(value: float | None, low: float | None, high: float | None) -> str | None:
    """κ with two decimals and its interval in brackets; None stays None."""
    return None if value is None else words.kappa_words(value, low, high)
