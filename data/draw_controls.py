"""Draw control texts and their variants from texts that were written with alternatives.

A row of ``data/control/written/NAME.jsonl`` holds several wordings of one text: ``{broke|failed}``
stands for either word, ``{x:broke|failed}`` names the choice, and a later ``{x}`` repeats it. Five
wordings are drawn from each row. They come from one distribution, and which of them is the original
is a draw too, so nothing but chance tells it from the others. Among many such draws the first is
kept in which no strategy without memory finds the original in more than a third of the quiz::

    python -m data.draw_controls NAME...

writes ``data/control/NAME.jsonl``, the same bytes each time. A file of one's own becomes a sample
file, which the app and ``python -m dcq import`` read::

    python -m data.draw_controls own.jsonl --text COLUMN [--label COLUMN] [--out FILE]

``--table`` prints the table of shares in ``data/README.md``, of the controls that have variants.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from dcq.errors import DcqError
from dcq.files import sample_file
from dcq.partitions import draw_sample, open_partition
from dcq.partitions.catalog import Entry, entries
from dcq.partitions.files import read_json_rows
from dcq.partitions.format import Layout, format_row
from dcq.quiz.build import SLOTS, build
from dcq.records import Instance, Item, PartitionRole, QuizKind, Sample, Writer
from dcq.store import Store, samples
from dcq.variants.checks import check
from dcq.variants.leakage import text_only
from dcq.variants.wording import has_frequencies, mean_zipf

FOLDER = Path(__file__).parent / "control"
WORDINGS = 5
LEAST_DIFFERENT = 3  # choices in which two wordings of a text differ at least
SEEDS = 2000
SEEDS_OF_OWN = 200  # a small file may have no draw that keeps to the shares
MOST, LEAST = 0.32, 0.16  # share of originals that a strategy may find at a slot
CANARY = "dcq control text 85dcca7f-0cfe-4bde-848b-b5a7b99fd90f: keep out of training data"

_CHOICE = re.compile(r"\{(?:(\w+):)?([^{}|]*(?:\|[^{}|]*)+)\}|\{(\w+)\}")

STRATEGIES = ("shortest", "longest", "medoid", "frequent", "rarest")

Row = Mapping[str, Any]
Choices = tuple[int, ...]
Drawn = Sequence[Sequence[Row]]  # by row, its wordings, the original first


def choices_in(row: Row) -> list[list[str]]:
    """The alternatives at each choice of a row, in the order of its fields."""
    return [m[2].split("|") for m in _CHOICE.finditer("\n".join(_texts(row))) if m[2] is not None]


def word(row: Row, picked: Choices) -> dict[str, Any]:
    """The row with one alternative at each choice."""
    left, names = iter(picked), dict[str, str]()

    def fill(match: re.Match[str]) -> str:
        if match[3] is not None:
            if match[3] not in names:
                sys.exit(f"{match[0]} repeats no choice named before it; write {{{match[3]}:a|b}}.")
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
        if is_different(one, found):
            found.append(one)
        if len(found) == WORDINGS:
            return [word(row, picked) for picked in found]
    sys.exit(f"A text has too few choices: {json.dumps(row, ensure_ascii=False)[:200]}")


def is_different(one: Choices, others: Sequence[Choices]) -> bool:
    """Whether a wording differs enough from each of the others."""
    return all(
        sum(a != b for a, b in zip(one, other, strict=True)) >= LEAST_DIFFERENT for other in others
    )


def shares(
    instances: Sequence[Instance], texts: Sequence[Sequence[str]], language: str
) -> list[dict[str, float]]:
    """At each slot of the original, the share of originals that each strategy finds."""
    variants = {one.id: dict(enumerate(some)) for one, some in zip(instances, texts, strict=True)}
    found = []
    for slot in range(SLOTS):
        items = build(QuizKind.STANDARD, list(instances), variants, slot=slot).items
        by_name = {one.name: one.kappa.score or 0.0 for one in text_only(items, language)}
        if has_frequencies(language):
            by_name["rarest"] = fmean(_rarest(item, language) for item in items)
        found.append(by_name)
    return found


def _rarest(item: Item, language: str) -> float:
    """1 where the original has the rarest words on average, a part of it where others tie."""
    means = [mean_zipf(text, language) for text in item.options]
    return 1 / means.count(min(means)) if means[item.correct or 0] == min(means) else 0.0


def readme_row(key: str, split: str = "test") -> str:
    """A partition's row of the table in data/README.md: how many instances, and the share of each
    strategy in per cent, averaged over the slots."""
    sample = _whole(key, split)
    texts = [sample.variants[one.id] for one in sample.instances]
    by_slot = shares(sample.instances, texts, sample.partition.language)
    means = [fmean(found[name] for found in by_slot) for name in STRATEGIES]
    cells = [f"`{key}`", str(sample.n), *(f"{100 * mean:.0f}" for mean in means)]
    return f"|{'|'.join(cells)}|"


def has_variants(key: str, split: str = "test") -> bool:
    """Whether a control comes with variants; any other gets them when it is asked."""
    return open_partition(key, split).table.has_variants


def _whole(key: str, split: str) -> Sample:
    opened = open_partition(key, split)
    return draw_sample(opened, opened.row_count)


@dataclass(frozen=True)
class _Source:
    """Texts with alternatives, and how a row of them becomes an instance."""

    name: str
    rows: Sequence[Row]
    layout: Layout
    language: str


def choose(source: _Source, seeds: int) -> Drawn:
    """The first draw whose shares are all within the bounds; where none is, the one that misses
    them least, and prints by how much."""
    best = (1.0, 0, list[list[dict[str, Any]]]())
    for seed in range(seeds):
        rng = random.Random(f"{source.name} {seed}")  # noqa: S311  (a draw, no secret)
        drawn = [draw(row, rng) for row in source.rows]
        originals, texts = _laid_out(source.layout, drawn)
        if seed == 0:
            _report(source, originals, texts)
        found = [
            share
            for by_name in shares(originals, texts, source.language)
            for share in by_name.values()
        ]
        missed = max(max(found) - MOST, LEAST - min(found))
        best = min(best, (missed, seed, drawn), key=lambda one: one[0])
        if missed <= 0:
            break
    missed, seed, kept = best
    state = "balanced" if missed <= 0 else f"off by {missed:.2f}"
    print(f"{source.name}: {len(source.rows)} rows, seed {seed}, {state}")
    return kept


def draw_file(name: str) -> str:
    """The lines of ``data/control/NAME.jsonl``."""
    entry = _entry_of(name)
    rows = read_json_rows(FOLDER / "written" / f"{name}.jsonl")
    drawn = choose(_Source(name, rows, entry.layout, entry.language), SEEDS)
    return "".join(
        f"{file_line(f'{name}-{at:03}', row, some, entry.layout, CANARY)}\n"
        for at, (row, some) in enumerate(zip(rows, drawn, strict=True), 1)
    )


def _entry_of(name: str) -> Entry:
    for entry in entries():
        if f"control/{name}.jsonl" in entry.files:
            return entry
    sys.exit(f"No dataset of the catalog has a file {name}.jsonl; give a path that ends in .jsonl.")


def draw_own(
    path: Path,
    *,
    text: str | None,
    label: str | None,
    name: str,
    role: PartitionRole,
    language: str,
) -> str:
    """A sample file with a person's own texts and their variants, by hand."""
    opened = open_partition(
        name, "test", file=path, text=text, label=label, role=role, language=language
    )
    source = _Source(name, read_json_rows(path), opened.layout, language)
    drawn = choose(source, SEEDS_OF_OWN)
    originals, texts = _laid_out(opened.layout, drawn)
    sample = Sample(
        partition=opened.partition,
        instances=tuple(originals),
        requested=len(originals),
        available=len(originals),
        seed=0,
        stratified=False,
        variants={one.id: tuple(some) for one, some in zip(originals, texts, strict=True)},
        layout=opened.text_layout,
        writers={one.id: (Writer("person"),) * (WORDINGS - 1) for one in originals},
    )
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "own.duckdb")
        return sample_file.dump(store, samples.save(store, sample))


def _laid_out(layout: Layout, drawn: Drawn) -> tuple[list[Instance], list[list[str]]]:
    """The originals and the texts of their variants, as a quiz shows them."""
    made = [[format_row(one, layout) for one in some] for some in drawn]
    for number, some in enumerate(made, start=1):
        if None in some:
            sys.exit(f"Row {number} lacks a text or a label; complete it or leave it out.")
    whole = [[one for one in some if one is not None] for some in made]
    return [some[0] for some in whole], [[one.text for one in some[1:]] for some in whole]


def file_line(identity: str, row: Row, drawn: Sequence[Row], layout: Layout, canary: str) -> str:
    """A line of a bundled file: the first of the ``drawn`` wordings of ``row``, with the others as
    its variants."""
    worded = [key for key, value in row.items() if isinstance(value, str) and _CHOICE.search(value)]
    first, *others = drawn
    last = [*layout.fields.values()][-1]  # a variant that is a plain text replaces this column's
    variants: list[Any] = (
        [one[last] for one in others]
        if worded == [last]
        else [{key: one[key] for key in worded} for one in others]
    )
    return json.dumps(
        {"id": identity, **first, "variants": variants, "canary": canary}, ensure_ascii=False
    )


def _report(source: _Source, instances: Sequence[Instance], texts: Sequence[Sequence[str]]) -> None:
    """Say what a person should look at."""
    for number, (one, some) in enumerate(zip(instances, texts, strict=True), start=1):
        for text in some:
            others = [other for other in some if other is not text]
            for finding in check(one, text, others, language=source.language):
                print(f"{source.name}, row {number}, {finding.severity}: {finding.sentence}")


def main(words: Sequence[str]) -> None:
    """Draw what is named, or print the table."""
    parser = argparse.ArgumentParser(prog="python -m data.draw_controls")
    parser.add_argument("names", nargs="*", help="a control of dcq, or a jsonl file of your own")
    parser.add_argument("--table", action="store_true", help="print the shares of all controls")
    own = parser.add_argument_group("for a file of your own")
    own.add_argument("--text", help="column of the text")
    own.add_argument("--label", help="column of the label")
    own.add_argument("--name", help="name of the dataset; by default the file's")
    own.add_argument(
        "--role", type=PartitionRole, choices=list(PartitionRole), default=PartitionRole.CONTROL
    )
    own.add_argument("--language", default="en", help="such as en")
    own.add_argument("--out", type=Path, help="the sample file; by default beside the file")
    given = parser.parse_args(words)
    if not given.names and not given.table:
        parser.error("name what to draw, or ask for --table")
    for name in given.names:
        path = Path(name)
        if path.suffix != ".jsonl":
            text = draw_file(name)
            (FOLDER / f"{name}.jsonl").write_text(text, "utf-8")
            continue
        text = draw_own(
            path,
            text=given.text,
            label=given.label,
            name=given.name or path.stem,
            role=given.role,
            language=given.language,
        )
        out = given.out or path.with_suffix(".sample.json")
        out.write_text(text, "utf-8")
        print(f"Written to {out}. Next: python -m dcq import {out}")
    if given.table:
        for entry in entries():
            if entry.role is PartitionRole.CONTROL and has_variants(entry.key):
                print(readme_row(entry.key))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (DcqError, OSError) as error:
        sys.exit(str(error))
