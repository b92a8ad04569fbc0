"""Runs of originals and rewordings, and the scores that they leave."""

from __future__ import annotations

import asyncio
import math
import os
from dataclasses import replace

import pytest

from dcq.asking import prepare
from dcq.asking.options import Terms
from dcq.asking.plan import RunJob, carry_out, pick_up
from dcq.asking.prompt import sha256
from dcq.asking.reuse import reuse_answers
from dcq.effect import stored
from dcq.effect.asked import keep_brought, keep_runs
from dcq.effect.matter import EffectRuling, LeftOut, ScoreContext
from dcq.effect.method import METHOD
from dcq.effect.questions import freeze
from dcq.effect.scores import ModelScores, gather
from dcq.jobs.state import RunState, state_of
from dcq.store import Store, results, run_progress, runs, score_sets
from dcq.store.runs import Event
from tests.support import commands
from tests.support.accepted_sample import reword
from tests.support.behaviours import MODELS, says
from tests.support.matter import answers as brought_answers
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for
from tests.support.scoring import accepted, answers, ask, scored

PARTITION = "rivers/test"


def kept(store: Store) -> dict[str, ModelScores]:
    [effect] = stored.all_stored(store)
    assert effect.score_set.benchmark == PARTITION
    return {model.model: model for model in effect.scores.models}


def share(values: ModelScores) -> tuple[float, ...]:
    return tuple(sum(by.values()) / len(by) for by in (values.original, values.reworded))


def test_a_run_is_asked_and_its_scores_are_kept(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers(rewordings=0.5))
    run_id = scored(fresh_store, "learned")
    stored_run = runs.load(fresh_store, run_id)
    assert (stored_run.event, stored_run.plan.method) == (Event.FINISHED, "score")
    task = METHOD.reopen(fresh_store, stored_run.plan)
    assert task.size == provider.counts["learned"] == 12
    for position in range(task.size):
        answer = results.load_answer(fresh_store, run_id, position)
        assert answer is not None
        assert answer.prompt_sha256 == sha256(task.text(position))
    [effect] = stored.all_stored(fresh_store)
    [model] = effect.scores.models
    assert (model.role, share(model)) == ("target", (1.0, 0.5))
    assert (effect.context.chance, effect.findings[0].drop.drop) == (0.5, 0.5)
    keep_runs(fresh_store, [run_id])  # the same again is no new entry
    [same] = stored.all_stored(fresh_store)
    assert same.score_set.seq == effect.score_set.seq


def test_scores_of_other_models_stay_and_the_newest_of_a_model_count(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = gather(brought_answers(n=20, references=2))
    told = ScoreContext({}, {"target": {"i0": True}}, 0.25, forced=True)
    stored.keep(fresh_store, PARTITION, brought, told)
    monkeypatch.setitem(MODELS, "ref-0", answers())
    scored(fresh_store, "ref-0", "ref-0")
    models = kept(fresh_store)
    assert set(models) == {"target", "ref-0", "ref-1"}
    assert (models["ref-0"].role, share(models["ref-0"])) == ("reference", (1.0, 1.0))
    assert len(models["target"].original) == 20
    [effect] = stored.all_stored(fresh_store)
    assert effect.context.seen == {"target": {"i0": True}}
    assert (effect.context.chance, effect.context.forced) == (0.25, True)
    monkeypatch.setitem(MODELS, "ref-0", answers(originals=0.0))
    scored(fresh_store, "ref-0")
    models = kept(fresh_store)
    assert (models["ref-0"].role, share(models["ref-0"])) == ("target", (0.0, 1.0))


@pytest.mark.parametrize(
    ("text", "refusal", "outcome"),
    [
        (None, "I can't help with that.", "refused"),
        ("I'm sorry, no.", None, "refused"),
        ("Both of them", None, "invalid"),
        ("", None, "invalid"),
    ],
)
def test_refused_and_unusable_replies_count_as_wrong(
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
    text: str | None,
    refusal: str | None,
    outcome: str,
) -> None:
    monkeypatch.setitem(MODELS, "mute", says(text, refusal=refusal))
    run_id = scored(fresh_store, "mute")
    [run] = run_progress.progress(fresh_store, [run_id])
    assert getattr(run, outcome) == run.done == 12
    assert share(kept(fresh_store)["mute"]) == (0.0, 0.0)


def test_a_budget_ends_it_and_the_rest_is_asked_later_and_nothing_twice(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "gpt-4o-mini", answers())
    subject = freeze(fresh_store, accepted(fresh_store, 40))
    run_id, ended = ask(fresh_store, subject, "gpt-4o-mini", Terms(budget_usd=0.0002))
    assert ended.event is Event.STOPPED
    assert "budget" in ended.detail
    assert 0 < provider.counts["gpt-4o-mini"] < 80
    assert stored.all_stored(fresh_store) == []  # until whoever asked keeps what there is
    keep_runs(fresh_store, [run_id])
    assert 0 < len(kept(fresh_store)["gpt-4o-mini"].original) < 40
    again, ended = ask(fresh_store, subject, "gpt-4o-mini", Terms(budget_usd=1.0), resume=True)
    assert (again, ended.event) == (run_id, Event.FINISHED)
    assert provider.counts["gpt-4o-mini"] == 80
    assert len(kept(fresh_store)["gpt-4o-mini"].original) == 40


def test_what_is_answered_in_one_wording_alone_counts_for_nothing(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    subject = freeze(fresh_store, accepted(fresh_store))
    run_id, ended = ask(fresh_store, subject, "learned", Terms(max_calls=1))
    assert ended.event is Event.STOPPED
    keep_runs(fresh_store, [run_id])
    assert stored.all_stored(fresh_store) == []
    _, ended = ask(fresh_store, subject, "learned", Terms(max_calls=3), resume=True)
    keep_runs(fresh_store, [run_id])
    model = kept(fresh_store)["learned"]
    assert (len(model.original), len(model.unpaired)) == (1, 1)


def test_a_later_run_without_replies_takes_nothing_away(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    scored(fresh_store, "learned")
    before = kept(fresh_store)
    monkeypatch.setitem(MODELS, "learned", MODELS["quota"])
    keep_runs(fresh_store, [scored(fresh_store, "learned")])
    assert kept(fresh_store) == before
    assert len(score_sets.current(fresh_store)) == 1


def test_answers_of_an_earlier_run_are_reused(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    sample_id = accepted(fresh_store)
    ask(fresh_store, freeze(fresh_store, sample_id), "learned")
    subject = freeze(fresh_store, sample_id, ["learned"])
    run_id = prepare.plan_run(fresh_store, METHOD, subject, METHOD.endpoint("learned"))
    assert reuse_answers(fresh_store, METHOD, run_id) == 12
    assert provider.counts["learned"] == 12


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample_id = accepted(fresh_store, 40)
    monkeypatch.setitem(MODELS, "learned", answers())
    provider.answers_at_most = 23
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    words = ["score", sample_id, "--model", "learned", "--concurrency", "2"]
    process = commands.start(words, environment)
    wait_for(lambda: provider.counts["learned"] == 23 + 2)  # two are in flight
    [run_id] = runs.listing(fresh_store)
    wait_for(lambda: run_progress.progress(fresh_store, [run_id])[0].done)
    process.kill()
    process.join()
    stored_run = runs.load(fresh_store, run_id)
    state = state_of(fresh_store, run_id, stored_run.event, stored_run.event_at)
    assert state is RunState.INTERRUPTED
    done = run_progress.progress(fresh_store, [run_id])[0].done
    assert done > 0
    before = provider.counts["learned"]
    provider.answers_at_most = math.inf
    subject = stored_run.plan.subject
    assert ask(fresh_store, subject, "learned", resume=True)[0] == run_id
    assert provider.counts["learned"] - before == 80 - done
    assert len(kept(fresh_store)["learned"].original) == 40


def other_rewordings(store: Store, sample_id: str, model: str, *references: str) -> None:
    reword(store, sample_id, "wide")
    for name in (model, *references):
        ask(store, freeze(store, sample_id, references), name)


def test_models_that_were_asked_other_rewordings_are_not_compared(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them drop by a quarter on any rewording, so none is inflated."""
    names = ("ref-0", "ref-1", "ref-2")
    for name in ("learned", *names):
        monkeypatch.setitem(MODELS, name, answers(originals=0.95, rewordings=0.7))
    sample_id = accepted(fresh_store, 60)
    ask(fresh_store, freeze(fresh_store, sample_id), "learned")
    other_rewordings(fresh_store, sample_id, *names, "ref-0", "ref-1", "ref-2")
    [effect] = stored.all_stored(fresh_store)
    target = next(one for one in effect.findings if one.model == "learned")
    assert {one.left_out for one in target.references} == {LeftOut.OTHER_WORDING}
    assert (target.inflation, target.ruling) == (None, EffectRuling.NOT_ENOUGH)
    ask(fresh_store, freeze(fresh_store, sample_id, names), "learned")
    [effect] = stored.all_stored(fresh_store)
    target = next(one for one in effect.findings if one.model == "learned")
    assert {one.left_out for one in target.references} == {None}
    assert target.inflation is not None
    assert target.inflation.inflation == pytest.approx(0.0)


def test_the_sample_that_was_asked_last_counts(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers(rewordings=0.5))
    sizes = []
    for first, n in ((0, 20), (20, 10)):
        ask(fresh_store, freeze(fresh_store, accepted(fresh_store, n, first=first)), "learned")
        sizes.append(len(kept(fresh_store)["learned"].original))
    assert sizes == [20, 10]


def test_a_part_that_is_asked_again_takes_nothing_from_the_rest(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    sample_id = accepted(fresh_store, 20)
    old, _ = ask(fresh_store, freeze(fresh_store, sample_id), "learned", Terms(max_calls=32))
    monkeypatch.setitem(MODELS, "learned", answers(originals=0.0, rewordings=0.0))
    ask(fresh_store, freeze(fresh_store, sample_id), "learned", Terms(limit=5))
    model = kept(fresh_store)["learned"]
    assert (len(model.original), sum(model.original.values())) == (16, 11)
    keep_runs(fresh_store, [old])  # by an older run nothing becomes older
    assert kept(fresh_store)["learned"] == model
    monkeypatch.setitem(MODELS, "learned", answers())
    [(_, endpoint)] = pick_up(fresh_store, METHOD, [old], Terms(max_calls=99))
    asyncio.run(carry_out(fresh_store, RunJob(old, endpoint, METHOD)))
    keep_runs(fresh_store, [old])  # what is paid for today counts
    model = kept(fresh_store)["learned"]
    assert (len(model.original), sum(model.original.values())) == (20, 20)


def test_a_run_of_reused_answers_is_later_than_they_are(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    sample_id = accepted(fresh_store)
    ask(fresh_store, freeze(fresh_store, sample_id), "learned")
    reword(fresh_store, sample_id, "wide")
    few = Terms(limit=2, concurrency=1)  # a rewording is its last answer
    ask(fresh_store, freeze(fresh_store, sample_id), "learned", few)
    assert len(kept(fresh_store)["learned"].original) == 2
    reword(fresh_store, sample_id, "lengthy")
    again = freeze(fresh_store, sample_id, ["learned"])
    run_id = prepare.plan_run(fresh_store, METHOD, again, METHOD.endpoint("learned"))
    assert reuse_answers(fresh_store, METHOD, run_id) == 12
    keep_runs(fresh_store, [run_id])
    model = kept(fresh_store)["learned"]
    assert (model.role, len(model.original)) == ("reference", 6)


def test_errors_make_no_run_the_last(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    sample_id = accepted(fresh_store)
    halted, _ = ask(fresh_store, freeze(fresh_store, sample_id), "learned", Terms(max_calls=4))
    ask(fresh_store, freeze(fresh_store, sample_id, ["learned"]), "learned")
    monkeypatch.setitem(MODELS, "learned", MODELS["overflow"])
    [(_, endpoint)] = pick_up(fresh_store, METHOD, [halted], Terms(max_calls=99))
    asyncio.run(carry_out(fresh_store, RunJob(halted, endpoint, METHOD)))
    [progress] = run_progress.progress(fresh_store, [halted])
    assert progress.errors > 0
    keep_runs(fresh_store, [halted])
    model = kept(fresh_store)["learned"]
    assert (model.role, len(model.original)) == ("reference", 6)


def test_another_role_or_wording_starts_anew(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target does not become a reference with all its answers by one call."""
    monkeypatch.setitem(MODELS, "learned", answers())
    sample_id = accepted(fresh_store, 20)
    ask(fresh_store, freeze(fresh_store, sample_id), "learned")
    ask(fresh_store, freeze(fresh_store, sample_id, ["learned"]), "learned", Terms(limit=1))
    model = kept(fresh_store)["learned"]
    assert (model.role, len(model.original)) == ("reference", 1)
    reword(fresh_store, sample_id, "wide")
    ask(fresh_store, freeze(fresh_store, sample_id), "learned", Terms(limit=3))
    model = kept(fresh_store)["learned"]
    assert (model.role, len(model.original)) == ("target", 3)


def test_a_guess_is_right_as_often_as_the_newest_choices_say(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    monkeypatch.setitem(MODELS, "learned", says("0 (Dry)"))
    few = accepted(fresh_store, 6)
    many = accepted(fresh_store, 8, tuple(f"{i} (kind {i})" for i in range(8)), first=20)
    for sample_id, chance in ((few, 0.5), (many, 0.125)):
        ask(fresh_store, freeze(fresh_store, sample_id), "learned")
        [effect] = stored.all_stored(fresh_store)
        assert effect.context.chance == chance


def test_scores_that_are_brought_leave_those_that_were_asked(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    scored(fresh_store, "learned")
    told = ScoreContext({}, {}, 0.25)
    for count in (2, 1):
        brought = gather(brought_answers(n=20, references=count))
        before = score_sets.state(fresh_store)
        assert keep_brought(fresh_store, PARTITION, brought, told) == PARTITION
        assert score_sets.state(fresh_store) == before + 1  # in one step: nothing is lost between
        assert set(kept(fresh_store)) == {"target", "learned", *(f"ref-{i}" for i in range(count))}
    [effect] = stored.all_stored(fresh_store)
    assert effect.context.chance == 0.25
    newer = brought_answers(n=9, references=0)
    again = gather([replace(answer, model="learned") for answer in newer])
    keep_brought(fresh_store, PARTITION, again, told)
    assert len(kept(fresh_store)["learned"].original) == 9


@pytest.mark.parametrize("key", ["a  b", "x" * 200, "GPT模型"])
def test_scores_are_kept_whatever_the_dataset_is_called(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setitem(MODELS, "learned", answers())
    run_id, ended = ask(fresh_store, freeze(fresh_store, accepted(fresh_store, key=key)), "learned")
    assert ended.event is Event.FINISHED
    [effect] = stored.all_stored(fresh_store)
    assert effect.score_set.benchmark == f"{key}/test"
    keep_brought(fresh_store, f"{key}/test", effect.scores, effect.context)
    assert len(stored.all_stored(fresh_store)) == 1
    assert run_id
