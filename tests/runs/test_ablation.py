from __future__ import annotations

import pytest

from dcq.records import Kind, Outcome
from dcq.runs import ablation, freeze
from dcq.runs.results import table
from dcq.store import Store
from tests.runs.conftest import answer
from tests.support.asked import ask

pytestmark = pytest.mark.usefixtures("provider")


def test_the_newest_runs_with_a_reply_are_paired_by_slot(
    fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, Kind.MODIFIED, "always-a")
    bare = ask(fresh_store, sample_id, Kind.MODIFIED, "always-a")
    at_d = ask(fresh_store, sample_id, Kind.STANDARD, "always-a", slot="D")
    at_a = ask(fresh_store, sample_id, Kind.STANDARD, "always-a", slot="A")
    ask(fresh_store, sample_id, Kind.STANDARD, "overflow")
    alone = ask(fresh_store, sample_id, Kind.MODIFIED, "guess")
    pairs = ablation.pair(table(fresh_store, every_run=True))
    found = {
        (p.letter, p.modified and p.modified.run, p.standard and p.standard.run) for p in pairs
    }
    assert found == {("D", bare, at_d), ("A", bare, at_a), (None, alone, None)}
    assert [p.complete for p in pairs] == [True, True, False]


def test_a_pilot_does_not_stand_in_for_the_whole(fresh_store: Store, sample_id: str) -> None:
    bare = ask(fresh_store, sample_id, Kind.MODIFIED, "always-a")
    whole = ask(fresh_store, sample_id, Kind.STANDARD, "always-a", slot="D")
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 2}, "always-a")
    (pair,) = ablation.pair(table(fresh_store, every_run=True))
    assert pair.modified is not None
    assert pair.standard is not None
    assert (pair.modified.run, pair.standard.run) == (bare, whole)
    pilot = answer(fresh_store, quiz, {"D": 2}, "guess")
    unfinished = ablation.pair(table(fresh_store, every_run=True, model="guess"))[0]
    assert unfinished.standard is not None
    assert unfinished.standard.run == pilot
    assert not unfinished.finished


def test_shares_are_of_the_slot_that_holds_the_original(fresh_store: Store, sample_id: str) -> None:
    ask(fresh_store, sample_id, Kind.MODIFIED, "guess")
    ask(fresh_store, sample_id, Kind.STANDARD, "guess", slot="B")
    results = table(fresh_store, every_run=True)
    (pair,) = ablation.pair(results)
    found = ablation.compare(fresh_store, pair)
    assert pair.modified is not None
    assert pair.standard is not None
    assert found.n == 6
    assert found.modified_share == pair.modified.chosen[1] / 6
    assert found.standard_share == pair.standard.chosen[1] / 6


def test_a_refusal_is_a_reply_that_did_not_choose_the_slot(
    fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, Kind.MODIFIED, "refuses")
    ask(fresh_store, sample_id, Kind.STANDARD, "refuses")
    (pair,) = ablation.pair(table(fresh_store, every_run=True))
    found = ablation.compare(fresh_store, pair)
    assert (found.n, found.standard_share, found.p_value) == (6, 0.0, 1.0)
    counts = ablation.distribution([r for r in (pair.modified, pair.standard) if r])
    refused = counts[counts["answer"] == Outcome.REFUSED]
    assert refused["count"].tolist() == [6, 6]
    assert Outcome.ANSWERED not in set(counts["answer"])
