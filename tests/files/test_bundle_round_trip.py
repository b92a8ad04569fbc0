"""Whatever a store holds, its bundle makes a store that says the same and makes the same bundle."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from dcq import methods
from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.plan import plan
from dcq.files import bundle_import, bundle_write
from dcq.files.bundle import BundleManifest
from dcq.investigation import walk
from dcq.jobs.restore import restore
from dcq.models.endpoints import resolve
from dcq.overlap import searches
from dcq.overlap.freeze import SearchDesign
from dcq.quiz import choice, freeze, people, v2
from dcq.quiz.method import QUIZ
from dcq.records import LETTERS, PartitionRole, QuizKind
from dcq.replication import replicate
from dcq.replication.replicate import Design
from dcq.settings import load
from dcq.store import (
    Store,
    copies,
    opinions,
    pairs,
    reviews,
    samples,
    sets,
    sittings,
    studies,
    undo,
    variants,
)
from dcq.store import replications as store_replications
from dcq.store.bundle_take import take
from dcq.store.studies import EVERYTHING, Study
from dcq.store.variants import Decision, NewVariant
from dcq.variants import placebo
from dcq.variants.reword import reword_sample, reword_some
from dcq.variants.sets import new_set
from tests.conftest import small_sample
from tests.support import replications, scanned
from tests.support.asked import ask
from tests.support.batches import BatchProvider
from tests.support.judged import SEEN, put, put_controls
from tests.support.runs import go_on
from tests.support.search_services import FakeWeb

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]

N = 6


class World(NamedTuple):
    """A store that is filled, what answers it, and a folder."""

    store: Store
    host: BatchProvider
    web: FakeWeb
    folder: Path


def _draw(
    world: World, key: str = "rivers", role: PartitionRole = PartitionRole.TARGET, n: int = N
) -> str:
    return samples.save(world.store, small_sample(n, key=key, role=role))


def _bare(world: World, key: str) -> str:
    """A sample without variants."""
    return samples.save(world.store, replace(small_sample(N, key=key), variants={}))


def _quiz(world: World) -> None:
    for key, role in (("rivers", PartitionRole.TARGET), ("unseen", PartitionRole.CONTROL)):
        ask(world.store, _draw(world, key, role), QuizKind.STANDARD, "guess")
    for kind in (QuizKind.MODIFIED, QuizKind.ROTATED):
        ask(world.store, _draw(world), kind, "always-a")


def _unfinished(world: World) -> None:
    quiz = freeze.freeze(world.store, _draw(world), QuizKind.STANDARD, slot="B").quiz
    _asked(world, quiz, Terms(max_calls=3))


def _batch(world: World) -> None:
    quiz = freeze.freeze(world.store, _draw(world), QuizKind.STANDARD, slot="C").quiz
    _asked(world, quiz, by_batch=True)


def _asked(world: World, quiz: str, terms: Terms = NO_TERMS, *, by_batch: bool = False) -> None:
    who = [resolve("gpt-4o-mini", load())]
    for run, _ in asyncio.run(plan(world.store, QUIZ, [quiz], who, terms, by_batch=by_batch)):
        asyncio.run(go_on(world.store, run))


def _five_options(world: World) -> None:
    asyncio.run(v2.take(world.store, _draw(world), "guess"))


def _written(world: World) -> None:
    """Variants by a model that nobody has reviewed."""
    made = _bare(world, "brooks")
    asyncio.run(reword_sample(world.store, made, resolve("reword", load())))
    ask(world.store, made, QuizKind.STANDARD, "guess")


def _reviewed(world: World) -> None:
    """Variants that were decided about, and one of them written again."""
    made = _bare(world, "creeks")
    asyncio.run(reword_sample(world.store, made, resolve("reword", load())))
    ask(world.store, made, QuizKind.STANDARD, "guess")
    slots = variants.current(world.store, made)
    seen = [one for of in slots.values() for one in of.values()]
    reviews.decide(world.store, made, seen[:3], Decision.ACCEPTED, "Ada")
    reviews.decide(world.store, made, seen[3:5], Decision.REJECTED, "Ada")
    undo.undo(world.store, made, "Ada", 1)
    instance, slot = seen[0].instance_id, seen[0].slot
    again = {instance: {slot: variants.current(world.store, made)[instance][slot]}}
    asyncio.run(reword_some(world.store, made, again, resolve("reword", load())))


def _by_hand(world: World) -> None:
    """Rows of other samples in between: numbers with gaps."""
    other, made = _draw(world, "aside"), _draw(world, "ponds")
    for sample, text in ((made, "one"), (other, "two"), (made, "three")):
        instance, slots = next(iter(variants.current(world.store, sample).items()))
        variants.add(world.store, sample, [NewVariant(instance, 0, text, "person", "Ada")])
        reviews.decide(world.store, sample, [slots[1]], Decision.ACCEPTED, "Ada")
    ask(world.store, made, QuizKind.STANDARD, "guess")
    studies.save(world.store, Study("Ponds", partitions=("ponds/test",)))


def _sets(world: World) -> None:
    first = _draw(world, "lakes")
    ask(world.store, first, QuizKind.STANDARD, "guess")
    made = new_set(world.store, first, "deep")
    variants.add(
        world.store,
        made,
        [
            NewVariant(instance, slot, one.text.replace("long", "deep"), one.origin)
            for instance, slots in variants.current(world.store, first).items()
            for slot, one in slots.items()
        ],
    )
    ask(world.store, made, QuizKind.STANDARD, "guess")
    sets.choose_counting_set(world.store, made, author="Ada")


def _pair(world: World) -> None:
    made = _draw(world, "becks")
    ids = [one.id for one in samples.load(world.store, made).instances]
    pairs.assign(world.store, made, ("Ada", "Ben"), 0.5, seed=0, author="Cy", instance_ids=ids)
    seen = [slots[0] for slots in variants.current(world.store, made).values()]
    for who, decision in (("Ada", Decision.ACCEPTED), ("Ben", Decision.ACCEPTED)):
        opinions.decide(world.store, made, seen, decision, who)
    reviews.raise_flag(world.store, made, seen[0], "odd", "Ada")
    reviews.write(world.store, made, "Keep the sense.", "Cy", None)
    ask(world.store, made, QuizKind.STANDARD, "guess")


def _sitting(world: World) -> None:
    made = _draw(world, "springs")
    taken = people.begin_sitting(world.store, made, "Eve", 4)
    for position in range(4):
        sittings.answer(world.store, taken, position, LETTERS[position])
    people.begin_sitting(world.store, made, "Dan", 4)
    ask(world.store, made, QuizKind.STANDARD, "guess")


def _investigation(world: World) -> None:
    target = _draw(world, "falls")
    _draw(world, "unseen-2", PartitionRole.CONTROL)
    chosen = choice.choose(world.store, target, QuizKind.STANDARD)
    asyncio.run(walk.investigate(world.store, chosen, "knows-original"))


def _placebo(world: World) -> None:
    target = _draw(world, "tides")
    ask(world.store, target, QuizKind.STANDARD, "guess")
    made = placebo.make(world.store, target).sample
    asyncio.run(reword_sample(world.store, made, resolve("reword", load())))
    ask(world.store, made, QuizKind.STANDARD, "guess")


def _looks(world: World) -> None:
    for number in range(2):
        drawn = _draw(world, f"control-{number}", PartitionRole.CONTROL, 10)
        ask(world.store, drawn, QuizKind.STANDARD, "knows-original")
    target = _draw(world, "deltas", n=20)
    quiz = freeze.freeze(world.store, target, QuizKind.STANDARD, slot="D").quiz
    who = [resolve("knows-original", load())]
    for run, _ in asyncio.run(plan(world.store, QUIZ, [quiz], who, Terms(sequential=True))):
        asyncio.run(go_on(world.store, run))


def _replication(world: World) -> None:
    made, texts = replications.save(world.store, N, key="mills")
    world.host.seen = tuple(texts[:3])
    store_replications.move(
        world.store, made, samples.load(world.store, made).instances[0].id, 0, 20, "Ada"
    )
    done = asyncio.run(replicate.replicate(world.store, made, "recites", Design("judges")))
    store_replications.add(world.store, done.run, 0, "Ada", "exact")
    asyncio.run(replicate.ask_for_first_instances(world.store, made, "guess"))


def _scan(world: World) -> None:
    scanned.scan(world.store, scanned.save(world.store, 4), world.folder / "corpus", [0], [1])


def _search(world: World) -> None:
    made, texts = replications.save(world.store, 3, key="weirs")
    world.web.pages |= {"https://a.org/0": f"{texts[0]} Wet"}
    asyncio.run(searches.search(world.store, made, "brave", SearchDesign(archive="none")))


# Every kind is in one of these stores, beside others of which the judge reads the same tables or
# none. Replications and searches have stores of their own, which hold no quiz.
HANDS = (
    (_quiz, _investigation, _reviewed),
    (_unfinished, _looks, _pair, _by_hand),
    (_five_options, _placebo, _sets, _scan),
    (_replication,),
    (_search,),
)
HAND_WITHOUT_TEXTS = (_batch, _written, _sitting)  # and with them


def _names(kinds: Sequence[Callable[[World], None]]) -> str:
    return "+".join(kind.__name__.strip("_") for kind in kinds)


@pytest.fixture
def world(host: BatchProvider, web: FakeWeb, fresh_store: Store, tmp_path: Path) -> World:
    return World(fresh_store, host, web, tmp_path)


def _goes_round(world: World, empty: Path, *, with_text: bool = True) -> BundleManifest:
    packed, manifest = bundle_write.to_bytes(world.store, with_text=with_text)
    file = world.folder / "all.zip"
    file.write_bytes(packed)
    copy = Store(shutil.copy(empty, world.folder / "copy.duckdb"))
    done = bundle_import.load(copy, file)
    assert (done.differences, done.here) == ((), ())
    if with_text:
        again, said = bundle_write.to_bytes(copy)
        assert said.outcomes == manifest.outcomes  # its verdicts, computed in the copy
        assert again == packed
    else:
        assert bundle_write.to_bytes(world.store, with_text=False)[0] == packed
    return manifest


def test_a_store_goes_round_without_texts_too(world: World, empty_store: Path) -> None:
    for kind in HAND_WITHOUT_TEXTS:
        kind(world)
    for with_text in (True, False):
        _goes_round(world, empty_store, with_text=with_text)


def test_a_store_of_quizzes_and_replications_goes_round_without_texts(
    world: World, empty_store: Path
) -> None:
    """Only the quizzes can be judged again; the replications are of another benchmark."""
    put_controls(world.store)
    put(world.store, "rivers", SEEN)
    for key, role in (
        ("mills", PartitionRole.TARGET),
        ("weirs", PartitionRole.CONTROL),
        ("locks", PartitionRole.CONTROL),
    ):
        drawn, _ = replications.save(world.store, 20, key=key, role=role)
        asyncio.run(replicate.replicate(world.store, drawn, "recites", design=Design("judges")))
    bare = _goes_round(world, empty_store, with_text=False)
    _, whole = bundle_write.to_bytes(world.store)
    assert bare.outcomes.replications == whole.outcomes.replications
    together, alone = (
        [row["q_control"] for row in one.outcomes.results if row["q_control"] is not None]
        for one in (whole, bare)
    )
    assert len(together) == len(alone) > 0
    assert together == alone


@pytest.mark.parametrize("kinds", HANDS, ids=_names)
def test_a_store_goes_round(
    world: World, kinds: Sequence[Callable[[World], None]], empty_store: Path
) -> None:
    """By its bundle, and by its copy."""
    for kind in kinds:
        kind(world)
    _goes_round(world, empty_store)
    copies.take(world.store, world.folder / "whole.duckdb")
    there = Store(shutil.copy(empty_store, world.folder / "there.duckdb"))
    restore(there, world.folder / "whole.duckdb", mine=True)
    kinds_of_runs = methods.kinds_of(EVERYTHING)
    assert take(there, EVERYTHING, kinds_of_runs) == take(world.store, EVERYTHING, kinds_of_runs)
