"""``python -m dcq COMMAND``: the same code as the app, for scripts and terminals.

Exit codes: 0 done; 2 a mistake in the call or its input, such as a store that is none, reported on
stderr; 1 any other failure; 128 + n ended by signal n. With ``--json`` a command prints one JSON
document on stdout.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

from dcq.commands.closed_pipe import allow_closing
from dcq.commands.lazy import lazy_group
from dcq.commands.output import complain, complain_of_a_bug
from dcq.errors import DcqError, InputError
from dcq.version import __version__
from dcq.words import visible

# The file in dcq/commands that has each command, as a function of the same name.
COMMANDS = {
    "app": "app",
    "datasets": "data",
    "sample": "data",
    "perturb": "perturb",
    "balance": "perturb",
    "quiz": "run",
    "run": "run",
    "v2": "run",
    "ask": "ask",
    "investigate": "investigate",
    "results": "results",
    "answer": "answer",
    "consistency": "results",
    "study": "study",
    "people": "people",
    "kappa": "agreement",
    "agreement": "agreement",
    "audit": "audit",
    "replicate": "replicate",
    "likelihood": "likelihood",
    "overlap": "overlap",
    "score": "score",
    "matter": "matter",
    "protect": "protect",
    "passport": "passport",
    "import": "imports",
    "imported": "imported",
    "export": "report",
    "backup": "copies",
    "restore": "copies",
    "status": "status",
    "doctor": "status",
}

app = typer.Typer(
    cls=lazy_group(COMMANDS),
    help="Has this language model seen this benchmark? Test it, and defend the answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _tell_version(requested: bool) -> None:
    if requested:
        typer.echo(f"dcq {__version__}")
        raise typer.Exit


@app.callback()
def _group(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """What all commands share: nothing."""


def main() -> None:
    """Run the command line; ends the process with its exit code."""
    allow_closing()
    sys.exit(_close(_run()))


def _run() -> int:
    """Run the command that the arguments name and return its exit code; an error is one message."""
    try:
        for word in sys.argv:
            _check_text(word)
        app()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except KeyboardInterrupt:
        return 130
    except DcqError as error:
        complain(str(error))
        return error.exit_code
    except OSError as error:
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        complain(f"{where}{error.strerror or type(error).__name__}. Fix that and try again.")
        return 1
    except Exception:  # a bug, and what it quotes may be a stranger's
        complain_of_a_bug(traceback.format_exc())
        return 1
    return 0


def _check_text(word: str) -> None:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            f"The argument {word!a} is not UTF-8; write it in UTF-8, or rename the file."
        ) from None
    # Mistakes in the call are told by a library, which repeats the argument as it is.
    spaced = word.replace("\t", " ")
    if visible(spaced, lines=True) != spaced:
        raise InputError(
            f"The argument {word!a} has a control character; leave it out, or rename the file."
        )


def _close(code: int) -> int:
    """``code``, or 1 if the output could not be written, for example to a full disk."""
    try:
        sys.stdout.flush()
    except OSError as error:
        complain(f"The output could not be written: {error.strerror}.")
        # Python must not try to write the rest of the buffer, and complain, at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or 1
    return code
