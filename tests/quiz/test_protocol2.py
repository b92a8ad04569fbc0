from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.files import release_export
from dcq.quiz import freeze, placing, preview, protocol2, v2
from dcq.quiz import results as counted
from dcq.records import QuizKind
from dcq.store import Store, quizzes, runs, samples, variants
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import NOBODY, answer, take, wait_until_ended

pytestmark = pytest.mark.slow


def bdq(store: Store, sample_id: str) -> str:
    return freeze.freeze(store, sample_id, QuizKind.BDQ).quiz


def bcqs(store: Store, sample_id: str, model: str | None = None) -> list[freeze.FrozenQuiz]:
    """A bcq for each slot that the model does not prefer."""
    letters = freeze.non_preferred_slots(store, sample_id, model).letters
    return [freeze.freeze(store, sample_id, QuizKind.BCQ, slot=letter) for letter in letters]


async def test_bdq_and_bcqs_are_asked_with_the_five_option_prompt(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    await take(fresh_store, bdq(fresh_store, sample_id), "always-a")
    [body] = {str(body["messages"][0]["content"]) for body in provider.bodies[:1]}
    assert "E) None of the provided options." in body
    assert {(b["max_tokens"], b["temperature"]) for b in provider.bodies} == {(1, 0)}
    frozen = bcqs(fresh_store, sample_id, "always-a")
    assert [made.slot for made in frozen] == [1, 2, 3]
    assert {quizzes.load(fresh_store, made.quiz).kind for made in frozen} == {QuizKind.BCQ}


async def test_a_model_that_knows_the_texts_gets_the_whole_range(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    provider.seen = tuple(i.text for i in samples.load(fresh_store, sample_id).instances)
    # Nothing is guessed where the texts are not there: the bdq is taken by one that says "none".
    answer(fresh_store, bdq(fresh_store, sample_id), {"E": 6}, "knows-original")
    for made in bcqs(fresh_store, sample_id):
        await take(fresh_store, made.quiz, "knows-original")
    [found] = protocol2.estimates(fresh_store)
    assert (found.non_preferred, found.missing) == (("A", "B", "C", "D"), ())
    assert (found.low, found.high, found.n) == (1.0, 1.0, 6)


async def test_none_of_these_is_an_outcome_and_never_right(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ, slot="B").quiz
    await take(fresh_store, quiz, "always-e")
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.outcomes["none"]) == (6, 0, 6)
    assert result.kappa.kappa_fixed is None  # without a bdq there is nothing to measure from


def test_a_bdq_has_nothing_to_find(fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 4, "E": 2})
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.score) == (6, None, None)
    assert result.kappa.kappa_fixed is None
    assert result.chosen == (4, 0, 0, 0)


def test_the_counts_of_a_published_report_give_its_range(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(100))
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 44, "B": 2, "C": 1, "D": 1, "E": 52})
    right = {"B": 55, "C": 69, "D": 79}
    frozen = bcqs(fresh_store, sample_id, NOBODY)
    for made, (slot, count) in zip(frozen, right.items(), strict=True):
        answer(fresh_store, made.quiz, {slot: count, "E": 100 - count})
    [found] = protocol2.estimates(fresh_store)
    assert dict(found.correct) == right
    assert dict(found.chosen) == {"B": 2, "C": 1, "D": 1}
    sentence = protocol2.describe(found)
    assert "from 78.8 % to 79.0 %" in sentence
    assert "n = 100, original at B, C and D" in sentence


def test_one_non_preferred_slot_gives_kappa_alone(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    # ceil(10/5) = 2: three slots are chosen twice or more, C once.
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = bcqs(fresh_store, sample_id)
    assert made.slot == 2
    assert "other such slots" not in " ".join(made.notes)
    answer(fresh_store, made.quiz, {"C": 4, "A": 6})
    [found] = protocol2.estimates(fresh_store)
    assert (found.low, found.high) == pytest.approx((3 / 9, 0.4))


def test_below_chance_keeps_its_sign(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = bcqs(fresh_store, sample_id)
    answer(fresh_store, made.quiz, {"A": 10})
    [found] = protocol2.estimates(fresh_store)
    assert found.low == pytest.approx(-1 / 9)
    assert "from −11.1 % to 0.0 %" in protocol2.describe(found)


def test_a_range_waits_for_every_slot(fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 6})
    first, *_ = bcqs(fresh_store, sample_id)
    answer(fresh_store, first.quiz, {"B": 6})
    [found] = protocol2.estimates(fresh_store)
    assert (found.low, found.high, found.missing) == (None, None, ("C", "D"))
    sentence = protocol2.describe(found)
    assert "at C and D" in sentence
    assert f"python -m dcq v2 {sample_id} --model {NOBODY} --resume" in sentence


def test_only_instances_with_a_reply_in_every_quiz_count(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 3, "B": 3, "C": 1, "D": 3})
    [made] = bcqs(fresh_store, sample_id)
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
    [made] = bcqs(fresh_store, sample_id)
    answer(fresh_store, made.quiz, {"C": 1, "A": 9})
    answer(fresh_store, made.quiz, {"C": 5, "A": 5})
    preferred = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ, slot="A").quiz
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
    assert freeze.non_preferred_slots(fresh_store, sample_id, NOBODY).letters == ("B", "C", "D")
    assert freeze.non_preferred_slots(fresh_store, sample_id).letters == ("A", "B", "C")


def test_a_bcq_without_a_slot_takes_the_first_and_names_the_others(
    fresh_store: Store, sample_id: str
) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"A": 6})
    made = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ)
    assert made.slot == 1
    for letter in "CD":
        assert f"quiz {sample_id} --kind bcq --slot {letter}" in made.notes[0]


def test_a_bcq_without_a_bdq_is_an_error_that_says_what_to_do(
    fresh_store: Store, sample_id: str
) -> None:
    answer(fresh_store, bdq(fresh_store, sample_id), {"error": 6})
    with pytest.raises(InputError, match=r"--kind bdq.*--slot"):
        freeze.freeze(fresh_store, sample_id, QuizKind.BCQ)
    with pytest.raises(InputError, match="gpt-4o has not taken"):
        bcqs(fresh_store, sample_id, "gpt-4o")
    with pytest.raises(InputError, match="has no slot"):
        freeze.freeze(fresh_store, sample_id, QuizKind.BDQ, slot="A")


def edit_variants(store: Store, sample_id: str) -> None:
    """Write every variant of a sample again, in other words."""
    variants.add(
        store,
        sample_id,
        [
            NewVariant(instance, slot, f"{one.text} (reworded)", "person", "Ada")
            for instance, slots in variants.current(store, sample_id).items()
            for slot, one in slots.items()
        ],
    )


@pytest.fixture
def two_goes(fresh_store: Store) -> tuple[str, str, str]:
    """Sample and bdqs of two goes: the first done, the variants edited, the second at its bdq."""
    sample_id = samples.save(fresh_store, small_sample(30))
    quiz = bdq(fresh_store, sample_id)
    first = answer(fresh_store, quiz, {"A": 12, "B": 12, "C": 3, "D": 3})
    for letter in "CD":
        made = freeze.freeze_bcq(fresh_store, quiz, letter)
        answer(fresh_store, made.quiz, {letter: 25, "A": 5})
    edit_variants(fresh_store, sample_id)
    again = bdq(fresh_store, sample_id)
    assert again != quiz
    second = answer(fresh_store, again, {"A": 10, "B": 10, "C": 5, "D": 5})
    return sample_id, first, second


def test_a_bcq_is_measured_from_the_bdq_of_the_same_variants(
    fresh_store: Store, two_goes: tuple[str, str, str]
) -> None:
    _, first, _ = two_goes
    placed = [r for r in counted.table(fresh_store, every_run=True) if r.kind is QuizKind.BCQ]
    assert [r.without for r in placed] == [first, first]
    assert [r.ablation and r.ablation.modified_share for r in placed] == [0.1, 0.1]


def test_a_range_is_made_of_the_same_variants(
    fresh_store: Store, two_goes: tuple[str, str, str]
) -> None:
    sample_id, _, second = two_goes
    [found] = protocol2.estimates(fresh_store)
    assert (found.bdq, found.missing, found.low) == (second, ("C", "D"), None)
    assert found == v2.so_far(fresh_store, sample_id, NOBODY)
    with pytest.raises(InputError, match="at C and D"):
        release_export.find(fresh_store, sample_id, None)


def test_an_older_bcq_gives_way_to_the_one_of_the_same_variants(
    fresh_store: Store, two_goes: tuple[str, str, str]
) -> None:
    sample_id, _, second = two_goes
    again = runs.load(fresh_store, second).plan.subject
    bcqs_made = [freeze.freeze_bcq(fresh_store, again, letter).quiz for letter in "CD"]
    own = [answer(fresh_store, quiz, {"A": 20, "E": 10}) for quiz in bcqs_made]
    # Asked once more, the quiz of before the edit is the newest, and still of other variants.
    old = freeze.freeze_bcq(fresh_store, _quiz_of_first(fresh_store, two_goes), "C").quiz
    answer(fresh_store, old, {"C": 30})
    [found] = protocol2.estimates(fresh_store)
    assert list(found.bcqs.values()) == own
    assert found == v2.so_far(fresh_store, sample_id, NOBODY)
    table = release_export.tabulate(fresh_store, found)
    for slot, quiz in zip("cd", bcqs_made, strict=True):
        shown = [item.options for item in quizzes.load(fresh_store, quiz).items]
        for other in set("abcd") - {slot}:
            assert list(table[f"option_{other}"]) == [o["abcd".index(other)] for o in shown]


def _quiz_of_first(store: Store, two_goes: tuple[str, str, str]) -> str:
    return runs.load(store, two_goes[1]).plan.subject


@pytest.mark.usefixtures("forked")
def test_a_bcq_proposed_by_a_bdq_shows_its_variants(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = bdq(fresh_store, sample_id)
    answer(fresh_store, quiz, {"A": 6}, "always-a")
    edit_variants(fresh_store, sample_id)
    wanted = freeze.freeze_bcq(fresh_store, quiz, "B").quiz
    assert freeze.freeze(fresh_store, sample_id, QuizKind.BCQ).quiz == wanted
    assert freeze.freeze(fresh_store, sample_id, QuizKind.BCQ, model="always-a").quiz == wanted
    places = placing.place_originals(fresh_store, sample_id, [], QuizKind.BCQ, ["always-a"])
    first = quizzes.load(fresh_store, wanted).items[0]
    seen = preview.preview(fresh_store, sample_id, QuizKind.BCQ, slot="B", bdq=quiz)
    assert all(option in seen.first_prompt for option in first.options)
    assert "reworded" not in seen.first_prompt
    [row] = preview.estimates(fresh_store, places, QuizKind.BCQ)
    assert (row["calls"], row["ready"]) == (6, preview.READY)
    [run] = placing.begin(fresh_store, places, QuizKind.BCQ)
    assert runs.load(fresh_store, run).plan.subject == wanted
    wait_until_ended(fresh_store, [run])


def test_the_other_slots_show_the_variants_of_the_same_bdq(
    fresh_store: Store, sample_id: str
) -> None:
    quiz = bdq(fresh_store, sample_id)
    answer(fresh_store, quiz, {"A": 6})
    edit_variants(fresh_store, sample_id)
    [note] = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ).notes
    assert f"--kind bcq --slot D --model {NOBODY}" in note
    made = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ, slot="D", model=NOBODY)
    assert made.quiz == freeze.freeze_bcq(fresh_store, quiz, "D").quiz
    by_hand = placing.place_originals(
        fresh_store, sample_id, [], QuizKind.BCQ, [NOBODY], letter="D"
    )
    assert by_hand[sample_id, NOBODY].bdq == quiz
    now = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ, slot="D")
    assert now.quiz != made.quiz  # nobody's bdq was named: of the variants as they are


def test_refusals_count_where_slots_are_chosen(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(100))
    quiz = bdq(fresh_store, sample_id)
    tally = {"A": 30, "B": 15, "C": 14, "D": 1, "refused": 40}
    answer(fresh_store, quiz, tally)
    [found] = protocol2.estimates(fresh_store)
    assert found.non_preferred == ("B", "C", "D")
    assert freeze.non_preferred_slots(fresh_store, sample_id).letters == found.non_preferred
    assert freeze.propose_non_preferred(fresh_store, sample_id)[0] == 1
