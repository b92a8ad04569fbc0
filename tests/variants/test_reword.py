from __future__ import annotations

import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from dcq import settings
from dcq.asking import launch
from dcq.asking.options import Options, Terms
from dcq.errors import InputError, ModelChoiceError
from dcq.jobs import lock, process
from dcq.jobs.state import RunState
from dcq.models.endpoints import resolve
from dcq.store import Store, reviews, rewordings, runs, samples, variants
from dcq.store.runs import Event
from dcq.variants import reword
from dcq.variants.method import REWORDING
from dcq.variants.reword import RewordingDesign, RewordingProgress
from tests.conftest import small_sample
from tests.support import commands
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


@pytest.fixture
def bare_id(fresh_store: Store) -> str:
    """A sample without variants."""
    return samples.save(fresh_store, replace(small_sample(3), variants={}))


def _wait(store: Store, sample_id: str) -> RewordingProgress:
    def now() -> RewordingProgress:
        found = reword.state(store, sample_id)
        assert found is not None
        return found

    wait_for(lambda: not now().state.live)
    return now()


def test_a_model_writes_what_is_missing_in_a_process_of_its_own(
    fresh_store: Store, bare_id: str, provider: FakeProvider
) -> None:
    assert reword.state(fresh_store, bare_id) is None
    reword.start(fresh_store, bare_id, "reword")
    ended = _wait(fresh_store, bare_id)
    assert (ended.state, ended.writer, ended.planned, ended.done) == (
        RunState.FINISHED,
        "reword",
        12,
        12,
    )
    assert (ended.notes, ended.asked.method, ended.asked.calls) == ((), "rewording", 6)
    assert provider.counts["reword"] >= 3
    with pytest.raises(InputError, match="All 12 variants exist already"):
        reword.start(fresh_store, bare_id, "reword")


def test_what_went_wrong_is_said_in_a_sentence(
    fresh_store: Store, bare_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    reword.start(fresh_store, bare_id, "reword")
    ended = _wait(fresh_store, bare_id)
    assert (ended.state, ended.done) == (RunState.STOPPED, 0)
    assert "OPENAI_API_KEY" in ended.asked.detail
    assert "sk-wrong" not in ended.asked.detail


def test_stopping_keeps_what_is_written(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    def replies() -> int:
        now = reword.state(fresh_store, sample_id)
        return now.asked.done if now else 0

    provider.answers_at_most = 3
    reword.start(
        fresh_store, sample_id, "reword", RewordingDesign(again=True), Options(Terms(concurrency=1))
    )
    wait_for(replies)
    with pytest.raises(InputError, match="being written already"):
        reword.start(fresh_store, sample_id, "reword", RewordingDesign(again=True))
    [run_id] = runs.listing(fresh_store)
    process.cancel(fresh_store, run_id)
    kept = replies()
    provider.answers_at_most += 1
    wait_for(lambda: replies() > kept)  # whoever writes a reply hears of the request by that
    provider.answers_at_most = math.inf
    ended = _wait(fresh_store, sample_id)
    assert ended.state is RunState.CANCELLED
    assert ended.done < ended.planned
    assert len(variants.current(fresh_store, sample_id)) == 6
    launch.resume(fresh_store, REWORDING, ended.run)
    whole = _wait(fresh_store, sample_id)
    assert (whole.run, whole.state, whole.done) == (ended.run, RunState.FINISHED, 24)
    assert provider.counts["reword"] == 12  # two calls for each of six instances, none twice


async def test_a_rewording_that_goes_on_is_counted_without_reading_its_sample(
    fresh_store: Store, bare_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    done = await reword.reword_sample(fresh_store, bare_id, resolve("reword", settings.load()))
    assert done.run is not None
    monkeypatch.setattr(samples, "load", None)
    monkeypatch.setattr(rewordings, "load_sample", None)
    monkeypatch.setattr(variants, "current", None)
    monkeypatch.setattr(rewordings, "shortfalls", None)
    with lock.hold(fresh_store, done.run):
        runs.note(fresh_store, done.run, Event.STARTED)
        now = reword.state(fresh_store, bare_id)
    assert now is not None
    assert (now.state, now.done, now.planned, now.notes) == (RunState.RUNNING, 12, 12, ())


async def test_what_people_write_while_a_sample_is_reworded_stays(
    fresh_store: Store, bare_id: str
) -> None:
    instance = samples.load(fresh_store, bare_id).instances[0]

    def interfere(done: int, total: int) -> None:
        if done == 0:
            new = variants.NewVariant(instance.id, 0, "mine", "person", "Ada")
            variants.add(fresh_store, bare_id, [new])

    done = await reword.reword_sample(fresh_store, bare_id, None, on_instance=interfere)
    now = variants.current(fresh_store, bare_id)[instance.id]
    assert (now[0].text, now[0].author) == ("mine", "Ada")
    assert "Variants that people changed in the meantime were left as they are." in done.notes


async def test_one_variant_is_not_written_over_what_somebody_else_did(
    fresh_store: Store, sample_id: str
) -> None:
    instance = samples.load(fresh_store, sample_id).instances[0]
    seen = variants.current(fresh_store, sample_id)[instance.id][1]
    reviews.decide(fresh_store, sample_id, [seen], variants.Decision.ACCEPTED, "Ada")
    why = await reword.reword_some(fresh_store, sample_id, {instance.id: {1: seen}}, None)
    assert why == "Variants that people changed in the meantime were left as they are."
    now = variants.current(fresh_store, sample_id)[instance.id][1]
    assert (now.text, now.decision) == (seen.text, variants.Decision.ACCEPTED)
    assert await reword.reword_some(fresh_store, sample_id, {instance.id: {1: now}}, None) is None


def test_a_model_that_cannot_be_used_starts_nothing(fresh_store: Store, bare_id: str) -> None:
    with pytest.raises(ModelChoiceError):
        reword.start(fresh_store, bare_id, "")
    assert reword.state(fresh_store, bare_id) is None


def test_of_three_that_start_at_once_one_writes(
    fresh_store: Store, bare_id: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0  # until the others have found the first at work
    words = ["perturb", bare_id, "--model", "reword"]
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    with ThreadPoolExecutor(3) as people:
        begun = [people.submit(commands.run, *words, environment=environment) for _ in range(3)]
        wait_for(lambda: sum(one.done() for one in begun) == 2)
        provider.answers_at_most = math.inf
    done = [one.result() for one in begun]
    said = [process.stderr for process in done]
    assert sorted(process.returncode for process in done) == [0, 2, 2], said
    assert sum("are being written already" in text for text in said) == 2
    assert provider.counts["reword"] == 6  # two calls for each of three instances
    assert len(variants.current(fresh_store, bare_id)) == 3


def test_of_three_tabs_that_start_at_once_one_does(
    fresh_store: Store, bare_id: str, provider: FakeProvider
) -> None:
    provider.answers_at_most = 0  # until the others have found the first at work

    def start(_: int) -> str:
        try:
            reword.start(fresh_store, bare_id, "reword")
        except InputError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(3) as tabs:
        said = list(tabs.map(start, range(3)))
    provider.answers_at_most = math.inf
    assert sorted(map(bool, said)) == [False, True, True]
    assert _wait(fresh_store, bare_id).state is RunState.FINISHED
    assert provider.counts["reword"] == 6


async def test_what_another_has_just_written_is_not_written_again(
    fresh_store: Store, bare_id: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that start one after the other: the second looks for what is missing under the lock."""
    taken = lock.hold

    @contextmanager
    def finish_another_first(store: Store, name: str, busy: str = "") -> Iterator[None]:
        monkeypatch.setattr(lock, "hold", taken)
        # What another process does between our start and our lock.
        for instance in samples.load(store, bare_id).instances:
            variants.add(
                store,
                bare_id,
                [
                    variants.NewVariant(
                        instance.id, slot, f"{instance.text} {slot}", "person", "", ()
                    )
                    for slot in range(4)
                ],
            )
        with taken(store, name, busy):
            yield

    monkeypatch.setattr(lock, "hold", finish_another_first)
    done = await reword.reword_sample(fresh_store, bare_id, resolve("reword", settings.load()))
    assert (done.instances, provider.counts["reword"]) == (0, 0)
