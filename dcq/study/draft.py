"""A study's file to begin with, commented and ready to run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from dcq.investigation.control_sizes import SMALL, SMALL_CONTROLS
from dcq.records import DatasetTask, QuizKind
from dcq.study.shape import OFFLINE


@dataclass(frozen=True)
class Draft:
    """What is known before the file is written. Without a ``dataset`` or a ``file`` the benchmark
    is one that comes with dcq, without ``models`` the model is the embedded one, so that all of it
    runs without a key and without a network. ``kind`` is that of the quiz, where one is chosen."""

    name: str = "My study"
    dataset: str = ""
    split: str = ""
    file: str = ""
    text: str = ""
    label: str = ""
    task: DatasetTask | None = None
    language: str = ""
    n: int = 40
    models: Sequence[str] = ()
    rewordings: str = ""
    kind: QuizKind | None = None
    budget: float | None = None


def write_draft(draft: Draft) -> str:
    """The text of ``study.toml``."""
    return _TEXT.format(
        name=_quoted(draft.name),
        budget=f"budget = {draft.budget:g}" if draft.budget else "# budget = 5",
        target=_target(draft),
        rewordings=_quoted(draft.rewordings or OFFLINE),
        count=SMALL_CONTROLS,
        n=SMALL,
        models="\n\n".join(
            f"[[model]]\nname = {_quoted(model)}" for model in draft.models or ["embedded"]
        ),
        methods=f'[methods]\nkind = "{draft.kind}"\n' if draft.kind else "# [methods]\n",
    )


def _target(draft: Draft) -> str:
    usual = "my-benchmark" if draft.file else "humaneval"
    dataset = _quoted(draft.dataset or usual)
    lines = [f"dataset = {dataset}" + "  # any name" * bool(draft.file)]
    if draft.split or not draft.file:
        lines.append(f"split = {_quoted(draft.split or 'test')}")
    if draft.file:
        lines.append(f"file = {_quoted(draft.file)}")
    if draft.text:
        lines.append(f"text = {_quoted(draft.text)}  # the column of the text")
    if draft.label:
        lines.append(f"label = {_quoted(draft.label)}  # the column of the label or answer")
    if draft.task:
        lines.append(f'task = "{draft.task}"')
    if draft.language:
        lines.append(f"language = {_quoted(draft.language)}")
    return "\n".join([*lines, f"n = {draft.n}  # instances"])


def _quoted(text: str) -> str:
    """A text as TOML has it, whose escapes are JSON's but for one sign."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_TEXT = """\
# What this study is to know, in one file. See what it would take, run it, check it:
#
#     python -m dcq study plan study.toml
#     python -m dcq study run study.toml
#     python -m dcq study check study.toml --fail-on contaminated
#
# Running it again asks nothing that was asked. All keys: docs/ci.md of dcq.

[study]
name = {name}
{budget}  # USD, for everything

# Which benchmarks may have been seen: a key of the catalog (python -m dcq datasets), OWNER/NAME on
# the Hugging Face Hub, or a file in this folder. Add as many [[target]] as you like.
[[target]]
{target}

# Who writes the rewordings: a model, or "offline" for the generator that needs none. A model's are
# better. With accepted = true, people accept them in the app before anything is asked.
[rewordings]
model = {rewordings}

# Texts that no model can have seen. They say what score is expected on unseen text.
[controls]
from = "bundled"  # or "placebo", "own", or "later": newer rows of the benchmark itself
count = {count}
n = {n}
# date_column = "date"  # with from = "later"; each model then needs a cut-off

# Which models to ask: gpt-4o, ollama:llama3.2, NAME@https://host/v1, … Add as many as you like.
{models}
# cutoff = "2025-06"  # the last month of its training data
# settings = {{concurrency = 8, rpm = 500}}  # calls in flight, and requests a minute

# The weight of each method; together they come to 1. Left out: all that a model allows. The quiz is
# of kind = "standard", or "rotated", with the original in all four positions.
{methods}# quiz = 0.75
# replication = 0.25

# [export]  # files to write when it ends
# report = "report.html"
# bundle = "study.zip"
# pairs = "conclusions.csv"
"""
