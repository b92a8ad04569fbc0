from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from dcq.evidence.controls import calibrate
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.record import Evidence, Measure
from dcq.judging.judged import JudgedResult, Ruling, Verdict
from dcq.judging.summary import ranked_words, summarise
from dcq.quiz.evidence import describe
from dcq.quiz.ranked import MIDRANK
from dcq.quiz.results import Result
from dcq.records import Mode, PartitionRole, QuizKind
from dcq.words import kappa_words
from tests.support.cases import ResultWithControls
from tests.support.study_figures import control


def _result(
    correct: int, n: int, *, kind: QuizKind = QuizKind.STANDARD, **changes: object
) -> Result:
    plain = Result(
        run="r",
        quiz="q",
        sample="s",
        model="m",
        partition="ag_news/train",
        title="AG News",
        split_title="train",
        role=PartitionRole.TARGET,
        kind=kind,
        slot=3 if kind is QuizKind.STANDARD else None,
        kappa=kappa_fixed(correct, n),
        outcomes={"answered": n},
        chosen=(n - correct, 0, 0, correct),
        at=datetime(2026, 1, 1),
    )
    if kind is QuizKind.MODIFIED:
        plain = replace(plain, kappa=Kappa(n, 0, None, None, None, None, None))
    return replace(plain, **changes)  # type: ignore[arg-type]  # names of fields


VERDICT = Verdict("", Ruling.INCONCLUSIVE, (), None, None, None)


def finding(result: Result) -> JudgedResult:
    return JudgedResult(describe(result))


def test_a_lone_result_is_compared_with_guessing() -> None:
    assert summarise(finding(_result(72, 100))) == (
        "m picked the original in 72 of 100 instances of AG News train: κ 0.63 [0.50, 0.73], "
        "where guessing gives 0."
    )


def test_with_controls_it_is_compared_with_them_alone() -> None:
    control = _result(26, 100, role=PartitionRole.CONTROL, title="Own news", split_title="test")
    right = [[1.0]] * 72 + [[0.0]] * 28
    known = calibrate(right, [[[1.0]] * 26 + [[0.0]] * 74])
    assert known is not None
    one = replace(
        ResultWithControls(kappa_fixed(72, 100), known).case,
        evidence=describe(_result(72, 100)),
        controls=(describe(control),),
        verdict=VERDICT,
    )
    kappa = kappa_words(known.kappa_control, known.kappa_low, known.kappa_high)
    assert summarise(one).endswith(
        f": κ {kappa} compared with unseen text (control: Own news test)."
    )
    assert "guessing" not in summarise(one)
    two = replace(one, controls=(describe(control), describe(control)))
    assert "(2 controls)" in summarise(two)


def test_without_a_value_none_is_made_up() -> None:
    assert "κ has no value" in summarise(finding(_result(0, 0)))
    bare = _result(0, 100, kind=QuizKind.MODIFIED, chosen=(50, 30, 10, 10))
    assert summarise(finding(bare)).startswith("Without the original, m chose slot D least: in 10")
    kappa = kappa_fixed(60, 100)
    scored = _result(60, 100, mode=Mode.LIKELIHOOD, kappa=replace(kappa, p_value=None))
    assert "guessing" not in summarise(finding(scored))
    five = _result(60, 100, kind=QuizKind.BCQ, kappa=replace(kappa, kappa_fixed=None))
    assert "without a bdq there is nothing to compare that with" in summarise(finding(five))


def test_a_rotated_quiz_counts_calls_and_instances() -> None:
    found = finding(_result(60, 100, kind=QuizKind.ROTATED))
    assert "in 60 of 400 calls on 100 instances" in summarise(found)


def test_an_unfinished_run_says_how_far_it_came() -> None:
    some = _result(1, 9, outcomes={"answered": 9, "error": 1}, questions=40, finished=False)
    assert summarise(finding(some)).startswith(
        "So far, with 9 of 40 questions answered: m picked the original in 1 of 9 instances"
    )


def ranked(name: str, shares: list[float], **given: object) -> Evidence:
    measure = Measure(MIDRANK, np.array(shares)[:, None])
    return replace(control(name), side_measures=(measure,), **given)  # type: ignore[arg-type]  # names of fields


def test_how_originals_rank_is_said_beside_what_unseen_text_does() -> None:
    assert ranked_words(JudgedResult(control("rivers"))) == ""
    target = ranked("rivers", [1.0, 0.75, np.nan, 0.5] * 10, role="target")
    assert ranked_words(JudgedResult(target)) == "likelier than 75.0 % of its variants, on average"
    controls = tuple(ranked(name, [0.5, 0.25] * 20) for name in ("lakes", "ponds", "seas"))
    case = JudgedResult(target, controls)
    expected = case.side_calibrations[MIDRANK].control_score
    assert ranked_words(case) == (
        "likelier than 75.0 % of its variants, on average; "
        f"{100 * expected:.1f} % are expected on unseen text"
    )
    assert expected == pytest.approx(0.375, abs=0.05)
    as_control = JudgedResult(ranked("rivers", [1.0, 0.5] * 20), controls)
    assert ranked_words(as_control).endswith("variants, on average")
