"""Candidates: what is asked for once the variants are there, and which slots the texts get."""

from __future__ import annotations

import json

import pytest

from dcq.asking.options import NO_TERMS
from dcq.asking.plan import RunJob, carry_out, plan
from dcq.errors import InputError
from dcq.store import Store, reviews, rewordings, runs, variants
from dcq.store.variants import Decision, NewVariant
from dcq.variants import offline_writer, reword
from dcq.variants.checks import passes
from dcq.variants.freeze import MOST, freeze
from dcq.variants.method import REWORDING
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import (
    PERTURB_V1,
    PERTURB_V1_OWN,
    PERTURB_V2,
    Protocol,
    perturbation_prompt,
)
from dcq.variants.reword import RewordingDesign
from tests.support.written_variants import (
    FIGURE_4,
    FOUR,
    INSTANCE,
    ONE,
    RELEASED,
    THREE,
    TWO,
    ScriptedModel,
    lettered,
    one_id,
    own,
    turns,
)

__all__ = ["one_id", "turns"]  # fixtures

FIRST = (ONE, TWO, THREE, FOUR)
FIFTH = "The aged man walked 3 miles to the grand town."
SIXTH = "The aged man tramped 3 miles to the huge town."
SEVENTH = "The elderly man strode 3 miles to the huge city."
EIGHTH = "The ancient man hiked 3 miles to the vast town."


async def write(
    store: Store, sample_id: str, protocol: Protocol, candidates: int = 8, *, again: bool = False
) -> str:
    """The run that has written what is lacking by the model ``turns``."""
    frozen = freeze(store, sample_id, protocol, candidates=candidates, again=again)
    assert frozen is not None
    endpoint = REWORDING.endpoint("turns")
    [(run_id, _)] = await plan(store, REWORDING, [frozen], [endpoint], NO_TERMS)
    await carry_out(store, RunJob(run_id, endpoint, REWORDING))
    return run_id


def texts(store: Store, sample_id: str) -> dict[int, str]:
    now = variants.current(store, sample_id, candidates=True).get(INSTANCE.id, {})
    return {slot: one.text for slot, one in now.items()}


def sources(store: Store, sample_id: str) -> list[str | None]:
    run = rewordings.newest_run(store, sample_id)
    assert run is not None
    frozen = runs.load(store, run).plan.subject
    return [request.source for request in rewordings.load(store, frozen).requests]


async def test_candidates_are_rewordings_of_variants_in_the_papers_words(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [
        lettered(ONE, TWO, THREE),
        lettered(FOUR),
        lettered(FIFTH, SIXTH, SEVENTH),
        lettered(EIGHTH),
    ]
    run_id = await write(fresh_store, one_id, Protocol.V1)
    assert texts(fresh_store, one_id) == dict(enumerate([*FIRST, FIFTH, SIXTH, SEVENTH, EIGHTH]))
    none, also_none, third, fourth = sources(fresh_store, one_id)
    assert none is also_none is None
    assert third != fourth
    assert {third, fourth} <= set(FIRST)
    assert turns.prompts == [
        FIGURE_4,
        own(1),
        perturbation_prompt(PERTURB_V1, third or "", 3),
        perturbation_prompt(PERTURB_V1_OWN, fourth or "", 1),
    ]
    now = variants.current(fresh_store, one_id, candidates=True)[INSTANCE.id]
    assert all(passes(one.findings) for one in now.values())
    assert reword.sum_up(fresh_store, run_id).variants == 8
    assert freeze(fresh_store, one_id, Protocol.V1, candidates=8) is None


async def test_the_release_asks_for_four_of_each(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    # The variant that it reworded, or the original itself, in the reply is no candidate.
    turns.replies = [lettered(*FIRST), lettered(INSTANCE.text, *FIRST[:3]), lettered(FIFTH, ONE)]
    run_id = await write(fresh_store, one_id, Protocol.V2)
    assert turns.prompts[0] == RELEASED
    assert texts(fresh_store, one_id) == dict(enumerate([*FIRST, FIFTH]))
    assert len(turns.prompts) == 4  # three requests at most for what one asks for
    later = sources(fresh_store, one_id)[1:]
    assert turns.prompts[1:] == [perturbation_prompt(PERTURB_V2, text or "", 4) for text in later]
    assert len(set(later)) == 3
    assert reword.sum_up(fresh_store, run_id).failed == 3


async def test_what_is_there_is_reworded_unless_it_was_rejected(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    variants.add(
        fresh_store,
        one_id,
        [NewVariant(INSTANCE.id, slot, text, "person") for slot, text in enumerate(FIRST)],
    )
    now = variants.current(fresh_store, one_id)[INSTANCE.id]
    reviews.decide(fresh_store, one_id, [now[0], now[1], now[3]], Decision.REJECTED, "Eve")
    turns.replies = [lettered(FIFTH, SIXTH, SEVENTH), lettered(EIGHTH)]
    await write(fresh_store, one_id, Protocol.V1)
    assert sources(fresh_store, one_id) == [THREE, THREE]
    assert texts(fresh_store, one_id)[4] == FIFTH
    reviews.decide(fresh_store, one_id, [now[2]], Decision.REJECTED, "Eve")
    # Nothing may be reworded, so there is nothing to ask.
    assert freeze(fresh_store, one_id, Protocol.V1, candidates=12) is None


async def test_a_run_that_was_stopped_goes_on(
    fresh_store: Store, one_id: str, turns: ScriptedModel
) -> None:
    turns.replies = [lettered(*FIRST), lettered(FIFTH, SIXTH, SEVENTH, EIGHTH)]
    await write(fresh_store, one_id, Protocol.V2, candidates=4)
    frozen = freeze(fresh_store, one_id, Protocol.V2, candidates=8)
    assert frozen is not None
    endpoint = REWORDING.endpoint("turns")
    [(run_id, _)] = await plan(fresh_store, REWORDING, [frozen], [endpoint], NO_TERMS)
    task = REWORDING.reopen(fresh_store, runs.load(fresh_store, run_id).plan)
    await carry_out(fresh_store, RunJob(run_id, endpoint, REWORDING))
    assert turns.prompts[-1] == task.text(0)
    assert sorted(texts(fresh_store, one_id)) == list(range(8))


async def test_the_offline_generator_is_asked_for_commoner_words(
    fresh_store: Store, one_id: str
) -> None:
    done = await reword.reword_sample(fresh_store, one_id, None, RewordingDesign(candidates=8))
    found = texts(fresh_store, one_id)
    assert len(set(found.values()) | {INSTANCE.text}) == len(found) + 1
    assert max(found) > 3
    assert done.variants == len(found)
    assert sources(fresh_store, one_id) == [None, INSTANCE.text]
    request = offline_writer.write_request(INSTANCE, 8, "en", 0, prefer_common=True)
    assert json.loads(request)["commoner"] is True
    # Requests for variants are as they were, so that older runs can be gone on with.
    assert "commoner" not in json.loads(offline_writer.write_request(INSTANCE, 4, "en", 0))


@pytest.mark.parametrize(("candidates", "wanted"), [(3, 4), (0, 4), (-1, 4), (MOST + 1, 4), (8, 3)])
def test_numbers_that_make_no_sense(
    fresh_store: Store, one_id: str, candidates: int, wanted: int
) -> None:
    with pytest.raises(InputError, match="--candidates 8"):
        freeze(fresh_store, one_id, Perturbation.WORD, candidates=candidates, variants_each=wanted)
