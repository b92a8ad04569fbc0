"""Whatever numbers a public function of the evidence is given, it gives a value, None, or an error
of ours: never NaN where a number is promised, a p-value outside 0 to 1, limits in the wrong order,
or another library's exception.

The functions are found by walking the package, so a new one needs its strategy in
``tests/support/evidence_arguments.py``.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import dcq.evidence as package
from dcq.errors import DcqError, InputError
from dcq.evidence import (
    ablation,
    bootstrap,
    combine,
    controls,
    family,
    inflation,
    interval,
    jump,
    lot,
    midrank,
    prediction,
    protocol2,
    rotated,
    share_prediction,
)
from dcq.evidence.lazy_field import Later
from dcq.evidence.record import Evidence
from tests.support.evidence_arguments import STRATEGIES

CASES = max(5, int(os.environ.get("DCQ_FUZZ", "500")) // 20)  # of each function

# What says "NaN" in its first lines: there is none, or a row has a gap.
GAPS = {
    "kappa.cohen_of",
    "midrank.beats_all",
    "midrank.midranks",
    "rotated.as_table",
    "soft.letter_logprobs",
    "soft.original_probability",
}
P_VALUES = {"p_value", "p_all", "p_refused", "p_easier", "p_holm", "p_anytime", "p_without"}
P_FUNCTIONS = {
    "ablation.mcnemar",
    "chance.binomial_tail",
    "chance.chance_p_value",
    "combine.cauchy",
    "combine.harmonic_mean",
    "combine.weighted_holm",
    "family.q_among",
    "looks.EndedAtLook.overall",
    "lot.chance_of_repeats",
    "looks.Looks.overall_p",
    "lot_tail.tail",
    "power.power",
    "prediction.NormalPrediction.p_value",
    "prediction.NormalPrediction.share_above",
    "share_prediction.SharePrediction.p_value",
    "share_prediction.SharePrediction.share_above",
}
PROTOCOLS = {"Prediction"}


def _public() -> dict[str, Callable[..., Any]]:
    """Every public function, method and class with checks of its own, by module and name."""
    found: dict[str, Callable[..., Any]] = {}
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        place = info.name.removeprefix(f"{package.__name__}.")
        for name, member in vars(module).items():
            if name.startswith("_") or getattr(member, "__module__", None) != info.name:
                continue
            if inspect.isclass(member):
                found |= {f"{place}.{of}": made for of, made in _of_class(member)}
            elif callable(member):
                found[f"{place}.{name}"] = member
    return found


def _of_class(member: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    if member.__name__ in PROTOCOLS or member is Later:
        return
    own = vars(member)
    if "__post_init__" in own or ("__init__" in own and not is_dataclass(member)):
        yield member.__name__, member
    defaults = {field.name for field in fields(member)} if is_dataclass(member) else set[str]()
    for name, method in own.items():
        if inspect.isfunction(method) and not name.startswith("_") and name not in defaults:
            yield f"{member.__name__}.{name}", method


PUBLIC = _public()


def test_each_public_function_has_a_strategy() -> None:
    by_own_test = {"replication.replicated.Replicated"}  # its arrays are compared in length alone
    assert STRATEGIES.keys() | by_own_test == PUBLIC.keys()


# What gave a NaN, a wrong p-value or another library's exception, by name.
NAN = math.nan
NAMED: dict[str, Callable[[], object]] = {
    "missing gaps": lambda: inflation.within_model(
        [NAN] * 40, [[NAN] * 3] * 40, [True, False] * 20, [0.5] * 40
    ),
    "a missing e-value": lambda: lot.call_models([NAN, 1.0]),
    "an infinite preference": lambda: lot.assess([[math.inf, 0.0, 0.0, 0.0]] * 40),
    "more right than asked": lambda: protocol2.contamination_range({"A": 2}, {"A": 12}, 10),
    "a negative change": lambda: ablation.mcnemar(-3, 5),
    "p below 0, Holm": lambda: combine.weighted_holm([-0.1, 0.5], (0.5, 0.5)),
    "p below 0, harmonic": lambda: combine.harmonic_mean([-0.1, 0.5], (0.5, 0.5)),
    "a missing weight": lambda: combine.weighted_holm([0.1, 0.5], (NAN, 0.5)),
    "Cauchy of NaN": lambda: combine.cauchy([NAN, 0.5], (0.5, 0.5)),
    "a negative p-value, BH": lambda: family.benjamini_hochberg([-0.1, 0.5]),
    "a negative p-value, Holm": lambda: family.holm([-0.1, 0.5]),
    "impossible scores": lambda: controls.calibrate([[5.0], [math.inf]], [[[0.0], [1.0]]]),
    "a full confidence, calibrated": lambda: controls.calibrate(
        [[1.0]] * 12, [[[0.0], [1.0]]], confidence=1
    ),
    "shares above 1": lambda: rotated.rotated_kappa([[2.0, 0.0, 0.0, 0.0]] * 12),
    "a full confidence": lambda: interval.wilson(3, 9, 1.0),
    "no observation": lambda: interval.score_interval(0.5, 0),
    "a full confidence of a mean": lambda: interval.mean_interval(np.array([0.1, 0.2]), 1.5),
    "a missing mean": lambda: interval.mean_interval(np.array([0.1, NAN])),
    "a missing time": lambda: jump.jump([NAN, *np.linspace(-1, 1, 90)], [0.0, 1.0] * 45 + [1.0], 0),
    "a missing score": lambda: bootstrap.paired_bootstrap([NAN] * 12, [0.5] * 12),
    "no resample": lambda: bootstrap.paired_bootstrap([0.2] * 12, [0.5] * 12, samples=0),
    "no control": lambda: prediction.predict([], [], 0.1),
    "controls without instances": lambda: prediction.predict([0.4], [0], 0.1),
    "more right than answers": lambda: share_prediction.Shares([9], [4]),
    "no shares": lambda: share_prediction.Shares([], []),
    "no table of slots": lambda: controls.slot_weights([]),
    "no rewording": lambda: midrank.midranks([[1.0]]),
    "no instance": lambda: midrank.midranks([]),
}


@pytest.mark.parametrize("name", NAMED)
def test_impossible_numbers_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        NAMED[name]()


def test_a_line_that_hangs_on_one_item_shows_no_jump() -> None:
    """All others on its side lie so close together that its residual is nothing."""
    close = [-1 - 1e-12 * place for place in range(40)]
    times = [*close, -1e6, *np.linspace(0.1, 1, 41)]
    assert jump.jump(times, [0.0, 1.0] * 41, 0.0) is None


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_extreme_inputs_give_a_value_none_or_an_error_of_ours(name: str) -> None:
    @settings(
        max_examples=CASES, suppress_health_check=list(HealthCheck), derandomize=True, database=None
    )
    @given(STRATEGIES[name])
    def run(arguments: dict[str, Any]) -> None:
        with contextlib.suppress(DcqError):
            made = _call(PUBLIC[name], arguments)
            _look(made, name, gaps=name in GAPS)
            assert name not in P_FUNCTIONS or made is None or 0 <= made <= 1

    run()


def _call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    owner = arguments.get("self")
    if owner is None:
        return function(**arguments)
    rest = {name: value for name, value in arguments.items() if name != "self"}
    return getattr(owner, function.__name__)(**rest)


def _look(made: object, where: str, *, gaps: bool) -> None:
    """No NaN in what was made, and no impossible p-value or interval."""
    if isinstance(made, (float, np.floating)):
        assert gaps or not math.isnan(made), where
    elif isinstance(made, np.ndarray) and made.dtype.kind == "f":
        assert gaps or not np.isnan(made).any(), where
    elif isinstance(made, Mapping):
        for key, value in made.items():
            _look(value, f"{where} {key}", gaps=gaps)
    elif isinstance(made, Evidence):
        pass  # what came in
    elif is_dataclass(made):
        _look_at_record(made, where, gaps=gaps)
    elif isinstance(made, (list, tuple)):
        for value in made:
            _look(value, where, gaps=gaps)


def _look_at_record(made: Any, where: str, *, gaps: bool) -> None:
    of = {field.name: getattr(made, field.name) for field in fields(made)}
    for name, value in of.items():
        _look(value, f"{where} {name}", gaps=gaps)
        if name in P_VALUES and value is not None:
            assert 0 <= value <= 1, f"{where} {name}"
    if of.get("low") is not None and of.get("high") is not None:
        assert of["low"] <= of["high"] + 1e-9, where
