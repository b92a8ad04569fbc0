"""The scan of a corpus that an investigation starts, where `DCQ_CORPUS` names one. Overlap is shown
beside an answer: it takes no model and no money, and has no vote."""

from __future__ import annotations

from dcq import settings
from dcq.errors import DcqError
from dcq.overlap import searches
from dcq.overlap.method import SCAN
from dcq.overlap.scan.shards import CORPUS
from dcq.store import Store, runs


def corpus_name() -> str:
    """The name of the corpus without its folder, which is not for every reader; empty where none is
    set."""
    path = settings.load().corpus
    return "" if path is None else path.name


def start(store: Store, sample_id: str) -> str:
    """Start a scan for a sample in a process of its own, unless it was scanned before. Returns a
    remark, empty where there is nothing to say; an error becomes the remark, so that the
    investigation goes on."""
    path = settings.load().corpus
    if path is None or runs.newest_run(store, SCAN.name, CORPUS, sample_id=sample_id):
        return ""
    try:
        run = searches.start_scan(store, sample_id, [path], author=settings.load().author)
    except DcqError as error:
        return f"The sample is not searched for in DCQ_CORPUS: {error}"
    where = f"the corpus {corpus_name()} too (run {run})"
    return f"The sample is searched for in {where}; overlap is shown beside the answer."
