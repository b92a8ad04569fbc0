from __future__ import annotations

import time
from dataclasses import replace

import pytest

from dcq.errors import InputError, ModelChoiceError
from dcq.runs import lock, reword, rewording
from dcq.runs.rewording import Rewording, State
from dcq.store import Store, samples, variants
from tests.conftest import small_sample
from tests.support.provider import Provider


@pytest.fixture
def bare_id(fresh_store: Store) -> str:
    """A sample without variants."""
    return samples.save(fresh_store, replace(small_sample(3), variants={}))


def _wait(store: Store, sample_id: str) -> Rewording:
    deadline = time.monotonic() + 90
    while True:
        now = rewording.state(store, sample_id)
        assert now is not None
        if now.state is not State.RUNNING:
            return now
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_model_writes_what_is_missing_in_a_process_of_its_own(
    fresh_store: Store, bare_id: str, provider: Provider
) -> None:
    assert rewording.state(fresh_store, bare_id) is None
    rewording.start(fresh_store, bare_id, "reword")
    ended = _wait(fresh_store, bare_id)
    assert ended == Rewording(State.FINISHED, "reword", 12, 12, ())
    assert provider.counts["reword"] >= 3
    with pytest.raises(InputError, match="All 12 variants are there"):
        rewording.start(fresh_store, bare_id, "reword")


def test_what_went_wrong_is_told_in_a_sentence(
    fresh_store: Store, bare_id: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    rewording.start(fresh_store, bare_id, "reword")
    ended = _wait(fresh_store, bare_id)
    assert (ended.state, ended.done) == (State.FAILED, 0)
    assert "OPENAI_API_KEY" in " ".join(ended.notes)
    assert "sk-wrong" not in " ".join(ended.notes)


def test_stopping_keeps_what_is_written(
    fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    assert provider.base_url
    rewording.start(fresh_store, sample_id, "slow", anew=True)
    deadline = time.monotonic() + 60
    while not lock.held(fresh_store, reword.lock_name(sample_id)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(InputError, match="being written already"):
        rewording.start(fresh_store, sample_id, "reword", anew=True)
    time.sleep(0.2)
    rewording.stop(fresh_store, sample_id)
    ended = _wait(fresh_store, sample_id)
    assert ended.state is State.FAILED
    assert ended.notes == ("Stopped; what was written so far is kept.",)
    assert len(variants.current(fresh_store, sample_id)) == 6


def test_a_model_that_cannot_be_used_starts_nothing(fresh_store: Store, bare_id: str) -> None:
    with pytest.raises(ModelChoiceError):
        rewording.start(fresh_store, bare_id, "")
    assert rewording.state(fresh_store, bare_id) is None
    rewording.stop(fresh_store, bare_id)  # nothing to stop is no mistake
