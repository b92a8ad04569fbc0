"""A store in which a partition was asked about by the quiz, by replication and by likelihood, and
looked for in a corpus."""

from __future__ import annotations

import asyncio
from pathlib import Path

from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, samples
from tests.support import replications, scanned
from tests.support.judged import SEEN, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import answer


def fill(store: Store, provider: FakeProvider, folder: Path) -> None:
    """Needs the fake provider's models in the environment."""
    sample_id = scanned.save(store)
    scanned.scan(store, sample_id, folder / "corpus", range(6), range(6, 8))
    texts = [one.fields["text"] for one in samples.load(store, sample_id).instances]
    provider.seen = tuple(texts[:7])
    asyncio.run(replicate(store, sample_id, "recites", Design(judge="judges")))
    control, _ = replications.save(store, 20, key="lakes", role=PartitionRole.CONTROL)
    asyncio.run(replicate(store, control, "recites", Design(judge="judges")))
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(store, quiz, {"D": 12, "A": 8})
    bare = freeze.freeze(store, sample_id, QuizKind.MODIFIED).quiz
    answer(store, bare, {"A": 12, "B": 6, "D": 2})
    put(store, "seen", SEEN)
    put(store, "seen", SEEN, model="other@http://127.0.0.1:9/v1")
    put_controls(store)
