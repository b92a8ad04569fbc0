"""Further partitions that could serve a result as controls, and how a quiz of each is frozen.

They come from the store (control partitions with variants, placebos included), from the bundled
partitions that come with variants, which are drawn only when they are asked, and from small bundled
controls, whose rewordings the writer of the target's writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median

from dcq.asking.cost import CostEstimate
from dcq.asking.prompt import Prompt
from dcq.errors import InputError
from dcq.evidence.controls import MANY
from dcq.investigation.control_sizes import SMALL, SMALL_CONTROLS
from dcq.partitions import Entry, draw_sample, entries, open_partition, text_alone
from dcq.quiz import build, freeze
from dcq.quiz.choice import usual_for
from dcq.quiz.estimate import estimate_questions
from dcq.quiz.results import Result
from dcq.records import (
    DatasetTask,
    Instance,
    Item,
    Partition,
    PartitionRole,
    QuizKind,
    Sample,
    slot_letter,
)
from dcq.store import Store, partitions, samples, variants
from dcq.store.moment import at_one_moment
from dcq.store.samples import ListedSample, StoredSample
from dcq.text_kind import TextKind, text_kind
from dcq.variants import control_writing, placebo_writing
from dcq.words import place

FEWEST = 8  # usable instances of a small control; with fewer, another source takes its place
_LONG = 20  # characters of a text; shorter ones are labels and answers
_MOST_DRAWN = 100  # instances of a bundled partition that comes with variants


@dataclass(frozen=True)
class Candidate:
    """A control partition that could be asked: its ``name`` on the screen, the sample to freeze a
    quiz from or, if none is drawn yet, the ``bundled`` dataset and split, and the questions."""

    name: str
    partition: str
    sample: str | None
    bundled: tuple[str, str] | None
    items: tuple[Item, ...]
    dataset: str  # as named in the prompt
    split: str  # as named in the prompt

    def estimate(self, model: str, prompt: Prompt) -> CostEstimate:
        """What asking ``model`` costs: calls, tokens and USD."""
        return estimate_questions(model, prompt, self.dataset, self.split, self.items)

    def freeze(self, store: Store, result: Result) -> list[str]:
        """Freeze the quizzes that make this partition a control of ``result``, after drawing it if
        need be."""
        sample_id = self.sample
        if sample_id is None and self.bundled is not None:
            sample_id = samples.save(store, _draw(*self.bundled))
        assert sample_id is not None  # noqa: S101  (one of the two is there)
        slots = {kind: slot_letter(result.slot) for kind in build.PLACED}
        return [
            freeze.freeze(store, sample_id, kind, slot=slots.get(kind)).quiz
            for kind in _kinds(result)
        ]


def _kinds(result: Result) -> list[QuizKind]:
    """A bcq can only be read against the bdq of the same sample."""
    return [QuizKind.BDQ, QuizKind.BCQ] if result.kind is QuizKind.BCQ else [result.kind]


@dataclass(frozen=True)
class Unwritten:
    """A control sample in the store that lacks variants."""

    name: str
    sample: str


def candidates(store: Store, result: Result, exclusions: Sequence[str]) -> Iterator[Candidate]:
    """Partitions of the task and language of ``result``, other than those in ``exclusions``, that
    can be asked the same kind of quiz, with variants by the same writer: samples of the store
    first, then bundled texts, then placebos; within each group the larger ones first. Each is built
    only when the caller asks for it."""
    with store.hold():
        drawn = _stored(store, result, exclusions)
        writers = variants.writers(store, [sample.id for sample in drawn])
        target_writer = variants.writers_of_quizzes(store, [result.quiz]).get(result.quiz)
        drawn_partitions = {sample.partition for sample in samples.listing(store)} | set(exclusions)
    ranked: list[tuple[tuple[bool, bool, int], str | None, tuple[str, str] | None]] = [
        ((sample.placebo_of is not None, False, -sample.n), sample.id, None)
        for sample in drawn
        if sample.with_variants and writers.get(sample.id) == target_writer
    ]
    ranked += [
        ((False, True, -_draw(*entry).n), None, entry)
        for entry in _bundled(result.task, result.language)
        if target_writer == "bundled" and "/".join(entry) not in drawn_partitions
    ]
    seen_partitions: set[str] = set()
    for _, sample_id, entry in sorted(ranked, key=lambda row: row[0]):
        candidate = _candidate(store, result, sample_id, entry)
        if candidate is not None and candidate.partition not in seen_partitions:
            seen_partitions.add(candidate.partition)
            yield candidate


def unwritten(store: Store, result: Result, exclusions: Sequence[str]) -> list[Unwritten]:
    """Control samples that could be asked if they had variants."""
    return [
        Unwritten(place(sample.title, sample.split_title), sample.id)
        for sample in _stored(store, result, exclusions)
        if not sample.with_variants
    ]


def _stored(store: Store, result: Result, exclusions: Sequence[str]) -> list[ListedSample]:
    fitting = samples.controls(store, result.task, result.language)
    return [sample for sample in fitting if sample.partition not in exclusions]


def bundled(store: Store, task: str, language: str) -> list[tuple[str, str]]:
    """Dataset and split of each bundled control of this task and language that comes with variants
    and is not drawn yet."""
    drawn_partitions = {sample.partition for sample in samples.listing(store)}
    return [pair for pair in _bundled(task, language) if "/".join(pair) not in drawn_partitions]


def nearest(store: Store, target: StoredSample) -> list[tuple[str, str]]:
    """Like ``bundled``, but of another task than the target's: of the one whose texts are nearest
    to the target's in length (the median of characters). Empty if all of them are drawn, or there
    is none in this language."""
    language, task = target.partition.language, str(target.partition.task)
    lengths = {
        other_task: [len(instance.text) for pair in pairs for instance in _draw(*pair).instances]
        for other_task in DatasetTask
        if other_task != task and (pairs := list(_bundled(other_task, language)))
    }
    target_length = median(len(target_instance.text) for target_instance in target.instances)
    if not lengths:
        return []
    near = min(lengths, key=lambda other: abs(median(lengths[other]) - target_length))
    return bundled(store, near, language)


@dataclass(frozen=True)
class SmallSource:
    """A bundled text from which a small control of ``n`` instances can be drawn: its catalog key
    and split, and whether its labels are left out (``alone``)."""

    key: str
    split: str
    n: int = SMALL
    alone: bool = False

    @property
    def partition(self) -> str:
        """The id that its partition has in a store."""
        return _small(self.key, self.split, self.n, alone=self.alone).partition.id

    def draw(self, store: Store, *, author: str = "") -> str:
        """Keep its first instances, without rewordings; returns the id of the sample."""
        drawn = _small(self.key, self.split, self.n, alone=self.alone)
        return samples.save(store, drawn, author=author)


def small_sources(
    target: Partition, instances: Sequence[Instance], n: int = SMALL
) -> list[SmallSource]:
    """Bundled texts of a target's task and language, each of another origin: first the small
    controls, then the larger ones, of which a part is taken. Of either those come first whose
    labels have the form of the target's ``instances``, then those whose texts are nearest in
    length. For a target of texts alone they are texts of which the labels are left out."""
    alone = target.task is DatasetTask.TEXT
    own = frozenset(value for instance in instances for value in instance.fields.values())
    fitting = [
        entry
        for entry in entries()
        if entry.role is PartitionRole.CONTROL
        and entry.files
        and entry.language == target.language
        and (_has_one_text(entry) if alone else entry.layout.task == target.task)
        and entry.key != target.key
        and own.isdisjoint(_long_texts(entry.key, tuple(entry.splits)))
    ]
    kind = text_kind(instances)

    def rank(entry: Entry) -> tuple[bool, bool, float]:
        other = _small_kind(entry.key, next(iter(entry.splits)), alone=alone)
        if kind is None or other is None:
            return (not entry.is_small, False, 1.0)
        return (not entry.is_small, other.labels != kind.labels, kind.times_as_long(other))

    return [
        SmallSource(entry.key, split, n, alone)
        for entry in sorted(fitting, key=rank)
        for split in list(entry.splits)[:1]  # splits of one text are one origin
    ]


def propose_small(
    store: Store, target_id: str, count: int | None = None, n: int = SMALL
) -> list[SmallSource]:
    """The small controls of ``n`` instances, each of another origin, that make ``count``, ten if
    left out, with those that a target has already. Empty where its writer cannot reword them, or
    the catalog has none for this task and language."""
    target = samples.load(store, target_id)
    writer = placebo_writing.writer_of(store, target.id)
    if control_writing.why_not(writer, target.partition.language):
        return []
    present = usual_for(store, target.id, same_writer=True)
    used = {samples.partition_of(store, sample_id).id for sample_id in present}
    sources = small_sources(target.partition, target.instances, n)
    new = [source for source in sources if source.partition not in used]
    good = [sample_id for sample_id in present if not has_too_few(store, sample_id)]
    wanted = SMALL_CONTROLS if count is None else count
    return new[: max(0, wanted - len(good))]


def has_too_few(store: Store, sample_id: str) -> bool:
    """Whether too few instances of a small control can be used: another takes its place."""
    sample = samples.load(store, sample_id)
    is_bundled = sample.partition.source.startswith("bundled:")
    usable = control_writing.count_usable(store, sample_id)
    return is_bundled and usable < min(FEWEST, len(sample.instances))


def draw_small(store: Store, sources: Sequence[SmallSource], *, author: str = "") -> list[str]:
    """Draw small controls, whose rewordings are written when they are asked; returns the ids of the
    samples."""
    return [source.draw(store, author=author) for source in sources]


def controls_for(
    store: Store,
    target_id: str,
    count: int | None = None,
    n: int = SMALL,
    *,
    author: str = "",
) -> list[str]:
    """The controls of a target where nobody chose: those of the store with the writer of its
    rewordings, and as many small ones of ``n`` instances, drawn for it, as make ``count``. Where
    nobody can write like the target's writer, because its rewordings came with the data, bundled
    controls that came with theirs are drawn. By their samples; where there are none, those of the
    store by other writers."""
    present = [
        sample_id
        for sample_id in by_the_same_writer(store, target_id)
        if not has_too_few(store, sample_id)
    ]
    drawn = draw_small(store, propose_small(store, target_id, count, n), author=author)
    if not drawn and not present:
        drawn = draw_bundled(store, bundled_alike(store, target_id)[:MANY], author=author)
    return [*present, *drawn] or usual_for(store, target_id)


def by_the_same_writer(store: Store, target_id: str) -> list[str]:
    """The usual controls of the store whose rewordings have the writer of a target's, by their
    samples."""
    return usual_for(store, target_id, same_writer=True)


def bundled_alike(store: Store, target_id: str) -> list[tuple[str, str]]:
    """Bundled controls that are not drawn yet, for a target whose rewordings came with the data as
    theirs did; empty for any other target."""
    if variants.writers(store, [target_id]).get(target_id) != "bundled":
        return []
    partition = samples.partition_of(store, target_id)
    return bundled(store, partition.task, partition.language)


def can_add(store: Store, target_id: str, controls: Sequence[str]) -> bool:
    """Whether there are further controls for a target than the samples ``controls``."""
    others = set(by_the_same_writer(store, target_id)) - set(controls)
    return bool(others or propose_small(store, target_id))


@lru_cache(maxsize=128)
def _long_texts(key: str, splits: tuple[str, ...]) -> frozenset[str]:
    """The long texts of a bundled partition's rows. A target that has one of them was drawn from it
    under another name."""
    opened = [open_partition(key, split) for split in splits]
    rows = [row for each in opened for row in draw_sample(each, each.row_count).instances]
    return frozenset(value for row in rows for value in row.fields.values() if len(value) >= _LONG)


def _has_one_text(entry: Entry) -> bool:
    layout = entry.layout
    return len(layout.fields) == 1 and layout.label is not None and not layout.choices


@lru_cache(maxsize=256)
def _small(key: str, split: str, n: int, *, alone: bool) -> Sample:
    """The instances of a small control, which never change, without bundled rewordings."""
    opened = open_partition(key, split)
    return replace(draw_sample(text_alone(opened) if alone else opened, n), variants={})


@lru_cache(maxsize=256)
def _small_kind(key: str, split: str, *, alone: bool) -> TextKind | None:
    return text_kind(_small(key, split, SMALL, alone=alone).instances)


def draw_bundled(store: Store, pairs: Sequence[tuple[str, str]], *, author: str = "") -> list[str]:
    """Draw bundled partitions, whose variants come with them; returns the ids of the samples."""
    return [samples.save(store, _draw(*pair), author=author) for pair in pairs]


def _bundled(task: str, language: str) -> Iterator[tuple[str, str]]:
    """Those that come with variants; any other needs them written first."""
    for entry in entries():
        fits = (str(entry.layout.task), entry.language) == (task, language)
        if entry.role is PartitionRole.CONTROL and entry.files and fits:
            yield from (
                (entry.key, split) for split in entry.splits if _draw(entry.key, split).variants
            )


@lru_cache(maxsize=128)
def _draw(key: str, split: str) -> Sample:
    """A seeded sample of a bundled partition, which never changes."""
    return draw_sample(open_partition(key, split), _MOST_DRAWN)


@at_one_moment
def _candidate(
    store: Store, result: Result, sample_id: str | None, entry: tuple[str, str] | None
) -> Candidate | None:
    """A candidate from a sample or a bundled partition; None if no question can be built."""
    slot = build.DEFAULT_SLOT if result.slot is None else result.slot
    try:
        if sample_id is not None:
            sample = samples.load(store, sample_id)
            partition = sample.partition
            built = [freeze.questions(store, sample, kind, slot) for kind in _kinds(result)]
        else:
            assert entry is not None  # noqa: S101  (one of the two is there)
            drawn = _draw(*entry)
            partition = drawn.partition
            texts = {i: dict(enumerate(written)) for i, written in drawn.variants.items()}
            built = [
                build.build(kind, drawn.instances, texts, slot=slot) for kind in _kinds(result)
            ]
    except InputError:
        return None
    return Candidate(
        name=partitions.place(store, partition),
        partition=partition.id,
        sample=sample_id,
        bundled=entry,
        items=tuple(item for quiz in built for item in quiz.items),
        dataset=partition.title,
        split=partition.split_title,
    )
