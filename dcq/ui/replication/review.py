"""The review of completions by people: exact, near-exact or inexact, one instance at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dcq.evidence.agreement import agree
from dcq.judging.replication import ReplicationResult, results, rows
from dcq.judging.replication_success import against_people
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
_WHAT = {
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
        """Save a person's label of a completion; an empty ``label`` withdraws it."""
        if self.why_not:
            notice.toast(self.why_not, icon=":material/lock:", duration="long")
            return
        replications.add(self.store, self.run, row.place, self.author, label)


def show(store: Store, result: ReplicationResult, author: str) -> None:
    """The completion to be reviewed, the buttons, and how far the people agree."""
    table = [row for row in rows(store, result.run) if row.equal is not None]
    if not table:
        st.info("This run has no guided completion to review.", icon=":material/inbox:")
        return
    reviewer = _Reviewer(store, result.run, author)
    if not author:
        notice.info(roles.NEEDED, icon=":material/badge:")
    mine = sum(author in row.people for row in table)
    st.markdown(f"#### {mine:,} of {len(table):,} completions have your label")
    row = _navigate(reviewer, table)
    _texts(row)
    _decide(reviewer, row)
    _agreement(result.people, table, reviewer)
    _success(store)


def _navigate(reviewer: _Reviewer, table: Sequence[InstanceScores]) -> InstanceScores:
    with st.container(horizontal=True, vertical_alignment="center"):
        places = range(1, len(table) + 1)
        number = walker.walk(places, len(table), what="Completion", key=AT, names="replication")
        left = [place for place, row in enumerate(table, 1) if reviewer.author not in row.people]
        following = next((place for place in left if place > number), left[0] if left else number)
        st.button(
            "Next without your label",
            key="replication_next_open",
            shortcut="N",
            disabled=not reviewer.author or not left,
            on_click=_move,
            args=(following,),
        )
    links.remember(AT)
    return table[number - 1]


def _move(to: int) -> None:
    st.session_state[AT] = to


def _texts(row: InstanceScores) -> None:
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


def _decide(reviewer: _Reviewer, row: InstanceScores) -> None:
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
                help=reviewer.why_not or _WHAT[label],
                on_click=reviewer.label,
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
                on_click=reviewer.label,
                args=(row, ""),
            )
    if level is None:
        st.caption("What the judge says is shown once you have decided.")
    else:
        st.caption(plain(_say_judge(row)))


def _say_judge(row: InstanceScores) -> str:
    if row.equal:
        return "Equal but for space and case, so exact; no judge was asked."
    if row.judge is not None:
        return f"The judge says {row.judge}: “{row.judged}”."
    return f"The judge says nothing that counts: “{row.judged}”." if row.judged else "Not judged."


def _agreement(people: People, table: Sequence[InstanceScores], reviewer: _Reviewer) -> None:
    if not people.counts:
        return
    st.markdown("##### Labels")
    st.dataframe(
        [
            {"who": who, **{str(label): counts.get(label, 0) for label in MatchLevel}}
            for who, counts in people.counts.items()
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
            both = people.matches
            st.markdown(
                f"Where both see a match: {both.exact:,} exact and {both.near_exact:,} near-exact "
                f"of {both.n:,}, by Algorithm 2 "
                f"{'contaminated' if both.contaminated else 'not contaminated'}."
            )
    elif len(people.counts) == 1:
        st.caption("Agreement is shown once a second person has labelled completions.")
    own_levels = [row.people.get(reviewer.author) for row in table]
    agreement = agree(own_levels, [row.match for row in table])
    if agreement.n:
        st.markdown(plain(annotators.describe("You and the judge", agreement)))
    glossary.offer(("Matches", "Agreement"))


def _success(store: Store) -> None:
    """Each method against people, over all results that two of them have labelled."""
    successes = against_people(results(store))
    if not successes:
        return
    st.markdown("##### Methods against people")
    st.dataframe(
        [
            {"method": success.method, "agrees": f"{success.success:,} of {success.settings:,}"}
            for success in successes
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
