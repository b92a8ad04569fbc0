import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.quiz.build import build, propose_slot
from dcq.quiz.prompts import NONE_OF_THESE
from dcq.records import Instance, QuizKind

ORIGINAL = Instance("the original")
FOUR = {0: "v0", 1: "v1", 2: "v2", 3: "v3"}


def _options(kind: QuizKind, texts: dict[int, str], slot: int = 3) -> list[tuple[str, ...]]:
    return [i.options for i in build(kind, [ORIGINAL], {ORIGINAL.id: texts}, slot=slot).items]


def test_modified_shows_four_variants_and_no_original() -> None:
    built = build(QuizKind.MODIFIED, [ORIGINAL], {ORIGINAL.id: FOUR})
    assert [i.options for i in built.items] == [("v0", "v1", "v2", "v3")]
    assert built.items[0].correct is None


@pytest.mark.parametrize("slot", range(4))
def test_standard_differs_from_modified_in_the_slot_alone(slot: int) -> None:
    [options] = _options(QuizKind.STANDARD, FOUR, slot)
    expected = ["v0", "v1", "v2", "v3"]
    expected[slot] = ORIGINAL.text
    assert options == tuple(expected)


def test_standard_needs_three_variants_wherever_they_are() -> None:
    assert _options(QuizKind.STANDARD, {0: "v0", 1: "v1", 2: "v2"}, 1) == [
        ("v0", ORIGINAL.text, "v2", "v1")
    ]


def test_rotated_shows_every_text_once_in_every_slot() -> None:
    built = build(QuizKind.ROTATED, [ORIGINAL], {ORIGINAL.id: FOUR})
    assert [i.correct for i in built.items] == [0, 1, 2, 3]
    for item in built.items:
        assert item.correct is not None
        assert item.options[item.correct] == ORIGINAL.text
    for slot in range(4):
        assert len({item.options[slot] for item in built.items}) == 4


def test_bdq_is_the_modified_quiz_with_a_way_out() -> None:
    built = build(QuizKind.BDQ, [ORIGINAL], {ORIGINAL.id: FOUR})
    assert [i.options for i in built.items] == [("v0", "v1", "v2", "v3", NONE_OF_THESE)]
    assert built.items[0].correct is None


@pytest.mark.parametrize("slot", range(4))
def test_bcq_differs_from_bdq_in_the_slot_alone(slot: int) -> None:
    built = build(QuizKind.BCQ, [ORIGINAL], {ORIGINAL.id: FOUR}, slot=slot)
    expected = ["v0", "v1", "v2", "v3", NONE_OF_THESE]
    expected[slot] = ORIGINAL.text
    assert [(i.options, i.correct) for i in built.items] == [(tuple(expected), slot)]


@pytest.mark.parametrize("kind", [QuizKind.MODIFIED, QuizKind.BDQ, QuizKind.BCQ])
def test_a_variant_equal_to_the_original_spoils_a_quiz_of_four_variants(kind: QuizKind) -> None:
    good = Instance("good")
    texts = {ORIGINAL.id: {**FOUR, 2: ORIGINAL.text}, good.id: FOUR}
    built = build(kind, [ORIGINAL, good], texts, slot=2)
    assert "same text" in built.left_out[ORIGINAL.id]
    assert [i.instance_id for i in built.items] == [good.id]


def test_bcq_asks_no_instance_that_bdq_leaves_out() -> None:
    three, good = Instance("three"), Instance("good")
    texts = {three.id: {0: "v0", 1: "v1", 2: "v2"}, good.id: FOUR}
    for kind in (QuizKind.BDQ, QuizKind.BCQ):
        built = build(kind, [three, good], texts, slot=3)
        assert [i.instance_id for i in built.items] == [good.id]


def test_what_gives_no_fair_question_is_left_out_with_its_reason() -> None:
    same, short, good = Instance("same"), Instance("short"), Instance("good")
    texts = {same.id: {**FOUR, 1: "same"}, short.id: {0: "v0", 1: "v1"}, good.id: FOUR}
    built = build(QuizKind.STANDARD, [same, short, good], texts)
    assert [i.instance_id for i in built.items] == [good.id]
    assert "same text" in built.left_out[same.id]
    assert "2 of 3" in built.left_out[short.id]


def test_nothing_to_build_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InputError, match="write or accept variants"):
        build(QuizKind.STANDARD, [ORIGINAL], {})


@pytest.mark.parametrize(
    ("chosen", "slot"),
    [
        ([63, 30, 4, 3], 3),
        ([1, 5, 1, 1], 3),
        ([0, 0, 4, 4], 1),
        ([0, 0, 0, 0], 3),
        ([0, 9, 9, 9], 0),
    ],
)
def test_the_least_chosen_slot_is_proposed(chosen: list[int], slot: int) -> None:
    assert propose_slot(chosen) == slot


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_the_proposed_slot_is_at_the_minimum_and_d_wins_ties(chosen: list[int]) -> None:
    slot = propose_slot(chosen)
    assert chosen[slot] == min(chosen)
    assert slot == 3 or chosen[3] > min(chosen)


def test_three_variants_make_a_bcq_where_no_instance_has_four() -> None:
    first, second = Instance("first"), Instance("second")
    texts = {i.id: {0: f"{i.text} a", 1: f"{i.text} b", 2: f"{i.text} c"} for i in (first, second)}
    built = build(QuizKind.BCQ, [first, second], texts, slot=3)
    assert [i.options for i in built.items] == [
        (f"{t} a", f"{t} b", f"{t} c", t, NONE_OF_THESE) for t in ("first", "second")
    ]
    assert {i.correct for i in built.items} == {3}
    assert "no bdq" in built.note
    for kind, slot in (
        (QuizKind.BDQ, 3),
        (QuizKind.BCQ, 0),
    ):  # no variant leaves its slot to fill a gap
        with pytest.raises(InputError, match="3 of 4 variants usable"):
            build(kind, [first, second], texts, slot=slot)
    same = {**texts, first.id: {0: "first a", 1: "first a", 2: "first c"}}
    built = build(QuizKind.BCQ, [first, second], same, slot=3)
    assert list(built.left_out) == [first.id]
    assert build(QuizKind.BCQ, [first], {first.id: FOUR}, slot=3).note == ""
