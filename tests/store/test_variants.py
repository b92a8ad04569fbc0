from pathlib import Path

import pytest

from dcq.files import export as exporting
from dcq.records import Severity, VariantFinding
from dcq.store import Store, migrations, reviews, samples, steps, undo, variants
from dcq.store.variants import Decision, NewVariant
from tests.conftest import small_sample


def _first(store: Store, sample_id: str) -> str:
    return samples.load(store, sample_id).instances[0].id


def test_the_newest_of_a_slot_counts_and_the_older_stay(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    variants.add(fresh_store, sample_id, [NewVariant(instance, 1, "edited", "person", "Ada")])
    now = variants.current(fresh_store, sample_id)[instance][1]
    assert (now.text, now.origin, now.author) == ("edited", "person", "Ada")
    history = variants.history(fresh_store, sample_id, instance)
    assert list(history[history["slot"] == 1]["origin"]) == ["person", "bundled"]


def test_decisions_can_be_taken_back(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    for decision, usable in (
        (Decision.REJECTED, False),
        (Decision.OPEN, True),
        (Decision.ACCEPTED, True),
    ):
        seen = variants.current(fresh_store, sample_id)[instance][0]
        reviews.decide(fresh_store, sample_id, [seen], decision, "Ada")
        found = variants.current(fresh_store, sample_id)[instance][0]
        assert (found.decision, found.usable, found.reviewer) == (decision, usable, "Ada")


def test_an_error_keeps_a_variant_out_until_somebody_accepts_it(
    fresh_store: Store, sample_id: str
) -> None:
    instance = _first(fresh_store, sample_id)
    error = VariantFinding("number", Severity.ERROR, "A number changed.")
    warning = VariantFinding("length", Severity.WARNING, "It is long.")
    variants.add(
        fresh_store,
        sample_id,
        [
            NewVariant(instance, 0, "one", "offline", findings=(error,)),
            NewVariant(instance, 1, "two", "offline", findings=(warning,)),
        ],
    )
    assert set(variants.usable_texts(fresh_store, sample_id)[instance]) == {1, 2, 3}
    seen = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ada")
    assert set(variants.usable_texts(fresh_store, sample_id)[instance]) == {0, 1, 2, 3}
    assert variants.current(fresh_store, sample_id)[instance][1].findings == (warning,)


def test_an_edit_is_open_again_after_a_decision(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seen = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.REJECTED, "Ada")
    variants.add(fresh_store, sample_id, [NewVariant(instance, 0, "better", "person", "Ada")])
    assert variants.current(fresh_store, sample_id)[instance][0].decision is Decision.OPEN


def test_the_prompt_that_a_model_answered_is_kept(fresh_store: Store, sample_id: str) -> None:
    instance = samples.load(fresh_store, sample_id).instances[0].id
    new = NewVariant(instance, 0, "brooklet", "model:m", prompt="perturb/v2")
    variants.add(fresh_store, sample_id, [new])
    now = variants.current(fresh_store, sample_id)[instance]
    assert (now[0].prompt, now[1].prompt) == ("perturb/v2", None)  # the others came with the data
    history = variants.history(fresh_store, sample_id, instance)
    assert list(history["prompt"].dropna()) == ["perturb/v2"]
    rows = exporting.frame(fresh_store, exporting.ExportTable.VARIANTS, sample_id)
    assert list(rows["prompt"].dropna()) == ["perturb/v2"]


def test_variants_of_an_older_store_have_no_prompt(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = migrations.names().index("m008_prompt_of_a_variant")
    with monkeypatch.context() as before:
        before.setattr(migrations, "STEPS", steps.STEPS[:older])
        with Store(store_path).write() as db:
            db.execute(
                "INSERT INTO variant VALUES (1, 's', 'i', 0, 'text', 'model:m', '', '[]', "
                "now()::TIMESTAMP)"
            )
    assert variants.current(Store(store_path), "s")["i"][0].prompt is None


def test_a_decision_about_what_has_changed_is_left_out(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seen = variants.current(fresh_store, sample_id)[instance]
    reviews.decide(fresh_store, sample_id, [seen[0]], Decision.REJECTED, "Ada")
    variants.add(fresh_store, sample_id, [NewVariant(instance, 1, "better", "person", "Ada")])
    done = reviews.decide(fresh_store, sample_id, list(seen.values()), Decision.ACCEPTED, "Ben")
    now = variants.current(fresh_store, sample_id)[instance]
    assert [(v.slot, v.decision, v.reviewer) for v in now.values()] == [
        (0, Decision.REJECTED, "Ada"),
        (1, Decision.OPEN, ""),
        (2, Decision.ACCEPTED, "Ben"),
        (3, Decision.ACCEPTED, "Ben"),
    ]
    assert set(done.changed) == {now[0], now[1]}


def test_a_decision_there_and_back_is_a_change_too(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seen = variants.current(fresh_store, sample_id)[instance][0]
    for decision in (Decision.REJECTED, Decision.OPEN):
        now = variants.current(fresh_store, sample_id)[instance][0]
        reviews.decide(fresh_store, sample_id, [now], decision, "Ada")
    assert reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ben").changed
    assert variants.current(fresh_store, sample_id)[instance][0].reviewer == "Ada"


def test_undoing_restores_the_decision_and_who_made_it(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seen = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ada")
    before = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [before], Decision.OPEN, "Ben")
    undo.undo(fresh_store, sample_id, "Ben", 20)
    now = variants.current(fresh_store, sample_id)[instance][0]
    assert (now.decision, now.reviewer) == (Decision.ACCEPTED, "Ada")
    history = variants.history(fresh_store, sample_id, instance)
    assert history.iloc[0][["what", "who", "undone_by"]].tolist() == ["accepted", "Ada", "Ben"]


def test_what_was_decided_since_is_not_undone(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    before = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [before], Decision.ACCEPTED, "Ben")
    now = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [now], Decision.REJECTED, "Ada")
    assert undo.undo(fresh_store, sample_id, "Ben", 20) is None
    now = variants.current(fresh_store, sample_id)[instance][0]
    assert (now.decision, now.reviewer) == (Decision.REJECTED, "Ada")


def test_what_was_rewritten_since_is_not_undone(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    before = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [before], Decision.ACCEPTED, "Ben")
    variants.add(fresh_store, sample_id, [NewVariant(instance, 0, "better", "person", "Ada")])
    assert undo.last_action(fresh_store, sample_id, "Ben", 20) is None


def test_the_last_decisions_are_undone_one_after_the_other(
    fresh_store: Store, sample_id: str
) -> None:
    """Whatever was decided in between, undoing each leads back through the same states."""
    instance = _first(fresh_store, sample_id)

    def now() -> list[tuple[Decision, str]]:
        found = variants.current(fresh_store, sample_id)[instance]
        return [(v.decision, v.reviewer) for v in found.values()]

    states = [now()]
    words = (Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN)
    for step in range(23):
        found = variants.current(fresh_store, sample_id)[instance]
        seen = [found[step % 4]] if step % 3 else list(found.values())
        reviews.decide(fresh_store, sample_id, seen, words[step % len(words)], "Ada")
        states.append(now())
    assert undo.undo(fresh_store, sample_id, "Ben", 20) is None
    for before in reversed(states[3:-1]):
        assert undo.undo(fresh_store, sample_id, "Ada", 20) is not None
        assert now() == before
    assert undo.undo(fresh_store, sample_id, "Ada", 20) is None
    assert now() == states[3]


def test_a_second_click_is_no_change_by_somebody_else(fresh_store: Store, sample_id: str) -> None:
    instance = _first(fresh_store, sample_id)
    seen = variants.current(fresh_store, sample_id)[instance][0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ada")
    done = reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ada")
    assert done.changed == ()
    assert len(variants.history(fresh_store, sample_id, instance)) == 5


def test_the_state_of_a_sample_is_its_own(fresh_store: Store, sample_id: str) -> None:
    other = samples.save(fresh_store, small_sample(2, key="lakes"))
    before = variants.state(fresh_store, sample_id), variants.state(fresh_store, other)
    seen = variants.current(fresh_store, sample_id)[_first(fresh_store, sample_id)][0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ada")
    assert variants.state(fresh_store, sample_id) != before[0]
    assert variants.state(fresh_store, other) == before[1]
