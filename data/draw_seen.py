"""Choose the variants of texts that every model has seen, from texts written with alternatives.

A row of ``data/seen/written/NAME.jsonl`` is laid out as those of ``data.draw_controls``, and the
first alternative at each choice is the published word. Up to eight other wordings of each text are
drawn as for the controls; of these four are kept, so that no strategy without memory finds the
published wording among them (``dcq.variants.balance``). Among many such draws the first is kept in
which the shares of all strategies at all slots are near chance.

Whoever knows the Bible knows its style, too. So that the style does not give a verse away, the
eight are those of many wordings whose words follow one another most as in the other verses::

    python -m data.draw_seen NAME...

writes ``data/seen/NAME.jsonl``, the same bytes each time. ``--table`` prints the table of shares in
``data/README.md``.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from nltk.lm import StupidBackoff
from nltk.lm.preprocessing import padded_everygram_pipeline
from nltk.util import ngrams

from data.draw_controls import (
    LEAST_DIFFERENT,
    choices_in,
    file_line,
    is_different,
    readme_row,
    shares,
    word,
)
from dcq.errors import DcqError
from dcq.partitions import entries, open_partition
from dcq.partitions.catalog import Entry
from dcq.partitions.files import read_json_rows
from dcq.partitions.format import Layout, format_row
from dcq.records import Instance
from dcq.variants.balance import SLOTS, Pool, balance
from dcq.variants.checks import check

FOLDER = Path(__file__).parent / "seen"
CANDIDATES = 8
TRIED = 600  # wordings among which candidates are looked for
SHARED = 5  # words in a row by which a verse is known to quote another
RAREST = 1e-7  # probability of a word that no other verse has
SEEDS = 50
MOST, LEAST = 0.29, 0.21  # share of originals that a strategy may find at a slot
CANARY = "dcq seen text 85dcca7f-0cfe-4bde-848b-b5a7b99fd90f: keep out of training data"

Style = Callable[[str], float]  # the more, the nearer
Wordings = list[tuple[dict[str, Any], Instance]]  # of one row, the published one first


def draw_file(name: str) -> str:
    """The lines of ``data/seen/NAME.jsonl``."""
    entry = _entry_of(name)
    rows = read_json_rows(FOLDER / "written" / f"{name}.jsonl")
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
    style = _STYLES[name](rows)
    best = (1.0, 0, list[list[dict[str, Any]]]())
    for seed in range(SEEDS):
        rng = random.Random(f"{name} {seed}")  # noqa: S311  (a draw, no secret)
        drawn = [_draw(row, entry, style, rng) for row in rows]
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


def _draw(row: dict[str, Any], entry: Entry, style: Style, rng: random.Random) -> Wordings:
    """The published wording, and others of which nothing is to be said, the nearest in style."""
    sizes = [len(options) for options in choices_in(row)]
    tried = {tuple(rng.randrange(size) for size in sizes): None for _ in range(TRIED)}
    texts = {picked: _formatted(word(row, picked), entry.layout) for picked in tried}
    published = (0,) * len(sizes)
    original = word(row, published)
    made = {published: (original, _formatted(original, entry.layout))}
    for picked in sorted(tried, key=lambda one: -style(texts[one].text)):
        if is_different(picked, [*made]) and not check(
            made[published][1], texts[picked].text, language=entry.language
        ):
            made[picked] = (word(row, picked), texts[picked])
        if len(made) == 1 + CANDIDATES:
            break
    if len(made) > SLOTS:
        return [*made.values()]
    sys.exit(
        f"A text has too few wordings that pass the checks and differ in {LEAST_DIFFERENT} "
        f"choices; give it more alternatives: {made[published][1].text[:200]}"
    )


def _formatted(row: dict[str, Any], layout: Layout) -> Instance:
    instance = format_row(row, layout)
    if instance is None:
        sys.exit(f"A row lacks a text; complete it: {row}")
    return instance


def _no_style(text: str) -> float:
    return 0.0


def bible_style(rows: Sequence[dict[str, Any]]) -> Style:
    """How much a text is worded as the Bible's verses without ``rows``, and without those that
    share words in a row with one of them: the mean log probability of its words, by trigrams."""
    return _bible_style(frozenset(row["reference"] for row in rows))


@cache  # some seconds
def _bible_style(held: frozenset[str]) -> Style:
    bible = open_partition("kjv", "verses").table.rows
    known = {run for row in bible if row["reference"] in held for run in _runs(row["verse"])}
    others = [row["verse"] for row in bible if row["reference"] not in held]
    model = StupidBackoff(order=3)
    model.fit(
        *padded_everygram_pipeline(3, [_words(one) for one in others if not known & _runs(one)])
    )

    @cache
    def rate(run: tuple[str, ...]) -> float:
        return math.log(max(RAREST, model.score(run[-1], run[:-1])))

    def style(text: str) -> float:
        runs = [*ngrams(_words(text), 3, pad_left=True, left_pad_symbol="<s>")]
        return fmean(map(rate, runs))

    return style


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+|[.,;:?!]", text.lower())


def _runs(text: str) -> set[tuple[str, ...]]:
    return {*ngrams(_words(text), SHARED)}


# How to tell the style of a text, by file.
_STYLES: dict[str, Callable[[Sequence[dict[str, Any]]], Style]] = {
    "verses": bible_style,
    "founding": lambda rows: _no_style,
}


def main(words: Sequence[str] | None = None) -> None:
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
        main()
    except (DcqError, OSError) as error:
        sys.exit(str(error))
