"""How far the two annotators of a sample agree."""

from __future__ import annotations

from typing import Annotated

import typer

from dcq.commands.output import AsJson, emit, open_store
from dcq.variants import agreement as words
from dcq.variants import annotators


def agreement(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")], as_json: AsJson = False
) -> None:
    """Say how far the two annotators of a sample's variants agree, with intervals."""
    found = annotators.load(open_store(), sample)
    if as_json:
        emit(found.document(), True, "")
        return
    told = words.tell(" and ".join(found.compared.pair.names), found.compared.agreement)
    differ = len(found.compared.differ)
    if differ:
        told += f" They differ on {differ:,}; a third person has settled {found.adjudicated:,}."
    emit(None, False, told)
