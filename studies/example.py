"""The example investigation: a small model that was trained on one partition on purpose.

    python -m studies.example --work FOLDER    # trains, asks, writes data/example.zip
    python -m studies.example                  # reads data/example.zip, writes it anew, prints it

The embedded model is asked by likelihood before and after it was trained further on control
reviews, each once, in the format of Time Travel in LLMs, Table 10. The partition that it is asked
about is these reviews and as many control requests, which it was not trained on. Another one is of
reviews whose rewordings are all longer than their original, which text alone gives away. Other
English control prose is the control. FOLDER takes 0.6 GB; started again, it goes on where it was.
Needs requirements-likelihood.txt. The second form writes the verdicts in the words of this release,
and asks no model.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dcq import api, settings
from dcq.asking import plan
from dcq.asking.calls import gives_logprobs
from dcq.asking.options import NO_TERMS
from dcq.files import bundle_import, bundle_write
from dcq.judging import study
from dcq.judging.judged import JudgedResult
from dcq.models.embedded import find_weights
from dcq.models.endpoints import LIKELIHOOD, resolve
from dcq.partitions import draw_sample, open_partition
from dcq.partitions.sample import draw
from dcq.quiz.method import QUIZ
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample, Writer
from dcq.settings import DATA
from dcq.store import Store, runs, samples, studies
from dcq.store.runs import Event
from dcq.store.studies import Study
from dcq.variants import offline
from dcq.words import kappa_words, p_words, percent
from studies.exposure import training_text
from studies.local_model import expose

BUNDLE = DATA / "example.zip"
NAME = "Example: trained on purpose"
SPLIT, SLOT = "test", "D"
EXPOSURES = 1
BEFORE = "SmolLM2-135M"
AFTER = f"{BEFORE} trained on reviews"
SEEN, UNSEEN = "control-reviews", "control-requests"  # the halves of the partition
MOST = 80  # instances of a control
WRITTEN, KEPT = 8, 3  # by the offline generator for the leaky set; the longest are kept
# Partition → the column with its text. All are laid out as bare text: rewordings change nothing
# else, and so laid out they are of one kind and can be compared.
TITLES = {
    "reviews-and-requests": "Reviews and requests",
    "reviews-leaky": "Reviews, leaky",
    "news": "News",
    "notices": "Notices",
    "summaries": "Summaries",
    "minutes": "Minutes",
    "incidents": "Incidents",
    "stories": "Stories",
}
CONTROLS = {
    "control-news": "text",
    "control-notices": "text",
    "control-summaries": "summary",
    "control-minutes": "summary",
    "control-incidents": "summary",
    "control-stories": "summary",
}


def main() -> None:
    """Run what is not there yet, write the bundle, print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, help="where weights and answers are kept")
    parser.add_argument("--threads", type=int, default=1, help="of the processor; 1 if left out")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.work:
            store = run(chosen.work, chosen.threads)
        else:
            store = Store(Path(folder) / "dcq.duckdb")
            bundle_import.load(store, BUNDLE)
        within = studies.load(store, NAME)
        data, _ = bundle_write.to_bytes(store, within)
        BUNDLE.write_bytes(data)
        print(f"{BUNDLE.name}: {len(data) / 1e3:.0f} kB", tabulate(store), sep="\n\n")


def run(work: Path, threads: int) -> Store:
    """The store with all answers."""
    store = api.open_store(work / "dcq.duckdb")
    trained = train(work, threads)
    tested, unseen = [half_seen(), leaky()], [control(key) for key in CONTROLS]
    for sample in [*tested, *unseen]:
        quiz = api.freeze_quiz(store, samples.save(store, sample), slot=SLOT).quiz
        for name, weights in ((BEFORE, find_weights()), (AFTER, trained)):
            asyncio.run(ask(store, quiz, name, weights))
            print(f"{name}: {sample.partition.title}", flush=True)
    studies.save(
        store,
        Study(
            NAME,
            partitions=tuple(drawn_sample.partition.id for drawn_sample in tested),
            models=(AFTER, BEFORE),
            methods=(studies.QUIZ,),
            controls=tuple(drawn_sample.partition.id for drawn_sample in unseen),
        ),
    )
    return store


def train(work: Path, threads: int) -> Path:
    """The file of the model that was trained, unless it is there already."""
    opened = open_partition(SEEN, SPLIT)
    drawn = draw_sample(opened, opened.row_count)
    texts = [training_text(instance, drawn.partition) for instance in drawn.instances]
    return expose(work, texts, [EXPOSURES], threads=threads)[EXPOSURES]


def half_seen() -> Sample:
    """The partition in question: what the model was trained on, and as much that it was not."""
    return _lay_out(
        "reviews-and-requests", PartitionRole.TARGET, {**wordings(SEEN), **wordings(UNSEEN)}
    )


def control(key: str) -> Sample:
    """At most ``MOST`` instances of a bundled partition."""
    return _lay_out(key.removeprefix("control-"), PartitionRole.CONTROL, wordings(key), most=MOST)


def leaky() -> Sample:
    """What the model was trained on, reworded carelessly: of what the offline generator writes,
    the longest, where they are longer than the original."""
    texts = {}
    for text in wordings(SEEN):
        rewordings = sorted(offline.reword(text, WRITTEN), key=len, reverse=True)[:KEPT]
        if len(rewordings) == KEPT and len(rewordings[-1]) > len(text):
            texts[text] = tuple(rewordings)
    return _lay_out("reviews-leaky", PartitionRole.TARGET, texts, writer=Writer("offline"))


def wordings(key: str) -> dict[str, tuple[str, ...]]:
    """The originals of a bundled partition, each with the variants that come with it."""
    column = CONTROLS.get(key, "text")
    rows = open_partition(key, SPLIT).table.rows
    return {row[column].strip(): tuple(map(str.strip, row["variants"])) for row in rows}


def _lay_out(
    name: str,
    role: PartitionRole,
    texts: Mapping[str, tuple[str, ...]],
    *,
    most: int = 1000,
    writer: Writer | None = None,
) -> Sample:
    seen_partition = open_partition(SEEN, SPLIT).partition
    partition = Partition(
        key=f"example-{name}",
        split=SPLIT,
        title=TITLES[name],
        split_title=seen_partition.split_title,
        role=role,
        task=DatasetTask.TEMPLATE,
        licence=seen_partition.licence,
        source="bundled:control",
    )
    drawn = draw(partition, map(Instance, texts), most)
    variants = {instance.id: texts[instance.text] for instance in drawn.instances}
    writers = (
        {instance_id: (writer,) * len(rewordings) for instance_id, rewordings in variants.items()}
        if writer
        else {}
    )
    return replace(drawn, variants=variants, writers=writers, notes=())


async def ask(store: Store, quiz: str, name: str, weights: Path) -> None:
    """Put a quiz to the model at ``weights``, under a name that holds on every machine."""
    local = resolve(f"likelihood:{weights}", settings.load())
    endpoint = replace(local, name=f"{LIKELIHOOD}{name}")
    [(run_id, _)] = await plan.plan(store, QUIZ, [quiz], [endpoint], NO_TERMS, resume=True)
    if runs.load(store, run_id).event is not Event.FINISHED:
        await plan.carry_out(store, plan.RunJob(run_id, endpoint, QUIZ, gives_logprobs(endpoint)))


def tabulate(store: Store) -> str:
    """The verdicts as a table in Markdown, and below it what text alone finds."""
    findings = study.findings(store, studies.load(store, NAME))
    judged = [finding for finding in findings if finding.verdict is not None]
    lines = [
        "| model | partition | found | expected on unseen text | κ above controls [95 %] | q "
        "| verdict |",
        "|---|---|---|---|---|---|---|",
        *(_line(finding) for finding in study.by_strength(judged)),
    ]
    return "\n".join(lines)


def _line(finding: JudgedResult) -> str:
    evidence, calibration, verdict = finding.evidence, finding.calibration, finding.verdict
    if calibration is None or verdict is None:
        raise ValueError(f"{evidence.place} was not compared with controls")
    q = "–" if verdict.q_value is None else p_words(verdict.q_value, "q")
    kappa = kappa_words(calibration.kappa_control, calibration.kappa_low, calibration.kappa_high)
    cells = (
        evidence.model,
        evidence.place,
        f"{evidence.figures['correct']} of {evidence.usable}",
        f"{percent(calibration.control_score)} ({percent(calibration.control_low)} to "
        f"{percent(calibration.control_high)})",
        kappa,
        q,
        verdict.ruling,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
