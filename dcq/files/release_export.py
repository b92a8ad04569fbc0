"""Protocol v2 in the formats of the quiz's authors: their csv of answers, and their text report.

Rows are the instances with a reply in every quiz, so that both give the same range as
``dcq.quiz.protocol2``. A text that a spreadsheet would run as a formula gets an apostrophe before
it, as in every csv export; our readers remove it again (``dcq.audit.release_rows``).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dcq import writer
from dcq.audit.release_rows import BIAS, OPTIONS, QUIZZES, SLOTS, read_answer
from dcq.errors import InputError
from dcq.files import export
from dcq.quiz import protocol2
from dcq.quiz.protocol2 import ContaminationRange
from dcq.records import LETTERS, Outcome
from dcq.store import Store, quizzes, results, runs, samples

RULE = "=" * 50


def find(store: Store, sample_id: str, model: str | None) -> ContaminationRange:
    """The range of ``model`` on a sample, or of the only model that has one. Raises InputError if
    there is none, if there are several, or if it is not complete."""
    sample = samples.load(store, sample_id)
    estimates = [e for e in protocol2.estimates(store, model=model) if e.sample == sample.id]
    complete = [e for e in estimates if e.low is not None]
    if len(complete) == 1:
        return complete[0]
    if complete:
        raise InputError(f"Choose one with --model: {', '.join(e.model for e in complete)}.")
    if estimates:
        raise InputError(protocol2.describe(estimates[0]))
    raise InputError(
        f"{model or 'No model'} has {'not ' if model else ''}taken protocol v2 on sample "
        f"{sample.id} yet; run it (python -m dcq v2 {sample.id})."
    )


def tabulate(store: Store, bounds: ContaminationRange) -> pd.DataFrame:
    """The answers in the authors' columns: instance, option_a to option_d, bdq_results and
    bcq_results_for_position_x for each slot asked. A cell has the letter, or the whole reply if it
    names none."""
    quiz = quizzes.load(store, runs.load(store, bounds.bdq).plan.subject)
    texts = {
        instance.id: instance.text for instance in samples.load(store, bounds.sample).instances
    }
    table = pd.DataFrame(
        {
            "id": [item.instance_id for item in quiz.items],
            "instance": [texts[item.instance_id] for item in quiz.items],
            **{
                name: [item.options[slot] for item in quiz.items]
                for slot, name in enumerate(OPTIONS)
            },
        }
    ).set_index("id")
    for name, run_id in _columns(bounds).items():
        # Inner: an instance without a reply in some quiz gets no row.
        table = table.join(_cells(store, run_id).rename(name), how="inner")
    export.refuse_private_rows(store, table)
    return table.reset_index(drop=True)


def report(store: Store, bounds: ContaminationRange) -> str:
    """The authors' text report: shares in per cent with two decimals, and the range."""
    table = tabulate(store, bounds)
    parts = [
        "BDQ results (positional biases):",
        *_shares(table[BIAS]),
        f"Non-preferred Options: {', '.join(bounds.non_preferred)}",
        RULE,
    ]
    for slot in bounds.bcqs:
        parts += [
            f"BCQ results with correct answers in position {slot}:",
            *_shares(table[QUIZZES[slot]]),
            RULE,
        ]
    low, high = 100 * (bounds.low or 0.0), 100 * (bounds.high or 0.0)
    return "\n".join([*parts, f"Detected Contamination Level: [{low:.2f}%, {high:.2f}%]"])


def write(store: Store, bounds: ContaminationRange, path: Path) -> int:
    """Write the report to a ``.txt``, or the answers to a file as ``export.write`` does; returns
    the number of rows."""
    table = tabulate(store, bounds)
    if path.suffix != ".txt":
        export.write(table, path)
        return len(table)
    writer.write(path, report(store, bounds).encode())
    return len(table)


def _columns(bounds: ContaminationRange) -> dict[str, str]:
    """The run behind each column of answers, in the authors' order."""
    bcqs = {QUIZZES[slot]: bounds.bcqs[slot] for slot in SLOTS if slot in bounds.bcqs}
    return {BIAS: bounds.bdq, **bcqs}


def _cells(store: Store, run_id: str) -> pd.Series:
    """The answers by instance; instances without a reply are left out."""
    answers = results.answers(store, run_id)
    answers = answers[answers["outcome"] != Outcome.ERROR].set_index("instance")
    rows = zip(answers["letter"], answers["reply"], strict=True)
    return pd.Series([_cell(letter, reply) for letter, reply in rows], answers.index, dtype=object)


def _cell(letter: object, reply: object) -> str:
    if isinstance(letter, str):
        return letter
    # Some replies count as no letter for a reason that their text does not show, such as a refusal.
    text = reply if isinstance(reply, str) else ""
    return text if read_answer(text).value is None else ""


def _shares(cells: pd.Series) -> list[str]:
    return [f"Option {letter}: {100 * (cells == letter).mean():.2f}%" for letter in LETTERS]
