"""Protocol v2 in one go: the bdq, then a bcq for each slot that the model does not prefer.

Its runs are ordinary runs. What belongs together is found in the store: the newest bdq of a model
and sample, and the bcqs of its variants that were planned after it; the budget of the whole is
stored with its bdq. So if a process is killed at any moment, another can continue from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dcq import settings
from dcq.asking import launch, prepare
from dcq.asking.chain import Chain
from dcq.asking.exclusive import Exclusive
from dcq.asking.options import DEFAULTS, NO_TERMS, Options, Terms
from dcq.asking.plan import resolve_all
from dcq.asking.task import ChainStep, Ended
from dcq.models.endpoints import Endpoint, resolve
from dcq.quiz import protocol2
from dcq.quiz.freeze import freeze, freeze_bcq
from dcq.quiz.method import QUIZ
from dcq.quiz.protocol2 import ContaminationRange
from dcq.records import LETTERS, QuizKind
from dcq.store import Store, quizzes, runs, samples
from dcq.store.answers import answered_and_failed
from dcq.store.samples import StoredSample


@dataclass(frozen=True)
class ProtocolPass:
    """One pass through the protocol: its ``runs``, the bdq first; the ``estimate``, None while the
    bdq is not done; and how the last run ``ended``."""

    sample: str
    model: str
    runs: tuple[str, ...]
    estimate: ContaminationRange | None
    ended: Ended


EXCLUSIVE = Exclusive(
    "v2-", "{who} is taking protocol v2 of this sample already; wait, or cancel its run."
)


def so_far(store: Store, sample_id: str, model: str) -> ContaminationRange | None:
    """The estimate from the newest pass of this model; None until its bdq is done."""
    bdq = runs.newest_run(store, QUIZ.name, model, sample_id=sample_id, kind=QuizKind.BDQ)
    return _estimate(store, sample_id, model, bdq) if bdq and not _open(store, bdq) else None


def begun(store: Store, sample_id: str, model: str) -> bool:
    """True if there is a pass that was started and is not done, so that it can be continued."""
    if runs.newest_run(store, QUIZ.name, model, sample_id=sample_id, kind=QuizKind.BDQ) is None:
        return False
    bounds = so_far(store, sample_id, model)
    return bounds is None or bool(bounds.missing)


def begin(
    store: Store,
    sample_id: str,
    models: Sequence[str],
    terms: Terms = NO_TERMS,
    *,
    resume: bool = False,
) -> None:
    """Have each model take the protocol, in one process for all; ``resume`` continues its newest
    pass. Of ``terms``, limit and budget count. Raises InputError, and starts none, if one model
    cannot be asked with these terms or is taking the protocol already."""
    sample = samples.load(store, sample_id)
    endpoints = resolve_all(models)
    launch.begin_chains(
        store,
        EXCLUSIVE,
        ("v2", sample.id),
        [endpoint.name for endpoint in endpoints],
        lambda: {
            endpoint.name: _first_run(store, sample, endpoint, terms, resume)
            for endpoint in endpoints
        },
        Terms(terms.limit, terms.budget_usd),
    )


async def take(
    store: Store,
    sample_id: str,
    model: str,
    options: Options = DEFAULTS,
    *,
    resume: bool = False,
) -> ProtocolPass:
    """Ask all that is left of the bdq and then of each bcq, one quiz after the other, until one of
    them does not finish. Without ``resume`` all of them are asked from the start.

    The budget (USD) is for all of them together; without one, the budget of earlier processes still
    applies. Raises InputError if the model cannot take the protocol, or is taking
    it already.
    """
    sample = samples.load(store, sample_id)
    endpoint = resolve(model, settings.load())
    with EXCLUSIVE.hold(store, sample.id, endpoint.name):
        bdq = _first_run(store, sample, endpoint, options.terms, resume)
        budget = options.terms.budget_usd or runs.load(store, bdq).plan.budget_usd
        terms = replace(options.terms, budget_usd=budget)
        before = dict.fromkeys([bdq, *_bcqs(store, bdq).values()], 0.0)
        chain = Chain(store, replace(options, terms=terms), before, budget_run=bdq)
        ended = await chain.ask_all(_steps(store, bdq, endpoint, terms.limit))
        bounds = None if _open(store, bdq) else _estimate(store, sample.id, endpoint.name, bdq)
        bcq_runs = _bcqs(store, bdq)
        used = (
            [bcq_runs[letter] for letter in bounds.non_preferred if letter in bcq_runs]
            if bounds
            else []
        )
    return ProtocolPass(sample.id, endpoint.name, (bdq, *used), bounds, ended)


def _steps(store: Store, bdq: str, endpoint: Endpoint, limit: int | None) -> Iterator[ChainStep]:
    """The bdq, then a bcq with the original at each slot that the bdq leads to."""
    bdq_quiz = runs.load(store, bdq).plan.subject
    yield ChainStep(QUIZ, bdq_quiz, endpoint, bdq, limit, "BDQ")
    for letter in protocol2.non_preferred_by(store, bdq):
        run = _bcqs(store, bdq).get(letter)
        if run is None:
            bcq = freeze_bcq(store, bdq_quiz, letter).quiz
        else:
            bcq = runs.load(store, run).plan.subject
        yield ChainStep(QUIZ, bcq, endpoint, run, limit, f"BCQ at {letter}")


def _first_run(
    store: Store, sample: StoredSample, endpoint: Endpoint, terms: Terms, resume: bool
) -> str:
    """The run of the bdq: the newest one with ``resume``, else a new one."""
    run = (
        runs.newest_run(store, QUIZ.name, endpoint.name, sample_id=sample.id, kind=QuizKind.BDQ)
        if resume
        else None
    )
    if run is None:
        return prepare.plan_run(
            store, QUIZ, freeze(store, sample.id, QuizKind.BDQ).quiz, endpoint, terms
        )
    prepare.check_limit(store, QUIZ, run, terms)
    prepare.check(store, QUIZ, runs.load(store, run).plan.subject, endpoint, terms)
    return run


def _bcqs(store: Store, bdq: str) -> dict[str, str]:
    """The newest bcq of each slot, of those with the bdq's variants that were planned after it."""
    bdq_quiz = runs.load(store, bdq).plan.subject
    later = runs.followers(store, bdq, QuizKind.BCQ)
    same = quizzes.same_variants(store, {(bdq_quiz, run.quiz_id) for run in later})
    return {LETTERS[run.slot]: run.id for run in later if (bdq_quiz, run.quiz_id) in same}


def _estimate(store: Store, sample_id: str, model: str, bdq: str) -> ContaminationRange:
    done = {letter: run for letter, run in _bcqs(store, bdq).items() if not _open(store, run)}
    partition = samples.partition_of(store, sample_id).id
    return protocol2.estimate(store, model, sample_id, partition, bdq=bdq, bcqs=done)


def _open(store: Store, run_id: str) -> int:
    """How many questions of a run's plan have not been asked yet."""
    done, failed = answered_and_failed(store, run_id)
    return runs.load(store, run_id).plan.items - len(done) - len(failed)
