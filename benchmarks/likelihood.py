"""Likelihood mode on texts of known status: does it find what was seen, and only that?

    python -m benchmarks.likelihood --store /tmp/likelihood.duckdb

Control texts cannot have been seen by the embedded model; King James verses surely were. Each
control stands twice: with the variants that came with it, and with the offline generator's, which
also writes those of the verses. Takes some minutes; started again on the same store it goes on
where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks import read_options
from dcq import settings
from dcq.asking import prepare
from dcq.asking.calls import asking
from dcq.asking.session import Session
from dcq.asking.worker import work
from dcq.judging.judged import JudgedResult
from dcq.judging.study import findings
from dcq.models.endpoints import resolve
from dcq.partitions import draw_sample, open_partition
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.quiz.results import quiz_row
from dcq.records import QuizKind, Sample
from dcq.store import Store, runs, samples
from dcq.store.runs import Event
from dcq.variants import reword
from tests.support.asked import reopen

MODEL = "likelihood:embedded"
CONTROLS = ("control-news", "control-summaries", "control-nli")
COLUMNS = "partition n correct kappa low high kappa_control p_control verdict"


async def main() -> None:
    """Ask, judge, print, and write the table as csv to stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--instances", type=int, default=40, help="of each control")
    parser.add_argument("--verses", type=int, default=60)
    arguments = read_options(parser, instances=4, verses=4)
    store, n = Store(arguments.store), arguments.instances
    for key in CONTROLS:
        await ask(store, key, "test", n, offline=False)
        await ask(store, key, "test", n, offline=True)
    await ask(store, "kjv", "verses", arguments.verses, offline=True)
    out = csv.writer(sys.stdout)
    out.writerow(COLUMNS.split())
    quiz_findings = findings(store)
    for finding in sorted(
        quiz_findings, key=lambda finding: "-offline/" in finding.evidence.partition
    ):
        out.writerow(row(finding))


async def ask(store: Store, key: str, split: str, n: int, *, offline: bool) -> None:
    """Draw, reword if need be, freeze and take one partition."""
    sample = draw_sample(open_partition(key, split), n)
    if offline and sample.variants:
        offline_partition = replace(sample.partition, key=f"{key}-offline")
        sample = replace(sample, partition=offline_partition, variants={})
    await take(store, sample)


async def take(store: Store, sample: Sample) -> None:
    """Take the quiz of a sample, which the offline generator rewords where it has no variants."""
    sample_id = samples.save(store, sample)
    if not sample.variants:
        await reword.reword_sample(store, sample_id, None, resume=True)
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz
    endpoint = resolve(MODEL, settings.load())
    run = runs.newest_run(store, QUIZ.name, MODEL, subject=quiz) or prepare.plan_run(
        store, QUIZ, quiz, endpoint
    )
    stored = runs.load(store, run)
    if stored.event is Event.FINISHED:
        return
    temperature, most = stored.plan.temperature, stored.plan.max_tokens
    async with asking(endpoint, temperature=temperature, max_tokens=most) as score:
        ended = await work(Session(store, run, reopen(store, run), score))
    print(f"{sample.partition.id}: {ended.event}", file=sys.stderr)


def row(finding: JudgedResult) -> list[object]:
    """One line of the table. Without a control of its own task a text has no p-value: guessing is
    no baseline for likelihoods."""
    result, calibration = quiz_row(finding.evidence), finding.deciding
    kappa = result.kappa
    return [
        result.partition,
        result.n,
        result.correct,
        *(
            f"{x:.2f}"
            for x in (kappa.kappa_fixed or 0, kappa.kappa_low or 0, kappa.kappa_high or 0)
        ),
        f"{calibration.kappa_control:.2f}"
        if calibration and calibration.kappa_control is not None
        else "",
        f"{calibration.p_value:.2g}" if calibration else "",
        finding.verdict.ruling if finding.verdict else "",
    ]


if __name__ == "__main__":
    asyncio.run(main())
