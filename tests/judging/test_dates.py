"""Controls that are older than a model's cut-off are named, and so is a target that is newer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from dcq.evidence.check import Check, Mark, Topic
from dcq.judging import checks
from dcq.judging.judged import JudgedResult
from dcq.models.cutoffs import Cutoff
from tests.support.cases import CheckLine, evidence, line_of

IN_NOVEMBER = date(2026, 11, 21)
LAKES = [("lakes/test", "Lakes test"), ("hills/test", "Hills test")]
CUTOFFS = {
    "tester": Cutoff(date(2027, 1, 1), "its maker"),
    "older": Cutoff(date(2026, 10, 1), "its maker"),
    "same": Cutoff(date(2026, 11, 1), "its maker"),
    "claude-opus-5-5": Cutoff(date(2026, 5, 1), "its maker", of_training=False),
}


def dates(
    model: str, target: str, controls: Sequence[tuple[str, str]], known: Mapping[str, date]
) -> list[Check]:
    beside = tuple(evidence(place=name, published=known.get(key)) for key, name in controls)
    case = JudgedResult(evidence(published=known.get(target)), beside)
    return checks.dates(case, CUTOFFS.get(model))


def test_controls_before_the_cutoff_are_named() -> None:
    known = {"lakes/test": IN_NOVEMBER, "hills/test": date(2027, 2, 1)}
    assert list(map(line_of, dates("tester", "rivers/test", LAKES, known))) == [
        CheckLine(
            Topic.DATES,
            Mark.CAUTION,
            "cut-off 2027-01",
            "Lakes test was published before the model's cut-off (2027-01), so it may have trained "
            "on it; write fresh controls.",
        )
    ]
    [both] = dates("tester", "rivers/test", LAKES, dict.fromkeys(known, IN_NOVEMBER))
    assert both.sentence.startswith("Lakes test and Hills test were published before")
    [many] = dates("tester", "x/y", LAKES * 5, dict.fromkeys(known, IN_NOVEMBER))
    assert "and 6 more were published" in many.sentence


def test_a_control_of_the_last_month_may_be_covered() -> None:
    known = {"lakes/test": IN_NOVEMBER}
    assert dates("older", "rivers/test", LAKES, known) == []
    assert len(dates("same", "rivers/test", LAKES, known)) == 1


def test_a_target_after_the_cutoff_needs_another_explanation() -> None:
    known = {"rivers/test": IN_NOVEMBER}
    [check] = dates("older", "rivers/test", LAKES, known)
    assert (check.topic, check.mark) == (Topic.DATES, Mark.CAUTION)
    assert check.sentence == (
        "The partition was published on 2026-11-21, after the model's cut-off (2026-10), and "
        "cannot be in the training data by its date: a high score needs another explanation."
    )
    assert dates("same", "rivers/test", LAKES, known) == []


def test_what_a_model_knows_reliably_is_no_proof_for_its_training_data() -> None:
    [check] = dates("claude-opus-5-5", "rivers/test", [], {"rivers/test": IN_NOVEMBER})
    assert "is unlikely to be in the training data" in check.sentence


def test_without_a_date_there_is_no_line() -> None:
    known = {"rivers/test": IN_NOVEMBER, "lakes/test": IN_NOVEMBER}
    assert dates("nobody-knows-this", "rivers/test", LAKES, known) == []
    assert dates("tester", "rivers/test", LAKES, {}) == []
