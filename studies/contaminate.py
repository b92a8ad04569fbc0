"""Contaminates a small model on purpose and asks the methods of dcq what it has seen.

    python -m studies.contaminate --work FOLDER        # trains, asks, writes the figures
    python -m studies.contaminate                      # draws and prints them again

SmolLM2-135M-Instruct is trained further on one half of the control news, in the format of Time
Travel in LLMs, Table 10, and asked after 0, 1, 3 and 10 exposures: on that half, on the other one,
and on control summaries that are in no training text. FOLDER takes three times 0.5 GB and the
answers of each dose; started again, it goes on where it was. Needs requirements-likelihood.txt.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dcq import api, charts
from dcq.evidence.soft import letter_logprobs
from dcq.models.embedded import MODEL
from dcq.quiz.method import QuizTask
from dcq.quiz.prompts import QUIZ_V1
from dcq.records import LETTERS, Instance, Mode, Partition, Reply
from dcq.replication.completion import read_completion
from dcq.replication.pieces import Pieces, split
from dcq.replication.prompts import Instruction, Version, prompt_for, prompt_text
from dcq.replication.scores import exact, rouge_l
from dcq.store import Store, quizzes
from dcq.store.samples import StoredSample
from studies.exposure import halve, opening_text, training_text
from studies.figure import describe, draw, tabulate
from studies.local_model import BATCH, LEARNING_RATE, LOSSES, LocalModel, expose
from studies.measures import summarise
from studies.rows import Membership, StudyRow, read_row

TARGET, CONTROL, SPLIT, CONTROLS = "control-news", "control-summaries", "test", 20
DOSES = (0, 1, 3, 10)
SLOT = 3  # D, as in the paper
SEED = 0
ROOM = 1.5  # tokens a completion may have, by those of the second piece
FIGURES = Path(__file__).with_suffix(".json")
PICTURES = Path(__file__).with_suffix("")


def main() -> None:
    """Run what is not there yet, draw, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, help="where weights and answers are kept")
    parser.add_argument("--threads", type=int, default=1, help="of the processor; 1 if left out")
    chosen = parser.parse_args()
    if chosen.work:
        FIGURES.write_text(_dump(run(chosen.work, chosen.threads)), "utf-8")
    figures = json.loads(FIGURES.read_text("utf-8"))
    charts.write_images(draw(figures), PICTURES)
    print(tabulate(figures), describe(figures), sep="\n")


def run(work: Path, threads: int) -> dict[str, Any]:
    """All figures of the study."""
    store = api.open_store(work / "dcq.duckdb")
    target = api.draw_sample(store, TARGET, SPLIT, 40, seed=SEED)
    control = api.draw_sample(store, CONTROL, SPLIT, CONTROLS, seed=SEED)
    members, others = halve(target.instances, seed=SEED)
    texts = [training_text(instance, target.partition) for instance in members]
    weights = expose(work, texts, DOSES, seed=SEED, threads=threads)
    groups = {instance.id: Membership.MEMBER for instance in members} | {
        instance.id: Membership.OTHER for instance in others
    }
    doses = []
    for dose in DOSES:
        answers_path = work / f"answers-{dose}.json"
        if not answers_path.is_file():
            began = time.process_time()
            rows = ask(store, weights[dose], threads, [target, control], groups)
            answers_path.write_text(json.dumps([asdict(row) for row in rows]), "utf-8")
            print(f"dose {dose} asked in {time.process_time() - began:.0f} s of CPU", flush=True)
        rows = [read_row(row) for row in json.loads(answers_path.read_text("utf-8"))]
        doses.append({"exposures": dose, **summarise(rows), "rows": [asdict(row) for row in rows]})
    return {
        "model": MODEL,
        "target": target.partition.id,
        "control": control.partition.id,
        "learning_rate": LEARNING_RATE,
        "batch": BATCH,
        "seed": SEED,
        "training": json.loads((work / LOSSES).read_text("utf-8")),
        "doses": doses,
    }


def ask(
    store: Store,
    weights: Path,
    threads: int,
    drawn: Sequence[StoredSample],
    groups: dict[str, Membership],
) -> list[StudyRow]:
    """One model's rows: the quiz by likelihood through dcq's own run, the rest by generation."""
    scored: dict[str, tuple[float, ...]] = {}
    frozen = [api.freeze_quiz(store, sample, slot=LETTERS[SLOT]) for sample in drawn]
    for quiz in frozen:
        done = api.run_quiz(store, quiz, f"likelihood:{weights}", resume=True)
        for answer in api.read_answers(store, done["run"]).itertuples():
            scores = json.loads(str(answer.reply))
            scored[str(answer.instance)] = tuple(scores[x]["per_token"] for x in "ABCD")
    model = LocalModel(weights, threads=threads)
    rows = []
    for sample, quiz in zip(drawn, frozen, strict=True):
        items = quizzes.load(store, quiz.quiz).items
        task = QuizTask(QUIZ_V1, Mode.LETTER, sample.partition.title, _split(sample), items)
        prompts = [task.text(position) for position in range(task.size)]
        letters = model.ask(prompts, [QUIZ_V1.max_tokens] * len(prompts))
        by_id = {sample_instance.id: sample_instance for sample_instance in sample.instances}
        chosen = [by_id[item.instance_id] for item in items]
        completed = complete(model, chosen, sample.partition, seen=sample is drawn[0])
        for position, (instance, local_reply) in enumerate(zip(chosen, letters, strict=True)):
            reading = task.read(position, local_reply.reply)
            logs = letter_logprobs(local_reply.letters, "ABCD")
            chances = np.exp(logs - np.logaddexp.reduce(logs))
            rows.append(
                StudyRow(
                    instance=instance.id,
                    group=groups.get(instance.id, Membership.CONTROL),
                    slot=SLOT,
                    per_token=scored[instance.id],
                    outcome=reading.outcome,
                    letter=reading.value,
                    chance_of_original=float(chances[SLOT]),
                    **completed[position],
                )
            )
    return rows


def complete(
    model: LocalModel, instances: Sequence[Instance], partition: Partition, *, seen: bool
) -> list[dict[str, Any]]:
    """ROUGE-L under both instructions, and, where the partition was trained on, after the opening
    of the training text; in the fields of ``StudyRow``."""
    pieces = [split(instance, partition.task, seed=SEED) for instance in instances]
    cut = [piece for piece in pieces if isinstance(piece, Pieces)]
    if len(cut) < len(pieces):
        raise ValueError("an instance of the study cannot be cut")
    most = [int(ROOM * model.count(piece.second)) for piece in cut]
    names = (partition.title, partition.split_title)
    texts: dict[str, list[str | None]] = {}
    for instruction in (Instruction.GENERAL, Instruction.GUIDED):
        prompts = [
            prompt_text(prompt_for(Version.PAPER, instruction, piece.form), piece, *names)
            for piece in cut
        ]
        replies = model.ask(prompts, most)
        texts[instruction] = _completions([reply.reply for reply in replies], cut)
    rows = [
        {"general": general, "guided": guided, "exact": same}
        for (general, _), (guided, same) in zip(
            _against(cut, texts[Instruction.GENERAL]),
            _against(cut, texts[Instruction.GUIDED]),
            strict=True,
        )
    ]
    if not seen:
        return [row | {"opening": None, "opening_exact": None} for row in rows]
    replies = model.ask([opening_text(piece.first, partition) for piece in cut], most, chat=False)
    # The training text goes on with the label, the completion is what stands before it.
    opened = [(reply.reply.text or "").partition(" Label:")[0] for reply in replies]
    return [
        row | {"opening": score, "opening_exact": same}
        for row, (score, same) in zip(rows, _against(cut, opened), strict=True)
    ]


def _completions(replies: Sequence[Reply], pieces: Sequence[Pieces]) -> list[str | None]:
    return [
        read_completion(reply, piece).text for reply, piece in zip(replies, pieces, strict=True)
    ]


def _against(pieces: Sequence[Pieces], texts: Sequence[str | None]) -> list[tuple[float, bool]]:
    references = [piece.second for piece in pieces]
    scores = rouge_l(references, [text or "" for text in texts])
    return [
        (float(score), exact(reference, text or ""))
        for score, reference, text in zip(scores, references, texts, strict=True)
    ]


def _split(sample: StoredSample) -> str:
    return sample.partition.split_title


def _dump(figures: dict[str, Any]) -> str:
    """JSON with numbers of five decimals."""
    return json.dumps(json.loads(json.dumps(figures), parse_float=_short), indent=1) + "\n"


def _short(number: str) -> float:
    return round(float(number), 5)


if __name__ == "__main__":
    main()
