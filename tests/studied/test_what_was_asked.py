"""What was asked is what is judged, whatever is written afterwards."""

from __future__ import annotations

import pytest

from dcq.evidence.check import Topic
from dcq.judging.answers import answers
from dcq.store import Store, samples, variants
from dcq.store.variants import NewVariant
from tests.support.judged import SEEN, of, put, put_controls

pytestmark = pytest.mark.slow


def reword(store: Store, sample_id: str) -> None:
    """Have all rewordings of a sample written anew by a model."""
    ids = [instance.id for instance in samples.load(store, sample_id).instances]
    variants.add(
        store,
        sample_id,
        [
            NewVariant(instance, slot, f"Another text {slot} of {instance}.", "model:gpt-4o")
            for instance in ids
            for slot in range(4)
        ],
    )


def test_rewordings_written_later_change_no_conclusion(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    before, document = of(fresh_store, "rivers"), [a.document() for a in answers(fresh_store)]
    for evidence in (before.evidence, *before.controls[:2]):
        reword(fresh_store, evidence.sample)
    assert variants.writers(fresh_store, [before.evidence.sample]) == {
        before.evidence.sample: "model:gpt-4o"
    }
    after = of(fresh_store, "rivers")
    assert {entry.writer for entry in (after.evidence, *after.controls)} == {"bundled"}
    assert len(after.controls) == len(before.controls)
    assert [a.document() for a in answers(fresh_store)] == document
    assert after.verdict is not None
    assert Topic.WRITER in {check.topic for check in after.verdict.checks}
