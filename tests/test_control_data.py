"""The control texts keep what data/README.md says of them, which is computed here.

Every variant passes the checks, and no original can be found among its rewordings by length, by
likeness or by how common its words are.
"""

from __future__ import annotations

import re
from functools import cache
from statistics import fmean

import pytest

from dcq.partitions import draw_sample, open_partition
from dcq.quiz.build import SLOTS, build
from dcq.quiz.leakage import text_only
from dcq.records import Item, Kind, Sample
from dcq.settings import DATA
from dcq.variants.checks import check, passes
from dcq.variants.wording import mean_zipf

SIZES = {
    "control-news": 40,
    "control-summaries": 30,
    "control-nli": 30,
    "control-spanish": 60,
    "control-chinese": 60,
}
KINDS = ("shortest", "longest", "medoid", "commonest", "rarest")
README = (DATA / "README.md").read_text("utf-8")


@cache
def whole(key: str) -> Sample:
    opened = open_partition(key, "test")
    return draw_sample(opened, opened.row_count)


@cache
def shares(key: str) -> dict[str, float]:
    """How often the original is the shortest of four options, and so on, over every choice of three
    variants: a standard quiz leaves out the variant of the original's slot."""
    sample = whole(key)
    variants = {instance: dict(enumerate(texts)) for instance, texts in sample.variants.items()}
    language = sample.partition.language
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for slot in range(SLOTS):
        items = build(Kind.STANDARD, sample.instances, variants, slot=slot).items
        for strategy in text_only(items, language):
            assert strategy.kappa.score is not None
            name = strategy.name.replace("frequent", "commonest")
            found[name].append(strategy.kappa.score)
        found["rarest"].append(fmean(rarest(item, language) for item in items))
    return {kind: fmean(values) for kind, values in found.items()}


def rarest(item: Item, language: str) -> float:
    """1 where the original has the rarest words on average, a part of it where others tie."""
    assert item.correct is not None
    means = [mean_zipf(text, language) for text in item.options]
    least = min(means)
    return 1 / means.count(least) if means[item.correct] == least else 0.0


@pytest.mark.parametrize("key", SIZES)
def test_every_variant_passes_the_checks(key: str) -> None:
    sample = whole(key)
    assert sample.n == SIZES[key]
    for instance in sample.instances:
        texts = sample.variants[instance.id]
        assert len(texts) == 4
        for text in texts:
            others = [other for other in texts if other is not text]
            findings = check(instance, text, others, language=sample.partition.language)
            assert passes(findings), (text, findings)


@pytest.mark.parametrize("key", SIZES)
def test_the_original_does_not_stand_out(key: str) -> None:
    assert {kind: share for kind, share in shares(key).items() if not 0.1 <= share <= 0.4} == {}


@pytest.mark.parametrize("key", SIZES)
def test_the_readme_states_the_shares(key: str) -> None:
    [row] = re.findall(rf"^\| `{key}` \|(.*)\|$", README, re.MULTILINE)
    stated = [cell.strip() for cell in row.split("|")]
    computed = [f"{shares(key)[kind]:.0%}".replace("%", " %") for kind in KINDS]
    assert stated == [str(SIZES[key]), *computed]
