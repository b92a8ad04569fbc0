"""The example investigation: a small model that was trained on one partition on purpose.

    python -m studies.example --work FOLDER    # trains, asks, writes data/example.zip
    python -m studies.example                  # reads data/example.zip, writes it anew, prints it

The embedded model is asked by likelihood before and after it was trained further on the control
reviews, each twice, in the format of Time Travel in LLMs, Table 10. These reviews, reworded by the
offline generator, are the partition that it is asked about. Another one is of reviews whose
rewordings are all longer than their original, which text alone gives away. Ten small controls are
reworded by the same generator. Study and weights are stored before the first reply. FOLDER takes
0.7 GB; started again, it goes on where it was. Needs requirements-likelihood.txt. The second form
writes the verdicts in the words of this release, and asks no model.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dcq import api, settings
from dcq.asking import plan
from dcq.asking.calls import scoring
from dcq.asking.options import NO_TERMS
from dcq.asking.session import Session
from dcq.asking.worker import work
from dcq.evidence.record import Evidence
from dcq.files import bundle_import, bundle_write
from dcq.investigation import more_controls, walk
from dcq.investigation.control_sizes import SMALL_CONTROLS
from dcq.judging import snapshot, study
from dcq.judging.judged import JudgedResult
from dcq.models.embedded import find_weights
from dcq.models.endpoints import LIKELIHOOD, Endpoint, model_itself, resolve
from dcq.models.presets import EMBEDDED
from dcq.partitions import draw_sample, open_partition
from dcq.quiz.choice import QuizChoice
from dcq.quiz.method import QUIZ
from dcq.records import Partition, PartitionRole, QuizKind, Sample, Writer
from dcq.settings import DATA
from dcq.store import Store, balancings, runs, samples, studies
from dcq.store.runs import Event
from dcq.store.studies import Study
from dcq.variants import choose_candidates, control_writing, offline, reword
from dcq.variants.reword import RewordingDesign
from dcq.words import kappa_words, p_words, percent
from studies.exposure import training_text
from studies.local_model import expose

BUNDLE = DATA / "example.zip"
NAME = "Example: trained on purpose"
SPLIT, SLOT = "test", "D"
EXPOSURES = 2
BEFORE = "SmolLM2-135M"
AFTER = f"{BEFORE} trained on reviews"
SEEN = "control-reviews"  # the texts that the model is trained on
TITLES = {"reviews": "Reviews", "reviews-leaky": "Reviews, leaky"}
CANDIDATES = 16  # rewordings of each instance, of which four are chosen
WRITTEN, KEPT = 8, 3  # by the offline generator for the leaky set; the longest are kept


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
        tables = tabulate(store), tabulate_controls(store)
        print(f"{BUNDLE.name}: {len(data) / 1e3:.0f} kB", *tables, sep="\n\n")


def run(work: Path, threads: int) -> Store:
    """The store with all answers."""
    store = api.open_store(work / "dcq.duckdb")
    endpoints = [
        named(BEFORE, find_weights()),
        named(AFTER, train(work, threads)),
    ]
    if NAME not in {known.name for known in studies.listing(store)}:
        fix(store, *prepare(store), endpoints)
    within = studies.load(store, NAME)
    stored = {sample.partition: sample.id for sample in samples.listing(store)}
    for partition in (*(within.partitions or ()), *(within.controls or ())):
        quiz = api.freeze_quiz(store, stored[partition], slot=SLOT).quiz
        for endpoint in endpoints:
            asyncio.run(ask(store, quiz, endpoint))
            print(f"{model_itself(endpoint.name)}: {partition}", flush=True)
    return store


def prepare(store: Store) -> tuple[list[str], list[str]]:
    """The samples of the targets and of their controls, reworded."""
    careful = samples.save(store, reviews())
    write_rewordings(store, careful)
    return [careful, samples.save(store, leaky())], draw_controls(store, careful)


def train(work: Path, threads: int) -> Path:
    """The file of the model that was trained, unless it is there already."""
    drawn = load_seen()
    texts = [training_text(instance, drawn.partition) for instance in drawn.instances]
    return expose(work, texts, [EXPOSURES], threads=threads)[EXPOSURES]


def load_seen() -> Sample:
    """The texts that the model is trained on."""
    opened = open_partition(SEEN, SPLIT)
    return draw_sample(opened, opened.row_count)


def reviews() -> Sample:
    """The partition in question: what the model was trained on, without the rewordings that come
    with it, because those of the small controls are not by the same writer."""
    return replace(load_seen(), partition=_target("reviews"), variants={}, notes=())


def leaky() -> Sample:
    """What the model was trained on, reworded carelessly: of what the offline generator writes,
    the longest, where they are longer than the original."""
    drawn, rewordings = load_seen(), dict[str, tuple[str, ...]]()
    for instance in drawn.instances:
        written = offline.reword(instance.text, WRITTEN, protected=instance.protected)
        longest = sorted(written, key=len, reverse=True)[:KEPT]
        if len(longest) == KEPT and len(longest[-1]) > len(instance.text):
            rewordings[instance.id] = tuple(longest)
    return replace(
        drawn,
        partition=_target("reviews-leaky"),
        instances=tuple(one for one in drawn.instances if one.id in rewordings),
        requested=len(rewordings),
        available=len(rewordings),
        variants=rewordings,
        writers={instance_id: (Writer("offline"),) * KEPT for instance_id in rewordings},
        notes=(),
    )


def write_rewordings(store: Store, sample_id: str) -> None:
    """Have the offline generator write sixteen rewordings of each instance, and of these choose the
    four among which text alone does not tell the original."""
    design = RewordingDesign(candidates=CANDIDATES)
    asyncio.run(reword.reword_sample(store, sample_id, None, design, resume=True))
    if balancings.newest(store, sample_id) is None:  # another choice would make another quiz
        choose_candidates.choose(store, sample_id)


def draw_controls(store: Store, target_id: str) -> list[str]:
    """The small controls of a target that an investigation would draw, by their samples: one with
    too few usable instances makes way for the next."""
    target = samples.load(store, target_id)
    controls: list[str] = []
    for source in more_controls.small_sources(target.partition, target.instances):
        if len(controls) < SMALL_CONTROLS:
            sample_id = source.draw(store)
            write_rewordings(store, sample_id)
            if control_writing.count_usable(store, sample_id) >= more_controls.FEWEST:
                controls.append(sample_id)
    return controls


def fix(
    store: Store, targets: Sequence[str], controls: Sequence[str], endpoints: Sequence[Endpoint]
) -> None:
    """Store the weights and the study, before the first reply."""
    for sample_id in targets:
        choice = QuizChoice(sample_id, QuizKind.STANDARD, tuple(controls))
        for endpoint in endpoints:
            walk.fix_weights(store, choice, endpoint)
    studies.save(
        store,
        Study(
            NAME,
            partitions=tuple(samples.partition_of(store, each).id for each in targets),
            models=(AFTER, BEFORE),
            methods=(studies.QUIZ,),
            controls=tuple(samples.partition_of(store, each).id for each in controls),
        ),
    )


def named(name: str, weights: Path) -> Endpoint:
    """The model at ``weights``, under a name that holds on every machine."""
    local = resolve(f"likelihood:{weights}", settings.load())
    return replace(local, name=f"{LIKELIHOOD}{name}")


async def ask(store: Store, quiz: str, endpoint: Endpoint) -> None:
    """Put a quiz to a model, unless it has its answers. Both models are computed in floating point,
    as the embedded one is: llama.cpp would compute with 8 bits where weights are quantised, which
    those before the training are and those after it are not."""
    [(run_id, _)] = await plan.plan(store, QUIZ, [quiz], [endpoint], NO_TERMS, resume=True)
    planned = runs.load(store, run_id)
    if planned.event is not Event.FINISHED:
        async with scoring(replace(endpoint, name=f"{LIKELIHOOD}{EMBEDDED}")) as score:
            await work(Session(store, run_id, QUIZ.reopen(store, planned.plan), score))


def tabulate(store: Store) -> str:
    """The verdicts as a table in Markdown."""
    findings = study.findings(store, studies.load(store, NAME))
    judged = [finding for finding in findings if finding.verdict is not None]
    lines = [
        "| model | partition | found | expected on unseen text | κ above controls [95 %] | q "
        "| verdict |",
        "|---|---|---|---|---|---|---|",
        *(_line(finding) for finding in study.by_strength(judged)),
    ]
    return "\n".join(lines)


def tabulate_controls(store: Store) -> str:
    """What each model found of each control, as a table in Markdown."""
    found: dict[str, dict[str, Evidence]] = {}
    for evidence in snapshot.read(store).evidence.values():
        if evidence.role == PartitionRole.CONTROL:
            found.setdefault(evidence.partition, {})[evidence.model] = evidence
    lines = [f"| control | instances | {BEFORE} | {AFTER} |", "|---|---|---|---|"]
    for by_model in sorted(found.values(), key=lambda each: -_share(each[BEFORE])):
        before, after = by_model[BEFORE], by_model[AFTER]
        shares = f"{percent(_share(before))} | {percent(_share(after))}"
        lines.append(f"| {before.place} | {before.usable} | {shares} |")
    return "\n".join(lines)


def _share(evidence: Evidence) -> float:
    share = evidence.estimate.share
    if share is None:
        raise ValueError(f"{evidence.place} was not asked")
    return share


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
        verdict.ruling.word,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _target(name: str) -> Partition:
    """One of the reviews. They are bundled as a control, and this model has seen them."""
    bundled = open_partition(SEEN, SPLIT).partition
    return replace(
        bundled,
        key=f"example-{name}",
        title=TITLES[name],
        role=PartitionRole.TARGET,
        published=None,
    )


if __name__ == "__main__":
    main()
