"""An investigation in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from dcq import methods
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import resolve_all
from dcq.commands.asking import ask_each, leave_if_stopped
from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.commands.plan import show_plan
from dcq.errors import DcqError, InputError
from dcq.investigation import corpus_scan, evidence_order, more_controls, price, walk
from dcq.investigation.outcome import all_findings, document, finding_of
from dcq.investigation.state import begun
from dcq.investigation.walk import InvestigationProgress
from dcq.judging import changes
from dcq.judging.answer_words import below_its_word
from dcq.judging.answers import answers
from dcq.models.endpoints import Endpoint
from dcq.quiz.choice import QuizChoice, caution, choose, left_out, newer_texts
from dcq.records import QuizKind
from dcq.store import Store, samples
from dcq.store.studies import EVERYTHING


def investigate(
    sample: Annotated[str, typer.Argument(help="Id of the target's sample.")],
    model: Annotated[list[str], typer.Option(help="A model, named as for `run`; may be repeated.")],
    control: Annotated[
        list[str] | None,
        typer.Option(
            help="A control's sample; may be repeated. Left out, all in the store that fit or, if "
            "none does, ten small bundled ones, which the writer of the target rewords."
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
        typer.Option(help="Never spend more than this on all quizzes of a model, in USD."),
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
    as_json: AsJson = False,
) -> None:
    """Ask the quizzes and all other methods that each model allows, on a target and its controls,
    until the answer is clear; print it."""
    store = open_store()
    if plan_only:
        if resume:
            raise InputError("A plan says what would be asked anew; leave --resume out.")
        named = methods.check_beside_the_quiz(method)
        target = samples.load(store, sample).id
        with more_controls.as_if_drawn(store, target) as (there, usual):
            chosen = choose(there, target, kind, control or usual, named, planning=True)
            _remark_each(
                price.rewordings_words(there, chosen),
                price.others_words(there, target, model, answers(there)),
            )
            show_plan(there, chosen, model, Terms(limit, budget), method is None, as_json)
        return
    endpoints, terms = resolve_all(model), Terms(limit, budget)
    if resume and (control or method or kind is not QuizKind.STANDARD):
        raise InputError("What is continued has its controls, kind and methods; leave them out.")
    named = methods.check_beside_the_quiz(method)
    target = samples.load(store, sample).id
    is_continued = resume and all(begun(store, target, endpoint.name) for endpoint in endpoints)
    chosen = (
        QuizChoice(target, kind, ())
        if is_continued
        else _choose(store, target, kind, control, named, model)
    )
    names = [endpoint.name for endpoint in endpoints]
    _remark_each(
        caution(store, chosen),
        price.others_words(store, target, names, answers(store)),
        corpus_scan.start(store, target),
    )

    async def investigate_model(watch: Watch, endpoint: Endpoint) -> InvestigationProgress:
        others = named if method or is_continued else evidence_order.usable(store, target, endpoint)
        return await walk.investigate(
            store,
            replace(chosen, methods=others),
            endpoint.name,
            Options(terms, watch=watch),
            resume=resume,
        )

    ended, left_by = ask_each(endpoints, investigate_model, "Investigation")
    outcomes = [end for end in ended if isinstance(end, InvestigationProgress)]
    quiz_findings = all_findings(store) if outcomes else []
    final_answers = [evidence_order.answer_of(store, end.record) for end in outcomes]
    if outcomes:
        changes.keep(store, EVERYTHING, answers(store))
    documents = [
        document(store, end, finding_of(end.record, quiz_findings))
        | {"answer": answer.document() if answer else None}
        for end, answer in zip(outcomes, final_answers, strict=True)
    ]
    if as_json:
        emit(documents, True, "")
    else:
        for each, answered in zip(documents, final_answers, strict=True):
            if answered is not None:
                emit(
                    None,
                    False,
                    f"{answered.ruling.word.capitalize()}. {below_its_word(answered)}",
                )
            emit(None, False, str(each["finding"]))
            for other in each["others"]:
                emit(None, False, f"{other['method'].capitalize()}: {other['finding']}")
    stopped = [end if isinstance(end, DcqError) else end.ended for end in ended]
    leave_if_stopped(list(zip(names, stopped, strict=True)), left_by)


def _choose(
    store: Store,
    target: str,
    kind: QuizKind,
    control: list[str] | None,
    named: Sequence[str],
    models: Sequence[str],
) -> QuizChoice:
    """The choice; where the controls are left to dcq, say which are not taken, and what rewordings
    cost."""
    if control:
        return choose(store, target, kind, control, named)
    chosen = choose(store, target, kind, more_controls.controls_for(store, target) or None, named)
    _remark_each(
        newer_texts(store, target, models),
        left_out(store, target, chosen.controls),
        price.rewordings_words(store, chosen),
    )
    return chosen


def _remark_each(*sentences: str | None) -> None:
    for sentence in filter(None, sentences):
        remark(sentence)
