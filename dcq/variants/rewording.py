"""Writing a sample's variants in a separate process; see ``dcq.asking.launch``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dcq.asking import launch
from dcq.asking.options import DEFAULTS, Options
from dcq.errors import InputError
from dcq.jobs.state import State, state_of
from dcq.store import Store, rewordings, run_progress, runs, samples
from dcq.store.run_progress import Progress
from dcq.variants import offline_writer, reword
from dcq.variants.freeze import Chosen, freeze, freeze_some
from dcq.variants.method import EXCLUSIVE, REWORDING
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol
from dcq.variants.reword import STANDARD, RewordingDesign


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
    design: RewordingDesign = STANDARD,
    options: Options = DEFAULTS,
) -> str:
    """Start writing the missing variants and candidates (all if ``again``); returns the id of the
    run. ``model`` None means the offline generator.

    Raises InputError if the model cannot be used as named, nothing is missing, or a rewording is in
    progress already. Later problems appear in the run.
    """
    sample = samples.load(store, sample_id)
    name = offline_writer.name_of(design.kind) if model is None else model
    REWORDING.endpoint(name)  # before anything is kept
    _check_free(store, sample.id)
    frozen = freeze(
        store,
        sample.id,
        design.kind if model is None else design.protocol,
        candidates=design.candidates,
        again=design.again,
        limit=options.terms.limit,
        author=options.author,
    )
    if frozen is None:
        every = len(sample.instances) * design.candidates
        raise InputError(f"All {every} variants exist already; write them again, or edit them.")
    whole = replace(options, terms=replace(options.terms, limit=None))
    return launch.begin(store, REWORDING, [frozen], [name], whole)[0]


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
    _check_free(store, sample_id)
    recipe = Perturbation.WORD if model is None else protocol
    frozen = freeze_some(store, sample_id, chosen, recipe, author, instruction)
    return launch.begin(store, REWORDING, [frozen], [name])[0]


def state(store: Store, sample_id: str) -> Rewording | None:
    """The newest rewording of this sample; None if there was none."""
    run_id = rewordings.newest_run(store, sample_id)
    if run_id is None:
        return None
    run = runs.load(store, run_id)
    now = state_of(store, run_id, run.event, run.event_at)  # first: an end comes with its reason
    if not now.live and EXCLUSIVE.held(store, sample_id):
        now = State.RUNNING  # its process is about to leave
    [asked] = run_progress.progress(store, [run_id])
    counts = rewordings.count(store, run.plan.subject)
    # A page asks this each second: the reasons are read once it has ended.
    notes = () if now.live else reword.notes_on(store, run, counts)
    return Rewording(now, run_id, counts.written + counts.open, counts.written, asked, notes)


def _check_free(store: Store, sample_id: str) -> None:
    """Before anything is kept; ``launch`` looks again."""
    newest = rewordings.newest_run(store, sample_id)
    if newest and launch.is_live(store, newest):
        raise InputError(EXCLUSIVE.busy(""))
    EXCLUSIVE.check_free(store, sample_id)
