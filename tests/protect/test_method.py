"""Models asked about a protected benchmark: what is sent, what is kept, and what comes of it."""

from __future__ import annotations

import json

import pytest

from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.plan import pick_up
from dcq.asking.prompt import sha256
from dcq.errors import InputError
from dcq.evidence.lot import LotTest
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import judged_results
from dcq.protect import NAME
from dcq.protect.check import open_check
from dcq.protect.method import WORDINGS, ProtectMethod, ProtectTask, read_scores
from dcq.protect.published import rows
from dcq.protect.shuffle import By, shuffle
from dcq.records import Outcome, Reply
from dcq.store import Store, frozen, results, runs, samples
from tests.support.behaviours import MODELS, says
from tests.support.lot_checks import ask, teach
from tests.support.protected import VERBS, a_secret
from tests.support.provider import FakeProvider


def result(store: Store, run: str) -> JudgedResult:
    [found] = [
        one for one in judged_results(store, NAME, every_run=True) if one.evidence.run == run
    ]
    return found


def lot_test_of(store: Store, run: str) -> LotTest:
    found = result(store, run).evidence.figures["test"]
    assert isinstance(found, LotTest)
    return found


@pytest.mark.parametrize("wordings", [4, 8])
def test_a_model_that_saw_the_published_wordings_is_called(
    fresh_store: Store, provider: FakeProvider, wordings: int
) -> None:
    secret = a_secret(12, wordings)
    teach(provider, secret)
    opened = open_check(fresh_store, secret, By.LETTER)
    run = ask(fresh_store, opened, "knows-original")
    found = lot_test_of(fresh_store, run)
    assert (found.items, found.picked, found.wordings) == (12, 12.0, 4)
    assert found.p_value == pytest.approx(0.25**12, rel=1e-6)
    verdict = result(fresh_store, run).verdict
    assert verdict is not None
    assert verdict.ruling is Ruling.CONTAMINATED  # without a single control
    assert verdict.q_value == pytest.approx(found.p_value)


def test_it_enters_the_answer_of_its_pair(fresh_store: Store, provider: FakeProvider) -> None:
    """It votes without a control, and refusals, which are counted already, undo nothing."""
    secret = a_secret(16)
    teach(provider, secret)
    for model in ("knows-original", "always-a"):
        ask(fresh_store, open_check(fresh_store, secret, By.LETTER), model)
    found = {one.model: one for one in answers(fresh_store)}
    assert found["knows-original"].ruling is Ruling.CONTAMINATED
    assert ". It prefers the published wordings (protected benchmark; " in (
        found["knows-original"].sentence
    )
    assert [one.votes for one in found["knows-original"].methods] == [True]
    assert found["always-a"].ruling is not Ruling.CONTAMINATED
    assert NAME not in {one.method for one in found["always-a"].could_ask}


def test_a_model_of_another_lot_is_not_called(fresh_store: Store, provider: FakeProvider) -> None:
    secret = a_secret(40, key=1)
    teach(provider, a_secret(40, key=5))
    run = ask(fresh_store, open_check(fresh_store, secret, By.LETTER), "knows-original")
    assert lot_test_of(fresh_store, run).p_value > 0.05


def test_a_model_that_always_says_a_learns_nothing_of_the_lots(
    fresh_store: Store, provider: FakeProvider
) -> None:
    run = ask(fresh_store, open_check(fresh_store, a_secret(), By.LETTER), "always-a")
    found = lot_test_of(fresh_store, run)
    assert found.share == pytest.approx(0.25)  # each wording was in slot A once
    assert found.p_value == 1.0


def test_refusals_decide_nothing(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(fresh_store, open_check(fresh_store, a_secret(), By.LETTER), "refuses")
    found = lot_test_of(fresh_store, run)
    assert (found.items, found.share, found.p_value) == (12, 0.25, 1.0)
    verdict = result(fresh_store, run).verdict
    assert verdict is not None
    assert verdict.ruling is not Ruling.CONTAMINATED


def test_by_likelihood_all_wordings_are_scored(fresh_store: Store, provider: FakeProvider) -> None:
    secret = a_secret(12, 8)
    teach(provider, secret)
    opened = open_check(fresh_store, secret, By.LIKELIHOOD)
    run = ask(fresh_store, opened, "likelihood:words")
    assert {body["prompt"] for body in provider.bodies} == {
        text for item in secret.items for text in item.wordings
    }
    found = lot_test_of(fresh_store, run)
    assert (found.items, found.wordings) == (12, 8)
    assert found.p_value < 1e-3
    assert runs.load(fresh_store, run).plan.model == "words"


def test_nothing_private_is_kept(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where a model repeats it."""
    secret = a_secret(3, 8)
    monkeypatch.setitem(MODELS, "repeats", says(f"A) {secret.items[0].wordings[2]}"))
    monkeypatch.setitem(MODELS, "talks", says(f"I cannot say: {secret.items[0].wordings[2]}"))
    for model in ("repeats", "talks"):
        ask(fresh_store, open_check(fresh_store, secret, By.LETTER), model)
    ask(fresh_store, open_check(fresh_store, secret, By.LIKELIHOOD), "words")
    published = {row["text"] for row in rows(secret)}
    with fresh_store.read() as db:
        tables = db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        kept = " ".join(str(db.execute(f'FROM "{name}"').fetchall()) for (name,) in tables)
    logs = b" ".join(
        path.read_bytes() for path in fresh_store.runs_folder.rglob("*") if path.is_file()
    ).decode()
    for item in secret.items:
        assert item.wordings[0].split(" by ")[0].rsplit(" ", 1)[0] in kept  # the published one
        for text in set(item.wordings) - published:
            assert text not in kept
            assert text not in logs
    for key in (secret.key, secret.order, secret.salt):
        assert key.hex() not in kept + logs
    assert len(VERBS) == 8


def test_a_run_goes_on_with_its_secret_and_asks_nothing_twice(
    fresh_store: Store, provider: FakeProvider
) -> None:
    secret = a_secret(6)
    opened = open_check(fresh_store, secret, By.LETTER)
    run = ask(fresh_store, opened, "always-a", Terms(limit=2))
    assert len(provider.bodies) == 8
    part = result(fresh_store, run)
    assert part.evidence.figures["test"].items == 2  # type: ignore[attr-defined]  # a LotTest
    assert any(check.name == "unfinished" for check in part.evidence.checks)
    pick_up(fresh_store, opened.method, [run], NO_TERMS)
    ask(fresh_store, opened, "always-a", run=run)
    assert len(provider.bodies) == 24
    assert lot_test_of(fresh_store, run).items == 6
    answer = results.load_answer(fresh_store, run, 3)
    task = opened.method.reopen(fresh_store, runs.load(fresh_store, run).plan)
    assert answer is not None
    assert answer.prompt_sha256 == sha256(task.text(3))
    for other in (a_secret(6, order=3), a_secret(7)):
        method = open_check(fresh_store, other, By.LETTER).method
        with pytest.raises(InputError, match="another secret"):
            method.reopen(fresh_store, runs.load(fresh_store, run).plan)
    with pytest.raises(InputError, match="needs its secret"):
        ProtectMethod().reopen(fresh_store, runs.load(fresh_store, run).plan)


def test_an_unfinished_check_counts_every_look(fresh_store: Store, provider: FakeProvider) -> None:
    """Its p-value is one that may be looked at any time, and larger than the exact one."""
    secret = a_secret(12)
    teach(provider, secret)
    opened = open_check(fresh_store, secret, By.LETTER)
    run = ask(fresh_store, opened, "knows-original", Terms(limit=8))
    estimate, found = result(fresh_store, run).evidence.estimate, lot_test_of(fresh_store, run)
    assert estimate.p_value == found.p_anytime
    assert found.p_anytime > found.p_value


def test_what_is_kept_of_scores_is_read_with_care() -> None:
    secret = a_secret(1)
    task = ProtectTask(shuffle(secret, By.LIKELIHOOD)[0], WORDINGS)
    for bad in ("", "[1, 2]", "{}", "[" * 9_999, '["a", 1, 2, 3]', "[NaN, 1, 2, 3]"):
        assert read_scores(bad, 4) is None
        assert task.read(0, Reply(bad)).outcome is Outcome.INVALID
    assert task.read(0, Reply(json.dumps([-1, -0.5, -2, -3]))).value == "1"


def test_the_sample_is_the_published_side_alone(fresh_store: Store) -> None:
    secret = a_secret(5, 8)
    opened = open_check(fresh_store, secret, By.LETTER)
    found = samples.load(fresh_store, opened.sample)
    assert [one.text for one in found.instances] == [row["text"] for row in rows(secret)]
    assert open_check(fresh_store, secret, By.LETTER).sample == opened.sample
    kept = frozen.load(fresh_store, opened.subject(fresh_store, opened.sample))
    assert all(request.text == "" and not request.facts for request in kept.requests)
