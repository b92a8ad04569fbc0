"""Protocol v2 in one go."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dcq.asking.options import Options, Terms, Watch
from dcq.commands.asking import ask_each, leave_if_stopped
from dcq.commands.output import AsJson, emit, open_store
from dcq.errors import DcqError
from dcq.quiz import protocol2
from dcq.quiz import v2 as whole
from dcq.quiz.v2 import Whole


def v2(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    model: Annotated[list[str], typer.Option(help="A model, named as for `run`; may be repeated.")],
    limit: Annotated[int | None, typer.Option(help="Ask only the first N instances.")] = None,
    budget: Annotated[
        float | None, typer.Option(help="Never spend more than this on all quizzes, in USD.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the newest bdq of this model, and its bcqs."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the bdq and then a bcq for each slot that the model does not prefer."""
    store = open_store()

    async def take(watch: Watch, name: str) -> Whole:
        options = Options(Terms(limit, budget), watch=watch)
        return await whole.take(store, sample, name, options, resume=resume)

    models = list(dict.fromkeys(model))
    ended, left_by = ask_each(models, take, "Protocol v2")
    if len(ended) == 1 and isinstance(ended[0], DcqError):
        raise ended[0]
    done = [end for end in ended if isinstance(end, Whole)]
    documents = [_document(one) for one in done]
    emit(documents[0] if len(ended) == 1 else documents, as_json, [_summary(one) for one in done])
    stopped = [end.ended if isinstance(end, Whole) else end for end in ended]
    leave_if_stopped(list(zip(models, stopped, strict=True)), left_by)


def _document(done: Whole) -> dict[str, Any]:
    found = done.estimate
    return {
        "sample": done.sample,
        "model": done.model,
        "non_preferred": list(found.non_preferred) if found else [],
        **(found.row() if found else {"min": None, "max": None, "kappa": None}),
        "runs": list(done.runs),
    }


def _summary(done: Whole) -> str:
    found = done.estimate
    return protocol2.tell(found) if found else f"The bdq of {done.model} is not done yet."
