"""Choose the variants of texts that every model has seen, from texts written with alternatives.

A row of ``data/seen/written/NAME.jsonl`` is laid out as those of ``data.draw_controls``, and the
first alternative at each choice is the published word. Up to eight other wordings of each text are
drawn as for the controls; of these four are kept, so that no strategy without memory finds the
published wording among them (``dcq.variants.balance``). Among many such draws the first is kept in
which the shares of all strategies at all slots are near chance::

    python -m data.draw_seen NAME...

writes ``data/seen/NAME.jsonl``, the same bytes each time. ``--table`` prints the table of shares in
``data/README.md``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from data.draw_controls import (
    LEAST_DIFFERENT,
    choices_in,
    file_line,
    pick,
    readme_row,
    shares,
    word,
)
from dcq.errors import DcqError
from dcq.partitions import entries
from dcq.partitions.catalog import Entry
from dcq.partitions.files import read_json_lines
from dcq.partitions.format import Layout, format_row
from dcq.records import Instance
from dcq.variants.balance import SLOTS, Pool, balance
from dcq.variants.checks import check

FOLDER = Path(__file__).parent / "seen"
CANDIDATES = 8
SEEDS = 50
MOST, LEAST = 0.29, 0.21  # share of originals that a strategy may find at a slot
CANARY = "dcq seen text 85dcca7f-0cfe-4bde-848b-b5a7b99fd90f: keep out of training data"

Wordings = list[tuple[dict[str, Any], Instance]]  # of one row, the published one first


def draw_file(name: str) -> str:
    """The lines of ``data/seen/NAME.jsonl``."""
    entry = _entry_of(name)
    rows = read_json_lines(FOLDER / "written" / f"{name}.jsonl")
    chosen = _choose(entry, name, rows)
    return "".join(
        f"{file_line(f'{name}-{at:03}', row, some, entry.layout, CANARY)}\n"
        for at, (row, some) in enumerate(zip(rows, chosen, strict=True), 1)
    )


def _entry_of(name: str) -> Entry:
    for entry in entries():
        if f"seen/{name}.jsonl" in entry.files:
            return entry
    sys.exit(f"No dataset of the catalog has a file seen/{name}.jsonl; name one that is there.")


def _choose(entry: Entry, name: str, rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """By row, the published wording and the four that are kept."""
    best = (1.0, 0, list[list[dict[str, Any]]]())
    for seed in range(SEEDS):
        rng = random.Random(f"{name} {seed}")  # noqa: S311  (a draw, no secret)
        drawn = [_draw(row, entry.layout, entry.language, rng) for row in rows]
        pools = [Pool(made[0][1].text, tuple(one.text for _, one in made[1:])) for made in drawn]
        kept = balance(pools, entry.language, seed=seed).chosen
        whole = [
            [made[0], *(made[at + 1] for at in slots if at is not None)]
            for made, slots in zip(drawn, kept, strict=True)
        ]
        found = [
            share
            for by_name in shares(
                [some[0][1] for some in whole],
                [[one.text for _, one in some[1:]] for some in whole],
                entry.language,
            )
            for share in by_name.values()
        ]
        missed = max(max(found) - MOST, LEAST - min(found))
        texts = [[worded for worded, _ in some] for some in whole]
        best = min(best, (missed, seed, texts), key=lambda one: one[0])
        if missed <= 0:
            break
    missed, seed, chosen = best
    state = "balanced" if missed <= 0 else f"off by {missed:.2f}"
    print(f"{name}: {len(rows)} rows, seed {seed}, {state}")
    return chosen


def _draw(row: dict[str, Any], layout: Layout, language: str, rng: random.Random) -> Wordings:
    """The published wording, and others of which nothing is to be said."""
    published = (0,) * len(choices_in(row))
    made: Wordings = []
    for picked in pick(row, rng, 1 + CANDIDATES, [published]):
        worded = word(row, picked)
        instance = format_row(worded, layout)
        if instance is None:
            sys.exit(f"A row lacks a text; complete it: {row}")
        if not made or not check(made[0][1], instance.text, language=language):
            made.append((worded, instance))
    if len(made) > SLOTS:
        return made
    sys.exit(
        f"A text has too few wordings that pass the checks and differ in {LEAST_DIFFERENT} "
        f"choices; give it more alternatives: {made[0][1].text[:200]}"
    )


def main(words: Sequence[str]) -> None:
    """Choose what is named, or print the table."""
    parser = argparse.ArgumentParser(prog="python -m data.draw_seen")
    parser.add_argument("names", nargs="*", help="a file of data/seen/written, without its ending")
    parser.add_argument("--table", action="store_true", help="print the shares of all seen texts")
    given = parser.parse_args(words)
    if not given.names and not given.table:
        parser.error("name what to draw, or ask for --table")
    for name in given.names:
        (FOLDER / f"{name}.jsonl").write_text(draw_file(name), "utf-8")
    if given.table:
        for entry in entries():
            if any(name.startswith("seen/") for name in entry.files):
                print(readme_row(entry.key, *entry.splits))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (DcqError, OSError) as error:
        sys.exit(str(error))
