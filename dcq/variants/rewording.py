"""Writing a sample's variants in a separate process, as for runs; see ``dcq.asking.launch``.

Its state is read from files beside the store, so every tab sees it and a refresh loses nothing: a
log whose first line is the plan and whose last line is the outcome, and the lock that
``reword_sample`` holds.
"""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from dcq import settings
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.process import STARTING, spawn
from dcq.jobs.state import START_SECONDS
from dcq.models.endpoints import resolve
from dcq.store import Store, samples, variants
from dcq.store.connect import utc_now
from dcq.store.samples import StoredSample
from dcq.variants import curation, reword
from dcq.variants.prompts import Protocol

_STOPPED = "Stopped; the variants written so far are saved."


class State(StrEnum):
    """The state of the newest rewording of a sample."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class Rewording:
    """The newest rewording of a sample: ``done`` of ``planned`` variants, by ``writer`` (a model's
    name, or empty for the offline generator), and notes from its process."""

    state: State
    writer: str
    planned: int
    done: int
    notes: tuple[str, ...]


def start(
    store: Store,
    sample_id: str,
    model: str | None,
    *,
    protocol: Protocol = Protocol.V1,
    again: bool = False,
) -> None:
    """Start writing the missing variants (all if ``again``); ``model`` None means the offline
    generator, a model is asked with the prompt of ``protocol``.

    Raises InputError if the model cannot be used as named, nothing is missing, or a rewording is in
    progress already. Later problems appear in the notes.
    """
    sample = samples.load(store, sample_id)
    if model is not None:
        resolve(model, settings.load())
    # One at a time: a process takes a second to start, and another tab may start one meanwhile.
    with lock.wait_for(store, STARTING):
        _start(store, sample, model, protocol, again=again)


def _start(
    store: Store, sample: StoredSample, model: str | None, protocol: Protocol, *, again: bool
) -> None:
    newest = state(store, sample.id)
    held = lock.held(store, reword.lock_name(sample.id))
    if held or (newest is not None and newest.state is State.RUNNING):
        raise InputError(reword.BUSY)
    every = len(sample.instances) * reword.SLOTS
    planned = every if again else curation.count_missing(curation.gather(store, sample))
    if not planned:
        raise InputError(f"All {every} variants exist already; write them again, or edit them.")
    store.runs_folder.mkdir(parents=True, exist_ok=True)
    plan = {"writer": model or "", "planned": planned, "at": utc_now().isoformat()}
    words = ["perturb", sample.id, "--json"]
    words += ["--model", model, "--prompt", protocol] if model else []
    words += ["--again"] if again else []
    with _log(store, sample.id).open("wb") as output:
        output.write(f"{json.dumps(plan)}\n".encode())
        output.flush()
        spawn(store, words, output)


def state(store: Store, sample_id: str) -> Rewording | None:
    """The newest rewording of this sample that was started here; None if there was none."""
    try:
        first, *rest = _log(store, sample_id).read_text("utf-8", "replace").splitlines()
    except (FileNotFoundError, ValueError):
        return None
    plan = json.loads(first)
    begun = datetime.fromisoformat(plan["at"])
    notes = [line for line in rest if line.strip()]
    finished = bool(notes) and notes[-1].startswith('{"sample":')
    live = lock.held(store, reword.lock_name(sample_id)) or (
        not notes and (utc_now() - begun).total_seconds() < START_SECONDS
    )
    now = State.FINISHED if finished else State.RUNNING if live else State.FAILED
    return Rewording(
        now,
        plan["writer"],
        plan["planned"],
        variants.count_since(store, sample_id, begun),
        tuple(notes[:-1] if finished else notes),
    )


def stop(store: Store, sample_id: str) -> None:
    """End the process; the variants written so far are saved."""
    holder = lock.holder(store, reword.lock_name(sample_id))
    if holder is None:
        return
    os.kill(holder, signal.SIGTERM)
    with _log(store, sample_id).open("a", encoding="utf-8") as log:
        log.write(f"{_STOPPED}\n")


def _log(store: Store, sample_id: str) -> Path:
    return store.runs_folder / f"{reword.lock_name(sample_id)}.log"
