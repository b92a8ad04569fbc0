"""What a stored plan may say; it may come from a stranger's bundle."""

from __future__ import annotations

import json

import pytest

from dcq.store.answer_plans import PlannedMethod, read_methods


def test_a_method_of_a_later_release_is_read() -> None:
    stored = json.dumps([["quiz", "standard", 0.5], ["later-one", "", 0.5]])
    assert read_methods(stored)[1] == PlannedMethod("later-one", "", 0.5)


@pytest.mark.parametrize(
    "stored",
    [
        '[["quiz", "standard", "0.5"]]',
        '[["quiz", "standard", true]]',
        '[["quiz", "standard", NaN]]',
        '[["quiz", "standard", 0]]',
        '[["quiz", "standard", 0.6], ["replication", "", 0.6]]',
        f'[["quiz", "standard", 1{400 * "0"}]]',
        '[["quiz", "\\u001b[31m", 0.5]]',
        '[["[here](http://host)", "", 0.5]]',
        '[["quiz", 7, 0.5]]',
        '[["quiz", "standard"]]',
        "[]",
        "7",
    ],
)
def test_weights_that_are_no_shares_and_names_that_are_none_are_refused(stored: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_methods(stored)
