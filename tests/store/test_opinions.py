from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dcq.store import Store, migrations, opinions, pairs, samples, steps, undo, variants
from dcq.store.opinions import Opinion, Stage, first_both, gather, stage
from dcq.store.variants import Decision, NewVariant, StoredVariant
from tests.conftest import small_sample
from tests.support.annotating import assign

NAMES = ("Ada", "Ben")
ACCEPTED, REJECTED, OPEN = Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN


@pytest.fixture
def instance(fresh_store: Store, sample_id: str) -> str:
    """Of the sample, which Ada and Ben are assigned to as a whole."""
    assign(fresh_store, sample_id, 1.0)
    return samples.load(fresh_store, sample_id).instances[0].id


def now(store: Store, sample: str, instance: str, slot: int = 0) -> StoredVariant:
    return variants.current(store, sample)[instance][slot]


def say(store: Store, instance: str, who: str, decision: Decision, slot: int = 0) -> bool:
    """Whether it was noted."""
    sample = next(one.id for one in samples.listing(store))
    seen = now(store, sample, instance, slot)
    done = opinions.decide(store, sample, [seen], decision, who)
    return not done.changed and not done.refused


def at(store: Store, sample: str, instance: str, slot: int = 0) -> Stage:
    return stage(both(store, sample, instance, slot))


def both(store: Store, sample: str, instance: str, slot: int = 0) -> tuple[Opinion, Opinion] | None:
    return first_both(said(store, sample, instance, slot), ("ada", "ben"))


def said(store: Store, sample: str, instance: str, slot: int = 0) -> list[Opinion]:
    """The newest of each person about each text of a slot."""
    return list(gather(opinions.since(store, sample)[1]).get((instance, slot), {}).values())


def test_one_opinion_decides_nothing(fresh_store: Store, sample_id: str, instance: str) -> None:
    assert say(fresh_store, instance, "Ada", REJECTED)
    found = now(fresh_store, sample_id, instance)
    assert (found.decision, found.reviewer, found.usable) == (OPEN, "", True)
    assert len(variants.history(fresh_store, sample_id, instance)) == 4  # that they were written
    assert at(fresh_store, sample_id, instance) is Stage.BLIND


@pytest.mark.parametrize("decision", [ACCEPTED, REJECTED])
def test_two_that_agree_are_the_decision(
    fresh_store: Store, sample_id: str, instance: str, decision: Decision
) -> None:
    assert say(fresh_store, instance, "Ben", decision)
    assert say(fresh_store, instance, "Ada", decision)
    found = now(fresh_store, sample_id, instance)
    assert (found.decision, found.reviewer) == (decision, "Ada and Ben")
    assert at(fresh_store, sample_id, instance) is Stage.AGREED
    # From then on it is like any other: the history has it all.
    assert say(fresh_store, instance, "Cy", OPEN)
    assert say(fresh_store, instance, "Ada", REJECTED)
    history = variants.history(fresh_store, sample_id, instance)
    assert list(history[history["what"] != "written"]["who"]) == ["Ada", "Cy", "Ada and Ben"]


def test_a_third_person_decides_where_two_differ(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    assert not say(fresh_store, instance, "Cy", ACCEPTED)  # they have not decided yet
    say(fresh_store, instance, "Ada", ACCEPTED)
    assert not say(fresh_store, instance, "Cy", ACCEPTED)
    say(fresh_store, instance, "Ben", REJECTED)
    assert at(fresh_store, sample_id, instance) is Stage.DIFFER
    assert now(fresh_store, sample_id, instance).decision is OPEN
    for who in ("Ada", "Ben", " ben ", "BEN"):
        for word in (ACCEPTED, REJECTED, OPEN):
            assert not say(fresh_store, instance, who, word)
    assert say(fresh_store, instance, "Cy", REJECTED)
    found = now(fresh_store, sample_id, instance)
    assert (found.decision, found.reviewer) == (REJECTED, "Cy")
    assert not say(fresh_store, instance, "Ada", OPEN)
    undone = undo.undo(fresh_store, sample_id, "Cy", 20)
    assert undone is not None
    assert now(fresh_store, sample_id, instance).decision is OPEN
    assert at(fresh_store, sample_id, instance) is Stage.DIFFER


def test_other_instances_are_anyones(fresh_store: Store, sample_id: str) -> None:
    pair = assign(fresh_store, sample_id, 0.5)
    other = next(
        one.id
        for one in samples.load(fresh_store, sample_id).instances
        if one.id not in pair.instances
    )
    assert say(fresh_store, other, "Ada", ACCEPTED)
    assert now(fresh_store, sample_id, other).reviewer == "Ada"
    assert say(fresh_store, other, "Cy", OPEN)


def test_a_name_in_another_spelling_is_the_same_person(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    say(fresh_store, instance, " ada", ACCEPTED)
    say(fresh_store, instance, "ADA ", ACCEPTED)  # one person twice is not two
    assert at(fresh_store, sample_id, instance) is Stage.BLIND
    [one] = said(fresh_store, sample_id, instance)
    assert one.annotator == "Ada"  # as assigned
    say(fresh_store, instance, "ben", ACCEPTED)
    assert now(fresh_store, sample_id, instance).reviewer == "Ada and Ben"


def test_while_it_is_blind_an_opinion_can_be_changed(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    for word in (ACCEPTED, OPEN, REJECTED):
        assert say(fresh_store, instance, "Ada", word)
    say(fresh_store, instance, "Ben", ACCEPTED)
    found = both(fresh_store, sample_id, instance)
    assert found is not None
    assert [one.decision for one in found] == [REJECTED, ACCEPTED]
    for word in (ACCEPTED, OPEN):  # now Ada knows what Ben said
        assert not say(fresh_store, instance, "Ada", word)


def test_an_opinion_about_an_older_text_does_not_count(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    before = now(fresh_store, sample_id, instance)
    say(fresh_store, instance, "Ben", ACCEPTED)
    variants.add(fresh_store, sample_id, [NewVariant(instance, 0, "anew", "person", "Ada")])
    say(fresh_store, instance, "Ada", ACCEPTED)
    assert now(fresh_store, sample_id, instance).decision is OPEN
    assert at(fresh_store, sample_id, instance) is Stage.BLIND
    # Ben has not seen the new text, and says so of the old one: he is told.
    done = opinions.decide(fresh_store, sample_id, [before], REJECTED, "Ben")
    assert [one.text for one in done.changed] == ["anew"]
    assert at(fresh_store, sample_id, instance) is Stage.BLIND
    say(fresh_store, instance, "Ben", ACCEPTED)
    assert now(fresh_store, sample_id, instance).reviewer == "Ada and Ben"


def test_a_new_text_does_not_make_a_disagreement_undone(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    say(fresh_store, instance, "Ada", ACCEPTED)
    say(fresh_store, instance, "Ben", REJECTED)
    variants.add(fresh_store, sample_id, [NewVariant(instance, 0, "anew", "person", "Ada")])
    assert at(fresh_store, sample_id, instance) is Stage.DIFFER
    assert not say(fresh_store, instance, "Ada", ACCEPTED)
    assert say(fresh_store, instance, "Cy", ACCEPTED)
    found = now(fresh_store, sample_id, instance)
    assert (found.text, found.decision, found.reviewer) == ("anew", ACCEPTED, "Cy")


def test_a_reason_is_kept_and_a_second_click_changes_nothing(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    seen = now(fresh_store, sample_id, instance)

    def explain(who: str, why: str) -> None:
        opinions.explain(fresh_store, sample_id, seen.seq, who, why)

    explain("Ada", "nothing said yet")
    opinions.decide(fresh_store, sample_id, [seen], REJECTED, "Ada")
    explain(" ADA", " changes the sense ")
    explain("Ada", "changes the sense")
    explain("Ben", "nothing said yet")
    opinions.decide(fresh_store, sample_id, [seen], REJECTED, "Ada")
    [one] = said(fresh_store, sample_id, instance)
    assert (one.decision, one.reason) == (REJECTED, "changes the sense")
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM opinion").fetchone() == (2,)
    # Whoever decides last says why when both have decided.
    say(fresh_store, instance, "Ben", ACCEPTED)
    explain("Ben", "reads well")
    found = both(fresh_store, sample_id, instance)
    assert found is not None
    assert [one.reason for one in found] == ["changes the sense", "reads well"]


def test_the_newest_are_taken_back_together_while_they_are_blind(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    slots = variants.current(fresh_store, sample_id)[instance]
    say(fresh_store, instance, "Ada", REJECTED, 3)
    say(fresh_store, instance, "Ben", REJECTED, 3)
    say(fresh_store, instance, "Ada", REJECTED, 2)
    opinions.decide(fresh_store, sample_id, [slots[0], slots[1]], ACCEPTED, "Ada")
    assert not opinions.can_take_back(fresh_store, sample_id, "Cy")
    assert not opinions.can_take_back(fresh_store, sample_id, "Ben")  # both have decided
    back = []
    while opinions.can_take_back(fresh_store, sample_id, "Ada"):
        back.append(opinions.take_newest_back(fresh_store, sample_id, "Ada", None))
        left = gather(opinions.since(fresh_store, sample_id)[1]).values()
        slots_left = {o.slot for of in left for o in of.values() if o.decision is not OPEN}
        assert sorted(slots_left) == ([2, 3] if len(back) == 1 else [3])
    assert back == [instance, instance]
    assert now(fresh_store, sample_id, instance, 3).decision is REJECTED


def test_what_was_said_before_a_moment_is_left(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    say(fresh_store, instance, "Ada", REJECTED)
    [one] = said(fresh_store, sample_id, instance)
    assert one.at is not None
    later = one.at.replace(year=one.at.year + 1)
    assert opinions.take_newest_back(fresh_store, sample_id, "Ada", later) is None
    assert opinions.take_newest_back(fresh_store, sample_id, "Ada", one.at) == instance


def test_when_it_has_ended_open_ones_are_anyones(
    fresh_store: Store, sample_id: str, instance: str
) -> None:
    say(fresh_store, instance, "Ada", REJECTED)
    pairs.end(fresh_store, sample_id, "Cy")
    assert say(fresh_store, instance, "Ben", ACCEPTED)
    assert now(fresh_store, sample_id, instance).reviewer == "Ben"
    assert at(fresh_store, sample_id, instance) is Stage.BLIND  # Ada's word stays her own


def test_two_at_once(fresh_store: Store) -> None:
    """Each of twenty variants is decided by both at the same time, and none of them twice."""
    sample = samples.save(fresh_store, small_sample(5))
    assign(fresh_store, sample, 1.0)
    seen = [v for slots in variants.current(fresh_store, sample).values() for v in slots.values()]

    def work(who: str) -> None:
        for one in seen if who == "Ada" else seen[::-1]:
            opinions.decide(Store(fresh_store.path), sample, [one], ACCEPTED, who)

    workers = [threading.Thread(target=work, args=(who,)) for who in NAMES]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = variants.current(fresh_store, sample)
    assert {v.reviewer for slots in found.values() for v in slots.values()} == {"Ada and Ben"}
    with fresh_store.read() as db:
        assert db.execute("SELECT count(*) FROM review").fetchone() == (20,)
        assert db.execute("SELECT count(*) FROM opinion").fetchone() == (40,)


def test_an_older_store_has_no_pairs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "older.duckdb"
    older = migrations.names().index("m024_two_annotators")
    with monkeypatch.context() as before:
        before.setattr(migrations, "STEPS", steps.STEPS[:older])
        with Store(path).write() as db:
            db.execute(
                "INSERT INTO variant (seq, sample_id, instance_id, slot, text, origin, author, "
                "findings, made_at) VALUES (1, 's', 'i', 0, 'text', 'offline', '', '[]', "
                "now()::TIMESTAMP)"
            )
    store = Store(path)
    assert pairs.of(store, "s") is None
    seen = variants.current(store, "s")["i"][0]
    assert not opinions.decide(store, "s", [seen], ACCEPTED, "Ada").changed
    assert variants.current(store, "s")["i"][0].reviewer == "Ada"
