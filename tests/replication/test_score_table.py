"""What the guided instruction adds to the others: by name, by label, and to what."""

from dataclasses import asdict

import pytest

from dcq.asking.chain import ChainOutcome
from dcq.documents.replication_document import document
from dcq.errors import InputError
from dcq.evidence.replication.guidance import compare_instructions
from dcq.files import export
from dcq.replication.prompts import SWAPPED_DATASET, Instruction
from dcq.replication.replicate import Design, replicate
from dcq.store import Store
from tests.support.behaviours import MODELS, ChatRequest, FakeReply, Outcome, ServerState, recites
from tests.support.provider import FakeProvider
from tests.support.replications import run_of, save


async def _knows_the_name(call: ChatRequest, server: ServerState) -> Outcome:
    """Recites under any label, but only what it is told by its dataset's real name."""
    return FakeReply("No idea.") if SWAPPED_DATASET in call.prompt else await recites(call, server)


@pytest.fixture
async def done(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> ChainOutcome:
    monkeypatch.setitem(MODELS, "knows-the-name", _knows_the_name)
    target, texts = save(fresh_store, 12)
    provider.seen = tuple(texts)
    return await replicate(
        fresh_store, target, "knows-the-name", Design(instructions=tuple(Instruction))
    )


async def test_the_real_name_adds_and_the_label_does_not(
    fresh_store: Store, done: ChainOutcome
) -> None:
    found = run_of(fresh_store, done.run)
    assert list(found.additions) == [
        Instruction.GENERAL, Instruction.SWAPPED, Instruction.WRONG_LABEL
    ]  # fmt: skip
    name = found.additions[Instruction.SWAPPED]
    assert (name.n, name.p_value) == (12, 0.0)
    assert name.low is not None
    assert name.low > 0.5
    label = found.additions[Instruction.WRONG_LABEL]
    assert (label.n, label.difference, label.low, label.p_value) == (12, 0.0, 0.0, 1.0)
    table = run_of(fresh_store, done.run).rows
    paired = compare_instructions(
        [row.score(Instruction.SWAPPED) for row in table],
        [row.score(Instruction.GUIDED) for row in table],
    )
    assert (name.difference, name.low, name.high) == (paired.difference, paired.low, paired.high)
    assert found.meaning is not None
    closer = found.meaning.additions[Instruction.SWAPPED]
    assert closer.difference is not None
    assert closer.difference > 0.5
    assert found.meaning.additions[Instruction.WRONG_LABEL].difference == pytest.approx(0, abs=1e-6)


async def test_documents_and_files_have_the_differences(
    fresh_store: Store, done: ChainOutcome
) -> None:
    found = run_of(fresh_store, done.run)
    made = document(fresh_store, done)
    assert found.meaning is not None
    for score, additions in (
        ("rouge_l", found.additions),
        ("meaning", found.meaning.additions),
    ):
        assert made[score]["guided_minus"] == {
            str(one): asdict(added) for one, added in additions.items()
        }
    data = export.frame(fresh_store, export.ExportTable.REPLICATION_SCORES, done.run[:10])
    assert len(data) == 8
    by_name = data[data["score"] == "ROUGE-L"].set_index("instruction")
    assert by_name.loc["guided", ["n", "guided_minus"]].isna().all()
    added = found.additions[Instruction.SWAPPED]
    assert list(by_name.loc["name-swapped", ["n", "guided_minus", "low", "high", "p_value"]]) == [
        added.n, added.difference, added.low, added.high, added.p_value
    ]  # fmt: skip


async def test_where_only_the_two_were_asked_only_they_are_compared(
    fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    target, _ = save(fresh_store, 3)
    done = await replicate(fresh_store, target, "recites", Design(judge="judges"))
    found = run_of(fresh_store, done.run)
    assert list(found.additions) == [Instruction.GENERAL]
    added = found.additions[Instruction.GENERAL]
    assert (added.difference, added.low) == (found.measured.guidance.difference, None)
    with pytest.raises(InputError, match="is a judge run"):
        export.frame(fresh_store, export.ExportTable.REPLICATION_SCORES, done.follower)
    silent = await replicate(
        fresh_store, target, "refuses", Design(instructions=tuple(Instruction))
    )
    nothing = run_of(fresh_store, silent.run).additions[Instruction.WRONG_LABEL]
    assert (nothing.n, nothing.difference, nothing.p_value) == (0, None, None)
    assert (
        export.frame(fresh_store, export.ExportTable.REPLICATION_SCORES, silent.run)["mean"]
        .isna()
        .all()
    )
