from hypothesis import given
from hypothesis import strategies as st

from dcq.variants.concerns import word_diff

TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(["a", "b ", " c", "d\n", "é"])).map("".join))


@given(TEXTS, TEXTS)
def test_segments_give_both_texts_back(original: str, variant: str) -> None:
    left, right = word_diff(original, variant)
    assert "".join(text for text, _ in left) == original
    assert "".join(text for text, _ in right) == variant
    assert all(text for text, _ in left + right)


@given(TEXTS, TEXTS)
def test_the_same_words_are_the_same_on_both_sides(original: str, variant: str) -> None:
    left, right = word_diff(original, variant)
    same = [text for text, kind in left if kind == "same"]
    assert same == [text for text, kind in right if kind == "same"]
    assert {kind for _, kind in left} <= {"same", "changed", "removed"}
    assert {kind for _, kind in right} <= {"same", "changed", "added"}


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    expected = [(text, "same")] if text else []
    assert word_diff(text, text) == (expected, expected)


def test_replaced_words_are_changed_and_the_spaces_between_them_are_not() -> None:
    left, right = word_diff("The old man sat.", "The aged man sat.")
    assert left == [("The ", "same"), ("old", "changed"), (" man sat.", "same")]
    assert right == [("The ", "same"), ("aged", "changed"), (" man sat.", "same")]


def test_words_without_a_counterpart_are_removed_or_added() -> None:
    assert word_diff("a b", "a") == ([("a", "same"), (" b", "removed")], [("a", "same")])
    assert word_diff("a", "a b") == ([("a", "same")], [("a", "same"), (" b", "added")])


def test_twenty_thousand_characters_are_compared_word_by_word() -> None:
    text = "lorem ipsum dolor sit amet {braces} A) <b>bold</b> " * 400
    changed = text.replace("dolor", "dolour")
    left, _ = word_diff(text, changed)
    assert len(text) > 20_000
    assert sum(kind == "changed" for _, kind in left) == 400
