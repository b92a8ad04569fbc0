"""What a page of one method offers below the failed checks of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from dcq.evidence.check import Topic
from dcq.judging.judged import JudgedResult
from dcq.records import PartitionRole
from dcq.store.samples import ListedSample
from dcq.ui import notice, page


def result_fixes(
    name: str,
    ask_label: str,
    listed_samples: Iterable[ListedSample],
    result: JudgedResult,
    ask_again: Callable[..., None],
) -> dict[Topic, Callable[[], None]]:
    """A button for each check that an unfinished run or a lack of controls can fail. ``name`` is
    the page, ``ask_label`` the label of the button that asks about a control that the ``result``
    does not rest on already; ``ask_again`` opens the form, for a sample if one is given."""
    used_samples = {evidence.sample for evidence in (result.evidence, *result.controls)}

    def offer_control() -> None:
        for sample in listed_samples:
            if sample.role is PartitionRole.CONTROL and sample.id not in used_samples:
                st.button(
                    ask_label,
                    icon=":material/play_arrow:",
                    key=f"{name}_control",
                    on_click=notice.told(ask_again),
                    args=(sample.id,),
                )
                return
        page.link("dataset", "Draw a sample of a control")

    def offer_run() -> None:
        st.button("Watch or resume the run", key=f"{name}_watch", on_click=notice.told(ask_again))

    return {Topic.CONTROLS: offer_control, Topic.COMPLETE: offer_run}
