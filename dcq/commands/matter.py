"""Does contamination matter: scores on originals against scores on rewordings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.text import Text

from dcq.commands import no_effect
from dcq.commands.output import AsJson, emit, open_store, remark, table
from dcq.effect import dates_wording, document, wording
from dcq.effect.dates import OverTime, cutoffs_of, over_time, read_dates, stored_dates
from dcq.effect.matter import MatterFinding, ScoreContext, findings, targets
from dcq.effect.scores import Scores, read_scores, read_seen
from dcq.errors import InputError
from dcq.overlap.harness.graded import HarnessFile, reading_document
from dcq.store.studies import Study


def matter(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Answers: a table of model, role, instance_id, version, correct; or logs of a "
            "harness on an exported benchmark. original=LOG and reworded=LOG for other logs.",
        ),
    ],
    seen: Annotated[
        Path | None,
        typer.Option(help="A table of model, instance_id, seen: compare within a model."),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(help="A reference model, clean by its date; where the files have no role."),
    ] = None,
    dates: Annotated[
        Path | None,
        typer.Option(
            help="A table of instance_id, date: scores over time, and what falls at the model's "
            "cut-off. Left out, the dates of the partition's samples, if they have any."
        ),
    ] = None,
    chance: Annotated[
        float, typer.Option(help="How often a guess is right: 0.25 for four choices.")
    ] = 0.0,
    partition: Annotated[
        str | None,
        typer.Option(help="Take each model's own answer on this partition from the store."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Count references that are called contaminated.")
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep the scores for the app and reports; needs --partition."),
    ] = False,
    metric: Annotated[
        str,
        typer.Option(help="The metric or scorer that says what is right, where a log has several."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Say how far scores are inflated, above what clean models lose on rewordings."""
    if not 0 <= chance < 1:
        raise InputError("--chance is a share from 0 to below 1, such as 0.25 for four choices.")
    if keep and not partition:
        raise InputError("Name the benchmark with --partition, such as --partition ag_news/test.")
    if partition is None:
        no_effect.refuse(
            {"--force": force}, "Whether a reference is contaminated is known by --partition alone"
        )
    # Over time originals say something alone.
    scores = read_scores(files, reference or (), metric=metric, paired=dates is None)
    for complaint in wording.complaints(scores):
        remark(complaint)
    context = ScoreContext(
        answers=_answers(partition, needed=not keep) if partition else {},
        seen=read_seen(seen) if seen else {},
        chance=chance,
        forced=force,
        dates=_dates(dates, partition),
    )
    matter_findings: Sequence[MatterFinding] = findings(scores, context)
    cutoffs = cutoffs_of(scores)
    timed: Mapping[str, OverTime | None] = over_time(scores, context, cutoffs)
    silent: Mapping[str, str] = dates_wording.silent(scores, context, cutoffs, timed)
    if keep and partition:
        matter_findings, timed, silent = _keep(partition, scores, context)
    if dates and not timed:
        remark("No target's cut-off is known; put it into the file that DCQ_CUTOFFS names.")
    print_findings(matter_findings, timed, silent, as_json=as_json, logs=scores.logs.values())


def print_findings(
    matter_findings: Sequence[MatterFinding],
    timed: Mapping[str, OverTime | None],
    silent: Mapping[str, str],
    *,
    as_json: bool,
    logs: Iterable[HarnessFile] = (),
) -> None:
    """Print the finding on each model; ``timed`` is what dates say of some, ``silent`` why they say
    nothing of others, ``logs`` are the harnesses' files that were read."""
    reading = reading_document(logs)
    documents = [
        entry
        | reading
        | (
            {"dates": dates_wording.document(timed[entry["model"]])}
            if entry["model"] in timed
            else {}
        )
        | ({"dates_reason": silent[entry["model"]]} if entry["model"] in silent else {})
        for entry in document.documents(matter_findings)
    ]
    emit(documents, as_json, Group(*_parts(matter_findings), *_over_time(timed, silent)))


def _dates(path: Path | None, partition: str | None) -> dict[str, date]:
    if path is not None:
        return read_dates(path)
    return stored_dates(open_store(), partition) if partition else {}


def _over_time(timed: Mapping[str, OverTime | None], silent: Mapping[str, str]) -> list[Text]:
    said = {model: dates_wording.sentences(trend) for model, trend in timed.items()}
    said |= {model: [sentence] for model, sentence in silent.items() if model in timed}
    return [
        Text("\n" + "\n".join([f"{model} over time.", *sentences]))
        for model, sentences in said.items()
    ]


def _answers(partition: str, *, needed: bool) -> dict[str, str | None]:
    """Scores may be kept of a benchmark that nobody was asked about."""
    from dcq.effect.answers import answers_on  # here: the judge loads much

    try:
        return answers_on(open_store(), partition)
    except InputError:
        if needed:
            raise
        return {}


def _keep(
    partition: str, scores: Scores, context: ScoreContext
) -> tuple[Sequence[MatterFinding], Mapping[str, OverTime | None], Mapping[str, str]]:
    """What is found in all that is kept then, with the models that were asked here."""
    from dcq import settings
    from dcq.effect import asked, stored  # as above

    store = open_store()
    benchmark = asked.keep_brought(store, partition, scores, context, settings.load().author)
    [effect] = stored.all_stored(store, Study("", partitions=(benchmark,)))
    return effect.findings, effect.over_time, effect.silent


def _parts(matter_findings: Sequence[MatterFinding]) -> list[Any]:
    frame = document.table(matter_findings)
    parts: list[Any] = [table([*frame.columns], frame.to_numpy().tolist())]
    for finding in targets(matter_findings):
        lines = [
            wording.headline(finding),
            f"{finding.ruling}.".capitalize(),
            *wording.reasons(finding),
        ]
        if within := wording.within_sentence(finding):
            lines.append(within)
        parts.append(Text("\n" + "\n".join(lines)))
    return parts
