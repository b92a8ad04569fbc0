from __future__ import annotations

import pytest

from dcq.quiz import ablation, freeze
from dcq.quiz.results import table
from dcq.records import Outcome, QuizKind
from dcq.store import Store, variants
from dcq.store.variants import NewVariant
from tests.support.asked import ask
from tests.support.runs import answer

pytestmark = pytest.mark.usefixtures("provider")


def test_the_newest_runs_with_a_reply_are_paired_by_slot(
    fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, QuizKind.MODIFIED, "always-a")
    bare = ask(fresh_store, sample_id, QuizKind.MODIFIED, "always-a")
    at_d = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a", slot="D")
    at_a = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a", slot="A")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "overflow")
    alone = ask(fresh_store, sample_id, QuizKind.MODIFIED, "guess")
    pairs = ablation.pair(table(fresh_store, every_run=True))
    found = {(p.letter, p.without and p.without.run, p.having and p.having.run) for p in pairs}
    assert found == {("D", bare, at_d), ("A", bare, at_a), (None, alone, None)}
    assert [p.complete for p in pairs] == [True, True, False]


def test_a_pilot_does_not_stand_in_for_the_whole(fresh_store: Store, sample_id: str) -> None:
    bare = ask(fresh_store, sample_id, QuizKind.MODIFIED, "always-a")
    whole = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a", slot="D")
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 2}, "always-a")
    (pair,) = ablation.pair(table(fresh_store, every_run=True))
    assert pair.without is not None
    assert pair.having is not None
    assert (pair.without.run, pair.having.run) == (bare, whole)
    pilot = answer(fresh_store, quiz, {"D": 2}, "guess")
    unfinished = ablation.pair(table(fresh_store, every_run=True, model="guess"))[0]
    assert unfinished.having is not None
    assert unfinished.having.run == pilot
    assert not unfinished.finished


def test_shares_are_of_the_slot_that_holds_the_original(fresh_store: Store, sample_id: str) -> None:
    ask(fresh_store, sample_id, QuizKind.MODIFIED, "guess")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "guess", slot="B")
    results = table(fresh_store, every_run=True)
    (pair,) = ablation.pair(results)
    found = ablation.compare(fresh_store, pair)
    assert pair.without is not None
    assert pair.having is not None
    assert found.n == 6
    assert found.modified_share == pair.without.chosen[1] / 6
    assert found.standard_share == pair.having.chosen[1] / 6


def test_a_refusal_is_no_answer_and_its_instance_is_left_out(
    fresh_store: Store, sample_id: str
) -> None:
    quizzes = [
        freeze.freeze(fresh_store, sample_id, kind, slot=slot).quiz
        for kind, slot in ((QuizKind.MODIFIED, None), (QuizKind.STANDARD, "D"))
    ]
    answer(fresh_store, quizzes[0], {"A": 2, "refused": 4})
    answer(fresh_store, quizzes[1], {"D": 3, "invalid": 3})
    (pair,) = ablation.pair(table(fresh_store, every_run=True))
    found = ablation.compare(fresh_store, pair)
    assert (found.n, found.modified_share, found.standard_share) == (2, 0.0, 1.0)
    counts = ablation.distribution([r for r in (pair.without, pair.having) if r])
    assert counts.loc[counts["answer"] == Outcome.REFUSED, "count"].tolist() == [4, 0]
    assert Outcome.ANSWERED not in set(counts["answer"])


def test_each_bcq_is_paired_with_the_bdq_and_none_of_these_is_an_answer(
    fresh_store: Store, sample_id: str
) -> None:
    bdq = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
    bare = answer(fresh_store, bdq, {"B": 1, "C": 1, "E": 4})
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a", slot="B")  # of the other protocol
    at_b = answer(fresh_store, freeze.freeze_bcq(fresh_store, bdq, "B").quiz, {"B": 4, "E": 2})
    at_c = answer(
        fresh_store, freeze.freeze_bcq(fresh_store, bdq, "C").quiz, {"A": 2, "C": 2, "error": 2}
    )
    pairs = [p for p in ablation.pair(table(fresh_store, every_run=True)) if p.complete]
    found = {p.letter: (p.without and p.without.run, p.having and p.having.run) for p in pairs}
    assert found == {"B": (bare, at_b), "C": (bare, at_c)}
    by_letter = {p.letter: ablation.compare(fresh_store, p) for p in pairs}
    first = by_letter["B"]
    assert (first.n, first.modified_share, first.standard_share) == (6, 1 / 6, 4 / 6)
    assert (first.gained, first.lost) == (3, 0)
    second = by_letter["C"]
    assert (second.n, second.modified_share, second.standard_share) == (4, 0.25, 0.5)


def test_a_bcq_of_other_variants_is_no_pair_of_a_bdq(fresh_store: Store, sample_id: str) -> None:
    bdq = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
    bare = answer(fresh_store, bdq, {"B": 1, "E": 5})
    placed = answer(fresh_store, freeze.freeze_bcq(fresh_store, bdq, "B").quiz, {"B": 6})
    edited = [
        NewVariant(instance, slot, f"{one.text} (reworded)", "person", "Ada")
        for instance, slots in variants.current(fresh_store, sample_id).items()
        for slot, one in slots.items()
    ]
    variants.add(fresh_store, sample_id, edited)
    again = answer(fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz, {"B": 6})
    pairs = ablation.pair(table(fresh_store, every_run=True))
    found = {(p.without and p.without.run, p.having and p.having.run) for p in pairs}
    assert found == {(bare, placed), (again, None)}
