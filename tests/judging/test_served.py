"""Which answers must be one model's: the run's, its own quiz without the original, and the runs of
its controls."""

from __future__ import annotations

from datetime import UTC, datetime

from dcq.evidence.record import HERE, ServedModel
from dcq.judging.case import Case
from dcq.judging.checks import served
from tests.support.cases import evidence


def by(name: str) -> tuple[ServedModel, ...]:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    return (ServedModel(name, None, at, at),)


def test_of_a_control_its_own_run_is_compared() -> None:
    target = evidence(served={HERE: by("m-1")})
    silent = evidence(place="News", served={"without the original": by("m-0")})
    assert served(Case(target, (silent,))) is None
    other = evidence(place="News", served={"without the original": by("m-1"), HERE: by("m-2")})
    found = served(Case(target, (silent, other)))
    assert found is not None
    assert found.sentence.endswith("(here: m-1, 01 Nov 2026; control News: m-2, 01 Nov 2026).")
