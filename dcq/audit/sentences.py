"""An audit in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dcq.audit.answers_file import Answers, reasons, ruling
from dcq.audit.release import AuditedRelease
from dcq.evidence.check import Mark, Topic
from dcq.evidence.leak import leaks, strategy_words
from dcq.evidence.power import ALPHA
from dcq.evidence.protocol2 import Range
from dcq.judging.judged import JudgedResult, Ruling
from dcq.words import listed, percent

if TYPE_CHECKING:  # it imports what scores texts, which an audit of a quiz does without
    from dcq.audit.replication import AuditedReplication

_COUNTED = {
    Ruling.CONTAMINATED: ("is contaminated", "are contaminated"),
    Ruling.NO_EVIDENCE: ("shows no evidence of it", "show no evidence of it"),
    Ruling.INCONCLUSIVE: ("is undecided", "are undecided"),
}


def describe_release(release: AuditedRelease) -> str:
    """The range over all rows, the verdict with its main reason, and what could not be checked."""
    verdict = release.all_rows.verdict
    word, reason = verdict.ruling.word, _verdict_reason(release)
    sentence = f"{describe_range(release)}; the verdict is {word}, {reason}."
    return f"{sentence} {verdict.unchecked}".strip()


def describe_replication(replication: AuditedReplication) -> str:
    """What the paper's criteria say of a replication, and which of them could not be checked."""
    criteria = _criteria(replication)
    yes, no = (
        [name for name, contaminated, _ in criteria if contaminated is value]
        for value in (True, False)
    )
    unchecked = [
        f"{name} ({lacks})" for name, contaminated, lacks in criteria if contaminated is None
    ]
    if yes:
        verb = "calls" if len(yes) == 1 else "call"
        others = f", {listed(no)} {'does' if len(no) == 1 else 'do'} not" if no else ""
        words = (
            f"By the paper's rules {listed(yes)} {verb} {replication.name} contaminated{others}."
        )
    elif no:
        words = f"By the paper's rules {listed(no)} {'does' if len(no) == 1 else 'do'} not call "
        words += f"{replication.name} contaminated."
    else:
        words = f"None of the paper's criteria says whether {replication.name} is contaminated."
    return f"{words} Could not be checked: {'; '.join(unchecked)}." if unchecked else words


def _criteria(replication: AuditedReplication) -> list[tuple[str, bool | None, str]]:
    """Each rule of the paper, whether it calls the split contaminated, and what the file lacks
    where that is None: Algorithm 1 by two scores and Algorithm 2 by the judge and by people."""
    found = replication.document()
    judge = "equality" if replication.matches is None and replication.equal else "the judge"
    return [
        ("ROUGE-L", found["algorithm1"]["rouge_l"], "no two completions of each instruction"),
        ("BLEURT", found["algorithm1"]["bleurt"], "no scores of two instances"),
        (judge, found["algorithm2"], "no judge, and no completion equals its reference"),
        ("people", found["human_verdict"], "no labels of two annotators"),
    ]


def describe_range(release: AuditedRelease) -> str:
    """The contamination range over all rows by the protocol's rule, without a full stop."""
    return (
        f"By the protocol's rule {release.name} shows {range_words(release.all_rows.range)} "
        "contamination "
        f"over {release.all_rows.n:,} instances"
    )


def _verdict_reason(release: AuditedRelease) -> str:
    """The main reason of the verdict, as a clause."""
    result = release.all_rows
    bad = {check.topic for check in result.verdict.checks if check.mark is Mark.BAD}
    if Topic.COMPLETE in bad:
        return f"because {result.n - release.clean.n:,} rows have a defect"
    if Topic.REPLIES in bad:
        return "because too few replies are usable"
    if Topic.LEAK in bad:
        scores = {name: result.text_only[name].score or 0.0 for name in leaks(result.text_only)}
        best = max(scores, key=lambda name: scores[name])
        return f"because choosing {strategy_words(best)} option finds {percent(scores[best], 1)}"
    if Topic.SLOT in bad:
        return "because no quiz without originals shows what the model prefers"
    if Topic.CONTROLS in bad:
        return "because no control partition shows what an unseen text would score"
    if bad:
        return "because the sample is too small"
    return "because the model chose the slot about as often without the original"


def describe_without_defects(release: AuditedRelease) -> str:
    """The range over the rows without a defect, at the sound slot alone if the others hold the
    original twice; or that nothing is left, or that no row has a defect."""
    result, clean = release.all_rows, release.clean
    dropped = result.n - clean.n
    rows = "the row that has a defect" if dropped == 1 else f"the {dropped:,} rows with a defect"
    if not clean.n:
        return f"Without {rows} nothing is left."
    left = f"{range_words(clean.range)} over {clean.n:,} instances"
    if release.is_partly_sound:
        without = f" and without {rows}" if dropped else ""
        return f"At {clean.slot} alone, where the quiz is sound,{without} it is {left}."
    return f"Without {rows} it is {left}." if dropped else "No row has a defect."


def describe_answers(answers_file: Answers) -> str:
    """The only result with its main reason, or how many results have each verdict; or that there
    are only controls."""
    tested = answers_file.tested
    controls = len(answers_file.results) - len(tested)
    if not tested:
        return (
            f"{answers_file.name} has only controls, which others are compared with: add answers "
            "on a "
            "target partition."
        )
    if len(tested) == 1:
        result = tested[0]
        subject = f"{result.evidence.model} on {result.evidence.partition}"
        unchecked = result.verdict.unchecked if result.verdict else ""
        return f"{subject} is {_verdict_words(result)}. {reasons(result)[0]} {unchecked}".strip()
    counts = Counter(map(ruling, tested))
    parts = [f"{counts[found]:,} {words[counts[found] != 1]}" for found, words in _COUNTED.items()]
    control_words = (
        f" beside {controls:,} {'control' if controls == 1 else 'controls'}" if controls else ""
    )
    sentence = f"Of {len(tested):,} results{control_words}, {', '.join(parts[:2])} and {parts[2]}."
    return f"{sentence} {_unchecked_words(tested)}".strip()


def describe_chance_only(tested: Sequence[JudgedResult]) -> str:
    """How many of the results with a known chance level a test against it alone would call
    contaminated; empty if none has one."""
    p_values = [
        result.evidence.estimate.p_value for result in tested if result.evidence.chance is not None
    ]
    if not p_values:
        return ""
    significant = sum(p is not None and p <= ALPHA for p in p_values)
    return (
        f"By a comparison with guessing alone, without controls, {significant:,} of "
        f"{len(p_values):,} would count as contaminated."
    )


def range_words(rate_range: Range) -> str:
    """``78.8 % to 79.0 %``, a dash if there is no row."""
    if rate_range.low is None or rate_range.high is None:
        return "–"
    low, high = percent(rate_range.low, 1), percent(rate_range.high, 1)
    return low if low == high else f"{low} to {high}"


def _unchecked_words(tested: Sequence[JudgedResult]) -> str:
    """What could not be checked, and of how many results; empty if all was."""
    counts = Counter(
        words
        for result in tested
        if result.verdict
        for words in dict.fromkeys(check.unchecked for check in result.verdict.checks)
        if words
    )
    parts = [f"{words} ({count:,} of {len(tested):,})" for words, count in counts.most_common()]
    return f"Could not be checked: {'; '.join(parts)}." if parts else ""


def _verdict_words(result: JudgedResult) -> str:
    return "without evidence" if ruling(result) is Ruling.NO_EVIDENCE else ruling(result).word
