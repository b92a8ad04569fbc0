"""The paper's decision rules applied to a replication, and the mean scores under each
instruction."""

from __future__ import annotations

import streamlit as st

from dcq.evidence.replication.guidance import Guidance
from dcq.evidence.replication.replicated import FalseAlarms
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import alarms_on_controls
from dcq.replication.evidence import ReplicationRun, replication_row
from dcq.replication.prompts import Instruction
from dcq.replication.score_table import Addition
from dcq.ui import glossary
from dcq.words import interval_words, p_words, percent, two_decimals


def show_rules(result: JudgedResult) -> None:
    """The rules, what they say here, and how often they are wrong on the controls."""
    st.markdown("##### The paper's two rules")
    row, alarms = replication_row(result.evidence), alarms_on_controls(result)
    matches, meaning = row.measured.matches, row.meaning
    rules = [_rule_1("ROUGE-L", row.measured.guidance, alarms[0])]
    if meaning is not None:
        rules.append(_rule_1("meaning", meaning.guidance, None))
    rules.append(
        {
            "rule": "2, matches",
            "says": _says(matches.contaminated) if matches.n else "nothing",
            "because": f"{matches.exact:,} exact, {matches.near_exact:,} near-exact "
            f"of {matches.n:,}",
            "controls": _alarms(alarms[1]),
        }
    )
    st.dataframe(
        rules,
        hide_index=True,
        key="replication_rules",
        alt="What Algorithms 1 and 2 of the paper say, and how often of the controls.",
        column_config=glossary.columns(
            {
                "says": "The paper's rules",
                "because": "The paper's rules",
                "controls": "False alarms on controls",
            },
            {
                "rule": st.column_config.TextColumn("Algorithm", width=150),
                "says": st.column_config.TextColumn("Says", width=130),
                "because": st.column_config.TextColumn("Because", width="medium"),
                "controls": st.column_config.TextColumn("False alarms on controls", width="medium"),
            },
        ),
    )
    st.caption(
        "Algorithm 1: guided above general, p ≤ 0.05. Algorithm 2: one exact or two near-exact "
        "matches. They decide nothing here: they compare with no unseen text, and more "
        "instances alone make them say contaminated more often. On a model trained on half of a "
        "partition on purpose, the guided instruction showed nothing; the quiz by likelihood did "
        "(`studies/contaminate.md`)."
    )


def _rule_1(score: str, guidance: Guidance, alarms: FalseAlarms | None) -> dict[str, str]:
    because = "no completions"
    if guidance.guided is not None and guidance.general is not None:
        means = f"guided {two_decimals(guidance.guided)}, general {two_decimals(guidance.general)}"
        because = means if guidance.p_value is None else f"{means}, {p_words(guidance.p_value)}"
    return {
        "rule": f"1, {score}",
        "says": "nothing" if guidance.p_value is None else _says(guidance.contaminated),
        "because": because,
        "controls": _alarms(alarms) if alarms else "",
    }


def _says(contaminated: bool) -> str:
    return "contaminated" if contaminated else "not contaminated"


def _alarms(false_alarms: FalseAlarms) -> str:
    if false_alarms.interval is None:
        return "no control"
    low, high = false_alarms.interval
    flagged = f"{false_alarms.flagged:,} of {false_alarms.partitions:,}"
    return f"{flagged} ({percent(low)} to {percent(high)})"


_TOLD = {
    Instruction.GUIDED: "dataset and split",
    Instruction.GENERAL: "neither",
    Instruction.SWAPPED: "a made-up dataset",
    Instruction.WRONG_LABEL: "another label",
}


def show_mean_scores(row: ReplicationRun) -> None:
    """A table with one row for each instruction."""
    st.markdown("##### Overlap with the reference")
    meaning = row.meaning
    st.dataframe(
        [
            {
                "instruction": str(instruction),
                "told": _TOLD[instruction],
                "ROUGE-L": mean,
                "added": _say(row.additions.get(instruction)),
                **(
                    {
                        "meaning": meaning.means.get(instruction),
                        "meaning added": _say(meaning.additions.get(instruction)),
                    }
                    if meaning
                    else {}
                ),
            }
            for instruction, mean in row.rouge_l.items()
        ],
        hide_index=True,
        key="replication_instructions",
        alt="The mean scores of the completions under each instruction, and guided minus each.",
        column_config=glossary.columns(
            {"ROUGE-L": "ROUGE-L", "added": "Guided adds"}
            | ({"meaning": "Meaning", "meaning added": "Guided adds"} if meaning else {}),
            {
                "instruction": st.column_config.TextColumn("Instruction", width=100),
                "told": st.column_config.TextColumn("Told", width=120),
                "ROUGE-L": st.column_config.NumberColumn(format="%.2f", width=80),
                "added": st.column_config.TextColumn("Guided adds to ROUGE-L", width=190),
                **(
                    {
                        "meaning": st.column_config.NumberColumn(
                            "Meaning", format="%.2f", width=80, help=meaning.called
                        ),
                        "meaning added": st.column_config.TextColumn(
                            "Guided adds to the meaning", width=190
                        ),
                    }
                    if meaning
                    else {}
                ),
            },
        ),
    )
    st.caption(
        "Guided adds: guided minus this instruction, on the instances that have both, with the "
        "95 % interval and the one-sided p of 10,000 paired resamples. Over the name-swapped one "
        "it is what the dataset's real name adds, over the wrong-label one what the right label "
        "adds; these p-values are uncorrected and decide nothing."
    )


def _say(addition: Addition | None) -> str:
    if addition is None or addition.difference is None:
        return ""
    text = f"{'+' if round(addition.difference, 2) > 0 else ''}{two_decimals(addition.difference)}"
    if addition.low is not None and addition.high is not None:
        text += f" {interval_words(addition.low, addition.high)}"
    return text if addition.p_value is None else f"{text}, {p_words(addition.p_value)}"
