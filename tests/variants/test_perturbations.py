from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import DamerauLevenshtein

from dcq.records import Instance
from dcq.store import Store, samples, sets, variants
from dcq.variants import offline_writer, reword
from dcq.variants.checks import check, passes
from dcq.variants.perturbations import Perturbation, perturb
from dcq.variants.reword import RewordingDesign
from dcq.variants.sets import new_set, writer_line
from dcq.variants.tokens import words
from tests.conftest import small_sample

NEWS = (
    "Storm shuts two factories. LEFANGA (Nordal Wire) - A severe storm closed two factories of "
    "Hallmere Foods on Monday, and about 600 workers left the town, officials said.\n\n"
    "Label: 2 (Business)"
)
LABEL = ("Label: 2 (Business)",)
SPANISH = "Ana dijo que la tormenta había cerrado dos fábricas de la ciudad durante tres semanas."
OTHER = [Perturbation.CHARACTER, Perturbation.ORDER]


@pytest.mark.parametrize("kind", OTHER)
@pytest.mark.parametrize("text", [NEWS, SPANISH])
def test_four_different_versions_that_the_checks_let_pass(kind: Perturbation, text: str) -> None:
    protected = LABEL if text is NEWS else ()
    made = perturb(kind, text, 4, protected=protected)
    assert len({text, *made}) == 5
    for index, one in enumerate(made):
        others = made[:index] + made[index + 1 :]
        found = check(Instance(text, protected=protected), one, others)
        assert passes(found)
        assert {finding.check for finding in found} <= {"changed-few", "changed-many"}


def test_letters_are_swapped_or_dropped_within_words() -> None:
    for one in perturb(Perturbation.CHARACTER, NEWS, 4, protected=LABEL):
        pairs = list(zip(words(NEWS), words(one), strict=True))
        changed = [(word, new) for word, new in pairs if word != new]
        assert changed
        for word, new in changed:
            assert DamerauLevenshtein.distance(word, new) == 1
            assert word[0] == new[0]
            assert word.islower()


def test_word_order_changes_and_no_word_does() -> None:
    for one in perturb(Perturbation.ORDER, NEWS, 4, protected=LABEL):
        assert Counter(words(one)) == Counter(words(NEWS))
        assert words(one) != words(NEWS)
        assert len(one) == len(NEWS)


@pytest.mark.parametrize("kind", OTHER)
def test_the_same_seed_gives_the_same_and_another_seed_another(kind: Perturbation) -> None:
    assert perturb(kind, NEWS, 4, seed=1) == perturb(kind, NEWS, 4, seed=1)
    assert perturb(kind, NEWS, 4, seed=1) != perturb(kind, NEWS, 4, seed=2)


@given(st.text(max_size=80), st.sampled_from(OTHER))
def test_any_text_gives_different_versions_or_none(text: str, kind: Perturbation) -> None:
    made = perturb(kind, text, 4)
    assert len({text, *made}) == len(made) + 1


@pytest.mark.parametrize("text", ["", "Three Words Only", "12 34", "今天天气很好", "a b c"])
@pytest.mark.parametrize("kind", OTHER)
def test_a_text_with_too_little_to_alter_gives_what_there_is(text: str, kind: Perturbation) -> None:
    assert len(perturb(kind, text, 4)) <= 1


def test_requests_for_words_are_as_they_were_before_there_were_kinds() -> None:
    asked = json.loads(
        offline_writer.write_request(Instance("Some text"), 4, "en", 0, Perturbation.WORD)
    )
    assert list(asked) == ["text", "count", "language", "protected", "seed"]


@pytest.mark.parametrize("kind", OTHER)
async def test_a_set_is_written_by_its_own_writer(fresh_store: Store, kind: Perturbation) -> None:
    drawn = small_sample()
    sample_id = samples.save(fresh_store, drawn)
    made = new_set(fresh_store, sample_id, kind)
    done = await reword.reword_sample(fresh_store, made, None, RewordingDesign(kind=kind))
    assert done.failed + done.variants == 24
    [written] = sets.written_by(fresh_store, made)
    assert written.origin == writer_line([written]) == f"offline-{kind}"
    assert written.variants == done.variants > 0
    assert variants.writers(fresh_store, [made, sample_id]) == {
        made: f"offline-{kind}",
        sample_id: "bundled",
    }


async def test_two_sets_by_one_generator_are_two_draws(fresh_store: Store) -> None:
    drawn = small_sample(1)
    one = Instance(NEWS, protected=LABEL)
    first = samples.save(fresh_store, replace(drawn, instances=(one,), variants={}))
    texts = []
    for sample_id in (first, new_set(fresh_store, first, "a"), new_set(fresh_store, first, "b")):
        await reword.reword_sample(
            fresh_store, sample_id, None, RewordingDesign(kind=Perturbation.ORDER)
        )
        there = variants.current(fresh_store, sample_id)[one.id]
        texts.append(frozenset(found.text for found in there.values()))
    assert len(set(texts)) == 3
