import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.evidence.ablation import compare
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.controls import Calibration, OddControl, calibrate
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.power import detectable_gain, detectable_kappa
from dcq.judging.checks import none_of_these
from dcq.judging.judged import JudgedResult, Ruling, Verdict
from tests.support.cases import (
    CheckLine,
    ResultWithControls,
    evidence,
    figures,
    line_of,
    made_up,
    verdicts,
)
from tests.support.tables import laid_out

AGAINST = Calibration(
    n=100,
    controls=4,
    control_instances=160,
    score=0.752,
    control_score=0.301,
    control_low=0.21,
    control_high=0.39,
    kappa_control=0.64,
    kappa_low=0.5,
    kappa_high=0.8,
    p_value=0.0004,
    p_all=0.0004,
    p_refused=0.0004,
    p_easier=0.0004,
    odd=None,
    aside=(),
    spread=0.04,
    minimum_kappa=0.17,
    needed_n=70,
)
SCORE = kappa_fixed(75, 100)
SEEN = ResultWithControls(SCORE, AGAINST, ("News", "Summaries", "Pairs", "Spanish"))
LEAKY = {"shortest": kappa_fixed(80, 100), "medoid": kappa_fixed(30, 100)}


def alone(case: ResultWithControls) -> Verdict:
    return verdicts([case])[0]


def against(**changed: object) -> ResultWithControls:
    if "p_value" in changed:
        changed = {"p_refused": changed["p_value"], "p_easier": changed["p_value"], **changed}
    return replace(SEEN, calibration=replace(AGAINST, **changed))  # type: ignore[arg-type]  # any of its fields


def check(verdict: Verdict, topic: Topic) -> Check:
    found = [one for one in verdict.checks if one.topic is topic]
    assert len(found) == 1
    return found[0]


def line(verdict: Verdict, topic: Topic) -> tuple[Mark, str]:
    found = check(verdict, topic)
    return found.mark, found.number


def test_clearly_above_the_controls_is_contaminated() -> None:
    found = alone(SEEN)
    assert found.ruling is Ruling.CONTAMINATED
    assert found.finding == (
        "75.2 % of the originals were found, where 30.1 % are expected on unseen text "
        "(21 % to 39 %)."
    )
    assert (found.p_value, found.q_value, found.p_holm) == (0.0004, 0.0004, 0.0004)
    assert SEEN.case.minimum_effect == 0.17
    assert [one.topic for one in found.checks] == [
        Topic.REPLIES,
        Topic.CONTROLS,
        Topic.MARGIN,
        Topic.POWER,
        Topic.FAMILY,
    ]
    assert {one.mark for one in found.checks} == {Mark.GOOD}
    assert found.reasons == (found.finding, *(one.sentence for one in found.checks))
    assert check(found, Topic.REPLIES).sentence == "All replies are usable."
    assert check(found, Topic.REPLIES).number == "100 % usable"
    assert check(found, Topic.CONTROLS).sentence == (
        "Compared with News, Summaries, Pairs and Spanish."
    )
    assert check(found, Topic.CONTROLS).number == "4 controls"
    assert check(found, Topic.POWER).sentence == (
        "With n = 100 a κ of 0.17 or more is found with a power of 80 %, tested alone."
    )
    assert check(found, Topic.POWER).number == "κ ≥ 0.17"
    assert check(found, Topic.FAMILY).sentence == "It is the only result that is compared."
    assert check(found, Topic.FAMILY).number == "q < 0.001"


def test_not_above_the_controls_is_no_evidence_where_the_sample_could_have_found_it() -> None:
    found = alone(against(p_value=0.4, minimum_kappa=0.2))
    assert found.ruling is Ruling.NO_EVIDENCE
    assert line(found, Topic.FAMILY) == (Mark.GOOD, "q = 0.400")
    assert line(found, Topic.POWER) == (Mark.GOOD, "κ ≥ 0.20")
    fewer = alone(against(p_value=0.4, n=60))  # complete instances, as they were compared
    assert check(fewer, Topic.POWER).sentence.startswith("With n = 60 a κ of 0.17")


def test_the_level_itself_is_significant() -> None:
    assert alone(against(p_value=0.05)).ruling is Ruling.CONTAMINATED
    assert alone(against(p_value=0.0501)).ruling is Ruling.NO_EVIDENCE
    assert verdicts([against(p_value=0.03)], alpha=0.02)[0].ruling is Ruling.NO_EVIDENCE
    # Also to the lines that ask whether a result is significant.
    assert alone(against(p_value=0.05, minimum_kappa=None)).ruling is Ruling.CONTAMINATED
    aside = alone(against(p_value=0.05, p_all=0.07, aside=(1,), controls=3))
    assert check(aside, Topic.CONTROLS).sentence.endswith("p would be 0.070.")
    lost = verdicts([against(p_value=0.05), against(p_value=0.9)])[0]
    assert check(lost, Topic.FAMILY).mark is Mark.BAD
    pair = verdicts([against(p_value=0.05), against(p_value=0.05)])[0]
    assert line(pair, Topic.FAMILY) == (Mark.CAUTION, "q = 0.050")


@pytest.mark.parametrize("minimum", [0.201, None])
def test_two_reasons_for_too_little_power(minimum: float | None) -> None:
    small = alone(against(p_value=0.4, minimum_kappa=minimum, needed_n=1234))
    assert small.ruling is Ruling.INCONCLUSIVE
    assert line_of(check(small, Topic.POWER)) == CheckLine(
        Topic.POWER,
        Mark.BAD,
        "–" if minimum is None else "κ ≥ 0.20",
        "The sample is too small: about 1,234 instances are needed to find a κ of 0.2.",
    )
    apart = alone(against(p_value=0.4, minimum_kappa=minimum, needed_n=None))
    assert apart.ruling is Ruling.INCONCLUSIVE
    assert line(apart, Topic.POWER) == line(small, Topic.POWER)
    assert check(apart, Topic.POWER).sentence == (
        "4 controls cannot tell how much scores on unseen texts differ. More instances will not "
        "help; more controls will."
    )
    # What was found needs no power, whatever the sample could have missed.
    seen = alone(against(minimum_kappa=minimum, needed_n=None))
    assert seen.ruling is Ruling.CONTAMINATED
    assert check(seen, Topic.POWER).mark is Mark.GOOD
    assert ("no effect could be found" in check(seen, Topic.POWER).sentence) == (minimum is None)


def test_the_power_of_a_result_without_controls_is_that_against_guessing() -> None:
    found = line_of(check(alone(ResultWithControls(kappa_fixed(2, 2))), Topic.POWER))
    assert found == CheckLine(
        Topic.POWER,
        Mark.BAD,
        "–",
        "The sample is too small. With n = 2 no effect could be found with a power of 80 %.",
    )
    assert check(alone(ResultWithControls(kappa_fixed(10, 40))), Topic.POWER).mark is Mark.BAD
    assert check(alone(ResultWithControls(kappa_fixed(25, 100))), Topic.POWER).mark is Mark.GOOD
    assert check(alone(ResultWithControls(kappa_fixed(30, 40))), Topic.POWER).mark is Mark.GOOD


@pytest.mark.parametrize(
    ("n", "controls", "enough"), [(10, 20, True), (9, 20, False), (10, 19, False)]
)
def test_too_few_instances_decide_nothing(n: int, controls: int, enough: bool) -> None:
    found = alone(against(n=n, control_instances=controls))
    assert found.ruling is (Ruling.CONTAMINATED if enough else Ruling.INCONCLUSIVE)
    assert (found.q_value is None) != enough
    if not enough:
        assert line(found, Topic.CONTROLS) == (Mark.BAD, "4 controls")
        assert check(found, Topic.CONTROLS).sentence == (
            f"Compared with News, Summaries, Pairs and Spanish, but {n} instances against "
            f"{controls} are too few: 10 of the target and 20 of all its controls are needed."
        )


def test_ten_small_controls_are_enough_for_a_target_of_ten() -> None:
    """Ten instances against ten controls of ten; with nine of the target nothing is decided, and
    ten controls of one instance are too few."""
    controls = [laid_out(10, [0.3, 0.25, 0.25, 0.2], 7 * b) for b in range(10)]
    for target, of, enough in ((10, 10, True), (9, 10, False), (10, 1, False)):
        found = calibrate(np.ones((target, 4)), [table[:of] for table in controls])
        assert found is not None
        verdict = alone(replace(SEEN, calibration=found))
        assert verdict.ruling is (Ruling.CONTAMINATED if enough else Ruling.INCONCLUSIVE)
        marks = {entry.mark for entry in verdict.checks if entry.topic is Topic.CONTROLS}
        assert (Mark.BAD not in marks) == enough


def test_controls_that_are_no_fair_comparison_decide_nothing() -> None:
    found = alone(replace(SEEN, mismatch="They are of another language."))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert found.q_value is None
    assert line_of(check(found, Topic.CONTROLS)) == CheckLine(
        Topic.CONTROLS,
        Mark.BAD,
        "4 controls",
        "Compared with News, Summaries, Pairs and Spanish. They are of another language.",
    )


def test_with_fewer_than_three_controls_the_spread_is_assumed() -> None:
    for count, words in ((1, "1 control"), (2, "2 controls")):
        found = alone(replace(against(controls=count), control_names=("News", "Pairs")[:count]))
        assert found.ruling is Ruling.CONTAMINATED
        assert line(found, Topic.CONTROLS) == (Mark.CAUTION, words)
    assert check(found, Topic.CONTROLS).sentence == (
        "Compared with News and Pairs. With fewer than 3 controls, how much unseen partitions "
        "differ is assumed, not measured."
    )
    three = alone(replace(against(controls=3), control_names=("News", "Pairs", "Spanish")))
    assert check(three, Topic.CONTROLS).mark is Mark.GOOD
    assert check(three, Topic.CONTROLS).sentence == "Compared with News, Pairs and Spanish."


def test_a_control_set_aside_is_named_and_not_compared_with() -> None:
    found = alone(against(aside=(1,), controls=3, p_all=0.05))
    assert found.ruling is Ruling.CONTAMINATED
    assert line(found, Topic.CONTROLS) == (Mark.CAUTION, "3 controls")
    assert check(found, Topic.CONTROLS).sentence == (
        "Compared with News, Pairs and Spanish. Summaries scores as only seen text does: check it."
    )
    assert found.reasons[1] == check(found, Topic.CONTROLS).sentence
    cautious = alone(against(aside=(1,), controls=3, p_all=0.0712))
    assert cautious.ruling is Ruling.CONTAMINATED
    assert check(cautious, Topic.CONTROLS).sentence.endswith(
        "check it. With it among the controls p would be 0.071."
    )
    passed = alone(against(aside=(1,), controls=3, p_value=0.06, p_all=0.3))
    assert check(passed, Topic.CONTROLS).sentence.endswith("check it.")


def test_long_lists_are_cut_short() -> None:
    names = tuple("abcdef")
    found = alone(replace(against(controls=6), control_names=names))
    assert check(found, Topic.CONTROLS).sentence == "Compared with a, b, c, d and 2 more."


def test_without_a_control_nothing_is_called_contaminated() -> None:
    found = alone(ResultWithControls(kappa_fixed(100, 100)))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert (found.p_value or 1) < 1e-50
    assert (found.q_value, found.p_holm) == (None, None)
    assert found.finding == "100.0 % of the originals were found, where guessing finds 25 %."
    assert line_of(check(found, Topic.CONTROLS)) == CheckLine(
        Topic.CONTROLS,
        Mark.BAD,
        "none",
        "There is no control partition, so memory cannot be told from a preference for the "
        "original's wording.",
        "what unseen text would score",
    )
    # Nor clean: a preference against the wording hides memory.
    assert alone(ResultWithControls(kappa_fixed(26, 100))).ruling is Ruling.INCONCLUSIVE


def own(gained: int, lost: int, unchanged: int = 100, chosen: int = 5) -> ResultWithControls:
    """Protocol v2: the same instances without and with the original."""
    without = [True] * lost + [False] * gained + [True] * chosen + [False] * (unchanged - chosen)
    with_it = [False] * lost + [True] * gained + [True] * chosen + [False] * (unchanged - chosen)
    found = compare(without, with_it)
    return ResultWithControls(kappa_fixed(gained + chosen, len(without)), own=found, chance=None)


def test_the_models_own_baseline_alone_can_clear_but_not_convict() -> None:
    clear = alone(own(4, 4, 300))
    assert clear.ruling is Ruling.NO_EVIDENCE
    assert clear.p_value == 1
    assert clear.q_value is None
    assert clear.finding == (
        "2.9 % of the originals were found; without the original the model chose its slot in "
        "2.9 % of the same instances."
    )
    assert line_of(check(clear, Topic.CONTROLS)) == CheckLine(
        Topic.CONTROLS,
        Mark.CAUTION,
        "own baseline",
        "Compared with the model's own choices without the original; there is no control "
        "partition.",
    )
    for case in (own(60, 2), own(2, 60)):
        found = alone(case)
        assert found.ruling is Ruling.INCONCLUSIVE
        assert check(found, Topic.CONTROLS).number == "none"
    small = alone(own(1, 1, 8))
    assert small.ruling is Ruling.INCONCLUSIVE
    assert check(small, Topic.POWER).sentence.startswith("The sample is too small. With n = 10")
    gained = replace(own(5, 0), own=replace(own(5, 0).own, p_value=0.05))  # type: ignore[type-var]  # own is there
    assert check(alone(gained), Topic.CONTROLS).number == "none"


def test_the_p_value_that_decides() -> None:
    case = own(6, 3)
    assert case.own is not None
    assert case.case.p_value == case.own.p_value
    assert replace(case, calibration=AGAINST).case.p_value == 0.0004
    assert ResultWithControls(SCORE).case.p_value == SCORE.p_value
    assert ResultWithControls(SCORE, chance=None).case.p_value is None
    assert ResultWithControls(SCORE, replace(AGAINST, p_value=math.nan)).case.p_value is None


def test_minimum_effects() -> None:
    case = own(6, 3)
    gain = detectable_gain(6, 3, 109)
    assert gain is not None
    assert case.own is not None
    assert case.own.modified_share == pytest.approx(8 / 109)
    assert case.case.minimum_effect == pytest.approx(gain / (1 - 8 / 109))
    assert replace(case, calibration=AGAINST).case.minimum_effect == 0.17
    assert ResultWithControls(SCORE).case.minimum_effect == detectable_kappa(100)
    assert ResultWithControls(SCORE, chance=0.5).case.minimum_effect == detectable_kappa(
        100, chance=0.5
    )
    assert ResultWithControls(SCORE, chance=None).case.minimum_effect is None
    assert own(0, 0, 0, 0).case.minimum_effect is None
    assert own(0, 0, 50, 50).case.minimum_effect is None  # the slot is always chosen anyway
    assert own(0, 0, 30, 29).case.minimum_effect is None  # what is left is less than what is found
    assert own(1, 1, 3).case.minimum_effect is None


def test_where_guessing_has_no_share_there_is_nothing_to_compare_with() -> None:
    given = ResultWithControls(SCORE, chance=None)
    found = alone(given)
    assert found.ruling is Ruling.INCONCLUSIVE
    assert found.finding == (
        "75.0 % of the originals were found, and there is nothing to compare that with."
    )
    assert (found.p_value, given.case.minimum_effect) == (None, None)
    assert Topic.POWER not in [one.topic for one in found.checks]


def test_no_usable_answer_is_no_result() -> None:
    for case in (
        ResultWithControls(kappa_fixed(0, 0)),
        replace(SEEN, kappa=kappa_fixed(0, 0), calibration=None),
    ):
        found = alone(case)
        assert found.ruling is Ruling.INCONCLUSIVE
        assert found.finding == "There is no usable answer."
        assert tuple(map(line_of, found.checks)) == (
            CheckLine(Topic.REPLIES, Mark.BAD, "n = 0", "There is no usable answer."),
        )


def test_a_single_answer_is_a_finding() -> None:
    found = alone(ResultWithControls(kappa_fixed(1, 1)))
    assert found.finding == "100.0 % of the originals were found, where guessing finds 25 %."


def test_unusable_replies() -> None:
    some = alone(replace(SEEN, unusable=0.2, control_unusable=0.2))
    assert some.ruling is Ruling.CONTAMINATED
    assert line_of(check(some, Topic.REPLIES)) == CheckLine(
        Topic.REPLIES,
        Mark.GOOD,
        "80 % usable",
        "80.0 % of the instances have usable replies. With the rest counted as wrong p would be "
        "< 0.001.",
    )
    many = alone(replace(SEEN, unusable=0.21))
    assert many.ruling is Ruling.INCONCLUSIVE
    assert line_of(check(many, Topic.REPLIES)) == CheckLine(
        Topic.REPLIES,
        Mark.BAD,
        "79 % usable",
        "21 % of the instances lack a usable reply, above the limit of 20 %, so those that "
        "have one may not be typical.",
    )
    controls = alone(replace(SEEN, control_unusable=0.21))
    assert controls.ruling is Ruling.INCONCLUSIVE
    assert line_of(check(controls, Topic.REPLIES)) == CheckLine(
        Topic.REPLIES,
        Mark.BAD,
        "100 % usable",
        "21 % of the controls' instances lack a usable reply, above the limit of 20 %, so "
        "those that have one may not be typical.",
    )
    uncompared = alone(ResultWithControls(SCORE, control_unusable=0.9))
    assert check(uncompared, Topic.REPLIES).mark is Mark.GOOD


def test_a_leaky_quiz_shows_no_memory() -> None:
    found = alone(replace(SEEN, text_only=LEAKY))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert found.q_value is None
    assert line_of(check(found, Topic.LEAK)) == CheckLine(
        Topic.LEAK,
        Mark.BAD,
        "80 % at most",
        "The wordings are leaky: their text alone gives originals away, without memory "
        "(always the shortest: 80 %).",
    )
    both = alone(replace(SEEN, text_only={**LEAKY, "medoid": kappa_fixed(85, 100)}))
    assert "(always the shortest: 80 %, always the most central: 85 %)" in " ".join(both.reasons)
    assert check(both, Topic.LEAK).number == "85 % at most"


def test_a_quiz_that_text_alone_does_not_solve() -> None:
    found = alone(replace(SEEN, text_only={"shortest": kappa_fixed(28, 100)}))
    assert found.ruling is Ruling.CONTAMINATED
    assert line_of(check(found, Topic.LEAK)) == CheckLine(
        Topic.LEAK,
        Mark.GOOD,
        "28 % at most",
        "The text of the options alone does not give originals away: always the shortest finds "
        "28 %, the most of all strategies. With n = 100 a leak is noticed in 80 % of cases if "
        "it finds 37 % or more; the model found 75 %.",
    )
    empty = alone(replace(SEEN, text_only={"shortest": kappa_fixed(0, 0)}))
    assert line(empty, Topic.LEAK) == (Mark.GOOD, "–")


def test_a_score_that_an_unnoticed_leak_could_reach() -> None:
    case = replace(SEEN, kappa=kappa_fixed(16, 40), text_only={"longest": kappa_fixed(12, 40)})
    found = alone(case)
    assert found.ruling is Ruling.CONTAMINATED
    assert check(found, Topic.LEAK).mark is Mark.CAUTION
    assert check(found, Topic.LEAK).sentence.endswith(
        "and the model found 40 %: a leak too small to be noticed could reach that."
    )
    few = alone(replace(case, text_only={"longest": kappa_fixed(1, 1)}))
    assert "With n = 1 no leak could have been noticed" in check(few, Topic.LEAK).sentence
    # Nothing was found, so there is nothing to explain.
    quiet = alone(replace(against(p_value=0.4), kappa=case.kappa, text_only=case.text_only))
    assert check(quiet, Topic.LEAK).mark is Mark.GOOD


def test_a_result_that_depends_on_what_was_refused() -> None:
    found = alone(replace(against(p_value=0.01, p_refused=0.09), unusable=0.1))
    assert found.ruling is Ruling.INCONCLUSIVE
    assert found.q_value is None
    assert line_of(check(found, Topic.REPLIES)) == CheckLine(
        Topic.REPLIES,
        Mark.BAD,
        "90 % usable",
        "90.0 % of the instances have usable replies. With the calls that have no answer counted "
        "as wrong p would be 0.090 instead of 0.010, so the result depends on what was refused.",
    )
    other_way = alone(replace(against(p_value=0.06, p_refused=0.04), unusable=0.1))
    assert other_way.ruling is Ruling.INCONCLUSIVE
    survives = alone(replace(against(p_value=0.01, p_refused=0.04), unusable=0.1))
    assert survives.ruling is Ruling.CONTAMINATED
    assert check(survives, Topic.REPLIES).sentence.endswith("p would be 0.040.")
    # Significant in both ways alone, but not among the others.
    case = replace(against(p_value=0.01, p_refused=0.04), unusable=0.1)
    among = verdicts([case, against(p_value=0.9)])[0]
    assert among.ruling is Ruling.INCONCLUSIVE
    assert among.q_value == 0.02
    assert "q = 0.080" in [one.number for one in among.checks]


def test_a_result_that_an_easier_text_would_explain_is_called_with_a_caution() -> None:
    found = alone(against(p_value=0.01, p_easier=0.11))
    assert found.ruling is Ruling.CONTAMINATED
    assert line_of(check(found, Topic.MARGIN)) == CheckLine(
        Topic.MARGIN,
        Mark.CAUTION,
        "p = 0.110",
        "If this text were 5 points easier than its controls, unseen as they are, the result would "
        "not stand (p = 0.110): an easier text could explain it.",
    )
    assert line(alone(against(p_value=0.01, p_easier=0.02)), Topic.MARGIN)[0] is Mark.GOOD
    among = verdicts([against(p_value=0.01, p_easier=0.03), against(p_value=0.9)])[0]
    assert line(among, Topic.MARGIN)[0] is Mark.CAUTION
    assert "(q = 0.060)" in check(among, Topic.MARGIN).sentence
    quiet = alone(against(p_value=0.4))
    assert Topic.MARGIN not in [one.topic for one in quiet.checks]


@pytest.mark.parametrize(
    ("p", "without", "mark", "words"),
    [
        (0.2, 0.001, Mark.CAUTION, "and the verdict would be contaminated. Check whether"),
        (0.01, 0.3, Mark.CAUTION, "and the verdict would not be contaminated. Check whether"),
        (0.01, 0.02, Mark.GOOD, "with the same verdict."),
        (0.3, 0.4, Mark.GOOD, "with the same verdict."),
    ],
)
def test_the_control_that_disagrees_most_is_named(
    p: float, without: float, mark: Mark, words: str
) -> None:
    found = alone(against(p_value=p, odd=OddControl(2, 0.61, 0.32, without)))
    [odd] = [one for one in found.checks if "disagrees" in one.sentence]
    assert (odd.topic, odd.mark) == (Topic.CONTROLS, mark)
    assert odd.sentence.startswith(
        "Of the controls, Pairs disagrees most with the others: it scores 61.0 %, where they lead "
        f"to expect 32.0 %. Without it p would be {without:.3f}, "
    )
    assert words in odd.sentence
    # It changes no ruling.
    assert found.ruling is alone(against(p_value=p)).ruling


def test_an_inconclusive_result_stays_so_without_the_odd_control() -> None:
    case = replace(against(p_value=0.2, odd=OddControl(0, 0.6, 0.3, 0.001)), text_only=LEAKY)
    [odd] = [one for one in alone(case).checks if "disagrees" in one.sentence]
    assert odd.mark is Mark.GOOD


def test_where_probabilities_decide_letters_stand_beside_them() -> None:
    letters = replace(AGAINST, score=0.6, p_value=0.03)
    found = alone(replace(SEEN, by_letters=letters))
    assert found.finding == (
        "The originals had 75.2 % of the options' probability, where 30.1 % are expected on unseen "
        "text (21 % to 39 %); by letters 60.0 % were found, where 30.1 % are expected (p = 0.030)."
    )
    assert found.p_value == 0.0004


def said_none(mine: int, n: int, theirs: int, m: int) -> Check | None:
    control = evidence(role="control", declined=(theirs, m))
    return none_of_these(JudgedResult(evidence(SCORE, declined=(mine, n)), (control,)))


@pytest.mark.parametrize(
    ("counts", "mark"),
    [
        ((5, 100, 40, 100), Mark.CAUTION),
        ((40, 100, 5, 100), Mark.CAUTION),
        ((5, 100, 8, 100), Mark.GOOD),  # no difference that can be told
        ((100, 10_000, 200, 10_000), Mark.GOOD),  # told, and too small to matter
    ],
)
def test_none_of_these_said_more_or_less_often(
    counts: tuple[int, int, int, int], mark: Mark
) -> None:
    found = said_none(*counts)
    assert found is not None
    assert (found.topic, found.mark) == (Topic.SLOT, mark)


def test_none_of_these_where_there_is_nothing_to_compare() -> None:
    assert said_none(0, 100, 0, 50) is None
    assert said_none(5, 100, 0, 0) is None
    assert said_none(0, 0, 5, 50) is None


def test_options_that_are_not_at_hand() -> None:
    found = alone(replace(SEEN, text_only=None))
    assert found.ruling is Ruling.CONTAMINATED
    assert line_of(check(found, Topic.LEAK)) == CheckLine(
        Topic.LEAK,
        Mark.CAUTION,
        "not checked",
        "The options are not available, so only the controls check whether their text alone gives "
        "originals away.",
        "whether the options' text alone gives originals away",
    )


@pytest.mark.parametrize("topic", [Topic.COMPLETE, Topic.SLOT, Topic.WRITER])
def test_further_checks_count_as_the_others_do(topic: Topic) -> None:
    for mark, ruling in (
        (Mark.BAD, Ruling.INCONCLUSIVE),
        (Mark.CAUTION, Ruling.CONTAMINATED),
        (Mark.GOOD, Ruling.CONTAMINATED),
    ):
        extra = made_up(topic, mark)
        found = alone(replace(SEEN, checks=(extra,)))
        assert found.ruling is ruling
        assert extra in found.checks
        order = [one.topic for one in found.checks]
        assert order == sorted(order, key=list(Topic).index)
        if mark is not Mark.GOOD:
            assert found.reasons[1] == "A further line."
        assert (found.q_value is None) == (mark is Mark.BAD)


def test_reasons_begin_with_what_is_bad() -> None:
    case = replace(against(controls=1), unusable=0.5, text_only=None)
    found = alone(case)
    marks = {one.sentence: one.mark for one in found.checks}
    assert [marks[sentence] for sentence in found.reasons[1:]] == [
        Mark.BAD,
        Mark.CAUTION,
        Mark.CAUTION,
        Mark.GOOD,
    ]


def test_a_study_holds_the_share_of_false_calls() -> None:
    weak, sure = against(p_value=0.04, p_all=0.04), against(p_value=0.001, p_all=0.001)
    clean = against(p_value=0.7, p_all=0.7)
    assert alone(weak).ruling is Ruling.CONTAMINATED
    found = verdicts([weak, sure, clean, clean])
    assert [one.ruling for one in found] == [
        Ruling.INCONCLUSIVE,
        Ruling.CONTAMINATED,
        Ruling.NO_EVIDENCE,
        Ruling.NO_EVIDENCE,
    ]
    assert (found[0].q_value, found[0].p_holm) == pytest.approx((0.08, 0.12))
    assert line_of(check(found[0], Topic.FAMILY)) == CheckLine(
        Topic.FAMILY,
        Mark.BAD,
        "q = 0.080",
        "Among the 4 results compared, q = 0.080 (Benjamini–Hochberg): too likely to be a false "
        "call among so many.",
    )
    assert line_of(check(found[1], Topic.FAMILY)) == CheckLine(
        Topic.FAMILY,
        Mark.GOOD,
        "q = 0.004",
        "Among the 4 results compared, q = 0.004 (Benjamini–Hochberg).",
    )
    assert check(found[2], Topic.FAMILY).mark is Mark.GOOD


def test_holm_is_the_strict_reading() -> None:
    pair = verdicts([against(p_value=0.03), against(p_value=0.04)])
    assert [one.ruling for one in pair] == [Ruling.CONTAMINATED] * 2
    assert line_of(check(pair[0], Topic.FAMILY)) == CheckLine(
        Topic.FAMILY,
        Mark.CAUTION,
        "q = 0.040",
        "Among the 2 results compared, q = 0.040 (Benjamini–Hochberg); by Holm's strict reading it "
        "is 0.060.",
    )
    exact = verdicts([against(p_value=0.025), against(p_value=0.9)])
    assert check(exact[0], Topic.FAMILY).mark is Mark.GOOD  # 0.05 by both


def test_what_cannot_be_called_is_no_member_of_the_family() -> None:
    weak = against(p_value=0.03)
    others = [
        ResultWithControls(SCORE),
        own(60, 2),
        replace(SEEN, unusable=0.5),
        against(n=9),
        ResultWithControls(kappa_fixed(0, 0)),
        against(p_value=math.nan),
    ]
    found = verdicts([weak, *others])
    assert found[0].ruling is Ruling.CONTAMINATED
    assert found[0].q_value == 0.03
    assert check(found[0], Topic.FAMILY).sentence == "It is the only result that is compared."
    assert all(one.ruling is Ruling.INCONCLUSIVE for one in found[1:])
    assert all(one.q_value is None and one.p_holm is None for one in found[1:])
    assert all(Topic.FAMILY not in [line.topic for line in one.checks] for one in found[1:])


def test_a_case_beside_the_family_is_corrected_with_it_and_changes_nothing_in_it() -> None:
    targets = [against(p_value=p, p_all=p) for p in (0.02, 0.3, 0.6)]
    known = [against(p_value=p, p_all=p) for p in (1e-6, 1e-5, 0.04)]
    targets = [replace(one, family_key=place) for place, one in enumerate(targets)]
    known = [replace(one, family_key=place) for place, one in enumerate(known, 3)]
    found = verdicts([*targets, *known], [True] * 3 + [False] * 3)
    assert list(map(figures, found[:3])) == list(map(figures, verdicts(targets)))
    alone_beside = [verdicts([*targets, one])[-1] for one in known]
    assert list(map(figures, found[3:])) == list(map(figures, alone_beside))
    assert found[0].q_value == pytest.approx(0.06)


def test_a_case_beside_the_family_takes_the_place_of_its_own() -> None:
    newer, other = against(p_value=0.001), against(p_value=0.5)
    older = against(p_value=0.04, p_all=0.04)
    older, newer, other = (
        replace(one, family_key=key) for one, key in ((older, "a"), (newer, "a"), (other, "b"))
    )
    found = verdicts([older, newer, other], [False, True, True])
    assert list(map(figures, found[1:])) == list(map(figures, verdicts([newer, other])))
    assert figures(found[0]) == figures(verdicts([other, older])[-1])
    assert found[0].q_value == pytest.approx(0.08)
    uncompared = verdicts([ResultWithControls(SCORE), newer], [False, True])[0]
    assert (uncompared.q_value, uncompared.ruling) == (None, Ruling.INCONCLUSIVE)


def test_large_families_and_small_values_are_worded_alike() -> None:
    found = verdicts([against(p_value=1e-9)] * 1200)
    assert check(found[0], Topic.FAMILY).sentence == (
        "Among the 1,200 results compared, q < 0.001 (Benjamini–Hochberg)."
    )
    assert check(alone(against(p_value=0.001)), Topic.FAMILY).number == "q = 0.001"


def test_no_cases_have_no_verdicts() -> None:
    assert verdicts([]) == ()


def test_a_score_that_is_missing_is_no_finding() -> None:
    nothing = Kappa(5, 0, None, None, None, None, None)
    assert alone(ResultWithControls(nothing)).finding == "There is no usable answer."


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=30)
def test_reasons_are_sentences(case: tuple[int, int]) -> None:
    correct, n = case
    known = calibrate(
        laid_out(n, correct / max(n, 1)), [laid_out(30, 0.3, 7 * b) for b in range(4)]
    )
    for reason in alone(ResultWithControls(kappa_fixed(correct, n), known)).reasons:
        assert re.fullmatch(r"[A-Z0-9].*\.", reason)
        assert "nan" not in reason
        assert "None" not in reason


def test_what_could_not_be_checked_is_named() -> None:
    nothing = Kappa(0, 0, None, None, None, None, None)
    [leak] = [
        one
        for one in alone(
            ResultWithControls(SCORE, text_only={"shortest": nothing, "longest": nothing})
        ).checks
        if one.topic is Topic.LEAK
    ]
    assert leak.unchecked == "whether the options' text alone gives originals away"
    [verdict] = verdicts([ResultWithControls(kappa_fixed(30, 40), text_only=None)])
    assert verdict.unchecked == (
        "Could not be checked: what unseen text would score; whether the options' text alone gives "
        "originals away."
    )
