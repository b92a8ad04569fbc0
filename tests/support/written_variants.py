"""Variants that a fake provider writes."""

from collections.abc import Mapping, Sequence

import pytest

from dcq.records import (
    DatasetTask,
    Instance,
    Partition,
    PartitionRole,
    Sample,
)
from dcq.store import Store, samples, variants
from dcq.variants.prompts import (
    PERTURB_V1,
    PERTURB_V1_OWN,
    PERTURB_V2,
    perturbation_prompt,
)
from tests.support.behaviours import MODELS, ChatRequest, FakeReply, ServerState
from tests.support.provider import FakeProvider

INSTANCE = Instance("The old man walked 3 miles to the big town.")


ONE = "The aged man walked 3 miles to the big town."


TWO = "The old man strode 3 miles to the large town."


THREE = "The elderly man walked 3 miles to the big city."


FOUR = "The ancient man marched 3 miles to the big town."


FIGURE_4 = perturbation_prompt(PERTURB_V1, INSTANCE.text, 3)


RELEASED = perturbation_prompt(PERTURB_V2, INSTANCE.text, 4)


def own(count: int) -> str:
    """Our own request for ``count`` rewordings."""
    return perturbation_prompt(PERTURB_V1_OWN, INSTANCE.text, count)


def lettered(*texts: str, finish: str = "stop") -> FakeReply:
    lines = [f"{letter}) {text}" for letter, text in zip("ABCD", texts, strict=False)]
    return FakeReply("\n\n".join(lines), finish)


@pytest.fixture
def one_id(fresh_store: Store) -> str:
    """A sample of one instance without variants."""
    partition = Partition(
        "walks", "test", "Walks", "test", PartitionRole.TARGET, DatasetTask.CLASSIFICATION
    )
    return samples.save(fresh_store, Sample(partition, (INSTANCE,), 1, 1, 0, stratified=False))


class ScriptedModel:
    """Sends ``replies`` in turn, the last of them for ever, and keeps the prompts that it got."""

    def __init__(self, replies: Sequence[FakeReply]) -> None:
        self.replies, self.prompts = list(replies), list[str]()

    async def __call__(self, call: ChatRequest, server: ServerState) -> FakeReply:
        self.prompts.append(call.prompt)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def texts(store: Store, sample_id: str) -> Mapping[int, tuple[str, str | None]]:
    present = variants.current(store, sample_id).get(INSTANCE.id, {})
    return {slot: (one.text, one.prompt) for slot, one in present.items()}


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch, provider: FakeProvider) -> ScriptedModel:
    """The model of ``write``: give it its replies."""
    assert provider.base_url
    asked = ScriptedModel([])
    monkeypatch.setitem(MODELS, "turns", asked)
    return asked
