"""Having variants of one instance written again, with an instruction if one is given."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import streamlit as st

from dcq.errors import InputError
from dcq.records import slot_letter
from dcq.ui import action, notice
from dcq.ui.text import plain
from dcq.ui.variants import writing
from dcq.ui.variants.curator import Curator
from dcq.variants import reword
from dcq.variants.curation import Record
from dcq.variants.freeze import SLOTS, Chosen
from dcq.variants.prompts import MOST_INSTRUCTION

PANEL = "variants_anew"


def show(curator: Curator, record: Record) -> None:
    """A popover that offers new texts for all or some variants of the instance."""
    panel = st.popover(
        "Write again",
        key=PANEL,
        on_change="rerun",
        disabled=bool(curator.why_not),
        help=curator.why_not,
    )
    if not panel.open or curator.why_not:
        return
    with panel:
        free = [s for s in range(SLOTS) if curator.why_not_change(record.variants.get(s)) is None]
        chosen = st.pills(
            "Variants",
            free,
            selection_mode="multi",
            default=free,
            format_func=lambda slot: str(slot_letter(slot)),
            key=f"variants_anew_slots_{record.instance.id}",
        )
        offer(curator, record, sorted(chosen or ()), name=record.instance.id)


def offer(curator: Curator, record: Record, slots: Sequence[int], *, name: str) -> None:
    """A field for an instruction, the cost, and the button that has the texts of these slots
    written. ``name`` keeps its widgets apart from others of this kind."""
    instruction, cost = ask_instruction(curator, {record.instance.id: slots}, name=name)
    action.button(
        f"Have {_say(slots)} written by {plain(writing.writer_name())}",
        lambda: _write(curator, record, slots, instruction),
        icon=":material/autorenew:",
        key=f"variants_regenerate_{name}",
        role=writing.needed_role(),
        why_not=not slots,
        tip="The writer is chosen under “… ready”, above. The current text stays in the history.",
    )
    notice.caption(cost)


def ask_instruction(
    curator: Curator, slots: Mapping[str, Sequence[int]], *, name: str
) -> tuple[str, str]:
    """A field for an instruction to the writer; returns it, and what filling these slots costs."""
    model = writing.model()
    if model is None:
        return "", "The offline generator takes no instruction and costs nothing."
    instruction = st.text_input(
        "Instruction (optional)",
        max_chars=MOST_INSTRUCTION,
        placeholder="for example: keep the rhyme",
        key=f"variants_instruction_{name}",
        help="Added at the end of the published prompt, and saved with the variant: its prompt is "
        "then named “+instruction”, because no published prompt has one.",
    ).strip()
    estimate = reword.estimate(
        model, curator.sample.instances, slots, writing.protocol(), instruction
    )
    return instruction, writing.say_cost(estimate)


def _say(slots: Sequence[int]) -> str:
    letters = [str(slot_letter(slot)) for slot in slots]
    return "all four" if len(letters) == SLOTS else ", ".join(letters) or "none"


def _write(curator: Curator, record: Record, slots: Sequence[int], instruction: str) -> None:
    """Raises InputError with what is left to write, if anything is."""
    reasons = [curator.pairing.why_not(record.variants.get(slot)) for slot in slots]
    if reason := next(filter(None, reasons), None):
        raise InputError(reason)
    writing.check(curator.store)
    chosen: Chosen = {record.instance.id: {slot: record.variants.get(slot) for slot in slots}}
    with st.spinner("Writing…"):
        shortfall = asyncio.run(
            reword.reword_some(
                curator.store,
                curator.sample.id,
                chosen,
                writing.writer(),
                protocol=writing.protocol(),
                author=curator.author,
                instruction=instruction,
            )
        )
    if shortfall:
        raise InputError(shortfall)
