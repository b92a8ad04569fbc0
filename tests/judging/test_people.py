"""What people find stands beside what models find, and changes no ruling."""

from __future__ import annotations

from dcq.evidence.check import Mark, Topic
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.people import pool
from dcq.quiz.evidence import check_people
from tests.support.cases import ResultWithControls, verdicts


def test_where_no_answer_counts_there_is_no_line() -> None:
    assert check_people(None) is None
    assert check_people(pool([])) is None


def test_people_at_chance_are_no_caution_and_people_above_it_are() -> None:
    none = check_people(pool([("ada", i, i < 5) for i in range(20)]))
    assert none is not None
    assert (none.topic, none.mark, none.number) == (Topic.PEOPLE, Mark.GOOD, "5 of 20")
    assert none.sentence == (
        "1 person: 5 of 20 right (25 %, interval 11 % to 47 %), where guessing finds 25 %."
    )
    many = check_people(pool([(p, i, i < 15) for p in "ab" for i in range(20)]))
    assert many is not None
    assert many.mark is Mark.CAUTION
    assert "2 people: 30 of 40 right" in many.sentence
    assert "People find it too" in many.sentence


def test_what_people_find_changes_no_ruling() -> None:
    known = check_people(pool([("ada", i, True) for i in range(20)]))
    assert known is not None
    bare = verdicts([ResultWithControls(kappa_fixed(30, 100))])[0]
    [told] = verdicts([ResultWithControls(kappa_fixed(30, 100), checks=(known,))])
    assert told.ruling is bare.ruling
    assert any("People find it too" in reason for reason in told.reasons)
