import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.evidence.controls import calibrate_counts
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.verdict import Case, Ruling, Verdict, judge

ALIKE = [(30, 100)] * 8
LEAKY = {"shortest": kappa_fixed(80, 100)}


def alone(case: Case) -> Verdict:
    return judge([case])[0]


def controlled(correct: int, n: int = 100, **rest: object) -> Case:
    return Case(kappa_fixed(correct, n), calibrate_counts((correct, n), ALIKE), **rest)  # type: ignore[arg-type]  # any of Case's own fields


def test_far_above_the_controls_is_contaminated() -> None:
    found = alone(controlled(75))
    assert found.ruling is Ruling.CONTAMINATED
    assert "75.0 % of the originals were found, against 30.0 % on 8 controls" in found.reasons[0]
    assert found.minimum_effect is not None


def test_above_chance_but_not_above_the_controls_is_no_evidence() -> None:
    case = Case(
        kappa_fixed(340, 1000), calibrate_counts((340, 1000), [(320 + k, 1000) for k in range(20)])
    )
    assert (case.kappa.p_value or 1) < 1e-8
    found = alone(case)
    assert found.ruling is Ruling.NO_EVIDENCE
    assert "found with a power of 80 %" in found.reasons[-1]


def test_without_controls_even_a_perfect_score_is_not_called_contaminated() -> None:
    found = alone(Case(kappa_fixed(100, 100)))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert any("Without a control partition" in reason for reason in found.reasons)
    assert any("one slot throughout" in reason for reason in found.reasons)
    turned = alone(Case(kappa_fixed(100, 100), rotated=True))
    assert not any("one slot throughout" in reason for reason in turned.reasons)


def test_without_controls_a_score_at_chance_is_no_evidence() -> None:
    assert alone(Case(kappa_fixed(26, 100))).ruling is Ruling.NO_EVIDENCE


def test_a_score_clearly_below_chance_hides_memory() -> None:
    found = alone(Case(kappa_fixed(3, 100)))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert "avoids" in found.reasons[0]


def test_a_leaky_quiz_shows_no_memory_with_or_without_controls() -> None:
    for case in (controlled(75, text_only=LEAKY), Case(kappa_fixed(75, 100), text_only=LEAKY)):
        found = alone(case)
        assert found.ruling is Ruling.INCONCLUSIVE
        assert any("shortest 80 %" in reason for reason in found.reasons)


def test_a_leak_is_named_even_where_nothing_was_found() -> None:
    found = alone(Case(kappa_fixed(26, 100), text_only=LEAKY))
    assert found.ruling is Ruling.NO_EVIDENCE
    assert any("quiz is leaky" in reason for reason in found.reasons)


def test_too_few_valid_answers() -> None:
    found = alone(controlled(75, asked=130))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert "Only 100 of 130" in found.reasons[0]


def test_too_little_power() -> None:
    found = alone(Case(kappa_fixed(3, 10)))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert "too small" in found.reasons[1]


@pytest.mark.parametrize("asked", [0, 50])
def test_no_answers(asked: int) -> None:
    found = alone(Case(kappa_fixed(0, 0), asked=asked))
    assert (found.ruling, found.p_adjusted, found.minimum_effect) == (
        Ruling.INCONCLUSIVE,
        None,
        None,
    )


def test_few_controls_are_cautioned_about() -> None:
    case = Case(kappa_fixed(75, 100), calibrate_counts((75, 100), [(30, 100)]))
    found = alone(case)
    assert found.ruling is Ruling.CONTAMINATED
    assert any("fewer than three controls" in reason for reason in found.reasons)


def test_a_family_is_judged_by_holm() -> None:
    weak = controlled(45)
    assert alone(weak).ruling is Ruling.CONTAMINATED
    family = judge([weak] + [controlled(30)] * 30)
    assert family[0].ruling is Ruling.INCONCLUSIVE
    assert "Alone it would be significant" in family[0].reasons[1]
    assert (family[0].p_adjusted or 0) > (weak.p_value or 1)
    assert any("31 results shown together" in reason for reason in family[0].reasons)


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=30)
def test_reasons_are_sentences(case: tuple[int, int]) -> None:
    for reason in alone(controlled(*case)).reasons:
        assert re.fullmatch(r"[A-Z0-9].*\.", reason)
        assert "nan" not in reason
        assert "None" not in reason
