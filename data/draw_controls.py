"""Draw control texts and their variants from texts that were written with alternatives.

A row of ``data/control/written/NAME.jsonl`` holds several wordings of one text: ``{broke|failed}``
stands for either word, ``{x:broke|failed}`` names the choice, and a later ``{x}`` repeats it. Five
wordings are drawn from each row. They come from one distribution, and which of them is the original
is a draw too, so nothing but chance tells it from the others. Among many such draws the first is
kept in which no strategy without memory finds the original in more than a third of the quiz::

    python -m data.draw_controls NAME...

writes ``data/control/NAME.jsonl``, the same bytes each time.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from dcq.partitions.catalog import Entry, entries
from dcq.partitions.format import format_row
from dcq.quiz.build import SLOTS, build
from dcq.quiz.leakage import has_frequencies, mean_zipf, text_only
from dcq.records import Instance, Item, Kind
from dcq.variants.checks import check

FOLDER = Path(__file__).parent / "control"
WORDINGS = 5
LEAST_DIFFERENT = 3  # choices in which two wordings of a text differ at least
SEEDS = 2000
MOST, LEAST = 0.32, 0.16  # share of originals that a strategy may find at a slot
CANARY = "dcq control text 85dcca7f-0cfe-4bde-848b-b5a7b99fd90f: keep out of training data"

_CHOICE = re.compile(r"\{(?:(\w+):)?([^{}|]*(?:\|[^{}|]*)+)\}|\{(\w+)\}")

Row = Mapping[str, Any]
Choices = tuple[int, ...]


def choices_in(row: Row) -> list[list[str]]:
    """The alternatives at each choice of a row, in the order of its fields."""
    return [m[2].split("|") for m in _CHOICE.finditer("\n".join(_texts(row))) if m[2] is not None]


def word(row: Row, picked: Choices) -> dict[str, Any]:
    """The row with one alternative at each choice."""
    left, names = iter(picked), dict[str, str]()

    def fill(match: re.Match[str]) -> str:
        if match[3] is not None:
            return names[match[3]]
        chosen = str(match[2]).split("|")[next(left)]
        if match[1] is not None:
            names[match[1]] = chosen
        return chosen

    return {
        name: _CHOICE.sub(fill, value) if isinstance(value, str) else value
        for name, value in row.items()
    }


def _texts(row: Row) -> list[str]:
    return [value for value in row.values() if isinstance(value, str)]


def draw(row: Row, rng: random.Random) -> list[dict[str, Any]]:
    """Five wordings of a row, each different enough from the others."""
    sizes = [len(options) for options in choices_in(row)]
    found: list[Choices] = []
    for _ in range(200):
        one = tuple(rng.randrange(size) for size in sizes)
        if all(
            sum(a != b for a, b in zip(one, other, strict=True)) >= LEAST_DIFFERENT
            for other in found
        ):
            found.append(one)
        if len(found) == WORDINGS:
            return [word(row, picked) for picked in found]
    sys.exit(f"A text has too few choices: {json.dumps(row, ensure_ascii=False)[:200]}")


def shares(
    instances: Sequence[Instance], texts: Sequence[Sequence[str]], language: str
) -> list[float]:
    """The share of originals that each strategy finds at each slot."""
    variants = {one.id: dict(enumerate(some)) for one, some in zip(instances, texts, strict=True)}
    found = []
    for slot in range(SLOTS):
        items = build(Kind.STANDARD, list(instances), variants, slot=slot).items
        found += [one.kappa.score or 0.0 for one in text_only(items, language)]
        if has_frequencies(language):
            found.append(fmean(_rarest(item, language) for item in items))
    return found


def _rarest(item: Item, language: str) -> float:
    """1 where the original has the rarest words on average, a part of it where others tie."""
    means = [mean_zipf(text, language) for text in item.options]
    return 1 / means.count(min(means)) if means[item.correct or 0] == min(means) else 0.0


def main(names: Sequence[str]) -> None:
    """Draw these texts, and say what a person should look at."""
    for name in names:
        path = FOLDER / "written" / f"{name}.jsonl"
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        entry = next(one for one in entries() if f"control/{name}.jsonl" in one.files)
        best = (1.0, 0, list[list[dict[str, Any]]]())
        for seed in range(SEEDS):
            rng = random.Random(f"{name} {seed}")  # noqa: S311  (a draw, no secret)
            drawn = [draw(row, rng) for row in rows]
            originals, texts = _laid_out(entry, drawn)
            if seed == 0:
                _report(name, originals, texts, entry.language)
            found = shares(originals, texts, entry.language)
            worst = max(max(found) - MOST, LEAST - min(found))
            best = min(best, (worst, seed, drawn), key=lambda one: one[0])
            if worst <= 0:
                break
        worst, seed, drawn = best
        lines = [
            _line(f"{name}-{at:03}", row, some)
            for at, (row, some) in enumerate(zip(rows, drawn, strict=True), 1)
        ]
        (FOLDER / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        state = "balanced" if worst <= 0 else f"off by {worst:.2f}"
        print(f"{name}: {len(rows)} texts, seed {seed}, {state}")


def _laid_out(
    entry: Entry, drawn: Sequence[Sequence[Row]]
) -> tuple[list[Instance], list[list[str]]]:
    """The originals and the texts of their variants, as a quiz shows them."""
    made = [[format_row(one, entry.layout) for one in some] for some in drawn]
    whole = [[one for one in some if one is not None] for some in made]
    return [some[0] for some in whole], [[one.text for one in some[1:]] for some in whole]


def _line(identity: str, row: Row, drawn: Sequence[Row]) -> str:
    worded = [key for key, value in row.items() if isinstance(value, str) and _CHOICE.search(value)]
    first, *others = drawn
    variants: list[Any] = (
        [one[worded[0]] for one in others]
        if len(worded) == 1
        else [{key: one[key] for key in worded} for one in others]
    )
    return json.dumps(
        {"id": identity, **first, "variants": variants, "canary": CANARY}, ensure_ascii=False
    )


def _report(
    name: str, instances: Sequence[Instance], texts: Sequence[Sequence[str]], language: str
) -> None:
    for number, (one, some) in enumerate(zip(instances, texts, strict=True), start=1):
        for text in some:
            others = [other for other in some if other is not text]
            findings = check(one, text, others, language=language)
            for finding in findings:
                print(f"{name}, row {number}, {finding.severity}: {finding.sentence}")


if __name__ == "__main__":
    main(sys.argv[1:])
