"""The paper's two algorithms, as it applies them."""

from __future__ import annotations

import streamlit as st

from dcq.evidence.replication.guidance import Guidance
from dcq.evidence.replication.matches import FalseAlarms
from dcq.judging.replication import ReplicationResult
from dcq.ui import glossary
from dcq.words import p_words, percent, two_decimals


def show(result: ReplicationResult) -> None:
    """The rules, what they say here, and how often they are wrong on the controls."""
    st.markdown("##### The paper's two rules")
    matches, meaning = result.matches, result.meaning
    listed = [_rule_1("ROUGE-L", result.guidance, result.alarms_1)]
    if meaning is not None:
        listed.append(_rule_1("meaning", meaning.guidance, None))
    listed.append(
        {
            "rule": "2, matches",
            "says": _says(matches.contaminated) if matches.n else "nothing",
            "because": f"{matches.exact:,} exact, {matches.near_exact:,} near-exact "
            f"of {matches.n:,}",
            "controls": _alarms(result.alarms_2),
        }
    )
    st.dataframe(
        listed,
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


def _rule_1(score: str, found: Guidance, alarms: FalseAlarms | None) -> dict[str, str]:
    because = "no completions"
    if found.guided is not None and found.general is not None:
        means = f"guided {two_decimals(found.guided)}, general {two_decimals(found.general)}"
        because = means if found.p_value is None else f"{means}, {p_words(found.p_value)}"
    return {
        "rule": f"1, {score}",
        "says": "nothing" if found.p_value is None else _says(found.contaminated),
        "because": because,
        "controls": _alarms(alarms) if alarms else "",
    }


def _says(contaminated: bool) -> str:
    return "contaminated" if contaminated else "not contaminated"


def _alarms(found: FalseAlarms) -> str:
    if found.interval is None:
        return "no control"
    low, high = found.interval
    return f"{found.flagged:,} of {found.partitions:,} ({percent(low)} to {percent(high)})"
