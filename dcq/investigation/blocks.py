"""What would block a conclusion, as far as it is known before anything is asked: each as a sentence
with its repair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq import methods
from dcq.asking import prepare
from dcq.asking.options import Terms
from dcq.errors import DcqError, InputError
from dcq.evidence.controls import FEWEST_CONTROL, FEWEST_TARGET
from dcq.evidence.leak import leaks, strategy_words
from dcq.investigation.price import Need
from dcq.investigation.state import endpoint_for
from dcq.models.endpoints import Endpoint
from dcq.quiz import choice as choosing
from dcq.quiz import freeze
from dcq.quiz.choice import QuizChoice
from dcq.records import QuizKind
from dcq.store import Store, partitions, samples, variants
from dcq.store.answer_plans import PlannedMethod
from dcq.store.samples import StoredSample
from dcq.variants import placebo_writing
from dcq.variants.leakage import text_only
from dcq.variants.writer_words import writer_words
from dcq.words import counted, listed, percent

_SHOWN = 3  # names


@dataclass(frozen=True)
class Blocks:
    """What is known of a target and its controls. ``everything``: no method can conclude.
    ``leak`` says that text alone gives originals away, empty where it does not, and ``leaky`` are
    the instances of which it does. Of the ``fitting`` controls, of the target's task and language,
    some have rewordings by the target's ``writer``: ``same_writer``."""

    problems: tuple[str, ...]
    everything: bool
    leak: str
    leaky: tuple[str, ...]
    fitting: tuple[str, ...]
    same_writer: tuple[str, ...]
    writer: str


def find(store: Store, choice: QuizChoice, terms: Terms, needs: Sequence[Need]) -> Blocks:
    """What blocks the conclusion on a target, whichever method is asked."""
    target = samples.load(store, choice.sample)
    lacking = list(choosing.questions_lack(store, choice).values())
    part = _part(store, choice, terms)
    writers = variants.writers(store, [choice.sample, *choice.controls])
    own = writers.get(choice.sample, "")
    fitting = tuple(
        control
        for control in choice.controls
        if _text(store, control) == (target.partition.task, target.partition.language)
    )
    unwritten = choosing.to_write(store, choice)  # by the same writer, when they are asked
    same = tuple(
        control for control in fitting if control in unwritten or writers.get(control, "") == own
    )
    problems = [
        *lacking,
        part,
        _controls(store, choice, target, fitting),
        *([] if part else _sizes(store, choice, fitting, needs)),
        "" if lacking else _writer(store, fitting, same, own, writers),
    ]
    leak, leaky = ("", ()) if lacking else find_leak(store, target, choice.kind)
    leak = leak and f"{leak} Reword the instances that it solves."
    return Blocks(
        tuple(filter(None, problems)),
        bool(lacking or part),
        leak,
        leaky,
        fitting,
        same,
        own,
    )


def of_method(
    store: Store,
    planned: PlannedMethod,
    sample_id: str,
    endpoint: Endpoint | None,
    *,
    instances: int,
) -> str:
    """Why a method cannot be asked of a model about a target, or about none of its ``instances``;
    empty where it can."""
    if planned.kind:
        return ""  # a quiz lacks nothing but rewordings
    method = methods.named(planned.method)
    try:
        if endpoint is not None:
            endpoint_for(planned.method, endpoint)
        if not instances:
            method.propose(store, sample_id)
    except DcqError as error:
        return f"{method.title}: {error}"
    return ""


def over_budget(terms: Terms, endpoint: Endpoint | None, usd: float | None) -> str:
    """Why a budget refuses the plan or ends it early; empty where it does not."""
    if terms.budget_usd is None or endpoint is None:
        return ""
    try:
        prepare.check_price(endpoint, terms)
    except InputError as error:
        return str(error)
    if usd is None or usd <= terms.budget_usd:
        return ""
    budget, price = (
        f"${each:.2f}" if each >= 0.01 else f"${each:.2g}" for each in (terms.budget_usd, usd)
    )
    return (
        f"The budget of {budget} may end this early: it takes up to {price}. Raise it, or ask less."
    )


def _text(store: Store, sample_id: str) -> tuple[str, str]:
    partition = samples.partition_of(store, sample_id)
    return partition.task, partition.language


def _name(store: Store, sample_id: str) -> str:
    return partitions.place(store, samples.partition_of(store, sample_id))


def _names(store: Store, sample_ids: Sequence[str]) -> str:
    return listed([_name(store, sample_id) for sample_id in sample_ids], _SHOWN)


def _part(store: Store, choice: QuizChoice, terms: Terms) -> str:
    """A run that ends before the last question says little, and serves as no control."""
    if terms.limit is None:
        return ""
    sizes = [len(samples.load(store, each).instances) for each in (choice.sample, *choice.controls)]
    if max(sizes) <= terms.limit:
        return ""
    return (
        f"Only the first {counted(terms.limit, 'instance')} of each sample would be asked, and a "
        "part of a quiz gives no conclusion. Ask all, or draw smaller samples."
    )


def _controls(
    store: Store, choice: QuizChoice, target: StoredSample, fitting: Sequence[str]
) -> str:
    task, language = target.partition.task, target.partition.language
    if not choice.controls:
        return (
            f"There is no control, a text of the same task and language ({task}, {language}) that "
            "no model has seen. Draw some, or make one of these instances "
            f"({placebo_writing.command(store, target.id)})."
        )
    if not fitting:
        return (
            f"No control is of the target's task and language ({task}, {language}), so none "
            "counts. Draw some that are."
        )
    return ""


def _sizes(
    store: Store, choice: QuizChoice, fitting: Sequence[str], needs: Sequence[Need]
) -> list[str]:
    sizes = {need.sample: need.instances for need in needs if need.kind == choice.kind}
    own, controls = sizes.get(choice.sample, 0), sum(sizes.get(each, 0) for each in fitting)
    found = []
    if 0 < own < FEWEST_TARGET:
        found.append(
            f"{_name(store, choice.sample)} has {counted(own, 'instance')}, and a conclusion takes "
            f"at least {FEWEST_TARGET}. Draw a larger sample."
        )
    if 0 < controls < FEWEST_CONTROL:
        found.append(
            f"The controls have {counted(controls, 'instance')} together, and a conclusion takes "
            f"at least {FEWEST_CONTROL}. Add controls."
        )
    return found


def _writer(
    store: Store,
    fitting: Sequence[str],
    same: Sequence[str],
    own: str,
    writers: dict[str, str],
) -> str:
    foreign = [control for control in fitting if control not in same]
    if not foreign:
        return ""
    if same:
        return (
            f"{_names(store, foreign)} would not count: another writer reworded "
            f"{'it' if len(foreign) == 1 else 'them'}. Leave "
            f"{'it' if len(foreign) == 1 else 'them'} out, or use one writer for all."
        )
    theirs = listed(sorted({writer_words(writers.get(each, "")) for each in foreign}), _SHOWN)
    return (
        f"Target and controls have different writers: the target's rewordings are "
        f"{writer_words(own)}, those of the controls {theirs}. Have all written by one."
    )


def find_leak(
    store: Store, target: StoredSample, kind: QuizKind, slot: int | None = None
) -> tuple[str, tuple[str, ...]]:
    """Whether a strategy without memory finds originals, as the judge will ask: in a sentence, and
    the instances that it solves. ``slot`` is where the originals stand, None as ``freeze`` would
    place them. Raises InputError where no question can be made."""
    items = freeze.questions(store, target, kind, slot).items
    baselines = {entry.name: entry for entry in text_only(items, target.partition.language)}
    solved = leaks({name: entry.kappa for name, entry in baselines.items()})
    if not solved:
        return "", ()
    best = max((baselines[name] for name in solved), key=lambda entry: entry.kappa.score or 0.0)
    sentence = (
        f"The text alone gives originals away: “{strategy_words(best.name)}” finds "
        f"{percent(best.kappa.score or 0.0)} of them, and guessing 25 %."
    )
    return sentence, tuple(dict.fromkeys(best.found))
