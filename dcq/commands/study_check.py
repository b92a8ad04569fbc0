"""Whether a study still concludes what it did: what a pipeline runs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dcq import settings, writer
from dcq.commands.output import AsJson, complain, emit, open_store, remark
from dcq.commands.study_options import AllowHost, Outside, StudyPath, conclusions, read_trusted
from dcq.judging.judged import Ruling
from dcq.models.endpoints import resolve
from dcq.words import counted, usd_words

if TYPE_CHECKING:
    from dcq.study.probe import Probed
    from dcq.study.spec import StudySpec


class FailOn(StrEnum):
    """The conclusions that a check can fail on."""

    CONTAMINATED = "contaminated"
    INCONCLUSIVE = "inconclusive"
    NO_EVIDENCE = "no-evidence"

    @property
    def ruling(self) -> Ruling:
        """The ruling that is meant."""
        return Ruling(self.value.replace("-", " "))


def check(
    file: StudyPath,
    against: Annotated[
        Path | None,
        typer.Option(
            help="JSON of an earlier `study run --json` or `study check --json`; fail where a "
            "conclusion or a served version is another."
        ),
    ] = None,
    fail_on: Annotated[
        list[FailOn] | None,
        typer.Option(
            help="Fail on a conclusion: contaminated, inconclusive or no-evidence; may be repeated."
        ),
    ] = None,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Ask each model once, to see which version is served now."),
    ] = False,
    markdown: Annotated[
        Path | None, typer.Option(help="Write a summary there, as Markdown.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Write JUnit's XML there, a test for each pair.")
    ] = None,
    outside: Outside = False,
    allow_host: AllowHost = None,
    as_json: AsJson = False,
) -> None:
    """Say what changed in a study, and fail on it. Without --probe, nothing is asked.

    The exit code is 3 for a conclusion, 4 for another served version, 5 for a missing run, and the
    lowest where there are several."""
    from dcq.study.check import check_study
    from dcq.study.earlier import read_earlier
    from dcq.study.repairs import with_repairs
    from dcq.study.report import headline, to_junit, to_markdown
    from dcq.study.state import read_state

    spec = read_trusted(file, allow_host, outside=outside, asks=probe)
    earlier = None if against is None else read_earlier(against)
    store = open_store()
    state = read_state(store, spec)
    probed = _probe(spec) if probe else None
    checked = check_study(
        state,
        against=earlier,
        fail_on=[each.ruling for each in fail_on or ()],
        probed=probed.versions if probed else None,
    )
    if markdown is not None:
        writer.write(markdown, to_markdown(checked).encode())
    if junit is not None:
        writer.write(junit, to_junit(checked))
    for note in checked.notes:
        remark(note)
    document = checked.document()
    if as_json:
        document |= {"answers": with_repairs(store, state.answers)}
    emit(document, as_json, conclusions(state))
    for failure in checked.failures:
        complain(f"{failure.where}: {failure.why}")
    if not as_json:
        emit(None, False, f"“{spec.name}” {headline(checked)}.")
    silent = probed is not None and bool(probed.failed)  # nobody knows which version is served
    sys.exit(checked.exit_code or int(silent))


def _probe(spec: StudySpec) -> Probed:
    """Ask each model which version it is; one that does not reply is told."""
    from dcq.study.probe import price, probe

    endpoints = [resolve(model.name, settings.load()) for model in spec.models]
    most = usd_words(price(endpoints))
    remark(f"Asking for versions: {counted(len(endpoints), 'call')}, at most {most}.")
    probed = probe(endpoints)
    for model, why in probed.failed.items():
        complain(f"{model} did not reply, so nobody knows which version it serves: {why}")
    return probed
