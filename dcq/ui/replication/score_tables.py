"""The paper's decision rules applied to a replication, and the mean scores under each
instruction."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dcq.evidence.replication.guidance import Guidance
from dcq.evidence.replication.replicated import FalseAlarms
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import alarms_on_controls
from dcq.replication.evidence import ReplicationRun, replication_row
from dcq.replication.prompts import Instruction
from dcq.replication.score_table import Addition
from dcq.result_columns import TWO_DECIMALS, Column, for_people
from dcq.ui import judged_table
from dcq.words import interval_words, p_words, percent, two_decimals


def _says(contaminated: bool | None) -> str:
    if contaminated is None:
        return "nothing"
    return "contaminated" if contaminated else "not contaminated"


def _alarms(false_alarms: FalseAlarms) -> str:
    if false_alarms.interval is None:
        return "no control"
    low, high = false_alarms.interval
    flagged = f"{false_alarms.flagged:,} of {false_alarms.partitions:,}"
    return f"{flagged} ({percent(low)} to {percent(high)})"


@dataclass(frozen=True)
class _Rule:
    """What a rule of the paper says of a result, why, and how often it is wrong on controls."""

    name: str
    contaminated: bool | None
    because: str
    alarms: FalseAlarms | None


_RULES: tuple[Column[_Rule], ...] = (
    Column("", "Algorithm", lambda rule: rule.name),
    Column("", "Says", lambda rule: _says(rule.contaminated), term="The paper's rules"),
    Column("", "Because", lambda rule: rule.because, term="The paper's rules"),
    Column(
        "",
        "False alarms on controls",
        lambda rule: rule.alarms,
        _alarms,
        "False alarms on controls",
        optional=True,
    ),
)


def show_rules(result: JudgedResult) -> None:
    """The rules, what they say here, and how often they are wrong on the controls."""
    st.markdown("##### The paper's two rules")
    row, alarms = replication_row(result.evidence), alarms_on_controls(result)
    matches = row.measured.matches
    rules = [_rule_1("ROUGE-L", row.measured.guidance, alarms[0])]
    if row.meaning is not None:
        rules.append(_rule_1("meaning", row.meaning.guidance, None))
    because = f"{matches.exact:,} exact, {matches.near_exact:,} near-exact of {matches.n:,}"
    says = matches.contaminated if matches.n else None
    rules.append(_Rule("2, matches", says, because, alarms[1]))
    judged_table.show_columns(
        _RULES,
        rules,
        alt="What Algorithms 1 and 2 of the paper say, and how often of the controls.",
        pinned=1,
        key="replication_rules",
    )
    st.caption(
        "Algorithm 1: guided above general, p ≤ 0.05. Algorithm 2: one exact or two near-exact "
        "matches. They decide nothing here: they compare with no unseen text, and more "
        "instances alone make them say contaminated more often. On a model trained on half of a "
        "partition on purpose, the guided instruction showed nothing; the quiz by likelihood did "
        "(`studies/contaminate.md`)."
    )


def _rule_1(score: str, guidance: Guidance, alarms: FalseAlarms | None) -> _Rule:
    because = "no completions"
    if guidance.guided is not None and guidance.general is not None:
        means = f"guided {two_decimals(guidance.guided)}, general {two_decimals(guidance.general)}"
        because = means if guidance.p_value is None else f"{means}, {p_words(guidance.p_value)}"
    says = None if guidance.p_value is None else guidance.contaminated
    return _Rule(f"1, {score}", says, because, alarms)


_TOLD = {
    Instruction.GUIDED: "dataset and split",
    Instruction.GENERAL: "neither",
    Instruction.SWAPPED: "a made-up dataset",
    Instruction.WRONG_LABEL: "another label",
}


def _say(addition: Addition) -> str:
    if addition.difference is None:
        return ""
    text = f"{'+' if round(addition.difference, 2) > 0 else ''}{two_decimals(addition.difference)}"
    if addition.low is not None and addition.high is not None:
        text += f" {interval_words(addition.low, addition.high)}"
    return text if addition.p_value is None else f"{text}, {p_words(addition.p_value)}"


@dataclass(frozen=True)
class _Told:
    """The scores of a replication under one instruction."""

    row: ReplicationRun
    instruction: Instruction


_MEANS: tuple[Column[_Told], ...] = (
    Column("", "Instruction", lambda told: told.instruction),
    Column("", "Told", lambda told: _TOLD[told.instruction]),
    Column(
        "",
        "ROUGE-L",
        lambda told: told.row.rouge_l[told.instruction],
        two_decimals,
        "ROUGE-L",
        TWO_DECIMALS,
    ),
    Column(
        "",
        "Guided adds to ROUGE-L",
        lambda told: told.row.additions.get(told.instruction),
        _say,
        "Guided adds",
        optional=True,
    ),
    Column(
        "",
        "Meaning",
        lambda told: told.row.meaning and told.row.meaning.means.get(told.instruction),
        two_decimals,
        "Meaning",
        TWO_DECIMALS,
        optional=True,
    ),
    Column(
        "",
        "Guided adds to the meaning",
        lambda told: told.row.meaning and told.row.meaning.additions.get(told.instruction),
        _say,
        "Guided adds",
        optional=True,
    ),
)


def show_mean_scores(row: ReplicationRun) -> None:
    """A table with one row for each instruction."""
    st.markdown("##### Overlap with the reference")
    told = [_Told(row, instruction) for instruction in row.rouge_l]
    judged_table.show_columns(
        for_people(_MEANS, told),
        told,
        alt="The mean scores of the completions under each instruction, and guided minus each.",
        pinned=1,
        key="replication_instructions",
    )
    if row.meaning is not None:
        st.caption(f"Meaning: {row.meaning.called}.")
    st.caption(
        "Guided adds: guided minus this instruction, on the instances that have both, with the "
        "95 % interval and the one-sided p of 10,000 paired resamples. Over the name-swapped one "
        "it is what the dataset's real name adds, over the wrong-label one what the right label "
        "adds; these p-values are uncorrected and decide nothing."
    )
