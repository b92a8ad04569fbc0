"""Runs of likelihoods for tests: samples whose texts are long enough for every measure, asked of
the test provider's model ``words``."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.asking import prepare
from dcq.asking.options import DEFAULTS, NO_TERMS, Options, Terms
from dcq.asking.plan import RunJob, ask_rest
from dcq.asking.task import Ended
from dcq.likelihood.detection import freeze
from dcq.likelihood.measures import MEASURES, choose
from dcq.likelihood.method import METHOD
from dcq.records import Instance, PartitionRole, Sample
from dcq.store import Store, runs, samples
from tests.conftest import KEY, small_sample
from tests.support import once
from tests.support.provider import FakeProvider

MODEL = "words"
EVERY = tuple(one.name for one in MEASURES)
CONTROLS = ("lakes", "ponds", "seas")
# Words of one length and about one frequency, so that text alone tells nothing.
_WORDS = ("small", "great", "young", "early", "whole", "white", "black", "green")


def long_sample(
    n: int, *, key: str = "rivers", role: PartitionRole = PartitionRole.TARGET
) -> Sample:
    """``n`` instances of sixteen words, with four variants in which one word is another."""
    chosen = itertools.islice(itertools.permutations(_WORDS, 5), 0, 37 * n, 37)
    instances, variants = [], {}
    for number, words in enumerate(chosen):
        first, *others = words
        text = (
            f"Text: on day {number} the {{}} boat of {key} came past the old mill again\nLabel: 0"
        )
        instance = Instance(text.format(first))
        instances.append(instance)
        variants[instance.id] = tuple(text.format(word) for word in others)
    bare = small_sample(1, key=key, role=role)
    return replace(
        bare,
        partition=replace(bare.partition, title=key.title()),
        instances=tuple(instances),
        requested=n,
        available=n,
        variants=variants,
    )


def save(
    store: Store, provider: FakeProvider, n: int, controls: Iterable[str] = (), *, seen: bool = True
) -> str:
    """A target, which the model has ``seen``, with controls of as many instances; its id."""
    for key in controls:
        samples.save(store, long_sample(n, key=key, role=PartitionRole.CONTROL))
    made = long_sample(n)
    if seen:
        provider.seen = tuple(one.text for one in made.instances)
    return samples.save(store, made)


def plan(
    store: Store, sample_id: str, measures: Sequence[str] | None = None, terms: Terms = NO_TERMS
) -> str:
    """A run that has scored nothing."""
    subject = freeze(store, sample_id, choose(measures))
    return prepare.plan_run(store, METHOD, subject, METHOD.endpoint(MODEL), terms)


async def go_on(store: Store, run_id: str, options: Options = DEFAULTS) -> Ended:
    """Score what is left of a run."""
    endpoint = METHOD.endpoint(runs.load(store, run_id).plan.model)
    return await ask_rest(store, RunJob(run_id, endpoint, METHOD), options)


def score(store: Store, sample_id: str, measures: Sequence[str] | None = None) -> str:
    """A run that has scored all of a sample."""
    run_id = plan(store, sample_id, measures)
    asyncio.run(go_on(store, run_id))
    return run_id


def score_all(store: Store, measures: Sequence[str] | None = None) -> dict[str, str]:
    """A run of each sample in a store, by the key of its partition."""
    return {
        one.partition.partition("/")[0]: score(store, one.id, measures)
        for one in samples.listing(store)
    }


def scored(factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The file of a store with a target that was seen and three controls, all scored by every
    measure, for reading and copying; and the runs by the key of their partition."""

    def make(folder: Path) -> tuple[Path, dict[str, str]]:
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as running:
            patch.setenv("OPENAI_BASE_URL", running.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            store = Store(folder / "dcq.duckdb")
            save(store, running, 12, CONTROLS)
            return store.path, score_all(store, EVERY)

    return once.made(factory, "likelihood-page", make)
