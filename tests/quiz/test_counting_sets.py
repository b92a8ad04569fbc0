from __future__ import annotations

import pytest

from dcq.evidence.check import Mark, Topic
from dcq.judging.judged import JudgedResult
from dcq.judging.study import findings
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, samples, sets, variants
from dcq.store.variants import NewVariant
from dcq.variants.sets import new_set
from tests.conftest import small_sample
from tests.support.runs import answer

pytestmark = pytest.mark.slow

N = 100
UNSEEN, SEEN = {"D": 26, "A": 74}, {"D": 80, "A": 20}


def ask(store: Store, sample_id: str, tally: dict[str, int], slot: str = "D") -> str:
    return answer(store, freeze.freeze(store, sample_id, QuizKind.STANDARD, slot=slot).quiz, tally)


def draw(store: Store, key: str, role: PartitionRole = PartitionRole.TARGET) -> str:
    return samples.save(store, small_sample(N, key=key, role=role))


def another(store: Store, sample_id: str, name: str, origin: str = "bundled") -> str:
    """A set with variants of its own, as long as the first one's: ``name`` has four letters."""
    made = new_set(store, sample_id, name)
    new = [
        NewVariant(instance, slot, one.text.replace("long", name), origin)
        for instance, slots in variants.current(store, sample_id).items()
        for slot, one in slots.items()
    ]
    variants.add(store, made, new)
    return made


def by_run(store: Store, *, every_run: bool = True) -> dict[str, JudgedResult]:
    return {one.evidence.run: one for one in findings(store, every_run=every_run)}


def q_value(finding: JudgedResult) -> float:
    assert finding.verdict is not None
    assert finding.verdict.q_value is not None
    return finding.verdict.q_value


def test_two_sets_of_a_target_are_one_member_of_the_family(fresh_store: Store) -> None:
    for number in range(3):
        ask(fresh_store, draw(fresh_store, f"unseen-{number}", PartitionRole.CONTROL), UNSEEN)
    rivers, lakes = draw(fresh_store, "rivers"), draw(fresh_store, "lakes")
    first, other = ask(fresh_store, rivers, SEEN), ask(fresh_store, lakes, {"D": 35, "A": 65})
    before = by_run(fresh_store)
    # At other slots too, which are results of their own where they are of one set.
    second = ask(fresh_store, another(fresh_store, rivers, "deep"), SEEN)
    ask(fresh_store, another(fresh_store, rivers, "cold"), SEEN, slot="A")
    now = by_run(fresh_store)
    for run in (first, other):
        assert q_value(now[run]) == q_value(before[run])
    assert q_value(now[second]) == pytest.approx(q_value(now[first]))
    shown = {run for run, f in by_run(fresh_store, every_run=False).items() if f.verdict}
    assert shown == {first, other}


def test_two_sets_of_a_control_are_one_control(fresh_store: Store) -> None:
    unseen = draw(fresh_store, "unseen", PartitionRole.CONTROL)
    first = ask(fresh_store, unseen, UNSEEN)
    rivers = ask(fresh_store, draw(fresh_store, "rivers"), SEEN)
    ask(fresh_store, another(fresh_store, unseen, "deep"), UNSEEN)
    found = by_run(fresh_store)[rivers]
    assert [one.run for one in found.controls] == [first]
    assert found.calibration is not None
    assert found.calibration.controls == 1


def test_of_the_sets_of_a_control_the_one_by_the_same_writer_is_compared_with(
    fresh_store: Store,
) -> None:
    unseen = draw(fresh_store, "unseen", PartitionRole.CONTROL)
    ask(fresh_store, unseen, UNSEEN)
    theirs = ask(fresh_store, another(fresh_store, unseen, "deep", "model:gpt-4o"), UNSEEN)
    rivers = another(fresh_store, draw(fresh_store, "rivers"), "cold", "model:gpt-4o")
    asked = ask(fresh_store, rivers, SEEN)
    assert [one.run for one in by_run(fresh_store)[asked].controls] == [theirs]


def test_the_set_made_first_stands_once_it_has_a_finished_run(fresh_store: Store) -> None:
    unseen = draw(fresh_store, "unseen", PartitionRole.CONTROL)
    ask(fresh_store, unseen, UNSEEN)
    rivers = draw(fresh_store, "rivers")
    second = another(fresh_store, rivers, "deep")
    ask(fresh_store, rivers, {"D": 5})  # a pilot
    finished = ask(fresh_store, second, SEEN)
    shown = [run for run, f in by_run(fresh_store, every_run=False).items() if f.verdict]
    assert shown == [finished]
    whole = ask(fresh_store, rivers, SEEN)
    shown = [run for run, f in by_run(fresh_store, every_run=False).items() if f.verdict]
    assert shown == [whole]


def test_a_set_named_after_its_answers_stands_with_a_caution(fresh_store: Store) -> None:
    unseen = draw(fresh_store, "unseen", PartitionRole.CONTROL)
    ask(fresh_store, unseen, UNSEEN)
    rivers = draw(fresh_store, "rivers")
    second = another(fresh_store, rivers, "deep")
    first, chosen = ask(fresh_store, rivers, UNSEEN), ask(fresh_store, second, SEEN)
    assert _sets_mark(by_run(fresh_store)[first]) is Mark.GOOD
    sets.choose_counting_set(fresh_store, second)
    shown = [run for run, f in by_run(fresh_store, every_run=False).items() if f.verdict]
    assert shown == [chosen]
    assert _sets_mark(by_run(fresh_store)[chosen]) is Mark.CAUTION


def test_a_set_named_before_its_answers_stands_without_one(fresh_store: Store) -> None:
    rivers = draw(fresh_store, "rivers")
    second = another(fresh_store, rivers, "deep")
    sets.choose_counting_set(fresh_store, second)
    ask(fresh_store, rivers, UNSEEN)
    chosen = ask(fresh_store, second, SEEN)
    assert _sets_mark(by_run(fresh_store)[chosen]) is Mark.GOOD


def _sets_mark(finding: JudgedResult) -> Mark:
    assert finding.verdict is not None
    [check] = [
        one
        for one in finding.verdict.checks
        if one.topic is Topic.WRITER and one.number.endswith("sets")
    ]
    return check.mark
