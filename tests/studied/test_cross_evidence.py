from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dcq.documents.cross_evidence_sentences import agreement_sentence, pair_sentence
from dcq.errors import InputError
from dcq.judging.cross_evidence import (
    InstanceEvidence,
    Picked,
    SampleMethodName,
    cross_evidence,
    models_of,
    pairs_of,
)
from dcq.overlap.match import Category
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.replication.judge import MatchLevel
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, quizzes, samples
from tests.support import runs, scanned
from tests.support.provider import FakeProvider

MODEL = "recites"
FOUND = tuple(range(8))  # of 20 instances
KNOWN = tuple(range(2, 8))  # the model completes these


def _quiz(store: Store, sample_id: str, right: set[int]) -> str:
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz
    places = {one.id: n for n, one in enumerate(samples.load(store, sample_id).instances)}
    asked = [places[item.instance_id] for item in quizzes.load(store, quiz).items]
    letters = ["refused" if n == 19 else "D" if n in right else "A" for n in asked]
    return runs.answer_each(store, quiz, letters, MODEL)


def _all_three(store: Store, provider: FakeProvider, folder: Path) -> tuple[str, str]:
    sample_id = scanned.save(store)
    texts = [one.fields["text"] for one in samples.load(store, sample_id).instances]
    run = scanned.scan(store, sample_id, folder, FOUND[:6], FOUND[6:])
    provider.seen = tuple(texts[n] for n in KNOWN)
    asyncio.run(replicate(store, sample_id, MODEL, Design(judge="judges")))
    _quiz(store, sample_id, {0, 2, 3, 4, 5, 6, 7, 12})
    return sample_id, run


def test_three_methods_side_by_side(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    sample_id, run = _all_three(fresh_store, provider, tmp_path / "corpus")
    found = cross_evidence(fresh_store, sample_id, MODEL)
    assert models_of(fresh_store, sample_id) == [MODEL]
    assert [one.category for one in found.instances[:9]] == [
        *[Category.INPUT_AND_LABEL] * 6,
        *[Category.INPUT_ONLY] * 2,
        Category.CLEAN,
    ]
    assert [one.match for one in found.instances[:3]] == [MatchLevel.INEXACT] * 2 + [
        MatchLevel.EXACT
    ]
    assert [one.picked for one in found.instances[:2]] == [Picked.YES, Picked.NO]
    assert found.instances[19].picked is Picked.UNUSABLE
    quiz_overlap, copy_overlap, quiz_copy = found.pairs
    association = quiz_overlap.association
    assert (association.n, association.both, association.second_only) == (19, 7, 1)
    association = copy_overlap.association
    assert (association.n, association.both, association.neither) == (20, 6, 12)
    assert (quiz_copy.association.both, quiz_copy.association.second_only) == (6, 0)
    ranked = sorted(pair.p_value for pair in found.pairs if pair.p_value is not None)
    assert min(pair.p_holm for pair in found.pairs if pair.p_holm is not None) == pytest.approx(
        3 * ranked[0]
    )
    by_method = {one.method: one for one in found.results}
    assert by_method[SampleMethodName.OVERLAP].run == run
    assert by_method[SampleMethodName.OVERLAP].sentence == (
        "8 of 20 instances looked for (40 %) stand in the corpus."
    )
    assert by_method[SampleMethodName.REPLICATION].sentence.startswith("recites on Leads test: ")
    assert "picked the original in 8 of 19" in by_method[SampleMethodName.QUIZ].sentence


def test_what_was_not_asked_is_said(fresh_store: Store, provider: FakeProvider) -> None:
    sample_id = scanned.save(fresh_store, 4)
    found = cross_evidence(fresh_store, sample_id, "nobody")
    assert found.pairs == ()
    assert {one.run for one in found.results} == {None}
    assert [one.sentence for one in found.results] == [
        "nobody took no quiz of this sample.",
        "nobody was not asked to complete this sample.",
        "This sample was looked for neither on the web nor in a corpus.",
    ]
    assert {(one.category, one.match, one.picked) for one in found.instances} == {(None,) * 3}
    assert agreement_sentence(found.pairs).startswith("No two methods can be compared")


def test_a_search_of_another_sample_is_refused(fresh_store: Store, tmp_path: Path) -> None:
    one, other = scanned.save(fresh_store, 3), scanned.save(fresh_store, 4, key="other")
    run = scanned.scan(fresh_store, one, tmp_path / "corpus", [0])
    assert cross_evidence(fresh_store, one, "m", overlap_run=run).results[2].run == run
    with pytest.raises(InputError, match="of another sample"):
        cross_evidence(fresh_store, other, "m", overlap_run=run)


def _instances(
    *rows: tuple[str, bool | None, bool | None, bool | None, int],
) -> list[InstanceEvidence]:
    """Name, found on the web, completed, picked, how many of these."""
    kinds = {None: None, True: Category.INPUT_ONLY, False: Category.CLEAN}
    matches = {None: None, True: MatchLevel.NEAR_EXACT, False: MatchLevel.INEXACT}
    picks = {None: None, True: Picked.YES, False: Picked.NO}
    return [
        InstanceEvidence(f"{name}{n}", name, kinds[web], matches[copied], picks[right])
        for name, web, copied, right, count in rows
        for n in range(count)
    ]


def test_methods_that_disagree_are_said_to() -> None:
    pairs = pairs_of(
        _instances(
            ("a", True, None, False, 15), ("b", False, None, True, 15), ("c", True, None, None, 5)
        )
    )
    first, second, third = pairs
    assert first.association.n == 30
    assert first.p_holm == first.p_value  # the only one that can be tested
    assert (second.p_value, third.p_holm) == (None, None)
    said = pair_sentence(first)
    assert said.startswith(
        "The quiz picks the original of 0 of the 15 instances that were found on the web or in a "
        "corpus, and 15 of the other 15: −100 ["
    )
    assert "odds ratio 0.00 [" in said
    assert "Holm" not in said
    assert agreement_sentence(pairs) == (
        "Quiz and overlap disagree: the one finds what the other does not."
    )
    assert pair_sentence(third) == "No instance is known both to quiz and replication."


def test_methods_that_agree_and_those_that_show_nothing() -> None:
    alike = pairs_of(_instances(("a", True, True, True, 10), ("b", False, False, False, 10)))
    assert agreement_sentence(alike) == (
        "The same instances are found, more often than chance would have it, by quiz and overlap, "
        "replication and overlap and by quiz and replication."
    )
    assert "by Holm" in pair_sentence(alike[0])
    rows = [("a", True, False, True), ("b", True, True, False), ("c", False, False, True)]
    vague = pairs_of(_instances(*[(*row, 2) for row in rows]))
    assert agreement_sentence(vague) == (
        "No two methods are shown to find the same instances. With 6 instances that is no proof "
        "that they do not."
    )


def test_an_empty_cell_is_a_plain_sentence() -> None:
    never = pairs_of(_instances(("a", False, False, True, 4)))
    assert pair_sentence(never[0]) == (
        "Of 4 instances none was found by overlap, so quiz and overlap cannot be compared."
    )
    always = pairs_of(_instances(("a", True, False, True, 2), ("b", False, False, True, 3)))
    assert pair_sentence(always[0]).endswith(
        "2 of the 2 instances that were found on the web or in a corpus, and 3 of the other 3: "
        "that is all, which shows nothing about an association."
    )
    assert pair_sentence(always[1]).endswith(
        "that is none, which shows nothing about an association."
    )
    assert all(pair.p_holm is None for pair in always)
