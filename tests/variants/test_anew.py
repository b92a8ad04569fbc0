from __future__ import annotations

import pytest

from dcq import settings
from dcq.errors import InputError
from dcq.files import export
from dcq.models.endpoints import Endpoint, resolve
from dcq.store import Store, runs, samples, variants
from dcq.store.rewordings import newest_run
from dcq.variants import reword
from dcq.variants.prompts import MOST_INSTRUCTION, Protocol, read_instruction
from tests.support.provider import FakeProvider

INSTRUCTION = "Keep {text} short. <b>Always</b>."


@pytest.fixture
def model(provider: FakeProvider) -> Endpoint:
    assert provider.base_url
    return resolve("reword", settings.load())


async def test_an_instruction_is_sent_at_the_end_and_kept_with_what_it_brought(
    fresh_store: Store, sample_id: str, provider: FakeProvider, model: Endpoint
) -> None:
    first = samples.load(fresh_store, sample_id).instances[0].id
    there = variants.current(fresh_store, sample_id)[first]
    shortfall = await reword.reword_some(
        fresh_store, sample_id, {first: {2: there[2]}}, model, author="Ana", instruction=INSTRUCTION
    )
    assert shortfall is None
    sent = str(provider.bodies[0]["messages"][0]["content"])
    assert sent.endswith(f"—\n\nAdditional instruction:\n\n{INSTRUCTION}")
    now = variants.current(fresh_store, sample_id)[first]
    assert (now[2].prompt, now[2].instruction) == ("perturb/v1-own+instruction", INSTRUCTION)
    assert (now[1], now[1].instruction) == (there[1], "")
    history = variants.history(fresh_store, sample_id, first)
    assert history["note"].tolist()[0] == INSTRUCTION
    rows = export.frame(fresh_store, export.ExportTable.VARIANTS, sample_id)
    assert rows[rows["instruction"] == INSTRUCTION]["slot"].tolist() == ["C"]
    run = newest_run(fresh_store, sample_id)
    assert run is not None
    plan = runs.load(fresh_store, run).plan
    assert INSTRUCTION in plan.wording


@pytest.mark.parametrize("protocol", list(Protocol))
async def test_a_whole_instance_is_written_anew(
    fresh_store: Store, sample_id: str, model: Endpoint, protocol: Protocol
) -> None:
    first = samples.load(fresh_store, sample_id).instances[0].id
    there = variants.current(fresh_store, sample_id)[first]
    wanted = {first: dict(there)}
    done = await reword.reword_some(fresh_store, sample_id, wanted, model, protocol=protocol)
    assert done is None
    now = variants.current(fresh_store, sample_id)[first]
    assert {v.origin for v in now.values()} == {"model:reword"}
    assert not {v.text for v in now.values()} & {v.text for v in there.values()}
    assert not any("+instruction" in str(v.prompt) for v in now.values())


async def test_the_offline_generator_takes_no_instruction(
    fresh_store: Store, sample_id: str
) -> None:
    first = samples.load(fresh_store, sample_id).instances[0].id
    with pytest.raises(InputError, match="takes no instruction"):
        await reword.reword_some(
            fresh_store, sample_id, {first: {0: None}}, None, instruction=INSTRUCTION
        )


def test_an_instruction_is_short() -> None:
    assert read_instruction("  brief\n") == "brief"
    with pytest.raises(InputError, match="at most 500 characters"):
        read_instruction("x" * (MOST_INSTRUCTION + 1))
