"""From a benchmark to conclusions, in one go."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from dcq import methods
from dcq.asking.options import Watch
from dcq.asking.plan import resolve_all
from dcq.asking.task import Ended
from dcq.commands import no_effect
from dcq.commands.asking import ask_each, leave_if_stopped
from dcq.commands.output import AsJson, emit, open_store, remark, remark_guess
from dcq.commands.plan import show_plan, tell_plan
from dcq.errors import DcqError, InputError
from dcq.investigation import corpus_scan, evidence_order, price
from dcq.investigation.outcome import all_findings, document, finding_of
from dcq.investigation.planned import PowerPlan
from dcq.investigation.state import begun
from dcq.investigation.walk import InvestigationProgress
from dcq.judging import changes
from dcq.judging.answer import Answer, MethodAnswer
from dcq.judging.answer_words import below_its_word, whether_it_counts
from dcq.judging.answers import answers
from dcq.models.endpoints import Endpoint
from dcq.quiz.choice import QuizChoice, caution, left_out, newer_texts
from dcq.records import DatasetTask, QuizKind, Sample
from dcq.store import Store
from dcq.store.studies import EVERYTHING
from dcq.study import engine, targets
from dcq.study.engine import DrawnTarget, KeptTarget, Manner
from dcq.study.repairs import repair_command, with_repairs
from dcq.study.spec import ControlSource, ControlSpec, ModelSpec, RewordingSpec, StudySpec

MOST = 2**31 - 1  # of instances, and the largest seed


def investigate(
    sample: Annotated[
        str,
        typer.Argument(
            help="What is asked about: the id of a sample, a csv, tsv, jsonl, json or parquet "
            "file, a key of the catalog, or OWNER/NAME or OWNER/NAME:CONFIG on the Hub."
        ),
    ],
    model: Annotated[list[str], typer.Option(help="A model, named as for `run`; may be repeated.")],
    rewordings: Annotated[
        str | None,
        typer.Option(
            help="The model that rewords, or offline; left out, rewordings that are there stay, "
            "and the offline generator writes others."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="The split, such as train.", show_default="test")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", max=MOST, help="How many instances.", show_default="100")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=-MOST,
            max=MOST,
            help="The same seed draws the same instances.",
            show_default="0",
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(help="Column of the text; left out, the one with a usual name."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of the label or the answer; found likewise.")
    ] = None,
    template: Annotated[
        str | None, typer.Option(help='A template with {column} in it, such as "Q: {question}".')
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="The benchmark's name, as models know it; left out, the file's."),
    ] = None,
    task: Annotated[
        DatasetTask | None, typer.Option(help="classification or question-answering, as in sample.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Code of the texts' language, as in sample.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of a dataset on the Hub.")] = None,
    control: Annotated[
        list[str] | None,
        typer.Option(
            help="A control's sample; may be repeated. Left out, those in the store by the writer "
            "of the target's rewordings, and small bundled ones, reworded by it, up to ten."
        ),
    ] = None,
    kind: Annotated[
        QuizKind, typer.Option(help="The quiz with originals: standard or rotated.")
    ] = QuizKind.STANDARD,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            help="A further method, such as replication, asked of the target and of each control; "
            "may be repeated. Left out, all that the model allows; quiz alone asks no other.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(help="Never spend more than this on all of it, in USD."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Ask only the first N instances of each sample.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the newest of this sample and model, as chosen."),
    ] = False,
    plan_only: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Ask nothing: print what this would find, what would block it, calls and price.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Start without being asked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the quizzes and all other methods that each model allows, on a target and its controls,
    until the answer is clear; print it. Of a benchmark that is no sample yet, draw one and have it
    reworded first. Run again, it goes on, and asks nothing that was asked."""
    store = open_store()
    drawing = {
        "--split": split, "--n": n, "--seed": seed, "--text": text, "--label": label,
        "--template": template, "--name": name, "--task": task, "--language": language,
        "--revision": revision,
    }  # fmt: skip
    named = methods.check_beside_the_quiz(method)
    if resume:
        if plan_only:
            raise InputError("A plan says what would be asked anew; leave --resume out.")
        if control or method or kind is not QuizKind.STANDARD or rewordings:
            raise InputError(
                "What is continued has its controls, kind and methods; leave them out."
            )
    target = targets.read_target(store, sample, name)
    if resume and not target.sample:
        raise InputError("A benchmark goes on by itself; leave --resume out.")
    if target.sample:
        no_effect.refuse(drawing, "A sample of the store has its texts")
    else:
        no_effect.refuse({"--name": None if target.file else name}, "Only a file is given a name")
        target = replace(
            target,
            split=split or target.split,
            text=text,
            label=label,
            template=template,
            task=task,
            n=target.n if n is None else n,
            seed=seed or 0,
            revision=revision,
            language=language,
        )
    spec = StudySpec(
        "",
        (target,),
        tuple(map(ModelSpec, model)),
        RewordingSpec(rewordings or ""),
        _controls(control),
        kind=kind,
        budget=budget,
    )
    call = _Call(store, spec, Manner(named if method else None, limit, resume=resume), as_json)
    drawn = engine.draw(store, spec)
    for each in drawn:
        if isinstance(each.sample, Sample):
            _remark_each(*each.sample.notes)
        remark_guess(each.guessed)
    if plan_only:
        show_plan(_tell_whats_around(call, drawn), as_json)
    else:
        _carry_out(call, drawn, yes=yes)


@dataclass(frozen=True)
class _Call:
    """What was asked for: ``spec`` has one target."""

    store: Store
    spec: StudySpec
    manner: Manner
    as_json: bool

    @property
    def models(self) -> list[str]:
        return [model.name for model in self.spec.models]


def _tell_whats_around(call: _Call, drawn: Sequence[DrawnTarget]) -> PowerPlan:
    """The plan, after sentences on what it rests on."""
    plan = engine.plan(call.store, call.spec, drawn, call.manner)
    target = drawn[0].sample
    if isinstance(target, str):
        _remark_each(price.others_words(call.store, target, call.models, answers(call.store)))
    return plan


def _carry_out(call: _Call, drawn: Sequence[DrawnTarget], *, yes: bool) -> None:
    store, spec, manner = call.store, call.spec, call.manner
    endpoints = resolve_all(call.models)
    names = [endpoint.name for endpoint in endpoints]
    target = drawn[0].sample
    if manner.resume and all(begun(store, str(target), name) for name in names):
        kept = [KeptTarget(str(target), None, named=True)]
        chosen = QuizChoice(str(target), spec.kind, ())
    else:
        kept, chosen = _prepare(call, drawn, yes=yes)
    purse = engine.purse_of(store, spec, kept)
    _remark_each(
        caution(store, chosen),
        price.others_words(store, chosen.sample, names, answers(store)),
        corpus_scan.start(store, chosen.sample),
    )

    async def ask(watch: Watch, endpoint: Endpoint) -> InvestigationProgress:
        return await engine.ask(store, spec, chosen, endpoint, manner, watch, purse)

    ended, left_by = ask_each(endpoints, ask, "Investigation")
    if not left_by:
        engine.settle(purse)
    _conclude(call.store, names, ended, left_by, as_json=call.as_json)


def _prepare(
    call: _Call, drawn: Sequence[DrawnTarget], *, yes: bool
) -> tuple[list[KeptTarget], QuizChoice]:
    """What is asked, once its rewordings are written; ends the process if they are not."""
    store, spec, manner = call.store, call.spec, call.manner
    is_new = bool(spec.rewordings.model) or not isinstance(drawn[0].sample, str)
    if is_new or engine.writes(store, engine.keep(store, drawn, spec)[0]):
        has_questions = not is_new and engine.has_questions(store, str(drawn[0].sample))
        if has_questions and not (yes or _is_terminal()):
            manner = replace(manner, as_worded=True)  # nobody agreed to others
        else:
            _agree(call, drawn, yes=yes)
    kept = engine.keep(store, drawn, spec, author=manner.author)
    purse = engine.purse_of(store, spec, kept)

    async def prepare(watch: Watch, target: KeptTarget) -> QuizChoice | Ended:
        return await engine.prepare_target(store, spec, target, manner, watch, purse)

    [prepared], left_by = ask_each(kept, prepare, "Rewordings")
    if not isinstance(prepared, QuizChoice):
        _leave([("", prepared)], left_by)
        raise typer.Exit(1)
    if spec.controls.source is not ControlSource.OWN:
        _remark_each(
            newer_texts(store, prepared.sample, call.models),
            left_out(store, prepared.sample, prepared.controls),
            price.rewordings_words(store, prepared),
        )
    return kept, prepared


def _is_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _agree(call: _Call, drawn: Sequence[DrawnTarget], *, yes: bool) -> None:
    """Show the plan and ask whether it may start. Raises InputError where nobody can be asked, or
    no conclusion is possible."""
    agreed = yes or call.spec.budget is not None
    if not agreed and not _is_terminal():
        raise InputError(
            "There is no terminal on which you could agree to the price. Add --yes to start, or "
            "--budget 5 to spend at most 5 USD."
        )
    engine.check_models(call.spec)
    plan = _tell_whats_around(call, drawn)
    if not plan.calls:
        return
    tell_plan(plan)
    engine.check_possible(plan)
    if not agreed and not typer.confirm("Start?", default=True, err=True):
        remark("Nothing was asked.")
        raise typer.Exit


def _conclude(
    store: Store,
    names: Sequence[str],
    ended: Sequence[InvestigationProgress | DcqError],
    left_by: Sequence[signal.Signals],
    *,
    as_json: bool,
) -> None:
    outcomes = [end for end in ended if isinstance(end, InvestigationProgress)]
    quiz_findings = all_findings(store) if outcomes else []
    final_answers = [evidence_order.answer_of(store, end.record) for end in outcomes]
    if outcomes:
        changes.keep(store, EVERYTHING, answers(store))
    documents = [
        document(store, end, finding_of(end.record, quiz_findings))
        | {"answer": with_repairs(store, [answer])[0] if answer else None}
        for end, answer in zip(outcomes, final_answers, strict=True)
    ]
    if as_json:
        emit(documents, True, "")
    else:
        for each, answered, end in zip(documents, final_answers, outcomes, strict=True):
            if answered is not None:
                emit(
                    None,
                    False,
                    f"{answered.ruling.word.capitalize()}. {below_its_word(answered)}",
                )
            _tell_results(end, each, answered)
            if answered is not None and (command := repair_command(store, answered)):
                emit(None, False, f"Next: {command}")
        if outcomes:
            remark("All figures: python -m dcq answer")
    stopped = [end if isinstance(end, DcqError) else end.ended for end in ended]
    _leave(list(zip(names, stopped, strict=True)), left_by)


def _tell_results(
    end: InvestigationProgress, told: Mapping[str, Any], answered: Answer | None
) -> None:
    """Print what each method found, and whether it counts; those of an earlier investigation too,
    after which another method need not be asked."""
    asked = answered.methods if answered is not None else ()
    counts = {method.run: _why_not(method) for method in asked}
    emit(None, False, f"{told['finding']}{counts.get(_quiz_run(end), '')}")
    others = {other["run"]: (other["method"], other["finding"]) for other in told["others"]}
    others |= {
        method.run: (method.method, method.finding)
        for method in asked
        if method.judged is not None and not method.kind
    }
    for run, (name, found) in others.items():
        emit(None, False, f"{name.capitalize()}: {found}{counts.get(run, '')}")


def _quiz_run(end: InvestigationProgress) -> str:
    """The run of the target's quiz with originals; empty where there is none."""
    adopted = end.record.runs.get((end.record.kind, end.record.sample))
    return adopted.run if adopted else ""


def _why_not(method: MethodAnswer) -> str:
    """What is added to a result that does not count in the conclusion."""
    return "" if method.votes else f" {whether_it_counts(method)}"


def _leave(
    ended: Sequence[tuple[str, Ended | DcqError]], left_by: Sequence[signal.Signals]
) -> None:
    """As ``leave_if_stopped``; after a signal it says what to type to go on."""
    if left_by:
        remark(f"To go on, type: {shlex.join(['python', '-m', 'dcq', *sys.argv[1:]])}")
    leave_if_stopped(ended, list(left_by))


def _remark_each(*sentences: str | None) -> None:
    for sentence in filter(None, sentences):
        remark(sentence)


def _controls(named: Sequence[str] | None) -> ControlSpec:
    if named:
        return ControlSpec(ControlSource.OWN, len(named), samples=tuple(named))
    return ControlSpec()
