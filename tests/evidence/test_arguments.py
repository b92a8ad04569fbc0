import pytest

from dcq.errors import InputError
from dcq.evidence.arguments import check_counts


@pytest.mark.parametrize(
    ("correct", "n", "chance"), [(0, 0, 0.25), (0, 1, 0.01), (1, 1, 0.99), (3, 9, 0.5)]
)
def test_possible_counts_pass(correct: int, n: int, chance: float) -> None:
    check_counts(correct, n, chance)


@pytest.mark.parametrize(
    ("correct", "n", "chance", "words"),
    [
        (0, -1, 0.25, "The number of answers is -1; give zero or more."),
        (5, 4, 0.25, "5 correct answers out of 4 is impossible; give a number from 0 to 4."),
        (-1, 4, 0.25, "-1 correct answers out of 4"),
        (1, 2, 0.0, "A chance level of 0.0 is impossible"),
        (1, 2, 1.0, r"such as 0\.25 for four options\."),
        (1, 2, float("nan"), "chance level of nan"),
    ],
)
def test_impossible_ones_are_explained(correct: int, n: int, chance: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_counts(correct, n, chance)


def test_chance_is_a_quarter_unless_given() -> None:
    check_counts(1, 2)
