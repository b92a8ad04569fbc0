"""Choose a partition, draw a sample, and look at its texts."""

import streamlit as st

from dcq.errors import DcqError
from dcq.evidence import power
from dcq.partitions import draw_sample
from dcq.store import samples
from dcq.ui import action, notice, page, roles
from dcq.ui.dataset import imports, sample_list, source
from dcq.ui.text import plain

store = page.start(
    "Dataset",
    "Choose what the model may have seen, and draw the instances to ask about.",
)

listed_samples = samples.listing(store)
if not listed_samples:
    st.info(
        "There is no sample yet. Control News is selected below: it comes with its variants and "
        "needs no network, so one click on “Draw sample” is enough for a first quiz.",
        icon=":material/dataset:",
    )
else:
    full = sum(sample.with_variants == sample.n for sample in listed_samples)
    noun = "sample" if len(listed_samples) == 1 else "samples"
    st.markdown(f"#### {len(listed_samples)} {noun}, {full} with all variants")

st.subheader("Choose", anchor=False)
choice = source.choose(store)
if source.wants_quiz():
    imports.show(store)
if source.wants_bundle():
    imports.show_bundle_import(store)
if choice is None:
    sample_list.show(store)
    st.stop()
try:
    opened = source.load(choice)
    instances = opened.preview(20)
    balance = opened.label_balance()
except DcqError as error:
    notice.error(error)
    sample_list.show(store)
    st.stop()

st.subheader("Draw", anchor=False)
size, seed, share, draw = st.columns([1, 1, 2, 1], vertical_alignment="bottom")
n = size.number_input(
    "Instances",
    min_value=1,
    max_value=100_000,
    value=min(100, opened.row_count),
    step=10,
    key=f"dataset_n_{opened.partition.id}",
)
number = seed.number_input(
    "Seed",
    min_value=0,
    value=0,
    step=1,
    key="dataset_seed",
    bind="query-params",
    help="The same seed draws the same instances on every machine.",
)
stratified = share.toggle(
    "Keep the share of each label",
    key="dataset_stratified",
    disabled=not balance,
    help="Draws from each label in proportion to its rows."
    if balance
    else "These instances have no class label.",
)
sample, drawn_from, notes = st.session_state.get("dataset_drawn", ("", None, ()))
is_drawn = drawn_from == choice
with draw:
    pressed = action.pressed(
        "Draw sample",
        kind="secondary" if is_drawn else "primary",
        icon=":material/colorize:",
        key="dataset_draw",
        role=roles.UserRole.ANNOTATOR,
        why_not=not instances,
        width="stretch",
    )
smallest = power.detectable_kappa(min(n, opened.row_count))
st.caption(
    f"A quiz of this size detects κ = {smallest:.2f} or more four times out of five."
    if smallest is not None
    else "A quiz of this size cannot detect anything; draw more instances.",
    help="κ is the score above guessing: 0 for a model that guesses, 1 for one that always picks "
    "the original. Computed for a one-sided exact test at 5 % with four options.",
)


def save_sample() -> None:
    """Draw it and keep it."""
    drawn = draw_sample(
        opened,
        int(n),
        seed=int(number),
        stratified=stratified and bool(balance),
        window=choice.window if choice else None,
    )
    saved = samples.load(store, samples.save(store, drawn, author=roles.author()))
    st.session_state["dataset_drawn"] = (saved.id, choice, saved.notes)


if pressed and action.attempt(save_sample, roles.UserRole.ANNOTATOR):
    st.rerun()  # so that the next step is highlighted instead of this one

if is_drawn:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        message = " ".join(["The sample is saved.", *notes])
        st.markdown(f":green[:material/check:] {plain(message)}", width="stretch")
        reviewing = "Review the variants" if opened.table.has_variants else "Write the variants"
        if opened.table.has_variants:
            page.link("variants", reviewing, icon=":material/edit_note:", variants_sample=sample)
            page.link_button(
                "quiz",
                "Make a quiz from it",
                key="dataset_next",
                icon=":material/quiz:",
                quiz_sample=sample,
            )
        else:
            page.link_button(
                "variants",
                reviewing,
                key="dataset_next",
                icon=":material/edit_note:",
                variants_sample=sample,
            )

st.subheader("Preview", anchor=False)
for sentence in opened.notes:
    st.caption(plain(sentence))
texts, facts = st.columns([3, 2], gap="large")
with texts:
    st.caption("The first instances, as a quiz shows them")
    with st.container(height=420, border=False):
        for instance in instances:
            st.code(instance.text, language=None, wrap_lines=True)
    if not instances:
        st.warning(
            "No row has text in all the chosen columns; choose others.",
            icon=":material/warning:",
        )
with facts:
    st.metric("Rows", f"{opened.row_count:,}")
    if balance:
        st.dataframe(
            {"label": list(balance), "rows": list(balance.values())},
            hide_index=True,
            key="dataset_balance",
            alt="How many rows each label has.",
            column_config={
                "label": "Label",
                "rows": st.column_config.ProgressColumn(
                    "Rows", format="localized", min_value=0, max_value=max(balance.values())
                ),
            },
        )
    if opened.table.has_variants:
        st.caption("Each instance comes with four variants that were written for it.")

sample_list.show(store)
