"""The control texts keep what data/README.md says of them, which is computed here.

Every variant passes the checks, and no original can be found among its rewordings by length, by
likeness or by how common its words are. ``python -m data.draw_controls --table`` prints the table.
The small controls have no variants; their labels are balanced, and no two sources are alike.
"""

from __future__ import annotations

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from data import draw_controls
from dcq.partitions import draw_sample, entries, open_partition
from dcq.records import Instance, PartitionRole, Sample
from dcq.settings import DATA
from dcq.variants.checks import check, passes

EVERY = {
    entry.key: entry for entry in entries() if entry.role is PartitionRole.CONTROL and entry.files
}
CONTROLS = {key: entry for key, entry in EVERY.items() if draw_controls.has_variants(key)}
SMALL = {key: entry for key, entry in EVERY.items() if key not in CONTROLS}
DRAWN = sorted(path.stem for path in (DATA / "control" / "written").glob("*.jsonl"))
# Partitions whose files are all drawn from texts with alternatives.
BALANCED = [
    key
    for key, entry in CONTROLS.items()
    if {name.removeprefix("control/").removesuffix(".jsonl") for name in entry.files} <= {*DRAWN}
]
README = (DATA / "README.md").read_text("utf-8")
MOST = 0.33
SUMS = (
    "arithmetic",
    *("small/docks", "small/loom", "small/postage", "small/haggling", "small/trek"),
    *("small/zoo", "small/clockwork", "small/seedbank", "small/theatre", "small/league"),
)
EQUATION = re.compile(r"([\d(][\d.()+*/ -]* [+*/-] [\d.()+*/ -]*) = (\d+(?:\.\d+)?(?: / \d+)?)")
OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
ALIKE = 0.5  # of the words of two texts, the share that they have in common


@cache
def whole(key: str) -> Sample:
    opened = open_partition(key, "test")
    return draw_sample(opened, opened.row_count)


@cache
def shares(key: str) -> list[dict[str, float]]:
    sample = whole(key)
    texts = [sample.variants[one.id] for one in sample.instances]
    return draw_controls.shares(sample.instances, texts, sample.partition.language)


def rows(name: str) -> list[dict[str, Any]]:
    text = (DATA / "control" / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_control_file_is_in_the_catalog() -> None:
    def kept(folder: str) -> list[str]:
        return sorted(f"{folder}/{path.name}" for path in (DATA / folder).glob("*.jsonl"))

    assert sorted(name for entry in CONTROLS.values() for name in entry.files) == kept("control")
    assert sorted(name for entry in SMALL.values() for name in entry.files) == kept("control/small")
    assert {f"control/{name}.jsonl" for name in DRAWN} <= {*kept("control")}
    assert len(BALANCED) == 13


@pytest.mark.parametrize("key", CONTROLS)
def test_every_variant_passes_the_checks(key: str) -> None:
    sample = whole(key)
    for instance in sample.instances:
        texts = sample.variants[instance.id]
        assert len({instance.text, *texts}) == 5
        for text in texts:
            others = [other for other in texts if other is not text]
            findings = check(instance, text, others, language=sample.partition.language)
            assert passes(findings), (text, findings)


@pytest.mark.parametrize("key", CONTROLS)
def test_the_original_does_not_stand_out(key: str) -> None:
    by_slot = shares(key)
    means = {name: fmean(one[name] for one in by_slot) for name in draw_controls.STRATEGIES}
    assert {name: share for name, share in means.items() if not 0.1 <= share <= 0.4} == {}


@pytest.mark.parametrize("key", BALANCED)
def test_the_original_of_a_drawn_text_stands_out_at_no_slot(key: str) -> None:
    assert whole(key).n >= 60
    for slot, found in enumerate(shares(key)):
        assert {name: share for name, share in found.items() if share > MOST} == {}, slot


@pytest.mark.parametrize("key", CONTROLS)
def test_the_readme_states_the_shares(key: str) -> None:
    assert f"\n{draw_controls.readme_row(key)}\n" in README


def test_the_readme_states_how_many_there_are() -> None:
    count = sum(whole(key).n for key in CONTROLS)
    assert f"Each of these {count:,} instances has four variants, {4 * count:,} in all." in README
    for entry in EVERY.values():
        for name in entry.files:
            assert re.search(rf"^\|.*`data/{name}`.*`{entry.key}`", README, re.MULTILINE), name


@pytest.mark.parametrize("name", DRAWN)
def test_each_row_has_an_id_a_label_of_the_layout_and_the_canary(name: str) -> None:
    [entry] = [one for one in CONTROLS.values() if f"control/{name}.jsonl" in one.files]
    kept = rows(name)
    assert [row["id"] for row in kept] == [f"{name}-{at:03}" for at in range(1, len(kept) + 1)]
    assert {row["canary"] for row in kept} == {draw_controls.CANARY}
    if entry.layout.label is not None and entry.layout.label_names:
        used = Counter(row[entry.layout.label] for row in kept)
        assert set(used) == set(entry.layout.label_names)
        assert min(used.values()) >= len(kept) / len(used) / 2


def test_no_text_is_in_two_places() -> None:
    texts = Counter(
        text
        for key in EVERY
        for one in whole(key).instances
        for text in (one.text, *whole(key).variants.get(one.id, ()))
    )
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("key", SMALL)
def test_a_small_control_is_one_source_with_balanced_labels(key: str) -> None:
    [file] = SMALL[key].files
    name = file.removeprefix("control/small/").removesuffix(".jsonl")
    assert key == f"control-{name}"
    kept = rows(f"small/{name}")
    assert [row["id"] for row in kept] == [f"{name}-{at:03}" for at in range(1, 13)]
    assert {row["canary"] for row in kept} == {draw_controls.CANARY}
    sample = whole(key)
    assert (sample.n, sample.variants) == (12, {})
    layout = SMALL[key].layout
    if layout.label is not None and layout.label_names:
        used = Counter(row[layout.label] for row in kept)
        assert set(used) == set(layout.label_names)
        assert max(used.values()) - min(used.values()) <= 1


@pytest.mark.parametrize("key", SMALL)
def test_a_small_control_is_like_no_other_text(key: str) -> None:
    alike = {
        (mine, other)
        for other_key, entry in EVERY.items()
        if entry.language == EVERY[key].language
        for mine, these in words(key).items()
        for other, those in words(other_key).items()
        if mine != other and len(these & those) > ALIKE * len(these | those)
    }
    assert alike == set()


@pytest.mark.parametrize("key", SMALL)
def test_a_small_control_repeats_no_phrase(key: str) -> None:
    length = 8 if EVERY[key].language == "zh" else 6  # of what ``spoken`` gives
    runs = Counter[tuple[str, ...]]()
    for one in whole(key).instances:
        in_order = spoken(key, one)
        ends = range(length, len(in_order) + 1)
        runs.update({tuple(in_order[end - length : end]) for end in ends})
    assert [run for run, count in runs.items() if count > 1] == []


@cache
def words(key: str) -> dict[str, frozenset[str]]:
    """By the text of each instance the words of its columns; of Chinese, pairs of characters."""
    return {one.text: frozenset(spoken(key, one)) for one in whole(key).instances}


def spoken(key: str, instance: Instance) -> list[str]:
    """The words of its columns in their order; of Chinese, each character with the next."""
    text = " ".join(instance.fields.values()).casefold()
    if EVERY[key].language == "zh":
        return ["".join(pair) for pair in pairwise(text)]
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("name", SUMS)
def test_every_sum_is_right_and_leads_to_the_answer(name: str) -> None:
    for row in rows(name):
        working, _, marked = row["answer"].rpartition("\n#### ")
        working = working or row["working"]
        equations = EQUATION.findall(working)
        assert equations, row
        assert [one for one in equations if value(one[0]) != value(one[1])] == [], row
        assert re.search(rf"(?<![\d.]){re.escape(marked)}(?!\d|\.\d)", working), row


def value(text: str) -> Fraction:
    """What a sum comes to, exactly."""

    def of(node: ast.expr) -> Fraction:
        if isinstance(node, ast.BinOp):
            return OPERATIONS[type(node.op)](of(node.left), of(node.right))
        return Fraction(ast.unparse(node))

    return of(ast.parse(text, mode="eval").body)


@pytest.mark.slow
@pytest.mark.ci
@pytest.mark.parametrize("name", DRAWN)
def test_drawing_again_gives_the_same_bytes(name: str) -> None:
    kept = (DATA / "control" / f"{name}.jsonl").read_text("utf-8")
    assert draw_controls.draw_file(name) == kept
