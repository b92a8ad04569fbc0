"""The review of completions by people: exact, near-exact or inexact, one instance at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dcq.evidence.agreement import agree
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import results
from dcq.judging.replication_success import agreement_with_people
from dcq.replication.evidence import replication_row
from dcq.replication.judge import MatchLevel
from dcq.replication.match_labels import People
from dcq.replication.prompts import Instruction
from dcq.replication.results import InstanceScores
from dcq.store import Store, replications
from dcq.ui import glossary, links, notice, roles, walker
from dcq.ui.diff import mark_changes
from dcq.ui.text import alignment, plain
from dcq.variants import annotators
from dcq.words import listed

AT = "replication_at"
_LEVEL_HELP = {
    MatchLevel.EXACT: "The same words.",
    MatchLevel.NEAR_EXACT: "Same sentence, structure and sense; few words differ, or more follows.",
    MatchLevel.INEXACT: "Anything else.",
}


@dataclass(frozen=True)
class _Reviewer:
    """A person reviewing the completions of one run."""

    store: Store
    run: str
    author: str

    @property
    def why_not(self) -> str | None:
        """The reason why the person cannot label completions; None if they can."""
        return roles.why_not_decide(self.author)

    def label(self, row: InstanceScores, label: str) -> None:
        """Save the person's label of a completion; an empty ``label`` withdraws it. If the person
        may not, a message says so and nothing is saved."""
        if self.why_not:
            notice.toast(self.why_not, icon=":material/lock:", duration="long")
            return
        replications.add(self.store, self.run, row.place, self.author, label)


def show(store: Store, result: JudgedResult, author: str) -> None:
    """The completion to be reviewed, the buttons, and how far the people agree."""
    replicated = replication_row(result.evidence)
    reviewable = [row for row in replicated.rows if row.is_exact is not None]
    if not reviewable:
        st.info("This run has no guided completion to review.", icon=":material/inbox:")
        return
    reviewer = _Reviewer(store, result.evidence.run, author)
    if not author:
        notice.info(roles.NEEDED, icon=":material/badge:")
    own_count = sum(author in row.people for row in reviewable)
    st.markdown(f"#### {own_count:,} of {len(reviewable):,} completions have your label")
    row = _choose_row(reviewer, reviewable)
    _show_texts(row)
    _label_buttons(reviewer, row)
    _show_agreement(replicated.people, reviewable, reviewer)
    _show_methods(store)


def _choose_row(reviewer: _Reviewer, reviewable: Sequence[InstanceScores]) -> InstanceScores:
    """The way through the completions; returns the one that is shown."""
    with st.container(horizontal=True, vertical_alignment="center"):
        places = range(1, len(reviewable) + 1)
        number = walker.walk(
            places, len(reviewable), what="Completion", key=AT, names="replication"
        )
        unlabelled = [
            place for place, row in enumerate(reviewable, 1) if reviewer.author not in row.people
        ]
        next_number = next(
            (place for place in unlabelled if place > number),
            unlabelled[0] if unlabelled else number,
        )
        st.button(
            "Next without your label",
            key="replication_next_open",
            shortcut="N",
            disabled=not reviewer.author or not unlabelled,
            on_click=notice.told(_go_to),
            args=(next_number,),
        )
    links.remember(AT)
    return reviewable[number - 1]


def _go_to(number: int) -> None:
    st.session_state[AT] = number


def _show_texts(row: InstanceScores) -> None:
    with st.container(border=True):
        st.badge("first piece", icon=":material/visibility:", color="gray")
        st.markdown(plain(row.pieces.first), text_alignment=alignment(row.pieces.first))
    completion = row.completions[Instruction.GUIDED].text or ""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        st.badge("reference", icon=":material/bookmark:", color="blue")
        st.markdown(plain(row.pieces.second), text_alignment=alignment(row.pieces.second))
    with right, st.container(border=True, height="stretch"):
        st.badge("completion", icon=":material/smart_toy:", color="gray")
        st.markdown(
            mark_changes(row.pieces.second, completion) or "*nothing*",
            text_alignment=alignment(completion),
        )


def _label_buttons(reviewer: _Reviewer, row: InstanceScores) -> None:
    level = row.people.get(reviewer.author)
    with st.container(horizontal=True, vertical_alignment="center"):
        for shortcut, label in enumerate(MatchLevel, 1):
            st.button(
                label.value.capitalize(),
                type="primary" if level is label else "secondary",
                icon=":material/check:" if level is label else None,
                # a key of its own, so that a press that was meant for another row does nothing
                key=f"replication_say_{label}_{row.place}",
                shortcut=str(shortcut),
                disabled=bool(reviewer.why_not),
                help=reviewer.why_not or _LEVEL_HELP[label],
                on_click=notice.told(reviewer.label),
                args=(row, label.value),
            )
        if level is not None:
            st.button(
                "Take back",
                type="tertiary",
                icon=":material/undo:",
                key=f"replication_take_back_{row.place}",
                shortcut="Z",
                disabled=bool(reviewer.why_not),
                on_click=notice.told(reviewer.label),
                args=(row, ""),
            )
    if level is None:
        st.caption("What the judge says is shown once you have decided.")
    else:
        st.caption(plain(_judge_words(row)))


def _judge_words(row: InstanceScores) -> str:
    if row.is_exact:
        return "Equal but for space and case, so exact; no judge was asked."
    if row.judge_label is not None:
        return f"The judge says {row.judge_label}: “{row.judge_reply}”."
    return (
        f"The judge says nothing that counts: “{row.judge_reply}”."
        if row.judge_reply
        else "Not judged."
    )


def _show_agreement(
    people: People, reviewable: Sequence[InstanceScores], reviewer: _Reviewer
) -> None:
    if not people.counts:
        return
    st.markdown("##### Labels")
    st.dataframe(
        [
            {"who": annotator, **{str(label): counts.get(label, 0) for label in MatchLevel}}
            for annotator, counts in people.counts.items()
        ],
        hide_index=True,
        width="content",
        key="replication_labels",
        alt="How often each annotator called a completion exact, near-exact and inexact.",
        column_config=glossary.columns(
            {str(label): "Matches" for label in MatchLevel},
            {
                "who": st.column_config.TextColumn("Annotator", width=200),
                **{
                    str(label): st.column_config.NumberColumn(label.value.capitalize(), width=90)
                    for label in MatchLevel
                },
            },
        ),
    )
    if people.agreement is not None:
        st.markdown(plain(annotators.describe(listed(people.compared), people.agreement)))
        if people.matches is not None and people.matches.n:
            shared_matches = people.matches
            st.markdown(
                f"Where both see a match: {shared_matches.exact:,} exact and "
                f"{shared_matches.near_exact:,} near-exact of {shared_matches.n:,}, by Algorithm 2 "
                f"{'contaminated' if shared_matches.contaminated else 'not contaminated'}."
            )
    elif len(people.counts) == 1:
        st.caption("Agreement is shown once a second person has labelled completions.")
    own_levels = [row.people.get(reviewer.author) for row in reviewable]
    agreement = agree(own_levels, [row.match for row in reviewable])
    if agreement.n:
        st.markdown(plain(annotators.describe("You and the judge", agreement)))
    glossary.offer(("Matches", "Agreement"))


def _show_methods(store: Store) -> None:
    """Each method against people, over all results that two of them have labelled."""
    counts = agreement_with_people(results(store))
    if not counts:
        return
    st.markdown("##### Methods against people")
    st.dataframe(
        [
            {"method": method, "agrees": f"{count.agreed:,} of {count.total:,}"}
            for method, count in counts.items()
        ],
        hide_index=True,
        width="content",
        key="replication_success",
        alt="How often each method decides as the people who labelled the completions do.",
        column_config=glossary.columns(
            {"agrees": "Agreement"},
            {
                "method": st.column_config.TextColumn("Method", width=260),
                "agrees": st.column_config.TextColumn("Decides as people do", width=160),
            },
        ),
    )
    st.caption("People decide by Algorithm 2, on the matches that two of them see.")
