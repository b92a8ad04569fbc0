"""Which answers must be one model's: the run's, its own quiz without the original, and the runs of
its controls."""

from __future__ import annotations

from datetime import UTC, datetime

from dcq.evidence.record import HERE, ServedModel
from dcq.judging.checks import served
from dcq.judging.judged import JudgedResult
from dcq.judging.served import SHOWN, Served
from tests.support.cases import evidence


def by(name: str) -> tuple[ServedModel, ...]:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    return (ServedModel(name, None, at, at),)


def test_of_a_control_its_own_run_is_compared() -> None:
    target = evidence(served={HERE: by("m-1")})
    silent = evidence(place="News", served={"without the original": by("m-0")})
    assert served(JudgedResult(target, (silent,))) is None
    other = evidence(place="News", served={"without the original": by("m-1"), HERE: by("m-2")})
    found = served(JudgedResult(target, (silent, other)))
    assert found is not None
    assert found.sentence.endswith("(here: m-1, 01 Nov 2026; control News: m-2, 01 Nov 2026).")


def names(count: int) -> dict[str, int]:
    return {f"m-{number}": 9 - number for number in range(count)}


def test_many_models_are_counted_where_a_line_names_no_more() -> None:
    few = Served("m", 40, names(SHOWN), {"fp_0": 40})
    assert few.words() == (
        "m-0 in 9 of 40 answers, m-1 in 8 of 40 answers, m-2 in 7 of 40 answers, "
        "m-3 in 6 of 40 answers; asked for m"
    )
    many = Served("m", 40, names(SHOWN + 1), {"fp_0": 30, "fp_1": 10})
    assert many.words() == few.words().replace(
        "; asked for m", " and 1 more; asked for m; 2 system fingerprints"
    )
    assert many.mismatch().startswith("According to the endpoint, 5 models answered this run (m-0")
    assert Served("m", 40, {"m-1": 40}, {}).mismatch() == ""
    assert Served("m", 40, {"m": 40}, {"fp_0": 30, "fp_1": 10}).words() == ""
