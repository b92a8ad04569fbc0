"""The choice of an investigation: a target, the kind of quiz, and the controls that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.models import cutoffs
from dcq.quiz import freeze
from dcq.records import Partition, PartitionRole, QuizKind
from dcq.store import Store, partitions, samples, variants
from dcq.store.investigations import Place, places_of
from dcq.store.moment import at_one_moment
from dcq.store.samples import ListedSample
from dcq.variants import control_writing, placebo_writing
from dcq.variants.writer_words import writer_words
from dcq.words import listed, place

KINDS = (QuizKind.STANDARD, QuizKind.ROTATED)
_NAMED = 4  # partitions named for one reason


@dataclass(frozen=True)
class QuizChoice:
    """The target ``sample`` and its ``controls``, by the ids of samples, the ``kind`` of the
    quizzes with originals, and the names of other ``methods`` that are asked as well. ``weights``
    say how much of the significance threshold each method gets, the quiz by its name; empty for the
    usual ones."""

    sample: str
    kind: QuizKind
    controls: tuple[str, ...]
    methods: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """The steps of the investigation, in their order: kind of quiz, or method, and sample."""
        return places_of(self.sample, self.kind, self.controls, self.methods)

    @property
    def quizzes(self) -> tuple[tuple[QuizKind, str], ...]:
        """The steps that are quizzes."""
        sample_ids = (self.sample, *self.controls)
        return ((QuizKind.MODIFIED, self.sample), *((self.kind, sample) for sample in sample_ids))


@at_one_moment
def choose(
    store: Store,
    sample_id: str,
    kind: QuizKind = QuizKind.STANDARD,
    named: Sequence[str] | None = None,
    methods: Sequence[str] = (),
    *,
    planning: bool = False,
) -> QuizChoice:
    """The choice of these controls (None: all that ``usual_for`` gives) and of other ``methods``.
    Raises InputError if the sample is no target, a control cannot be compared with it, or there is
    none (while ``planning`` there may be none)."""
    if kind not in KINDS:
        raise InputError(f"A {kind} quiz has no verdict; investigate with standard or rotated.")
    target_id, target = samples.find(store, sample_id)
    if target.role is PartitionRole.CONTROL:
        raise InputError(
            f"{_name(target)} is a control, on which there is no verdict; choose a target."
        )
    if named is None:
        named = usual_for(store, target_id)
    if not named and not planning:
        raise InputError(
            f"There is no control {_like(target)} in the store; make a placebo of the "
            f"sample ({placebo_writing.command(store, target_id)}), or draw a control: a bundled "
            "one (python -m dcq datasets lists them), texts of your own (sample --file with --role "
            "control), or newer rows of the benchmark (with --date-column COLUMN --after MODEL)."
        )
    controls = dict(samples.find(store, candidate) for candidate in named)
    none_fits = not fitting(store, target)
    for control in controls.values():
        _check(target, control, any_task=none_fits)
    return QuizChoice(target_id, kind, tuple(controls), tuple(methods))


def fitting(store: Store, target: Partition) -> list[ListedSample]:
    """Samples of control partitions that can be compared with a target, the newest first."""
    controls = samples.controls(store, target.task, target.language)
    return [sample for sample in controls if sample.partition != target.id]


def of_other_tasks(store: Store, target: Partition) -> list[ListedSample]:
    """Samples of control partitions in the language of a target, but of other tasks, the newest
    first. They show a model's habits, and support no verdict."""
    return [
        sample
        for sample in samples.listing(store)
        if sample.role is PartitionRole.CONTROL
        and sample.language == target.language
        and sample.task != target.task
    ]


@at_one_moment
def caution(store: Store, choice: QuizChoice) -> str:
    """A warning that the controls of a choice are of another task; empty if they fit."""
    target_task, *control_tasks = (
        samples.partition_of(store, sample).task for sample in (choice.sample, *choice.controls)
    )
    tasks = set(control_tasks) - {target_task}
    if not tasks:
        return ""
    return (
        f"The controls are of another task ({', '.join(sorted(tasks))}; the target is "
        f"{target_task}), so the conclusion will be undecided: they show which letters and "
        "wordings the model prefers, not what it remembers."
    )


def usual(samples: Sequence[ListedSample]) -> list[ListedSample]:
    """The controls that are asked by default: of each partition the newest sample that has
    variants, without further sets of variants."""
    first = {
        sample.partition: sample
        for sample in reversed(samples)
        if sample.with_variants and not sample.set_of
    }
    return [sample for sample in samples if first.get(sample.partition) is sample]


def usual_for(store: Store, target_id: str, *, same_writer: bool = False) -> list[str]:
    """The ``usual`` controls of a target, by id: those with the writer of its rewordings or, where
    there is none, those of any writer, unless they shall have the ``same_writer``."""
    candidates = usual(fitting(store, samples.partition_of(store, target_id)))
    writers = variants.writers(store, [target_id, *(sample.id for sample in candidates)])
    by_same = [sample for sample in candidates if writers[sample.id] == writers.get(target_id)]
    return [sample.id for sample in (by_same if by_same or same_writer else candidates)]


@at_one_moment
def left_out(store: Store, target_id: str, controls: Sequence[str]) -> str:
    """Which control partitions of the store are not among the ``controls`` of a target, each with
    the reason, as a sentence; empty where all of them are."""
    target_id, target = samples.find(store, target_id)
    listed_samples = [
        sample
        for sample in samples.listing(store)
        if sample.role is PartitionRole.CONTROL and sample.partition != target.id
    ]
    used = {sample.partition for sample in listed_samples if sample.id in controls}
    writers = variants.writers(store, [target_id, *(sample.id for sample in listed_samples)])
    names: dict[str, dict[str, str]] = {}
    for sample in listed_samples:
        if sample.partition not in used:
            reason = _why_unfit(target, sample, writers.get(target_id), writers.get(sample.id))
            partition_names = names.setdefault(reason, {})
            partition_names[sample.partition] = place(sample.title, sample.split_title)
            used.add(sample.partition)
    parts = [f"{listed(list(of.values()), _NAMED)} ({reason})" for reason, of in names.items()]
    return f"Controls that are left out: {'; '.join(parts)}." if parts else ""


def _why_unfit(
    target: Partition, sample: ListedSample, target_writer: str | None, writer: str | None
) -> str:
    if sample.language != target.language:
        return f"the language is {sample.language}, not {target.language}"
    if sample.task != target.task:
        return f"the task is {sample.task}, not {target.task}"
    if not sample.with_variants:
        return "no rewordings yet"
    if writer != target_writer:
        return f"the rewordings are {writer_words(writer or '')}"
    return "not chosen"


@at_one_moment
def newer_texts(store: Store, target_id: str, models: Sequence[str]) -> str:
    """Which partitions of the store could be controls, because they were published after the
    cut-off of all ``models``, as a sentence; empty where there is none, or a cut-off is not known.
    They are of the target's task and language, and no controls yet."""
    known = [cutoffs.cutoff_of(model) for model in models]
    limits = [cutoff for cutoff in known if cutoff is not None]
    if not limits or len(limits) < len(known):
        return ""
    target, published = samples.partition_of(store, target_id), partitions.published(store)
    newer: dict[str, str] = {}
    for sample in samples.listing(store):
        day = published.get(sample.partition)
        fits = (sample.task, sample.language) == (target.task, target.language)
        if not fits or sample.role is not PartitionRole.TARGET or sample.partition == target.id:
            continue
        if day is not None and not any(limit.may_cover(day) for limit in limits):
            newer[sample.partition] = f"{place(sample.title, sample.split_title)} ({day:%d %b %Y})"
    if not newer:
        return ""
    verb = "was" if len(newer) == 1 else "were"
    latest = max(limits, key=lambda limit: limit.last_day)
    return (
        f"{listed(list(newer.values()), _NAMED)} {verb} published after the model's cut-off "
        f"({latest}). No unseen text is nearer to the target: to compare with it, change its role "
        "to control on the page Dataset."
    )


def fits_no_target(store: Store, controls: Sequence[str], targets: Sequence[str] | None) -> str:
    """Which of the named control partitions are of another task or language than all ``targets``
    (ids of partitions; None: all of the store), as a sentence; empty where each fits one."""
    listed_samples = samples.listing(store)
    kinds = {
        (sample.task, sample.language)
        for sample in listed_samples
        if sample.role is not PartitionRole.CONTROL
        and (targets is None or sample.partition in targets)
    }
    unfit = {
        sample.partition: f"{place(sample.title, sample.split_title)} "
        f"({sample.task} in {sample.language})"
        for sample in listed_samples
        if kinds and sample.partition in controls and (sample.task, sample.language) not in kinds
    }
    if not unfit:
        return ""
    return (
        f"No partition of this study has the task and language of {listed(list(unfit.values()))}, "
        "so nothing is compared with it."
    )


def check_questions(store: Store, choice: QuizChoice) -> None:
    """Raise InputError, with the name of the partition, if a quiz of a choice has no question."""
    for sentence in questions_lack(store, choice).values():
        raise InputError(sentence)


@at_one_moment
def questions_lack(store: Store, choice: QuizChoice) -> dict[str, str]:
    """For each sample that lacks variants, by its id, a sentence on why its quiz has no question.
    Controls are left out whose rewordings the investigation has written."""
    reasons: dict[str, str] = {}
    written_later = to_write(store, choice)
    for kind, sample_id in choice.quizzes:
        if sample_id in written_later:
            continue
        sample = samples.load(store, sample_id)
        try:
            freeze.questions(store, sample, kind, None)
        except InputError as error:
            reasons.setdefault(sample_id, f"{_name(sample.partition)}, {kind} quiz: {error}")
    return reasons


def to_write(store: Store, choice: QuizChoice) -> tuple[str, ...]:
    """The controls whose rewordings an investigation has written, by the writer of the target's.
    Empty where that writer cannot be asked."""
    writer = placebo_writing.writer_of(store, choice.sample)
    language = samples.partition_of(store, choice.sample).language
    if control_writing.why_not(writer, language):
        return ()
    return control_writing.lacking(store, choice.sample, choice.controls)


def _check(target: Partition, control: Partition, *, any_task: bool) -> None:
    if control.role is not PartitionRole.CONTROL:
        raise InputError(
            f"{_name(control)} is no control, as a model may have seen it; leave it out, or give it"
            " the role control."
        )
    task_fits = any_task or control.task == target.task
    if not task_fits or control.language != target.language:
        raise InputError(
            f"{_name(control)} is {control.task} in {control.language} and {_name(target)} is "
            f"{target.task} in {target.language}, so they cannot be compared; leave it out."
        )


def _name(partition: Partition) -> str:
    return place(partition.shown_title, partition.split_title)


def _like(partition: Partition) -> str:
    return f"of the same task and language ({partition.task}, {partition.language})"
