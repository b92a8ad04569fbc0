from hypothesis import given
from hypothesis import strategies as st

from dcq.variants.prose import is_code, prose

PROMPT = '''from typing import List


def largest(numbers: List[int], limit: int) -> int:
    """ Return the largest of the numbers below the limit.
    Call `largest` with 'ab' or my_list[0].
    >>> largest([1, 2], 3)
    2

    The result is an integer.
    total = a + b
    """
    return max(numbers)
'''


def free_words(text: str, *protected: str) -> str:
    free = prose(text, protected)
    assert len(free) == len(text)
    return "".join(c if ok else " " for c, ok in zip(text, free, strict=True))


def test_in_code_only_the_prose_of_docstrings_is_free() -> None:
    assert is_code(PROMPT)
    kept = "Return the of the below the . Call with or The result is an integer."
    assert " ".join(free_words(PROMPT).replace('"', "").split()) == kept


def test_news_is_free_from_end_to_end() -> None:
    text = "The king (aged 40) said: “it's late” - and left."
    assert not is_code(text)
    assert free_words(text) == text


def test_protected_parts_headings_addresses_and_fences_are_not() -> None:
    text = (
        "Question: who came?\n"
        "Write to me@here.org or https://here.org/a or `x` now.\n"
        "```\nfor a in b\n```\n"
        "Label: 2 (Business)"
    )
    free = free_words(text, "2 (Business)")
    assert " ".join(free.split()) == "who came? Write to or or now."


def test_formulas_and_tables_are_not() -> None:
    assert free_words("The sum is small.\n1 + 2 * 3 / 4 < 5 | x").split() == [
        "The",
        "sum",
        "is",
        "small.",
    ]


@given(st.text(), st.lists(st.text(), max_size=2))
def test_any_text_has_a_mark_for_each_character(text: str, protected: list[str]) -> None:
    assert len(prose(text, protected)) == len(text)
