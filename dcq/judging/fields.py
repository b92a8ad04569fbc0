"""The figures that are shown of a result: those that all results have, and those that its method
declares as its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from dcq import methods
from dcq.detection import ControlField, Field
from dcq.evidence.controls import Calibration
from dcq.evidence.record import KAPPA, Evidence, MethodEstimate
from dcq.judging.study import JudgedResult
from dcq.result_columns import COUNT, SHARE, TWO_DECIMALS, Column, Medium, Number
from dcq.words import interval_words, model_title, p_number, percent, two_decimals

Shown = Column[JudgedResult]

_percent = partial(percent, decimals=1)


def columns(
    method: str, units: Mapping[str, bool] | None = None, places: Mapping[str, str] | None = None
) -> list[Shown]:
    """The figures of a method's results, in reading order. ``units`` are the units of the estimates
    and whether an estimate is a share; ``places`` are the names of partitions by their keys. Files
    need neither."""
    found, names = methods.named(method), places or {}
    own = [_of_evidence(field) for field in found.fields]
    return [
        *_FIRST,
        Column("", "Partition", _of(lambda one: names.get(one.partition, one.partition))),
        *(one for one in own if one.leads),
        *_VERDICT,
        *(part for unit, share in (units or {}).items() for part in _estimate(unit, share)),
        *map(_of_comparison, found.control_fields),
        *_COMPARED,
        *(one for one in own if not one.leads),
        *_LAST,
    ]


def of_people(results: Sequence[JudgedResult], places: Mapping[str, str]) -> list[Shown]:
    """The columns of one method's results for people."""
    if not results:
        return []
    units: dict[str, bool] = {}
    for one in results:
        estimate = one.evidence.estimate
        units.setdefault(estimate.unit, True)
        units[estimate.unit] &= estimate.share == estimate.value
    return [
        column
        for column in columns(results[0].evidence.read_by, units, places)
        if column.heading
        and not (column.optional and all(column.value(one) is None for one in results))
    ]


def by_key(result: JudgedResult) -> dict[str, Any]:
    """The figures of a result under their keys in JSON and csv."""
    return {
        column.key: column.value(result)
        for column in columns(result.evidence.read_by)
        if column.key
    }


def unit_name(unit: str) -> str:
    """The heading of an estimate's column."""
    return "κ" if unit == KAPPA else unit[:1].upper() + unit[1:]


def outcome_words(outcomes: Mapping[str, int]) -> str:
    """``98 answered, 2 invalid``."""
    return ", ".join(f"{count:,} {name}" for name, count in outcomes.items() if count)


def deciding_comparison(result: JudgedResult) -> Calibration | None:
    """The comparison with the controls that a verdict rests on; None for a control."""
    return result.case.calibration if result.verdict else None


def _of_evidence(field: Field) -> Shown:
    return _lifted(field, lambda one: field.value(one.evidence))


def _of_comparison(field: ControlField) -> Shown:
    def value(one: JudgedResult) -> object:
        found = deciding_comparison(one)
        return None if found is None else field.value(found)

    return _lifted(field, value)


def _lifted(field: Column[Any], value: Callable[[JudgedResult], object]) -> Shown:
    given = {one.name: getattr(field, one.name) for one in dataclasses.fields(field)}
    return Column(**given | {"value": value})


def _estimate(unit: str, share: bool) -> tuple[Shown, Shown]:
    """The estimate in a ``unit``, and its interval."""

    def of(one: JudgedResult) -> MethodEstimate | None:
        found = one.evidence.estimate
        return found if found.unit == unit else None

    def value(one: JudgedResult) -> float | None:
        found = of(one)
        return None if found is None else found.value

    def limits(one: JudgedResult) -> tuple[float, float] | None:
        found = of(one)
        if found is None or found.low is None or found.high is None:
            return None
        return found.low, found.high

    def show_limits(given: tuple[float, float]) -> str:
        low, high = given
        return f"[{percent(low)}, {percent(high)}]" if share else interval_words(low, high)

    number = SHARE if share else TWO_DECIMALS
    name, term = unit_name(unit), "κ" if unit == KAPPA else ""
    return (
        Column("", name, value, _percent if share else two_decimals, term, number),
        Column("", "95 % interval", limits, show_limits, "95 % interval" if term else ""),
    )


def _of(value: Callable[[Evidence], object]) -> Callable[[JudgedResult], object]:
    return lambda one: value(one.evidence)


def _of_verdict(one: JudgedResult, name: str) -> object:
    return getattr(one.verdict, name) if one.verdict else None


def _p_control(one: JudgedResult) -> float | None:
    return one.case.against_controls(lambda found: found.p_value) if one.verdict else None


def _expected(one: JudgedResult) -> float | None:
    found = deciding_comparison(one)
    return found.control_score if found else None


def _controls(one: JudgedResult) -> int | None:
    found = deciding_comparison(one)
    return found.controls if found else None


def _control_partitions(one: JudgedResult) -> str | None:
    return (
        ", ".join(c.partition for c in one.case.used_controls) or None
        if deciding_comparison(one)
        else None
    )


def _control_places(one: JudgedResult) -> str | None:
    return (
        ", ".join(c.place for c in one.case.used_controls) or None
        if deciding_comparison(one)
        else None
    )


def _range(one: JudgedResult) -> tuple[float, float] | None:
    found = deciding_comparison(one)
    return (found.control_low, found.control_high) if found else None


def _prompt(evidence: Evidence) -> str | None:
    setting = dict(evidence.setting)
    return setting.get("prompt") or setting.get("wording")


def _unfinished(evidence: Evidence) -> object:
    return None if evidence.finished else evidence.figures.get("progress") or "yes"


_FIRST: tuple[Shown, ...] = (
    Column("run", "", _of(lambda one: one.run)),
    Column("model", "Model", _of(lambda one: one.model), model_title),
    Column("partition", "", _of(lambda one: one.partition)),
)
_VERDICT: tuple[Shown, ...] = (
    Column(
        "verdict",
        "Verdict",
        lambda one: one.verdict.ruling.value if one.verdict else None,
        term="Verdict",
    ),
    Column("n", "n", _of(lambda one: one.estimate.n), "{:,}".format, "n", COUNT),
    Column("", "Unfinished", _of(_unfinished), term="Unfinished", optional=True),
    Column("estimate", "", _of(lambda one: one.estimate.value)),
    Column("low", "", _of(lambda one: one.estimate.low)),
    Column("high", "", _of(lambda one: one.estimate.high)),
    Column("unit", "", _of(lambda one: one.estimate.unit)),
)
_COMPARED: tuple[Shown, ...] = (
    Column(
        "control_score",
        "On unseen text",
        _expected,
        _percent,
        "On unseen text",
        SHARE,
        optional=True,
    ),
    Column(
        "",
        "Expected on unseen text",
        _range,
        lambda limits: f"{percent(limits[0])} to {percent(limits[1])}",
        "On unseen text",
        medium=Medium.SCREEN,
        optional=True,
    ),
    Column("controls", "", _controls),
    Column("control_partitions", "", _control_partitions),
    Column("p_control", "", _p_control),
    Column("q_control", "q", partial(_of_verdict, name="q_value"), p_number, "q"),
    Column("p_control_holm", "", partial(_of_verdict, name="p_holm")),
)
_LAST: tuple[Shown, ...] = (
    Column(
        "unusable",
        "Unusable",
        _of(lambda one: one.unusable),
        percent,
        "Unusable",
        Number("%.0f %%", 100),
    ),
    Column("role", "Role", _of(lambda one: one.role), term="Role"),
    Column(
        "outcomes",
        "Outcomes",
        _of(lambda one: dict(one.outcomes)),
        outcome_words,
        "Outcomes",
        medium=Medium.TERMINAL,
    ),
    Column("", "Controls", _control_places, medium=Medium.SCREEN, optional=True),
    Column("finished", "", _of(lambda one: one.finished)),
    Column("prompt", "", _of(_prompt)),
    Column("method", "", _of(lambda one: one.method)),
    Column("reasons", "", lambda one: list(one.verdict.reasons) if one.verdict else []),
    Column(
        "", "Asked, UTC", _of(lambda one: one.at), "{:%d %b %Y, %H:%M}".format, medium=Medium.SCREEN
    ),
    Column("", "Run", _of(lambda one: one.run)),
)
