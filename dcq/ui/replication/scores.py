"""The mean scores of a replication under each instruction, and what the guided one adds."""

from __future__ import annotations

import streamlit as st

from dcq.judging.replication import ReplicationResult
from dcq.replication.prompts import Instruction
from dcq.replication.score_table import Addition
from dcq.ui import glossary
from dcq.words import interval_words, p_words, two_decimals

_TOLD = {
    Instruction.GUIDED: "dataset and split",
    Instruction.GENERAL: "neither",
    Instruction.SWAPPED: "a made-up dataset",
    Instruction.WRONG_LABEL: "another label",
}


def show(result: ReplicationResult) -> None:
    """One row an instruction."""
    st.markdown("##### Overlap with the reference")
    meaning = result.meaning
    st.dataframe(
        [
            {
                "instruction": str(instruction),
                "told": _TOLD[instruction],
                "ROUGE-L": mean,
                "added": _say(result.additions.get(instruction)),
                **(
                    {
                        "meaning": meaning.means.get(instruction),
                        "meaning added": _say(meaning.additions.get(instruction)),
                    }
                    if meaning
                    else {}
                ),
            }
            for instruction, mean in result.rouge_l.items()
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
                "added": st.column_config.TextColumn("Guided adds", width=190),
                **(
                    {
                        "meaning": st.column_config.NumberColumn(
                            "Meaning", format="%.2f", width=80, help=meaning.called
                        ),
                        "meaning added": st.column_config.TextColumn("Guided adds", width=190),
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


def _say(one: Addition | None) -> str:
    if one is None or one.difference is None:
        return ""
    said = f"{'+' if round(one.difference, 2) > 0 else ''}{two_decimals(one.difference)}"
    if one.low is not None and one.high is not None:
        said += f" {interval_words(one.low, one.high)}"
    return said if one.p_value is None else f"{said}, {p_words(one.p_value)}"
