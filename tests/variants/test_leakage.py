import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.records import Item
from dcq.variants.leakage import TextOnly, text_only

options = st.lists(st.text(max_size=30), min_size=4, max_size=4).map(tuple)
quizzes = st.lists(st.tuples(options, st.integers(0, 3)), max_size=8).map(
    lambda rows: [Item(str(number), texts, slot) for number, (texts, slot) in enumerate(rows)]
)


def by_name(items: list[Item], language: str = "en") -> dict[str, TextOnly]:
    return {found.name: found for found in text_only(items, language)}


def item(*texts: str, correct: int | None = 0, instance: str = "one") -> Item:
    return Item(instance, texts, correct)


def test_each_strategy_finds_what_it_looks_for() -> None:
    shortest = by_name([item("a cat", "a feline", "a tomcat", "some cats")])
    assert shortest["shortest"].kappa.score == 1
    assert shortest["longest"].kappa.score == 0
    # Each rewording changes one word of the original, which is thus the closest to all of them.
    texts = ("big red dog ran", "huge red dog ran", "big crimson dog ran", "big red hound ran")
    assert by_name([item(*texts)])["medoid"].kappa.score == 1
    rare = ("the dog ate", "the hound devoured", "the pooch guzzled", "the mutt scoffed")
    assert by_name([item(*rare)])["frequent"].found == ("one",)


def test_medoid_counts_words_as_often_as_they_occur() -> None:
    # As sets of words the first two are equal; as multisets only the second is near the others.
    texts = ("no", "no no no", "no no no yes", "no no no maybe")
    assert by_name([item(*texts, correct=1)])["medoid"].kappa.score == 1


def test_ties_share_the_credit() -> None:
    found = by_name([item("one", "two", "six", "eight")])["shortest"]
    assert found.credit == {"one": pytest.approx(1 / 3)}
    assert found.found == ()
    blank = by_name([item("", "", "", "")])
    assert {one.kappa.score for one in blank.values()} == {0.25}


@given(quizzes)
@settings(deadline=None)  # the first example reads the word frequencies
def test_any_texts_are_scored_and_credit_is_shared_out(items: list[Item]) -> None:
    for found in text_only(items):
        assert found.kappa.n == len(items)
        assert all(0 <= share <= 1 for share in found.credit.values())
    for one in items:
        moved = [Item(str(slot), one.options, slot) for slot in range(4)]
        for found in text_only(moved):
            assert sum(found.credit.values()) == pytest.approx(1)


@given(quizzes)
@settings(deadline=None)  # the first example reads the word frequencies
def test_the_order_of_the_options_does_not_matter(items: list[Item]) -> None:
    flipped = [Item(one.instance_id, one.options[::-1], 3 - (one.correct or 0)) for one in items]
    for found, other in zip(text_only(items), text_only(flipped), strict=True):
        assert found.credit == other.credit


def test_rotated_instances_count_once_and_modified_items_not_at_all() -> None:
    texts = ["a", "bb", "ccc", "dddd"]
    rotated = [Item("one", tuple(texts[-k:] + texts[:-k]), k) for k in range(4)]
    assert by_name(rotated)["shortest"].kappa.n == 1
    empty = by_name([item(*texts, correct=None)])
    assert empty["shortest"].kappa.score is None
    assert by_name([])["medoid"].kappa.p_value is None


def test_the_fifth_option_is_no_text() -> None:
    found = by_name([item("aaaaa", "bbbbbb", "cccccc", "dddddd", "none")])
    assert found["shortest"].kappa.score == 1


def test_languages() -> None:
    texts = ("el perro come", "el can engulle", "el chucho zampa", "el gozque yanta")
    assert by_name([item(*texts)], "es")["frequent"].kappa.score == 1
    assert "frequent" not in by_name([item(*texts)], "xx")


def test_chinese_is_compared_by_words() -> None:
    # Each rewording changes one word of the original, which is thus the closest to all of them.
    texts = (
        "政府宣布工厂停产",
        "政府公布工厂停产",
        "政府宣布工厂停工",
        "当局宣布工厂停产",
    )
    assert by_name([item(*texts)], "zh")["medoid"].kappa.score == 1
    rare = ("老师说他们很高兴", "夫子称他们颇欣喜", "塾师云他们甚愉悦", "学究道他们极快慰")
    assert by_name([item(*rare)], "zh")["frequent"].found == ("one",)


def test_words_with_marks_are_whole() -> None:
    # Read as \w+ by the module re, these would be the same three consonants.
    texts = ("किताब कताब", "कताब कतीब", "कताब कुतुब", "कताब केतब")
    assert by_name([item(*texts, correct=1)], "hi")["medoid"].credit == {"one": 1 / 4}


@given(quizzes, st.sampled_from(["zh", "ja", "tr", "ar", "th", "de"]))
@settings(deadline=None)  # the first example reads the word frequencies
def test_any_texts_are_scored_in_any_language(items: list[Item], language: str) -> None:
    for found in text_only(items, language):
        assert found.kappa.n == len(items)
        assert all(0 <= share <= 1 for share in found.credit.values())


def test_hostile_texts_pass_through() -> None:
    texts = ("{0} {x!r} A) <b>", "%s " * 7_000, "D) " * 7_000, "\x00 {braces}")
    assert by_name([item(*texts)])["shortest"].kappa.n == 1


def test_ten_thousand_items_are_a_usual_size() -> None:
    words = " ".join(f"word{k}" for k in range(40))
    items = [
        item(*(f"{words} {k * slot}" for slot in range(4)), instance=str(k)) for k in range(10_000)
    ]
    assert by_name(items)["medoid"].kappa.n == 10_000
