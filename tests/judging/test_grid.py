"""The conclusion for each state of two methods is the one that ``docs/method.md`` says."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import product

import numpy as np
import pytest

from dcq.evidence.check import Mark, Topic
from dcq.evidence.record import GAIN, MATCHES, Evidence, Measure, MethodEstimate
from dcq.evidence.share_prediction import MATCHES as MATCH_PRIOR
from dcq.judging.answer import Answer
from dcq.judging.answer_words import below_its_word, ruling_said
from dcq.judging.answers import answer_study
from dcq.judging.judged import Lacking, Ruling
from dcq.judging.snapshot import Snapshot
from dcq.judging.study import judge_snapshot
from dcq.places import ROOT
from dcq.quiz import wording as quiz_wording
from dcq.replication import wording as replication_wording
from dcq.store.studies import EVERYTHING, FIRST_RULE, RULE, Study
from tests.support.cases import made_up
from tests.support.study_figures import control, found, only, replicated

_LETTERS = {"C": Ruling.CONTAMINATED, "U": Ruling.INCONCLUSIVE, "N": Ruling.NO_EVIDENCE}
BLOCK = made_up(Topic.WRITER, Mark.BAD, sentence="Another writer.")
# Instances with an effect of the usual size that would be found, and that would not.
ABLE, UNABLE = 100, 12


def quiz(name: str, right: int, n: int, role: str = "target") -> Evidence:
    estimate = MethodEstimate(None, None, None, "kappa", right / n, None, n)
    return replace(
        control(name, right, n),
        role=role,
        estimate=estimate,
        words=quiz_wording.WORDS,
        family_key=("quiz", name),
    )


def completions(name: str, matches: int, n: int, role: str = "target") -> Evidence:
    measures = (
        Measure(MATCHES, found(matches, n).values, prior=MATCH_PRIOR),
        Measure(GAIN, np.zeros((n, 1)), own_share=0.0),
    )
    return replace(
        replicated(name, 0, role),
        usable=n,
        planned=n,
        measures=measures,
        words=replication_wording.WORDS,
        estimate=MethodEstimate(matches / n, None, None, "match rate", matches / n, None, n),
    )


CONTROLS = [
    entry
    for number in range(10)
    for entry in (
        quiz(f"unseen-{number}", 24 + number % 3, 100, "control"),
        completions(f"unseen-{number}", number % 2, 100, "control"),
    )
]


def conclude(*results: Evidence, by_rule: int = RULE) -> Answer:
    made = {entry.run: entry for entry in (*CONTROLS, *results)}
    within = Study("", rule=by_rule)
    study = judge_snapshot(Snapshot(made, frozenset(made), frozenset(made), {}, {}, within))
    return only(answer_study(study))


def in_state(name: str, state: str) -> Evidence:
    """The result of the quiz or the replication in a state such as ``blocked, high, able``."""
    checked, figure, size = state.split(", ")
    n = ABLE if size == "able" else UNABLE
    high = figure == "high"
    entry = (
        quiz("rivers", n * 3 // 4 if high else n // 4, n)
        if name == "quiz"
        else completions("rivers", n * 2 // 3 if high else 0, n)
    )
    return replace(entry, checks=(BLOCK,)) if checked == "blocked" else entry


STATES = [
    ", ".join(state)
    for state in product(("valid", "blocked"), ("high", "as expected"), ("able", "unable"))
]


def grid() -> dict[tuple[str, str], Ruling]:
    """The table in the documentation, by the states of the quiz and of the replication."""
    lines = (ROOT / "docs" / "method.md").read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| quiz ↓, replication →"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    states = [row[0].partition(" ")[2] for row in rows[2 : 2 + len(STATES)]]
    assert rows[0][1:] == [row[0].partition(" ")[0] for row in rows[2 : 2 + len(STATES)]]
    return {
        (first, second): _LETTERS[letter]
        for first, row in zip(states, rows[2:], strict=False)
        for second, letter in zip(states, row[1:], strict=True)
    }


def test_the_table_has_each_pair_of_states() -> None:
    assert set(grid()) == set(product(STATES, STATES))


@pytest.mark.parametrize("first", STATES)
def test_the_conclusion_is_the_one_of_the_table(first: str) -> None:
    table = grid()
    for second in STATES:
        answer = conclude(in_state("quiz", first), in_state("replication", second))
        assert answer.ruling is table[first, second], (first, second)
        assert ruling_said(answer.sentence) is answer.ruling


def test_a_blocked_figure_is_named_with_what_blocks_it_and_its_repair() -> None:
    answer = conclude(
        in_state("quiz", "blocked, high, able"),
        in_state("replication", "valid, as expected, able"),
    )
    assert answer.sentence == (
        "Undecided: m picked 75 % of the originals of rivers (25 % expected on unseen text), but "
        "target and controls of the standard quiz were reworded by different writers. To repair "
        "it, have both reworded by the same writer."
    )


def test_by_the_first_rule_another_method_spoke_for_all() -> None:
    results = (
        in_state("quiz", "blocked, high, able"),
        in_state("replication", "valid, as expected, able"),
    )
    assert conclude(*results, by_rule=FIRST_RULE).ruling is Ruling.NO_EVIDENCE


@pytest.mark.parametrize("seen_found", [0, 40])
def test_a_method_that_finds_nothing_in_what_was_surely_seen_is_silent(seen_found: int) -> None:
    """Its silence on another partition is no evidence; that of one that finds it is."""
    nothing = completions("rivers", 0, ABLE)
    surely_seen = completions("verses", seen_found, ABLE, "positive")
    answer = conclude(nothing, surely_seen)
    if seen_found:
        assert answer.ruling is Ruling.NO_EVIDENCE
        return
    assert answer.ruling is Ruling.INCONCLUSIVE
    assert answer.methods[0].document()["found_nothing_on"] == "verses"
    assert answer.sentence == (
        "Undecided: m completed 0 % of the instances of rivers (1 % expected on unseen text), but "
        "the replication also found nothing in verses, which the model has surely seen. To "
        "settle it, ask by another method."
    )


def test_what_a_leak_explains_is_not_found_in_what_was_surely_seen() -> None:
    """A method that looks sensitive by a quiz that gives its originals away is not."""
    surely_seen = replace(completions("verses", 40, ABLE, "positive"), checks=(BLOCK,))
    silent = completions("founding", 0, ABLE, "positive")
    answer = conclude(completions("rivers", 0, ABLE), surely_seen, silent)
    assert answer.ruling is Ruling.INCONCLUSIVE
    assert answer.methods[0].found_nothing_on == "founding"


def test_a_high_figure_without_a_weight_leaves_the_pair_undecided_too() -> None:
    asked_first = in_state("quiz", "valid, as expected, able")
    other_slot = replace(
        quiz("rivers", ABLE * 3 // 4, ABLE),
        run="later",
        at=datetime(2026, 1, 2),
        setting=(("kind", "standard"), ("slot", "A")),
        family_key=("quiz", "rivers", "A"),
    )
    controls = [
        replace(entry, run=f"{entry.run}-a", setting=other_slot.setting)
        for entry in CONTROLS
        if entry.method == "quiz"
    ]
    answer = conclude(asked_first, other_slot, *controls)
    assert [method.votes for method in answer.methods] == [True, False]
    assert answer.ruling is Ruling.INCONCLUSIVE
    assert answer.sentence == (
        "Undecided: m picked 75 % of the originals of rivers (25 % expected on unseen text), but "
        "the standard quiz does not count."
    )


def test_a_contaminated_headline_never_has_a_figure_below_what_is_expected() -> None:
    """Naming the dataset adds much, and few instances are completed."""
    entry = in_state("replication", "valid, as expected, able")
    matches = next(measure for measure in entry.measures if measure.name == MATCHES)
    gained = Measure(GAIN, np.full((ABLE, 1), 0.6), own_share=0.0)
    answer = conclude(replace(entry, measures=(gained, matches)))
    assert answer.ruling is Ruling.CONTAMINATED
    [method] = answer.methods
    assert not method.is_above
    assert answer.sentence == (
        f"m has probably seen rivers. It {replication_wording.WORDS.seen} (replication; q < 0.001)."
    )


def test_no_evidence_has_the_figure_of_a_method_that_says_so() -> None:
    """Not of a heavier one that finds nothing in what was surely seen."""
    seen = quiz("verses", ABLE // 4, ABLE, "positive")
    answer = conclude(
        in_state("quiz", "valid, as expected, able"),
        in_state("replication", "valid, as expected, able"),
        seen,
    )
    assert answer.ruling is Ruling.NO_EVIDENCE
    heaviest = max(answer.methods, key=lambda method: method.weight)
    assert (heaviest.method, heaviest.found_nothing_on) == ("quiz", "verses")
    assert "It completed 0 % of the instances; 1 % is expected on unseen text" in answer.sentence
    assert "knows a fifth of the instances would probably have been noticed." in answer.sentence


@pytest.mark.parametrize(("by_rule", "ruling"), [(2, "no evidence"), (RULE, "inconclusive")])
def test_what_was_surely_seen_is_judged_by_the_rule_that_a_bundle_names(
    by_rule: int, ruling: str
) -> None:
    made = {entry.run: entry for entry in (*CONTROLS, quiz("verses", ABLE // 4, ABLE, "positive"))}
    within = Study("", rule=by_rule)
    snapshot = Snapshot(made, frozenset(made), frozenset(made), {}, {}, within)
    [answer] = answer_study(judge_snapshot(snapshot))
    assert answer.ruling.value == ruling


def test_controls_without_room_are_no_lack_of_controls() -> None:
    full = [replace(quiz(f"full-{i}", 97 + i % 3, 100, "control"), task="t") for i in range(10)]
    target = replace(quiz("rivers", 98, 100), task="t")
    made = {entry.run: entry for entry in (*full, target)}
    snapshot = Snapshot(made, frozenset(made), frozenset(made), {}, {}, EVERYTHING)
    [answer] = answer_study(judge_snapshot(snapshot))
    assert answer.methods[0].lacks is Lacking.ROOM
    assert "but the model does as well on unseen text" in answer.sentence


def test_a_gain_is_not_told_as_a_share() -> None:
    """Where nobody judged, only what naming the dataset adds can be compared."""
    entry = in_state("replication", "blocked, high, able")
    gained = Measure(GAIN, np.full((ABLE, 1), 0.6), own_share=0.0)
    unjudged = Measure(MATCHES, np.full((ABLE, 1), np.nan), prior=MATCH_PRIOR)
    entry = replace(
        entry,
        measures=(unjudged, gained),
        estimate=MethodEstimate(None, None, None, "match rate", None, None, 0),
    )
    answer = conclude(entry)
    [method] = answer.methods
    assert (method.score, method.expected) == (None, None)
    assert answer.sentence.startswith(
        "Undecided: the replication of m on rivers is above what is expected, but target and "
    )
    assert below_its_word(answer).startswith("The replication of m on rivers")


def test_a_contaminated_headline_names_the_methods_that_found_it() -> None:
    answer = conclude(
        in_state("quiz", "valid, high, able"), in_state("replication", "valid, as expected, able")
    )
    assert answer.ruling is Ruling.CONTAMINATED
    assert len(answer.voting) == 2
    assert "(standard quiz; q < 0.001)" in answer.sentence
