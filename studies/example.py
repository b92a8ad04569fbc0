"""The example investigation: a small model that was trained on one partition on purpose.

    python -m studies.example --work FOLDER    # trains, asks, writes data/example.zip
    python -m studies.example                  # reads data/example.zip, writes it anew, prints it

The embedded model is asked by likelihood before and after it was trained further on control
reviews, in the format of Time Travel in LLMs, Table 10. A second partition is made of control
requests that neither has seen, and leaks: the shortest wording of each plays the original. All
other English control prose is the control. FOLDER takes 0.6 GB; started again, it goes on where it
was. Needs requirements-likelihood.txt. The second form writes the verdicts in the words of this
release, and asks no model.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dcq import api, settings
from dcq.asking import plan
from dcq.asking.calls import gives_logprobs
from dcq.asking.prepare import NO_TERMS
from dcq.models.embedded import find_weights
from dcq.models.endpoints import resolve
from dcq.partitions import draw_sample, open_partition
from dcq.quiz.method import QUIZ
from dcq.records import Instance, Kind, Partition, Role, Sample, Task
from dcq.report import bundle_import, bundle_write, study
from dcq.report.study import Finding
from dcq.settings import DATA
from dcq.store import Store, runs, samples, studies
from dcq.store.runs import Event
from dcq.store.studies import Study
from dcq.words import kappa_words, p_words, percent
from studies.exposure import training_text
from studies.local_model import LocalModel

BUNDLE = DATA / "example.zip"
NAME = "Example: trained on purpose"
SPLIT, SLOT = "test", "D"
EXPOSURES = 2
BEFORE = "likelihood:SmolLM2-135M"
AFTER = f"{BEFORE} trained on Reviews"
SEEN, LEAKY = "control-reviews", "control-requests"
# Partition → the column with its text. All are laid out as bare text: rewordings change nothing
# else, and so laid out they are of one kind and can be compared.
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
    tested = [careful(SEEN, "text", Role.TARGET), leaky(LEAKY, "text")]
    unseen = [careful(key, column, Role.CONTROL) for key, column in CONTROLS.items()]
    for sample in [*tested, *unseen]:
        drawn = samples.save(store, sample)
        kinds = [Kind.STANDARD, *([Kind.MODIFIED] if sample in tested else [])]
        for kind in kinds:
            slot = SLOT if kind is Kind.STANDARD else None
            quiz = api.freeze_quiz(store, drawn, kind, slot=slot).quiz
            for name, weights in ((BEFORE, find_weights()), (AFTER, trained)):
                asyncio.run(ask(store, quiz, name, weights))
                print(f"{name}: {sample.partition.title}, {kind}", flush=True)
    studies.save(
        store,
        Study(
            NAME,
            partitions=tuple(one.partition.id for one in tested),
            models=(AFTER, BEFORE),
            methods=(studies.QUIZ,),
            controls=tuple(one.partition.id for one in unseen),
        ),
    )
    return store


def train(work: Path, threads: int) -> Path:
    """The folder of the model that was trained, unless it is there already."""
    done = work / f"trained-{EXPOSURES}"
    if not done.is_dir():
        opened = open_partition(SEEN, SPLIT)
        drawn = draw_sample(opened, opened.row_count)
        texts = [training_text(one, drawn.partition) for one in drawn.instances]
        model = LocalModel(find_weights(), threads=threads)
        model.train(
            texts,
            EXPOSURES,
            lambda exposure, loss: print(f"exposure {exposure}: loss {loss:.2f}", flush=True),
        )
        model.save(done)
    return done


def careful(key: str, column: str, role: Role) -> Sample:
    """A bundled partition as bare text, with the variants that come with it."""
    return _lay_out(key, role, "", ((text, rest) for text, *rest in wordings(key, column)))


def leaky(key: str, column: str) -> Sample:
    """The same with the shortest of the five wordings as the original, which gives it away."""
    ordered = (sorted(five, key=len) for five in wordings(key, column))
    return _lay_out(key, Role.TARGET, ", leaky", ((text, rest) for text, *rest in ordered))


def wordings(key: str, column: str) -> Iterator[list[str]]:
    """The original of each row, then its variants."""
    for row in open_partition(key, SPLIT).table.rows:
        yield [row[column].strip(), *(text.strip() for text in row["variants"])]


def _lay_out(
    key: str, role: Role, suffix: str, texts: Iterator[tuple[str, Sequence[str]]]
) -> Sample:
    listed = open_partition(key, SPLIT).partition
    name = key.removeprefix("control-")
    pairs = [(Instance(text), tuple(variants)) for text, variants in texts]
    return Sample(
        partition=Partition(
            key=f"example-{name}{suffix.replace(', ', '-')}",
            split=SPLIT,
            title=f"{name.capitalize()}{suffix}",
            split_title=listed.split_title,
            role=role,
            task=Task.TEMPLATE,
            licence=listed.licence,
            published=listed.published,
            source=listed.source,
        ),
        instances=tuple(instance for instance, _ in pairs),
        requested=len(pairs),
        available=len(pairs),
        seed=0,
        stratified=False,
        variants={instance.id: variants for instance, variants in pairs},
    )


async def ask(store: Store, quiz: str, name: str, weights: Path) -> None:
    """Put a quiz to the model at ``weights``, under a name that holds on every machine."""
    local = resolve(f"likelihood:{weights}", settings.load())
    endpoint = replace(local, name=name)
    [(run_id, _)] = await plan.plan(store, QUIZ, [quiz], [endpoint], NO_TERMS, resume=True)
    if runs.load(store, run_id).event is not Event.FINISHED:
        await plan.carry_out(store, plan.Job(run_id, endpoint, QUIZ, gives_logprobs(endpoint)))


def tabulate(store: Store) -> str:
    """The verdicts as a table in Markdown, and below it what text alone finds."""
    found = study.findings(store, studies.load(store, NAME))
    judged = [one for one in found if one.verdict is not None]
    lines = [
        "| model | partition | found | expected on unseen text | κ above controls [95 %] | q "
        "| verdict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_line(one) for one in study.by_strength(judged)),
    ]
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    result, known, verdict = finding.result, finding.calibration, finding.verdict
    if known is None or verdict is None:
        raise ValueError(f"{result.place} was not compared with controls")
    q = "–" if verdict.q_value is None else p_words(verdict.q_value, "q")
    kappa = kappa_words(known.kappa_control, known.kappa_low, known.kappa_high)
    cells = (
        result.model.removeprefix("likelihood:"),
        result.place,
        f"{result.correct} of {result.n}",
        f"{percent(known.control_score)} ({percent(known.control_low)} to "
        f"{percent(known.control_high)})",
        kappa,
        q,
        verdict.ruling,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
