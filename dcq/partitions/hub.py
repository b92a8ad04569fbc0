"""One split of a dataset on the Hugging Face Hub, or of its copy in the local cache.

``load_dataset`` retries an unreachable Hub for 23 s and tells a gated dataset from a missing one
only in prose. So the Hub is asked first, for at most ``TIMEOUT`` seconds; only then, or from the
cache alone, is the data loaded. ``HF_ENDPOINT``, ``HF_TOKEN``, ``HF_HOME`` and ``HF_HUB_OFFLINE``
are honoured as everywhere in that library.
"""

from __future__ import annotations

import logging
import re
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from huggingface_hub import DatasetInfo, HfApi, constants
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils.tqdm import disable_progress_bars

from dcq.errors import PartitionError
from dcq.partitions.table import PartitionTable, from_dataset

if TYPE_CHECKING:
    from datasets import Dataset  # type: ignore[import-untyped]  # it ships no types

TIMEOUT = 2.0  # seconds in all for the first answer, so that an error comes within 3 s


class _UnreachableError(Exception):
    """The Hub cannot be reached; the message says why, and the caller adds what to do."""


def load_split(
    repo: str, config: str | None, split: str, *, revision: str | None = None
) -> PartitionTable:
    """The rows of one split; ``source`` records the commit they came from.

    Raises:
        PartitionError: unknown, gated, without this configuration, split or revision, or the Hub
            is out of reach and the local cache has no copy.

    """
    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        info = _ask_hub(repo, revision)
    except _UnreachableError as error:
        cached = _load_cached(repo, config, split, revision)
        if cached is None:
            raise PartitionError(
                f"{error}, and the local cache has no copy of {repo} ({config or 'default'}, "
                f"{split}); check the network, choose a bundled dataset or give a local file."
            ) from error
        note = f"{error}; the copy in the local cache is used."
        return from_dataset(cached[0], f"hub:{repo}@{cached[1]}", (note,), cached[1])
    notes: tuple[str, ...] = ()
    if info.id.casefold() != repo.casefold():
        notes = (f"{repo} is now called {info.id} on the Hub.",)
    dataset = _load_online(info.id, config, split, info.sha or "main")
    return from_dataset(dataset, f"hub:{info.id}@{info.sha}", notes, info.sha or "")


def _ask_hub(repo: str, revision: str | None) -> DatasetInfo:
    """What the Hub knows about a dataset, within ``TIMEOUT`` seconds in total.

    A time limit on the request alone would not include the DNS look-up, so the request has its own
    thread, which is abandoned if it is late, and ends by the request's own limit.
    """
    answers: SimpleQueue[DatasetInfo | Exception] = SimpleQueue()

    def ask() -> None:
        api = HfApi(library_name="dcq")
        try:
            info = api.dataset_info(repo, revision=revision, timeout=10 * TIMEOUT)
            if info.gated:
                api.auth_check(info.id, repo_type="dataset")
            answers.put(info)
        except Exception as error:  # handed to the caller's thread, which sorts it
            answers.put(error)

    started = monotonic()
    Thread(target=ask, daemon=True).start()
    import datasets  # noqa: F401  # takes a second, and is needed next whatever the Hub says

    try:
        answer = answers.get(timeout=max(0.1, started + TIMEOUT - monotonic()))
    except Empty:
        raise _UnreachableError(
            f"The Hub at {constants.ENDPOINT} did not answer within {TIMEOUT} s"
        ) from None
    if isinstance(answer, Exception):
        raise _sort_error(answer, repo, revision) from answer
    return answer


def _sort_error(error: Exception, repo: str, revision: str | None) -> Exception:
    """The error to raise for what the Hub's client raised."""
    page = f"{constants.ENDPOINT}/datasets/{repo}"
    if isinstance(error, GatedRepoError):
        return PartitionError(
            f"{repo} is gated: accept its terms at {page} and set HF_TOKEN to a token of that "
            "account."
        )
    if isinstance(error, RevisionNotFoundError):
        return PartitionError(f"{repo} has no revision {revision}; see {page}/commits/main.")
    if isinstance(error, RepositoryNotFoundError):
        return PartitionError(
            f"The Hub has no dataset {repo} that you may read: it may be misspelt, renamed, "
            f"removed or private; look for its present name at {constants.ENDPOINT}/datasets."
        )
    if isinstance(error, HFValidationError):
        return PartitionError(f'"{repo}" is not a name on the Hub; write owner/name.')
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        if status == 401:
            return PartitionError(
                "The Hub does not accept the token in HF_TOKEN; set a valid one or unset it."
            )
        if status == 403:
            return PartitionError(
                f"The Hub refuses access to {repo}; ask for access at {page} or give a local file."
            )
        return _UnreachableError(f"The Hub at {constants.ENDPOINT} answered with error {status}")
    if constants.HF_HUB_OFFLINE:
        return _UnreachableError("HF_HUB_OFFLINE is set, so the Hub is not asked")
    return _UnreachableError(f"The Hub at {constants.ENDPOINT} cannot be reached")


def _load_online(repo: str, config: str | None, split: str, commit: str) -> Dataset:
    import datasets

    _silence_datasets()
    try:
        # The prefix keeps a local folder that happens to be called owner/name out of it.
        return datasets.load_dataset(f"hf://datasets/{repo}", config, split=split, revision=commit)
    except Exception as error:  # the builders raise many kinds, and plain ones
        raise _explain_load(error, repo, config, split) from error


def _explain_load(error: Exception, repo: str, config: str | None, split: str) -> PartitionError:
    text = str(error)
    match = re.search(r"\[.*?\]", text)
    choices = re.sub(r"[\[\]'\"]", "", match[0]) if match else "see its page"
    if "split" in text.lower() and isinstance(error, ValueError):
        return PartitionError(f"{repo} has no split {split}; choose from: {choices}.")
    if "config" in text.lower() and isinstance(error, ValueError):
        return PartitionError(
            f"{repo} has no configuration {config or 'by default'}; choose from: {choices}, "
            "and write it as name:configuration."
        )
    if "scripts are no longer supported" in text:
        return PartitionError(
            f"{repo} is only a loading script, which is not run; download its data and give the "
            "file, or name a copy of it in parquet."
        )
    return PartitionError(
        f"{repo} could not be loaded ({type(error).__name__}); try again, or download it and give "
        "the file."
    )


def _load_cached(
    repo: str, config: str | None, split: str, revision: str | None
) -> tuple[Dataset, str] | None:
    """The copy that an earlier ``load_dataset`` left in the cache, with its commit, if any."""
    # It ships no types.
    from datasets.packaged_modules.cache.cache import Cache  # type: ignore[import-untyped]

    _silence_datasets()
    try:
        builder = Cache(
            repo_id=repo,
            dataset_name=repo.split("/")[-1],
            config_name=config,
            version="auto" if revision is None else "0.0.0",
            hash=revision or "auto",
        )
        return builder.as_dataset(split=split), builder.hash
    except (ValueError, OSError, NotImplementedError):
        return None


def _silence_datasets() -> None:
    import datasets

    datasets.disable_progress_bars()
    datasets.logging.set_verbosity_error()
