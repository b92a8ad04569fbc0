"""``python -m dcq COMMAND``: the same code as the app, for scripts and terminals.

Exit 0: done. 2: a mistake in the call or its input, told in one sentence on stderr. 1: the rest.
With ``--json`` a command prints one JSON document on stdout and nothing else there.
"""

from __future__ import annotations

import sys

import typer

from dcq.commands import audit, data, quiz, report, run, status
from dcq.commands.output import complain
from dcq.errors import DcqError

app = typer.Typer(
    help="Has this language model seen this benchmark? Ask it, and defend the answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

for command in (
    data.datasets,
    data.sample,
    data.perturb,
    quiz.quiz,
    run.run,
    report.results,
    report.kappa,
    audit.audit,
    report.import_,
    report.export,
    status.status,
    status.doctor,
):
    app.command(name=command.__name__.rstrip("_"))(command)


def main() -> None:
    """Run the command line; ends the process with its exit code."""
    try:
        app()
    except DcqError as error:
        complain(str(error))
        sys.exit(error.exit_code)
