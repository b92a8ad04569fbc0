"""Protocol v2 in one go."""

from __future__ import annotations

from typing import Annotated

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
    model: Annotated[str, typer.Option(help="The model that takes it; named as for `run`.")],
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

    async def take(watch: Watch, sample_id: str) -> Whole:
        options = Options(Terms(limit, budget), watch=watch)
        return await whole.take(store, sample_id, model, options, resume=resume)

    [done], left_by = ask_each([sample], take, "Protocol v2")
    if isinstance(done, DcqError):
        raise done
    found = done.estimate
    document = {
        "sample": done.sample,
        "model": done.model,
        "non_preferred": list(found.non_preferred) if found else [],
        **(found.row() if found else {"min": None, "max": None, "kappa": None}),
        "runs": list(done.runs),
    }
    summary = protocol2.tell(found) if found else f"The bdq of {done.model} is not done yet."
    emit(document, as_json, summary)
    leave_if_stopped([("", done.ended)], left_by)
