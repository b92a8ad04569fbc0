"""The figures that are shown of a result: those that all results have, and those that its method
declares as its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dcq import methods
from dcq.detection import ControlField, Field
from dcq.evidence.record import KAPPA, Evidence, MethodEstimate
from dcq.judging.answer import Concluded, ruling_of, word_of
from dcq.judging.judged import JudgedResult
from dcq.result_columns import (
    COUNT,
    SHARE,
    TWO_DECIMALS,
    Column,
    Medium,
    Number,
    for_people,
)
from dcq.words import interval_words, model_title, p_number, percent, two_decimals

Shown = Column[JudgedResult]

_percent = partial(percent, decimals=1)


def columns(
    method: str, units: Mapping[str, bool] | None = None, places: Mapping[str, str] | None = None
) -> list[Shown]:
    """The figures of a method's results, in reading order. ``units`` are the units of the estimates
    and whether an estimate is a share; ``places`` are the names of partitions by their keys. Files
    need neither."""
    detection_method, names = methods.named(method), places or {}
    method_columns = [_of_evidence(field) for field in detection_method.fields]
    return [
        *_FIRST,
        Column("", "Partition", _of(lambda entry: names.get(entry.partition, entry.partition))),
        *(entry for entry in method_columns if entry.leads),
        *_VERDICT,
        *(part for unit, share in (units or {}).items() for part in _estimate(unit, share)),
        *map(_of_comparison, detection_method.control_fields),
        *_COMPARED,
        *(entry for entry in method_columns if not entry.leads),
        *_LAST,
    ]


def of_people(
    results: Sequence[JudgedResult], places: Mapping[str, str], concluded: Concluded
) -> list[Shown]:
    """The columns of one method's results for people. What is ``concluded`` of a model and a
    partition is the same in each row about them, whatever the method."""
    if not results:
        return []
    units: dict[str, bool] = {}
    for result in results:
        estimate = result.evidence.estimate
        units.setdefault(estimate.unit, True)
        units[estimate.unit] &= estimate.share == estimate.value
    method_columns = columns(results[0].evidence.read_by, units, places)
    return for_people([_of_pair(column, concluded) for column in method_columns], results)


def _of_pair(column: Shown, concluded: Concluded) -> Shown:
    """The column, or in place of a method's own ruling and its q those of the answer."""
    if column.key == "verdict":
        return replace(
            column,
            heading="Answer",
            value=lambda result: ruling_of(result.evidence.run, concluded) or None,
            term="Answer",
        )
    if column.key == "q_control":
        return replace(
            column,
            value=lambda result: (
                concluded[result.evidence.run].q_value if result.evidence.run in concluded else None
            ),
        )
    return column


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


def _of_evidence(field: Field) -> Shown:
    return _lifted(field, lambda result: field.value(result.evidence))


def _of_comparison(field: ControlField) -> Shown:
    def value(result: JudgedResult) -> object:
        calibration = result.deciding
        return None if calibration is None else field.value(calibration)

    return _lifted(field, value)


def _lifted(field: Column[Any], value: Callable[[JudgedResult], object]) -> Shown:
    attributes = {
        attribute.name: getattr(field, attribute.name) for attribute in dataclasses.fields(field)
    }
    return Column(**attributes | {"value": value})


def _estimate(unit: str, share: bool) -> tuple[Shown, Shown]:
    """The estimate in a ``unit``, and its interval."""

    def of(result: JudgedResult) -> MethodEstimate | None:
        estimate = result.evidence.estimate
        return estimate if estimate.unit == unit else None

    def value(result: JudgedResult) -> float | None:
        estimate = of(result)
        return None if estimate is None else estimate.value

    def limits(result: JudgedResult) -> tuple[float, float] | None:
        estimate = of(result)
        if estimate is None or estimate.low is None or estimate.high is None:
            return None
        return estimate.low, estimate.high

    def show_limits(interval: tuple[float, float]) -> str:
        low, high = interval
        return f"[{percent(low)}, {percent(high)}]" if share else interval_words(low, high)

    number = SHARE if share else TWO_DECIMALS
    name, term = unit_name(unit), "κ" if unit == KAPPA else ""
    return (
        Column("", name, value, _percent if share else two_decimals, term, number),
        Column("", "95 % interval", limits, show_limits, "95 % interval" if term else ""),
    )


def _of(value: Callable[[Evidence], object]) -> Callable[[JudgedResult], object]:
    return lambda result: value(result.evidence)


def _of_verdict(result: JudgedResult, name: str) -> object:
    return getattr(result.verdict, name) if result.verdict else None


def _p_control(result: JudgedResult) -> float | None:
    return (
        result.against_controls(lambda calibration: calibration.p_value) if result.verdict else None
    )


def _expected(result: JudgedResult) -> float | None:
    calibration = result.deciding
    return calibration.control_score if calibration else None


def _controls(result: JudgedResult) -> int | None:
    calibration = result.deciding
    return calibration.controls if calibration else None


def _control_partitions(result: JudgedResult) -> str | None:
    return ", ".join(c.partition for c in result.used_controls) or None if result.deciding else None


def _control_places(result: JudgedResult) -> str | None:
    return ", ".join(c.place for c in result.used_controls) or None if result.deciding else None


def _range(result: JudgedResult) -> tuple[float, float] | None:
    calibration = result.deciding
    return (calibration.control_low, calibration.control_high) if calibration else None


def _prompt(evidence: Evidence) -> str | None:
    setting = dict(evidence.setting)
    return setting.get("prompt") or setting.get("wording")


def _unfinished(evidence: Evidence) -> object:
    return None if evidence.finished else evidence.figures.get("progress") or "yes"


_FIRST: tuple[Shown, ...] = (
    Column("run", "", _of(lambda evidence: evidence.run)),
    Column("model", "Model", _of(lambda evidence: evidence.model), model_title),
    Column("partition", "", _of(lambda evidence: evidence.partition)),
)
_VERDICT: tuple[Shown, ...] = (
    Column(
        "verdict",
        "Verdict",
        lambda result: result.verdict.ruling.value if result.verdict else None,
        word_of,
        term="Verdict",
    ),
    Column("n", "n", _of(lambda evidence: evidence.estimate.n), "{:,}".format, "n", COUNT),
    Column("", "Unfinished", _of(_unfinished), term="Unfinished", optional=True),
    Column("estimate", "", _of(lambda evidence: evidence.estimate.value)),
    Column("low", "", _of(lambda evidence: evidence.estimate.low)),
    Column("high", "", _of(lambda evidence: evidence.estimate.high)),
    Column("unit", "", _of(lambda evidence: evidence.estimate.unit)),
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
        "",
        "Replies from",
        lambda result: ", ".join(result.senders) or None,
        optional=True,
    ),
    Column(
        "unusable",
        "Unusable",
        _of(lambda evidence: evidence.unusable),
        percent,
        "Unusable",
        Number("%.0f %%", 100),
    ),
    Column("role", "Role", _of(lambda evidence: evidence.role), term="Role"),
    Column(
        "outcomes",
        "Outcomes",
        _of(lambda evidence: dict(evidence.outcomes)),
        outcome_words,
        "Outcomes",
        medium=Medium.TERMINAL,
    ),
    Column("", "Controls", _control_places, medium=Medium.SCREEN, optional=True),
    Column("finished", "", _of(lambda evidence: evidence.finished)),
    Column("prompt", "", _of(_prompt)),
    Column("method", "", _of(lambda evidence: evidence.method)),
    Column("reasons", "", lambda result: list(result.verdict.reasons) if result.verdict else []),
    Column(
        "",
        "Asked, UTC",
        _of(lambda evidence: evidence.at),
        "{:%d %b %Y, %H:%M}".format,
        medium=Medium.SCREEN,
    ),
    Column("", "Run", _of(lambda evidence: evidence.run)),
)
