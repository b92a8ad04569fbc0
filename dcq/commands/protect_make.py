"""Drawing the lots of a benchmark, and proving that its files belong together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dcq.commands.output import AsJson, emit, open_store, remark
from dcq.environment import read_variable
from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.naming import LONGEST_PERSON, read_name
from dcq.words import counted

if TYPE_CHECKING:
    from dcq.protect.secret import Beacon, Secret


def make(
    sample: Annotated[
        str | None, typer.Argument(help="Id of the sample whose accepted wordings are used.")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for the files; none of them may be there already.")
    ] = Path("protected"),
    wordings: Annotated[
        int | None,
        typer.Option(
            min=2, max=16, help="Wordings of each item, 2 to 16; by default as many as most have."
        ),
    ] = None,
    accepted_by: Annotated[
        str | None,
        typer.Option(
            help="Accept all wordings that no check faults in the name of a person who has read "
            "them: same answer, same difficulty."
        ),
    ] = None,
    beacon: Annotated[
        str | None,
        typer.Option(
            help="A public source of chance and a round of it to come, such as 'drand 5412345'; "
            "the lots wait for it."
        ),
    ] = None,
    value: Annotated[
        str | None, typer.Option(help="What the round brought; draws the lots of --out.")
    ] = None,
    encrypt: Annotated[
        bool,
        typer.Option(
            "--encrypt", help="Encrypt the secret, with DCQ_PASSPHRASE or one that is asked for."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Draw by lot which wording of each item is published, and write the files.

    published.jsonl and .csv are for the world, croissant.json for the benchmark's page.
    commitment.json is to be dated by a third party. private.dcqsecret stays with you.
    """
    from dcq.protect import make as making

    if value is not None:
        if sample or beacon or wordings or accepted_by or encrypt:
            raise InputError("Wordings and secret are fixed; give --out and --value alone.")
        opened, passphrase = open_secret(out / making.SECRET)
        secret = making.reveal(opened, value)
        store = open_store()
        if store.path.exists():  # the secret may be opened where it was not made
            making.keep_private(store, secret)
        making.write_revealed(secret, out, passphrase)
    else:
        if not sample:
            raise InputError("Name a sample, or give --value for lots that wait for a beacon.")
        store = open_store()
        named = _beacon(beacon)
        passphrase = _new_passphrase() if encrypt else ""
        making.check_folder(out)
        if accepted_by:
            accepted_by = read_name(accepted_by, "person", LONGEST_PERSON)
            count = making.accept_open(store, sample, accepted_by)
            remark(f"{counted(count, 'wording')} accepted in the name of {accepted_by}.")
        proposed = making.propose(store, sample, wordings, named)
        secret = proposed.secret
        for note in proposed.notes:
            remark(note)
        making.keep_private(store, secret)
        making.write(secret, out, passphrase)
    drawn = (out / making.PUBLISHED).is_file()
    document = {
        "items": len(secret.items),
        "wordings": secret.wordings,
        "published": str(out / making.PUBLISHED) if drawn else None,
        "secret": str(out / making.SECRET),
        "commitment": str(out / making.COMMITMENT),
    }
    lines = [
        f"{counted(len(secret.items), 'item')} with {secret.wordings} wordings each.",
        f"Keep {document['secret']} to yourself: whoever has it can train on all wordings, and "
        "without it nothing can be proved.",
        making.whom_it_convinces(secret),
        f"Next: have {document['commitment']} dated (a git tag, a public log), then publish "
        f"{document['published']}."
        if drawn
        else f"Next: have {document['commitment']} dated, and when the round is out: python -m "
        f"dcq protect make --out {out} --value VALUE",
    ]
    emit(document, as_json, lines)


def verify(
    secret: Annotated[Path, typer.Argument(help="private.dcqsecret.")],
    commitment: Annotated[Path, typer.Argument(help="commitment.json.")],
    published: Annotated[Path, typer.Argument(help="published.jsonl or published.csv.")],
    as_json: AsJson = False,
) -> None:
    """Prove that a secret, a commitment and a published file belong together.

    What these files cannot prove is listed too.
    """
    from dcq.protect import verify as verifying
    from dcq.protect.published import read

    opened, _ = open_secret(secret)
    committed = verifying.read_commitment(read_file(commitment), commitment.name)
    rows = read(read_file(published), published.name)
    problems = verifying.problems(opened, committed, rows)
    if problems and not as_json:
        raise InputError(" ".join(problems))
    count = counted(len(opened.items), "item")
    unproved = [] if problems else verifying.unproved(opened)
    lines = [
        f"They belong together: {count}, {opened.wordings} wordings each.",
        "These files cannot prove:",
        *(f"- {sentence}" for sentence in unproved),
    ]
    document = {
        "valid": not problems,
        "items": len(opened.items),
        "problems": problems,
        "unproved": unproved,
    }
    emit(document, as_json, lines)
    if problems:
        sys.exit(2)


def open_secret(path: Path) -> tuple[Secret, str]:
    """The secret in a file, and its passphrase, which the person is asked for on a terminal."""
    from dcq.protect import secret as private

    content = read_file(path)
    passphrase = ""
    if private.is_sealed(content, path.name):
        passphrase = read_variable(private.PASSPHRASE)
        if not passphrase and sys.stdin.isatty():
            passphrase = typer.prompt("Passphrase", hide_input=True, err=True)
    return private.from_bytes(content, path.name, passphrase), passphrase


def read_file(path: Path) -> bytes:
    """The content of a file that a person names. Raises InputError where it cannot be read."""
    from dcq.protect.secret import MOST_BYTES

    try:
        return read_bytes(path, MOST_BYTES)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; name another file.") from None


def _new_passphrase() -> str:
    from dcq.protect.secret import PASSPHRASE

    passphrase = read_variable(PASSPHRASE)
    if not passphrase and sys.stdin.isatty():
        passphrase = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    if not passphrase:
        raise InputError(f"Set a passphrase in {PASSPHRASE}, or leave --encrypt out.")
    return passphrase


def _beacon(text: str | None) -> Beacon | None:
    from dcq.protect.secret import Beacon

    if text is None:
        return None
    source, _, number = text.strip().rpartition(" ")
    if not source or not number:
        raise InputError("A beacon is a source and a round, such as --beacon 'drand 5412345'.")
    return Beacon(source, number)
