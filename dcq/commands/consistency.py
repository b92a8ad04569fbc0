"""Results on several sets of variants, compared."""

from __future__ import annotations

from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.errors import InputError
from dcq.quiz import consistency as report
from dcq.store import Store, samples, sets


def consistency(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    model: Annotated[str | None, typer.Option(help="Show only this model.")] = None,
    stand: Annotated[
        str | None,
        typer.Option(
            help="Make the set of this name count in `results` and every verdict; do it before "
            "any is asked."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a model's results on the sets of variants of one sample."""
    store = open_store()
    if stand is not None:
        _let_stand(store, sample, stand)
    found = report.studies(store, sample, model=model)
    if as_json:
        emit([one.document() for one in found], True, "")
    elif found:
        emit(None, False, "\n\n".join(map(report.tell, found)).split("\n"))
    else:
        emit(
            None,
            False,
            "Nothing to compare yet. It takes finished runs of one model on two sets or more, of "
            "the same kind of quiz at the same slot.",
        )


def _let_stand(store: Store, sample: str, name: str) -> None:
    family = sets.siblings(sets.members(store), samples.load(store, sample).id)
    chosen = next((one for one in family if one.name == name), None)
    if chosen is None:
        names = ", ".join(one.name for one in family) or "none"
        raise InputError(f"There is no set named {name!r}; the sets are: {names}.")
    sets.let_stand(store, chosen.sample)
    remark(f"The set {name!r} stands for its instances from now on.")
