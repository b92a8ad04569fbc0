from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.records import Kind
from dcq.runs import freeze, protocol2
from dcq.runs import results as counted
from dcq.store import Store, quizzes, samples
from tests.conftest import small_sample
from tests.runs.conftest import NOBODY, answer, take
from tests.support.provider import Provider


def bdq(store: Store, sample_id: str) -> str:
    return freeze.freeze(store, sample_id, Kind.BDQ).quiz


async def test_bdq_and_bcqs_are_asked_with_the_five_option_prompt(
    fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    await take(fresh_store, bdq(fresh_store, sample_id), "always-a")
    [body] = {str(body["messages"][0]["content"]) for body in provider.bodies[:1]}
    assert "E) None of the provided options." in body
    assert {(b["max_tokens"], b["temperature"]) for b in provider.bodies} == {(1, 0)}
    frozen = protocol2.freeze_all(fresh_store, sample_id, "always-a")
    assert [made.slot for made in frozen] == [1, 2, 3]
    assert {quizzes.load(fresh_store, made.quiz).kind for made in frozen} == {Kind.BCQ}


async def test_a_model_that_knows_the_texts_gets_the_whole_range(
    fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    provider.seen = tuple(i.text for i in samples.load(fresh_store, sample_id).instances)
    # Nothing is guessed where the texts are not there: the bdq is taken by one that says "none".
    answer(fresh_store, bdq(fresh_store, sample_id), {"E": 6}, "knows-original")
    for made in protocol2.freeze_all(fresh_store, sample_id):
        await take(fresh_store, made.quiz, "knows-original")
    [found] = protocol2.estimates(fresh_store)
    assert (found.non_preferred, found.missing) == (("A", "B", "C", "D"), ())
    assert (found.low, found.high, found.n) == (1.0, 1.0, 6)


async def test_none_of_these_is_an_outcome_and_never_right(
    fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, Kind.BCQ, slot="B").quiz
    await take(fresh_store, quiz, "always-e")
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.outcomes["none"]) == (6, 0, 6)
    assert result.row()["kappa_fixed"] == pytest.approx(-1 / 3)


def test_a_bdq_has_nothing_to_find(fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 4, "E": 2})
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.score, result.kappa_fixed) == (6, None, None, None)
    assert result.chosen == (4, 0, 0, 0)


def test_the_counts_of_a_published_report_give_its_range(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(100))
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 44, "B": 2, "C": 1, "D": 1, "E": 52})
    right = {"B": 55, "C": 69, "D": 79}
    frozen = protocol2.freeze_all(fresh_store, sample_id, NOBODY)
    for made, (slot, count) in zip(frozen, right.items(), strict=True):
        answer(fresh_store, made.quiz, {slot: count, "E": 100 - count})
    [found] = protocol2.estimates(fresh_store)
    assert dict(found.correct) == right
    assert dict(found.chosen) == {"B": 2, "C": 1, "D": 1}
    told = protocol2.tell(found)
    assert "from 78.8 % to 79.0 %" in told
    assert "n = 100, original at B, C and D" in told


def test_one_non_preferred_slot_gives_kappa_alone(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    # ceil(10/5) = 2: three slots are chosen twice or more, C once.
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = protocol2.freeze_all(fresh_store, sample_id)
    assert made.slot == 2
    assert "other such slots" not in " ".join(made.notes)
    answer(fresh_store, made.quiz, {"C": 4, "A": 6})
    [found] = protocol2.estimates(fresh_store)
    assert (found.low, found.high) == pytest.approx((3 / 9, 0.4))


def test_below_chance_keeps_its_sign(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = protocol2.freeze_all(fresh_store, sample_id)
    answer(fresh_store, made.quiz, {"A": 10})
    [found] = protocol2.estimates(fresh_store)
    assert found.low == pytest.approx(-1 / 9)
    assert "from −11.1 % to 0.0 %" in protocol2.tell(found)


def test_a_range_waits_for_every_slot(fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 6})
    first, *_ = protocol2.freeze_all(fresh_store, sample_id)
    answer(fresh_store, first.quiz, {"B": 6})
    [found] = protocol2.estimates(fresh_store)
    assert (found.low, found.high, found.missing) == (None, None, ("C", "D"))
    told = protocol2.tell(found)
    assert "at C and D" in told
    assert f"python -m dcq quiz {sample_id} --kind bcq --slot C" in told


def test_only_instances_with_a_reply_in_every_quiz_count(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = protocol2.freeze_all(fresh_store, sample_id)
    # The instance of the one C in the bdq (position 6) has no reply here.
    answer(fresh_store, made.quiz, {"C": 4, "A": 2, "error": 4})
    [found] = protocol2.estimates(fresh_store)
    assert (found.n, found.chosen["C"], found.correct["C"]) == (6, 0, 4)
    assert found.low == found.high == pytest.approx(4 / 6)


def test_the_newest_runs_count_and_a_preferred_slot_does_not(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    quiz = bdq(fresh_store, sample_id)
    answer(fresh_store, quiz, {"E": 10})
    answer(fresh_store, quiz, {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = protocol2.freeze_all(fresh_store, sample_id)
    answer(fresh_store, made.quiz, {"C": 1, "A": 9})
    answer(fresh_store, made.quiz, {"C": 5, "A": 5})
    preferred = freeze.freeze(fresh_store, sample_id, Kind.BCQ, slot="A").quiz
    answer(fresh_store, preferred, {"A": 10})
    [found] = protocol2.estimates(fresh_store)
    assert found.non_preferred == ("C",)
    assert found.high == 0.5


def test_models_and_samples_are_kept_apart(fresh_store: Store, sample_id: str) -> None:
    other = samples.save(fresh_store, small_sample(6, key="lakes"))
    for each in (sample_id, other):
        answer(fresh_store, bdq(fresh_store, each), {"A": 6})
    answer(fresh_store, bdq(fresh_store, sample_id), {"D": 6}, "second@http://127.0.0.1:9/v1")
    found = protocol2.estimates(fresh_store)
    assert len({(e.model, e.sample) for e in found}) == len(found) == 3
    [lakes] = protocol2.estimates(fresh_store, partition="lakes/test")
    assert lakes.sample == other
    assert freeze.shunned(fresh_store, sample_id, NOBODY).letters == ("B", "C", "D")
    assert freeze.shunned(fresh_store, sample_id).letters == ("A", "B", "C")


def test_a_bcq_without_a_slot_takes_the_first_and_names_the_others(
    fresh_store: Store, sample_id: str
) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 6})
    made = freeze.freeze(fresh_store, sample_id, Kind.BCQ)
    assert made.slot == 1
    for letter in "CD":
        assert f"quiz {sample_id} --kind bcq --slot {letter}" in made.notes[0]


def test_a_bcq_without_a_bdq_is_an_error_that_says_what_to_do(
    fresh_store: Store, sample_id: str
) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"error": 6})
    with pytest.raises(InputError, match=r"--kind bdq.*--slot"):
        freeze.freeze(fresh_store, sample_id, Kind.BCQ)
    with pytest.raises(InputError, match="gpt-4o has not taken"):
        protocol2.freeze_all(fresh_store, sample_id, "gpt-4o")
    with pytest.raises(InputError, match="has no slot"):
        freeze.freeze(fresh_store, sample_id, Kind.BDQ, slot="A")
