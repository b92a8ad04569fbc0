"""A sample of texts that differ, looked for in a corpus, for tests that read what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from dcq.overlap import searches
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample
from dcq.settings import ROOT
from dcq.store import Store, samples

SITES = ("quizlet.com", "www.a.org")


def save(store: Store, n: int = 20, *, key: str = "leads") -> str:
    """The id of a sample of ``n`` control texts, at most 20, with their variants, as a target."""
    lines = (ROOT / "data" / "control" / "news_a.jsonl").read_text("utf-8").splitlines()[:n]
    rows = [json.loads(line) for line in lines]
    instances = {
        number: Instance(
            f"Text: {row['text']}\nLabel: {row['label']}",
            {"text": row["text"]},
            row["label"],
            (f"Label: {row['label']}",),
        )
        for number, row in enumerate(rows)
    }
    sample = Sample(
        Partition(
            key, "test", key.title(), "test", PartitionRole.TARGET, DatasetTask.CLASSIFICATION
        ),
        tuple(instances.values()),
        n,
        n,
        0,
        stratified=False,
        variants={
            instances[number].id: tuple(
                f"Text: {text}\nLabel: {row['label']}" for text in row["variants"]
            )
            for number, row in enumerate(rows)
        },
    )
    return samples.save(store, sample)


def scan(
    store: Store,
    sample_id: str,
    folder: Path,
    planted: Sequence[int],
    without_label: Sequence[int] = (),
) -> str:
    """Scan a corpus of pages that hold the instances ``planted``, by their place in the sample, and
    the texts alone of those ``without_label``. Returns the run."""
    folder.mkdir(parents=True, exist_ok=True)
    instances = samples.load(store, sample_id).instances
    rows = [{"url": "https://nothing.org/", "text": "Nothing of the kind stands here at all."}]
    for place in (*planted, *without_label):
        answer = "" if place in without_label else f" {instances[place].label}"
        text = f"Read *this* <b>again</b>: {instances[place].fields['text']}{answer} And so on."
        rows.append({"url": f"https://{SITES[place % 2]}/{place}", "text": text})
    (folder / "crawl.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return asyncio.run(searches.scan(store, sample_id, [folder])).run
