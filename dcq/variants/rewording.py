"""Writing a sample's variants in a separate process; see ``dcq.asking.launch``."""

from __future__ import annotations

from dataclasses import dataclass

from dcq.asking import launch
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.jobs.state import State, state_of
from dcq.store import Store, rewordings, run_progress, runs, samples
from dcq.store.run_progress import Progress
from dcq.variants import offline_writer, reword
from dcq.variants.freeze import SLOTS, Chosen, freeze, freeze_some
from dcq.variants.method import REWORDING
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol


@dataclass(frozen=True)
class Rewording:
    """The newest rewording of a sample: ``done`` of ``planned`` variants are written. ``asked`` is
    what its run has taken; ``notes`` say why variants are lacking, once it has ended."""

    state: State
    run: str
    planned: int
    done: int
    asked: Progress
    notes: tuple[str, ...]

    @property
    def writer(self) -> str:
        """The model's name, or empty for an offline generator."""
        return "" if self.asked.model in offline_writer.ENDPOINTS else self.asked.model


def start(
    store: Store,
    sample_id: str,
    model: str | None,
    terms: Terms = NO_TERMS,
    *,
    candidates: int = SLOTS,
    protocol: Protocol = Protocol.V1,
    kind: Perturbation = Perturbation.WORD,
    again: bool = False,
    by_batch: bool = False,
    reuse: bool = False,
    author: str = "",
) -> str:
    """Start writing the missing variants and candidates (all if ``again``); returns the id of the
    run. ``model`` None means the offline generator of this ``kind``, a model is asked with the
    prompt of ``protocol``.

    Raises InputError if the model cannot be used as named, nothing is missing, or a rewording is in
    progress already. Later problems appear in the run.
    """
    sample = samples.load(store, sample_id)
    name = offline_writer.name_of(kind) if model is None else model
    REWORDING.endpoint(name)  # before anything is kept
    with lock.wait_for(store, f"starting-{reword.lock_name(sample.id)}"):
        _check_free(store, sample.id)
        frozen = freeze(
            store,
            sample.id,
            protocol if model is not None else kind,
            candidates=candidates,
            again=again,
            limit=terms.limit,
            author=author,
        )
        if frozen is None:
            every = len(sample.instances) * candidates
            raise InputError(f"All {every} variants exist already; write them again, or edit them.")
        whole = Terms(None, terms.budget_usd, terms.max_calls, terms.concurrency)
        [run_id] = launch.begin(
            store, REWORDING, [frozen], [name], whole, reuse=reuse, by_batch=by_batch
        )
    return run_id


def start_some(
    store: Store,
    sample_id: str,
    chosen: Chosen,
    model: str | None,
    *,
    protocol: Protocol = Protocol.V1,
    author: str = "",
    instruction: str = "",
) -> str:
    """Start writing these slots anew, as ``reword.reword_some`` does; returns the id of the run.
    Raises InputError as ``start``."""
    name = offline_writer.name_of(Perturbation.WORD) if model is None else model
    REWORDING.endpoint(name)
    with lock.wait_for(store, f"starting-{reword.lock_name(sample_id)}"):
        _check_free(store, sample_id)
        recipe = Perturbation.WORD if model is None else protocol
        frozen = freeze_some(store, sample_id, chosen, recipe, author, instruction)
        [run_id] = launch.begin(store, REWORDING, [frozen], [name], NO_TERMS)
    return run_id


def resume(store: Store, run_id: str, terms: Terms = NO_TERMS) -> None:
    """Go on with a run; ``terms`` may allow it more money and calls. Raises InputError if variants
    of its sample are being written."""
    if lock.held(store, reword.lock_name(runs.load(store, run_id).plan.sample_id)):
        raise InputError(reword.BUSY)
    launch.resume(store, REWORDING, run_id, terms)


def state(store: Store, sample_id: str) -> Rewording | None:
    """The newest rewording of this sample; None if there was none."""
    run_id = rewordings.newest_run(store, sample_id)
    if run_id is None:
        return None
    run = runs.load(store, run_id)
    now = state_of(store, run_id, run.event, run.event_at)  # first: an end comes with its reason
    if not now.live and lock.held(store, reword.lock_name(sample_id)):
        now = State.RUNNING  # its process is about to leave
    [asked] = run_progress.progress(store, [run_id])
    counts = rewordings.count(store, run.plan.subject)
    # A page asks this each second: the reasons are read once it has ended.
    notes = () if now.live else reword.notes_on(store, run, counts)
    return Rewording(now, run_id, counts.written + counts.open, counts.written, asked, notes)


def _check_free(store: Store, sample_id: str) -> None:
    newest = rewordings.newest_run(store, sample_id)
    if lock.held(store, reword.lock_name(sample_id)) or (newest and _is_live(store, newest)):
        raise InputError(reword.BUSY)


def _is_live(store: Store, run_id: str) -> bool:
    run = runs.load(store, run_id)
    return state_of(store, run_id, run.event, run.event_at).live
