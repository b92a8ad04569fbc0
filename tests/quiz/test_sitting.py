"""Which questions a person gets, and which of their answers count."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dcq.quiz import build, people
from dcq.quiz.people import AGAIN, CURATED, answers_by_sample, draw_questions, judge_sittings
from dcq.records import LETTERS, Instance, Item, QuizKind
from dcq.store.sittings import Curation, Sitting

INSTANCES = [Instance(f"text {i}") for i in range(30)]
QUESTIONS = build.build(
    QuizKind.ROTATED,
    INSTANCES,
    {one.id: {slot: f"{one.text} {slot}" for slot in range(4)} for one in INSTANCES},
).items
NOON = datetime(2026, 1, 1, 12)


@given(st.integers(0, 2**52), st.integers(1, 40))
def test_one_question_a_text_and_the_same_for_the_same_seed(seed: int, size: int) -> None:
    found = draw_questions(QUESTIONS, size, seed)
    assert len(found) == min(size, len(INSTANCES))
    assert len({item.instance_id for item in found}) == len(found)
    assert set(found) <= set(QUESTIONS)
    assert draw_questions(QUESTIONS, size, seed) == found
    texts = {one.id: one.text for one in INSTANCES}
    for item in found:
        assert item.correct is not None
        assert item.options[item.correct] == texts[item.instance_id]


def test_the_original_is_in_each_slot_as_often_and_nothing_tells_where() -> None:
    slots: Counter[int | None] = Counter()
    pairs: Counter[bool] = Counter()
    for seed in range(400):
        found = draw_questions(QUESTIONS, 10, seed)
        slots.update(item.correct for item in found)
        pairs.update(a.correct == b.correct for a, b in pairwise(found))
    assert set(slots) == {0, 1, 2, 3}
    assert all(900 < count < 1100 for count in slots.values())  # of 4,000; 27 is one deviation
    assert 0.22 < pairs[True] / pairs.total() < 0.28


def test_texts_that_were_asked_about_are_left_out() -> None:
    first = {item.instance_id for item in draw_questions(QUESTIONS, 20, 1)}
    rest = draw_questions(QUESTIONS, 20, 2, first)
    assert len(rest) == 10
    assert not first & {item.instance_id for item in rest}
    assert draw_questions(QUESTIONS, 20, 3, {one.id for one in INSTANCES}) == ()
    assert draw_questions((), 20, 0) == ()


def taken(
    person: str,
    right: int,
    *,
    of: int = 4,
    sample: str = "s",
    at: datetime = NOON,
    done: bool = True,
    first: int = 0,
) -> Sitting:
    """``right`` of ``of`` questions right, about the instances from ``first`` on."""
    items = tuple(Item(f"i{first + n}", ("a", "b", "c", "d"), 1) for n in range(of))
    letters = [LETTERS[1] if n < right else LETTERS[0] for n in range(of)]
    shown = (*letters[:-1], letters[-1] if done else None)
    return Sitting(f"{person}-{at}", sample, person, items, shown, at, at)


def test_finished_sittings_count_and_unfinished_ones_do_not() -> None:
    found = judge_sittings([taken("Ada", 3), taken("Ben", 4, done=False)], [])
    assert [one.sitting.person for one in found] == ["Ada"]
    assert [answer.right for answer in found[0].counted] == [True, True, True, False]
    assert list(answers_by_sample(found)) == ["s"]


def test_a_persons_first_answer_to_a_text_counts_however_they_write_their_name() -> None:
    later = NOON + timedelta(hours=1)
    found = judge_sittings([taken("Ada  B", 1), taken("ada b ", 4, at=later), taken("Ben", 4)], [])
    assert [len(one.counted) for one in found] == [4, 0, 4]
    assert found[1].why_none_counts == AGAIN
    half = judge_sittings(
        [taken("Ada", 1), taken("Ada", 4, at=later, first=2, sample="larger")], []
    )
    assert [answer.instance for answer in half[1].counted] == ["i4", "i5"]


def test_nothing_counts_of_a_sitting_begun_unfinished_and_taken_again() -> None:
    """What was asked in a sitting that was left is not new in the next one."""
    found = judge_sittings(
        [taken("Ada", 4, done=False), taken("Ada", 4, at=NOON, sample="other")], []
    )
    assert [one.why_none_counts for one in found] == [AGAIN]


def test_whoever_worked_on_the_texts_before_the_last_answer_does_not_count() -> None:
    before, after = NOON - timedelta(days=1), NOON + timedelta(days=1)
    for at, sample, counted in (
        (before, "s", 0),
        (NOON, "s", 0),
        (after, "s", 4),
        (before, "t", 4),
    ):
        [found] = judge_sittings([taken("Ada", 2)], [Curation(sample, "ada", at)])
        assert len(found.counted) == counted
        assert found.why_none_counts == ("" if counted else CURATED)
    [other] = judge_sittings([taken("Ben", 2)], [Curation("s", "ada", before)])
    assert other.counted
    assert (
        answers_by_sample(judge_sittings([taken("Ada", 2)], [Curation("s", "ada", before)])) == {}
    )


def test_sizes_are_those_that_people_are_told() -> None:
    assert (people.SHORT, people.LONG) == (10, 20)
