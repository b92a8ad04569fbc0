"""Giving up the secrecy of items of a protected benchmark, one by one and on record."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from dcq.commands import no_effect
from dcq.commands.output import AsJson, emit, open_store, table
from dcq.errors import InputError
from dcq.naming import LONGEST_PERSON, read_name
from dcq.store import samples
from dcq.words import counted


def burn(
    sample: Annotated[str, typer.Argument(help="Id of the sample that the items were made of.")],
    item: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of items, such as 0001; without one, all are listed."),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Your name, kept with the decision.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give up the secrecy of some items: their wordings may then be sent, exported and shown.

    Until then no command sends them to a model or writes them to a file for others, but for
    `protect check`, which is told the secret. A burnt item proves nothing any more: whoever saw all
    of its wordings can train on them. It cannot be taken back.
    """
    from dcq.store import private_wordings

    store = open_store()
    name = samples.load(store, sample).id
    burnt = 0
    if item:
        if not by or not by.strip():
            raise InputError("Say who gives up the secrecy, with --by NAME.")
        by = read_name(by, "person", LONGEST_PERSON)
        burnt = private_wordings.burn(store, name, list(dict.fromkeys(item)), by)
    else:
        no_effect.refuse({"--by": by}, "Items are only listed where none is named")
    own = [wording for wording in private_wordings.listing(store) if wording.sample == name]
    secret = Counter(wording.item for wording in own if not wording.burnt)
    given_up = Counter(
        wording.item for wording in own if wording.burnt == private_wordings.GIVEN_UP
    )
    items = sorted({wording.item for wording in own})
    document = {
        "sample": name,
        "burnt": burnt,
        "items": [{"item": i, "private": secret[i], "given_up": given_up[i]} for i in items],
    }
    if item:
        emit(
            document,
            as_json,
            f"{counted(burnt, 'wording')} of {counted(len(set(item)), 'item')} burnt in the name of"
            f" {by}.",
        )
    elif not items:
        emit(document, as_json, f"No wording of sample {name} is secret.")
    else:
        rows = [[i, secret[i], given_up[i]] for i in items]
        emit(document, as_json, table(["item", "private#", "burnt#"], rows))
