"""Nothing that asks can tell which wording is published."""

from __future__ import annotations

from collections import Counter

import pytest
import scipy

from dcq.errors import InputError
from dcq.protect.method import ProtectTask
from dcq.protect.published import published_indices
from dcq.protect.shuffle import By, chosen, shuffle
from dcq.quiz.prompts import QUIZ_V1
from tests.support.protected import a_secret


@pytest.mark.parametrize(("by", "wordings"), [(By.LETTER, 4), (By.LIKELIHOOD, 8)])
def test_what_is_asked_is_the_same_whatever_the_lots(by: By, wordings: int) -> None:
    """Order, slots and texts; the engine gets nothing but the task."""
    sheets = []
    for key in (1, 2, 3):
        secret = a_secret(20, wordings, key=key)
        sheet, places = shuffle(secret, by)
        task = ProtectTask(sheet, QUIZ_V1)
        sheets.append([task.text(position) for position in range(task.size)])
        for item, place, shown, lot in zip(
            secret.items, places, sheet.items, published_indices(secret), strict=True
        ):
            assert shown.wordings[place] == item.wordings[lot]
    assert sheets[0] == sheets[1] == sheets[2]
    assert len({published_indices(a_secret(20, wordings, key=key)) for key in (1, 2, 3)}) == 3


def test_a_sheet_holds_no_lot_and_no_key() -> None:
    secret = a_secret()
    sheet, _ = shuffle(secret, By.LETTER)
    assert secret.key.hex() not in repr(sheet)
    assert set(vars(sheet)) == {"title", "split", "by", "asks", "items", "root"}


def test_of_eight_the_four_hold_the_published_one_and_do_not_tell_it() -> None:
    """Over lots and draws, given four that are shown each is the published one equally often."""
    given: dict[tuple[int, ...], Counter[int]] = {}
    for draw in range(6_000):
        published = draw % 5
        four = chosen(bytes(32), f"{draw}", 5, published)
        assert published in four
        given.setdefault(tuple(four), Counter())[published] += 1
    assert len(given) == 5
    for counts in given.values():
        assert scipy.stats.chisquare([counts[place] for place in sorted(counts)]).pvalue > 0.001
        assert len(counts) == 4


def test_four_asks_put_each_wording_into_each_slot() -> None:
    sheet, _ = shuffle(a_secret(), By.LETTER)
    task = ProtectTask(sheet, QUIZ_V1)
    for slots in zip(*(task.options(turn) for turn in range(4)), strict=True):
        assert set(slots) == set(sheet.items[0].wordings)
    assert task.count_first(3) == 12
    assert task.size == 48


def test_too_few_wordings_for_letters() -> None:
    with pytest.raises(InputError, match="by likelihood"):
        shuffle(a_secret(wordings=3), By.LETTER)
    with pytest.raises(InputError, match="1 to 4"):
        shuffle(a_secret(), By.LETTER, asks=5)
