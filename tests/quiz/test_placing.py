from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.quiz import freeze, placing
from dcq.quiz.placing import Placement, place_originals
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, quizzes, runs, samples
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import answer, wait_until_ended

pytestmark = pytest.mark.slow

ANNE, BOB, CARL = (f"{name}@http://127.0.0.1:9/v1" for name in ("anne", "bob", "carl"))


@pytest.fixture
def control(fresh_store: Store) -> str:
    return samples.save(fresh_store, small_sample(4, key="lakes", role=PartitionRole.CONTROL))


def took_modified(store: Store, sample_id: str, model: str, tally: dict[str, int]) -> None:
    answer(store, freeze.freeze(store, sample_id, QuizKind.MODIFIED).quiz, tally, model)


def letters(places: placing.Places) -> dict[tuple[str, str], str | None]:
    return {key: place.letter for key, place in places.items()}


def test_each_model_gets_the_slot_that_it_chose_least_itself(
    fresh_store: Store, sample_id: str
) -> None:
    took_modified(fresh_store, sample_id, BOB, {"A": 3, "C": 2, "D": 1})
    took_modified(fresh_store, sample_id, ANNE, {"B": 2, "C": 2, "D": 2})
    found = place_originals(fresh_store, sample_id, [], QuizKind.STANDARD, [ANNE, BOB, CARL])
    assert [place.letter for place in found.values()] == ["A", "B", "D"]
    anne, bob, carl = (place.why for place in found.values())
    assert "anne@" in anne
    assert "A 0, B 2, C 2, D 2" in anne
    assert "bob@" in bob
    assert f"no modified quiz of this sample has been taken by {CARL} yet" in carl


def test_other_samples_are_asked_at_the_slot_of_the_first(
    fresh_store: Store, sample_id: str, control: str
) -> None:
    took_modified(fresh_store, sample_id, ANNE, {"B": 2, "C": 2, "D": 2})
    took_modified(fresh_store, control, ANNE, {"A": 2, "B": 2})  # by itself it would take D
    found = place_originals(fresh_store, sample_id, [control], QuizKind.STANDARD, [ANNE, BOB])
    assert letters(found) == {
        (sample_id, ANNE): "A",
        (control, ANNE): "A",
        (sample_id, BOB): "D",
        (control, BOB): "D",
    }


def test_a_letter_holds_for_every_model_and_sample(
    fresh_store: Store, sample_id: str, control: str
) -> None:
    took_modified(fresh_store, sample_id, ANNE, {"B": 2, "C": 2, "D": 2})
    found = place_originals(
        fresh_store, sample_id, [control], QuizKind.STANDARD, [ANNE, BOB], letter="c"
    )
    assert set(letters(found).values()) == {"C"}
    with pytest.raises(InputError, match="no slot"):
        place_originals(fresh_store, sample_id, [], QuizKind.STANDARD, [ANNE], letter="E")


@pytest.mark.parametrize("kind", [QuizKind.MODIFIED, QuizKind.ROTATED, QuizKind.BDQ])
def test_a_quiz_without_one_slot_has_no_place(
    fresh_store: Store, sample_id: str, kind: QuizKind
) -> None:
    found = place_originals(fresh_store, sample_id, [], kind, [ANNE])
    assert list(found.values()) == [Placement(None)]


def test_a_bcq_takes_the_models_own_bdq_or_says_what_it_lacks(
    fresh_store: Store, sample_id: str
) -> None:
    answer(fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz, {"A": 6}, ANNE)
    found = place_originals(fresh_store, sample_id, [], QuizKind.BCQ, [ANNE, BOB])
    assert found[sample_id, ANNE].letter == "B"
    assert f"{BOB} has not taken a bdq" in str(found[sample_id, BOB].why_not)
    with pytest.raises(InputError, match="has not taken a bdq"):
        placing.begin(fresh_store, found, QuizKind.BCQ)
    assert runs.listing(fresh_store)[1:] == []


def test_a_model_is_known_however_it_is_spelt(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    took_modified(fresh_store, sample_id, "guess", {"B": 2, "C": 2, "D": 2})
    [place] = place_originals(fresh_store, sample_id, [], QuizKind.STANDARD, [" guess "]).values()
    assert place.letter == "A"


@pytest.mark.usefixtures("forked")
def test_models_are_asked_together_each_at_its_own_slot_controls_as_well(
    fresh_store: Store, sample_id: str, control: str, provider: FakeProvider
) -> None:
    took_modified(fresh_store, sample_id, "always-a", {"A": 6})
    took_modified(fresh_store, sample_id, "always-d", {"D": 6})
    took_modified(fresh_store, control, "always-d", {"A": 2, "B": 2, "C": 1})
    before = set(runs.listing(fresh_store))
    places = place_originals(
        fresh_store, sample_id, [control], QuizKind.STANDARD, ["always-a", "always-d"]
    )
    started = placing.begin(fresh_store, places, QuizKind.STANDARD)
    assert set(started) == set(runs.listing(fresh_store)) - before
    wait_until_ended(fresh_store, started)
    asked = set()
    for run_id in started:
        plan = runs.load(fresh_store, run_id).plan
        quiz = quizzes.load(fresh_store, plan.subject)
        asked.add((plan.model, quiz.sample_id, quiz.slot))
    assert asked == {
        ("always-a", sample_id, 3),
        ("always-a", control, 3),
        ("always-d", sample_id, 2),
        ("always-d", control, 2),
    }
    assert provider.counts == {"always-a": 10, "always-d": 10}
