"""An investigation in one go."""

from __future__ import annotations

from typing import Annotated

import typer

from dcq import methods
from dcq.asking.options import Options, Terms, Watch
from dcq.asking.plan import resolve_all
from dcq.commands.asking import ask_each, leave_if_stopped
from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.errors import DcqError, InputError
from dcq.investigation import walk
from dcq.investigation.outcome import all_findings, document, finding_of
from dcq.investigation.state import begun
from dcq.investigation.walk import InvestigationProgress
from dcq.models.endpoints import Endpoint
from dcq.quiz.choice import QuizChoice, caution, choose
from dcq.records import QuizKind
from dcq.store import samples


def investigate(
    sample: Annotated[str, typer.Argument(help="Id of the target's sample.")],
    model: Annotated[list[str], typer.Option(help="A model, named as for `run`; may be repeated.")],
    control: Annotated[
        list[str] | None,
        typer.Option(
            help="A control's sample; may be repeated. Left out, all in the store that fit."
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
            "may be repeated.",
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
    as_json: AsJson = False,
) -> None:
    """Ask the modified quiz, then the standard quiz at each model's own slot, on a target and its
    controls; print the verdict."""
    store = open_store()
    endpoints, terms = resolve_all(model), Terms(limit, budget)
    if resume and (control or method or kind is not QuizKind.STANDARD):
        raise InputError("What is continued has its controls, kind and methods; leave them out.")
    others = methods.check_beside_the_quiz(method)
    target = samples.load(store, sample).id
    known = resume and all(begun(store, target, endpoint.name) for endpoint in endpoints)
    chosen = QuizChoice(target, kind, ()) if known else choose(store, target, kind, control, others)
    if sentence := caution(store, chosen):
        remark(sentence)

    async def one(watch: Watch, endpoint: Endpoint) -> InvestigationProgress:
        return await walk.investigate(
            store, chosen, endpoint.name, Options(terms, watch=watch), resume=resume
        )

    ended, left_by = ask_each(endpoints, one, "Investigation")
    whole = [end for end in ended if isinstance(end, InvestigationProgress)]
    every = all_findings(store) if whole else []
    documents = [document(store, end, finding_of(end.record, every)) for end in whole]
    if as_json:
        emit(documents, True, "")
    else:
        for told in documents:
            emit(None, False, str(told["finding"]))
            for other in told["others"]:
                ruling = f"{other['verdict'].capitalize()}. " if other["verdict"] else ""
                emit(None, False, f"{other['method'].capitalize()}: {ruling}{other['finding']}")
    stopped = [end if isinstance(end, DcqError) else end.ended for end in ended]
    names = [endpoint.name for endpoint in endpoints]
    leave_if_stopped(list(zip(names, stopped, strict=True)), left_by)
