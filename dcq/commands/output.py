"""The output of commands: JSON or a table on stdout, everything else on stderr.

Names come from files, endpoints and other people. Control characters in them are escaped
(``dcq.words.visible``) here and nowhere else, so that none reaches a terminal as a command.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from dcq import words
from dcq.environment import store_path
from dcq.result_columns import Column, Row

if TYPE_CHECKING:
    from dcq.languages import Guess
    from dcq.store import Store

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


class Terminal(Console):
    """A console that applies its own styles and interprets nothing in a text."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As the base class does."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield segment._replace(text=words.visible(segment.text, lines=True))


err = Terminal(stderr=True, highlight=False)


def open_store() -> Store:
    """The store that the settings name, with all replies as this release reads them."""
    # Imported here, so that commands without a store start faster.
    from dcq.investigation.stored_replies import read_stored_replies
    from dcq.store import Store

    store = Store(store_path())
    if store.path.exists() and (changed := read_stored_replies(store)):
        remark(changed)
    return store


def complain(sentence: str) -> None:
    """Print an error message on stderr."""
    err.print(Text(words.visible(sentence), style="red"), soft_wrap=True)


def complain_of_a_bug(traceback: str) -> None:
    """Print a traceback on stderr."""
    sys.stderr.write(words.visible(traceback, lines=True))


def remark(sentence: str) -> None:
    """Print a note on stderr."""
    err.print(Text(words.visible(sentence), style="yellow"), soft_wrap=True)


def remark_guess(guessed: Guess | None) -> None:
    """Print on stderr which language was guessed, if one was. It is not kept as a note of the
    sample, because the next person may give the language."""
    if guessed is not None:
        remark(f"{guessed.reason}; if they are in another, give its code with --language.")


def conclude_words(sample_id: str, *models: str) -> str:
    """What to type next, from a target's sample to conclusions."""
    named = " ".join(f"--model {shlex.quote(model)}" for model in models) or "--model MODEL"
    return f"Next: python -m dcq investigate {sample_id} {named}"


def emit(document: object, as_json: bool, human: RenderableType | Sequence[str]) -> None:
    """Print ``document`` as JSON, or ``human``: a line, several, or anything else that rich can
    print. Text is never read as markup."""
    if as_json:
        # JSON escapes some of what a terminal obeys; the rest it takes in the same form.
        typer.echo(words.visible(json.dumps(document, ensure_ascii=False, allow_nan=False)))
        return
    console = Terminal(highlight=False)
    if not console.is_terminal:  # a file or a pipe: do not cut lines
        console.width = 500
    if isinstance(human, str):
        human = [human]
    if isinstance(human, Sequence):
        human = Text("\n".join(map(words.visible, human)))
    console.print(human, soft_wrap=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """A plain table; columns whose name ends in ``#`` hold numbers."""
    new_table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        name = Text(words.visible(column.rstrip("#")))
        new_table.add_column(name, justify="right" if column.endswith("#") else "left")
    for row in rows:
        new_table.add_row(
            *(Text("–" if cell is None else words.visible(str(cell))) for cell in row)
        )
    return new_table


def table_of(
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    more: Mapping[str, Sequence[str | None]] | None = None,
) -> Table:
    """A plain table of ``rows``, whose ``columns`` are declared with what they show; ``more`` are
    columns beside them, by their names."""
    heads = [f"{column.heading.lower()}{'#' if column.number else ''}" for column in columns]
    cells = [[column.text(row) or None for row in rows] for column in columns]
    further = more or {}
    return table([*heads, *further], list(zip(*cells, *further.values(), strict=True)))


def percent(share: float | None) -> str | None:
    """A share as per cent with one decimal; None stays None."""
    return None if share is None else words.percent(share, 1)


def kappa_text(value: float | None, low: float | None, high: float | None) -> str | None:
    """κ with two decimals and its interval in brackets; None stays None."""
    return None if value is None else words.kappa_words(value, low, high)
