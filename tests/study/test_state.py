"""Which pairs a study has, and which edition of a file they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcq.study.spec import ModelSpec, StudySpec, TargetSpec
from dcq.study.state import pairs_of


@pytest.mark.parametrize(
    ("among", "meant"),
    [
        ((), "mine/test"),
        (("mine/test", "mine-2/test"), "mine/test"),
        (("mine-2/test",), "mine-2/test"),
        (("mine-12/test", "other/test"), "mine-12/test"),
        (("mine-2/test", "mine-3/test"), "mine/test"),  # nobody knows which
        (("mine-2/train", "mine-x/test", "mine-/test", "amine-2/test"), "mine/test"),
    ],
)
def test_a_changed_file_is_the_edition_that_was_asked(among: tuple[str, ...], meant: str) -> None:
    spec = StudySpec("nightly", (TargetSpec("mine", file=Path("mine.csv")),), (ModelSpec("a"),))
    assert pairs_of(spec, among) == [("a", meant)]
