"""dcq in a notebook or a script: the walk as a few functions, each of which does what the command
of its step does. ``import dcq`` gives them all; docs/python.md shows them at work.

    open_store → draw_sample → write_variants → freeze_quiz → run_quiz → read_results → plot_results

What goes wrong is a ``dcq.DcqError`` whose text is one sentence with the fix. Ctrl-C, or a
notebook's stop button, ends what asks a model as it ends a command: what is answered is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from dcq import settings
from dcq.api.choose import choose
from dcq.api.investigating import investigate
from dcq.api.others import import_bundle, take_back, take_in
from dcq.api.plot import plot_results
from dcq.api.studies import run_study
from dcq.api.waiting import wait_for
from dcq.asking import plan
from dcq.asking.calls import gives_logprobs
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.task import Ended
from dcq.documents.run_document import run_document
from dcq.environment import store_path
from dcq.errors import DcqError, InputError
from dcq.files import export
from dcq.investigation.could_ask import priced
from dcq.investigation.stored_replies import read_stored_replies
from dcq.judging import every_method, known
from dcq.judging.answers import answers
from dcq.models.endpoints import resolve
from dcq.partitions import draw_sample as draw
from dcq.partitions import open_partition
from dcq.quiz import freeze, protocol2
from dcq.quiz.freeze import FrozenQuiz
from dcq.quiz.method import QUIZ
from dcq.records import DatasetTask, PartitionRole, QuizKind, TextLayout
from dcq.store import Store, quizzes, runs, samples, studies
from dcq.store.answers import answered_and_failed
from dcq.store.runs import Event
from dcq.store.samples import StoredSample
from dcq.store.studies import EVERYTHING
from dcq.study.repairs import with_repairs
from dcq.variants import reword
from dcq.variants.prompts import Protocol
from dcq.variants.reword import RewordingDesign, Written

__all__ = [
    "DcqError",
    "answer",
    "draw_sample",
    "freeze_quiz",
    "import_bundle",
    "investigate",
    "open_store",
    "plot_results",
    "read_answers",
    "read_results",
    "run_quiz",
    "run_study",
    "take_back",
    "take_in",
    "write_variants",
]

OnProgress = Callable[[int, int], None]


def open_store(path: Path | str | None = None) -> Store:
    """The results store at ``path``, made with its folder if there is none; left out, the one that
    the app and the commands use (``DCQ_STORE``, or the usual place).

    Nothing is held open between calls, so the app and commands may use the same store meanwhile.

    Raises:
        StoreError: it cannot be made, read or written, or a later release wrote it.

    """
    store = Store(Path(path).expanduser().absolute() if path is not None else store_path())
    with store.read():
        pass
    read_stored_replies(store)
    return store


def draw_sample(
    store: Store,
    dataset: str,
    split: str,
    n: int = 100,
    *,
    seed: int = 0,
    stratified: bool = False,
    file: Path | str | None = None,
    text: str | None = None,
    label: str | None = None,
    template: str | None = None,
    layout: TextLayout | str = TextLayout.PAPER,
    role: PartitionRole | str | None = None,
    language: str | None = None,
    revision: str | None = None,
    task: DatasetTask | str | None = None,
) -> StoredSample:
    """Draw at most ``n`` unique instances of one split, the same for the same ``seed``, and keep
    them.

    ``dataset`` is a key of the catalog, ``OWNER/NAME`` on the Hub or, with ``file`` (csv, tsv,
    jsonl, json or parquet), any name that the prompt shall say. ``text`` and ``label`` name
    columns, ``template`` is a wording of your own such as ``"Q: {question}"``, ``role`` is
    ``"target"``, ``"control"`` or ``"positive"``, ``language`` a code such as ``"kk"`` (left out,
    the catalog's, or what the script of the texts suggests), ``layout`` ``"paper"`` or
    ``"release"``,
    ``task`` ``"classification"`` or ``"question-answering"`` (left out, guessed from the labels),
    ``stratified`` keeps each label's share, ``revision`` is one of a dataset on the Hub.

    Returns the sample: ``id``, ``partition``, ``instances`` (each with ``id``, ``text``,
    ``label``), ``seed``, ``notes`` (sentences worth reading, such as that fewer were there).

    Raises:
        InputError: no such dataset, split, file or column, no code of a language, or a role that
            contradicts the saved one.
        StoreError: the sample cannot be kept.

    """
    opened = open_partition(
        dataset,
        split,
        file=file,
        text=text,
        label=label,
        template=template,
        role=None if role is None else choose(PartitionRole, role, "role"),
        language=language,
        revision=revision,
        layout=choose(TextLayout, layout, "layout"),
        task=None if task is None else choose(DatasetTask, task, "task"),
    )
    drawn = draw(opened, n, seed=seed, stratified=stratified)
    saved = samples.load(store, samples.save(store, drawn))
    if opened.guessed is None:
        return saved
    note = f"{opened.guessed.reason}; if they are in another, give its code as language."
    return replace(saved, notes=(*saved.notes, note))


def write_variants(
    store: Store,
    sample: StoredSample | str,
    model: str | None = None,
    *,
    variants: int = 4,
    prompt: Protocol | str | None = None,
    again: bool = False,
    limit: int | None = None,
    budget: float | None = None,
    max_calls: int | None = None,
    resume: bool = False,
    on_progress: OnProgress | None = None,
) -> Written:
    """Write the rewordings that the instances of a sample lack, and keep each as it comes.

    ``model`` is who rewords, named as for ``run_quiz``; None takes the offline generator, which
    needs no key, is weaker and knows English only. ``variants`` is 3, or 4 for a modified quiz or a
    bdq too; ``prompt`` ``"v1"`` (the paper's, unless said otherwise) or ``"v2"`` (that of the
    authors' release); ``again`` writes all of them again. ``limit`` takes the first so many
    instances that lack some; ``budget`` (USD) and ``max_calls`` are never passed; ``resume`` goes
    on with the newest rewording of this sample by this model, or starts one. ``on_progress`` hears
    (instances done, instances to do).

    Returns ``instances`` (that lacked some), ``variants`` (written), ``failed`` (that could not
    be) and ``notes``.

    Raises:
        InputError: no such sample or model, or a process is writing its variants already.
        DcqError: it ended early, for the reason given; what was written is kept.

    """
    if prompt is not None and model is None:
        raise InputError("The offline generator is asked nothing; name a model or no prompt.")
    cancelled = asyncio.Event()
    done = wait_for(
        reword.reword_sample(
            store,
            _id(sample),
            resolve(model, settings.load()) if model is not None else None,
            RewordingDesign(
                variants,
                protocol=Protocol.V1 if prompt is None else choose(Protocol, prompt, "protocol"),
                again=again,
            ),
            Options(Terms(limit, budget, max_calls), watch=Watch(cancelled)),
            resume=resume,
            on_instance=on_progress,
        ),
        cancelled,
    )
    if done.ended.event is not Event.FINISHED:
        raise DcqError(done.ended.detail)
    return done


def freeze_quiz(
    store: Store,
    sample: StoredSample | str,
    kind: QuizKind | str = QuizKind.STANDARD,
    *,
    slot: str | None = None,
    model: str | None = None,
) -> FrozenQuiz:
    """Make a quiz of a sample and its usable variants; its questions never change again.

    ``kind`` is ``"standard"``, ``"modified"``, ``"rotated"``, ``"bdq"`` or ``"bcq"``; ``slot`` is
    where the original stands in a standard quiz or a bcq, ``"A"`` to ``"D"``; left out, it is the
    slot that ``model`` (or any model) chose least in the newest modified quiz or bdq, or D.

    Returns ``quiz`` (its id), ``items`` (questions), ``slot`` (0 to 3; None where the original is
    absent or turns) and ``notes``.

    Raises:
        InputError: no such sample, kind or slot, or no instance has the variants that it takes.

    """
    return freeze.freeze(store, _id(sample), choose(QuizKind, kind, "kind"), slot=slot, model=model)


def run_quiz(
    store: Store,
    quiz: FrozenQuiz | str,
    model: str,
    *,
    limit: int | None = None,
    budget: float | None = None,
    max_calls: int | None = None,
    concurrency: int | None = None,
    resume: bool = False,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Put a quiz to a model and keep each answer as it lands; returns when all are in.

    ``model`` is named as on the command line: ``"embedded"``, ``"gpt-4o"``, ``"ollama:llama3.2"``,
    ``"NAME@https://host/v1"``, … Keys come from the environment or ``.env``, never from here.
    ``limit`` asks the first so many instances only; ``budget`` (USD) and ``max_calls`` are never
    passed; ``concurrency`` is calls in flight; ``resume`` goes on with the newest run of this quiz
    and model, or starts one. ``on_progress`` hears (answers kept, questions of the run).

    Returns what ``run --json`` prints: ``run`` (its id), ``quiz``, ``model``, ``outcomes`` (a count
    for each), ``correct``, ``n``, ``tokens_in``, ``tokens_out``, ``cost_usd`` (None: no known
    price), ``cost_is_exact``.

    Raises:
        InputError: no such quiz or model, or terms that allow nothing.
        DcqError: it ended before its last question, for the reason given; what was answered is
            kept, and ``resume=True`` goes on.

    """
    terms = Terms(limit, budget, max_calls, concurrency)
    quiz_id = quizzes.load(store, quiz.quiz if isinstance(quiz, FrozenQuiz) else quiz).id
    endpoint = resolve(model, settings.load())
    cancelled = asyncio.Event()

    async def take() -> tuple[str, Ended]:
        [(run_id, _)] = await plan.plan(store, QUIZ, [quiz_id], [endpoint], terms, resume=resume)
        total = runs.load(store, run_id).plan.items
        answered = len(answered_and_failed(store, run_id)[0])

        def count(answers: int) -> None:
            nonlocal answered
            answered += answers
            if on_progress is not None:
                on_progress(answered, total)

        count(0)
        job = plan.RunJob(run_id, endpoint, QUIZ, gives_logprobs(endpoint))
        options = Options(terms, watch=Watch(cancelled, on_answers=count))
        return run_id, await plan.carry_out(store, job, options)

    run_id, ended = wait_for(take(), cancelled)
    if ended.event is not Event.FINISHED:
        raise DcqError(ended.detail)
    return run_document(store, run_id)


def read_results(
    store: Store,
    *,
    model: str | None = None,
    partition: str | None = None,
    study: str | None = None,
) -> pd.DataFrame:
    """The results with verdicts, a row for each model, partition, kind of quiz, slot and prompt,
    and one for each replication; without rows or columns where nothing was asked.

    The columns are those of ``export results``: among them ``model``, ``partition``, ``role``,
    ``kind``, ``n`` (answers), ``score``, ``kappa_fixed``, ``kappa_low``, ``kappa_high``,
    ``kappa_control``, ``q_control``, ``verdict``, ``reasons``, and for any method ``method``,
    ``estimate`` with ``low`` and ``high``, ``unit``. Scores are shares from 0 to 1; what does not
    apply is missing. ``model`` and ``partition`` (``KEY/SPLIT``) choose what is shown;
    verdicts take all into account that was asked about the benchmark, or the saved ``study`` of
    that name, whatever is shown of it.

    Raises:
        InputError: there is no such model or partition, with the nearest names, or no such study.

    """
    known.check(store, model=model, partition=partition)
    within = EVERYTHING if study is None else studies.load(store, study)
    return every_method.tabulate(
        every_method.quizzes(store, within, model=model, partition=partition),
        protocol2.by_run(protocol2.estimates(store)),
        every_method.of_other_methods(store, within, model=model, partition=partition),
    )


def answer(
    store: Store,
    *,
    model: str | None = None,
    partition: str | None = None,
    study: str | None = None,
) -> list[dict[str, Any]]:
    """One answer for each model and partition, from all methods that were asked, with the keys that
    ``answer --json`` prints: ``model``, ``partition``, ``role``, ``ruling``, ``p_value``,
    ``q_value``, ``sentence``, ``reasons``, ``methods`` (each result with ``method``, ``n``,
    ``estimate``, ``p_value``, ``verdict``, ``votes``), ``could_ask``, and ``repair`` (None, or what
    may settle what is undecided: ``check``, ``label``, ``command``, ``why_not``).

    ``model`` and ``partition`` (``KEY/SPLIT``) choose what is shown, ``study`` names what is judged
    together; all that was asked about the benchmark if it is left out.

    Raises:
        InputError: there is no such model or partition, with the nearest names, or no such study.

    """
    known.check(store, model=model, partition=partition)
    within = EVERYTHING if study is None else studies.load(store, study)
    found = priced(store, answers(store, within, model=model, partition=partition))
    return with_repairs(store, found)


def read_answers(store: Store, run: str) -> pd.DataFrame:
    """Every question that a run (its id) asked, a row each, as ``export answers`` writes them:
    ``correct_letter``, ``letter`` (the one chosen), ``outcome``, ``reason`` (of that), ``reply``
    (as it came), ``seconds``, ``tokens_in``, ``tokens_out`` and more.

    Raises:
        InputError: no run has this id.

    """
    return export.frame(store, export.ExportTable.ANSWERS, run)


def _id(sample: StoredSample | str) -> str:
    return sample.id if isinstance(sample, StoredSample) else sample
