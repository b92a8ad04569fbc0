"""What an investigation starts beside its models: a scan of the corpus that is set, for overlap is
shown beside an answer. It takes no model, no money and no vote."""

from __future__ import annotations

from dcq import settings
from dcq.errors import DcqError
from dcq.overlap import searches
from dcq.overlap.method import SCAN
from dcq.overlap.scan.shards import CORPUS
from dcq.store import Store, overlaps


def corpus() -> str:
    """What the corpus is called, empty where none is set; where it lies is nobody else's
    business."""
    path = settings.load().corpus
    return "" if path is None else path.name


def look(store: Store, sample_id: str) -> str:
    """Have a sample looked for in a process of its own, where that was never done; returns a
    remark, empty where there is nothing to say. What goes wrong stops nothing else."""
    path = settings.load().corpus
    if path is None or overlaps.newest_run(store, sample_id, SCAN.name, CORPUS) is not None:
        return ""
    try:
        run = searches.start_scan(store, sample_id, [path], author=settings.load().author)
    except DcqError as error:
        return f"It is not looked for in DCQ_CORPUS: {error}"
    return f"It is looked for in {corpus()} too (run {run}); overlap is shown beside the answer."
