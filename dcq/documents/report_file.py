"""A document as the content of a file, in the format that the file's extension names.

Metadata for a model's card on the Hugging Face Hub has the Hub's form ``model-index``, written by
its own library. It has no words for this quiz, so we name the task and the types of the metrics.
PDF is printed by Chromium, which needs no network for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from huggingface_hub import EvalResult, ModelCardData

from dcq.documents import browser_page
from dcq.documents.deck.model import Deck
from dcq.errors import DcqError, InputError
from dcq.records import PartitionRole
from dcq.words import listed

if TYPE_CHECKING:
    from dcq.documents.deck import Deck


TYPES = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}


def to_bytes(deck: Deck, suffix: str, *, as_slides: bool = False) -> bytes:
    """``as_slides``: a PDF with a page for each slide. Raises ``InputError`` for another extension,
    ``DcqError`` where Chromium is needed and missing."""
    check(suffix, as_slides=as_slides)
    from dcq.documents import html_report, tables  # here: screens name formats, write rarely

    if suffix == ".md":
        return tables.markdown(deck).encode()
    if suffix == ".tex":
        return tables.latex(deck).encode()
    if suffix == ".yaml":
        return write_metadata(deck).encode()
    if suffix == ".pptx" or as_slides:
        from dcq.documents import deck_file  # takes a while to import

        return deck_file.powerpoint(deck) if suffix == ".pptx" else print_pdf(deck_file.html(deck))
    html = html_report.render(deck)
    return print_pdf(html) if suffix == ".pdf" else html.encode()


SLIDES = (".pptx", ".pdf")


def check(suffix: str, *, as_slides: bool = False) -> None:
    """Raise ``InputError`` for an extension that a report, or slides, cannot have."""
    if suffix not in TYPES:
        raise InputError(f"A report ends in {', '.join(TYPES)}, not {suffix!r}.")
    if as_slides and suffix not in SLIDES:
        raise InputError(f"Slides end in {' or '.join(SLIDES)}, not {suffix!r}.")


TASK, TASK_NAME = "data-contamination", "Data Contamination Quiz"
_KAPPAS = {"kappa_control": "κ above unseen text", "kappa_fixed": "κ above guessing"}


def write_metadata(deck: Deck) -> str:
    """The metadata for the head of a model's card: one YAML document for each model that has a
    verdict, which is the answer on a model and a partition. Empty without a verdict."""
    rulings = {(answer["model"], answer["partition"]): answer for answer in deck.data["answers"]}
    judged = [
        result
        | {"verdict": rulings[result["model"], result["partition"]]["ruling"]}
        | {"counted": f"Answers, {result['kind']} quiz, run {result['run']}"}
        for result in deck.data["results"]
        if result["role"] == PartitionRole.TARGET and result["verdict"]
    ]
    with_quiz = {(result["model"], result["partition"]) for result in judged}
    judged += [
        answer
        | {"verdict": answer["ruling"], "n": first["n"]}
        | {"counted": f"Instances, {first['method']}, run {first['run']}"}
        for pair, answer in rulings.items()
        if answer["role"] == PartitionRole.TARGET and pair not in with_quiz
        for first in answer["methods"][:1]
    ]
    models = dict.fromkeys(result["model"] for result in judged)
    datasets = {dataset["partition"]: dataset for dataset in deck.data["datasets"]}
    return "---\n".join(
        ModelCardData(
            model_name=model,
            eval_results=[
                metric
                for result in judged
                if result["model"] == model
                for metric in _metrics(result, datasets[result["partition"]])
            ],
        ).to_yaml()
        + "\n"
        for model in models
    )


def _metrics(result: Mapping[str, Any], dataset: Mapping[str, Any]) -> list[EvalResult]:
    """The verdict, its κ, and n, on one partition of a dataset."""
    values = {"verdict": ("Verdict", result["verdict"])}
    for kind, name in _KAPPAS.items():
        if result.get(kind) is not None:
            values[kind] = (name, round(result[kind], 3))
    values["n"] = (result["counted"], result["n"])
    senders = result.get("senders")
    whose = f" (replies from {listed(senders)})" if senders else ""
    return [
        EvalResult(
            task_type=TASK,
            task_name=TASK_NAME,
            dataset_type=dataset["hub"] or dataset["name"],
            dataset_name=dataset["name"],
            dataset_config=dataset["config"],
            dataset_split=result["partition"].rpartition("/")[2],
            metric_type=kind,
            metric_name=f"{name}{whose}",
            metric_value=value,
        )
        for kind, (name, value) in values.items()
    ]


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST = 120  # seconds
_MISSING = (
    "A PDF is printed by Chromium, which is missing or does not start; install it, for example "
    "with: apt-get install chromium. Or write .html and print that from a browser."
)
_QUIET = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
    "--window-size=1040,800",  # as wide as a printed page, so that charts fill it
)


def browser() -> str | None:
    """The path of this machine's Chromium; None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def print_pdf(html: str) -> bytes:
    """The pages of ``html`` as PDF. Raises ``DcqError`` if no Chromium is there, or if it fails."""
    program = browser()
    if program is None:
        raise DcqError(_MISSING)
    with browser_page.written(html) as source:
        target = source.with_name("report.pdf")
        command = [program, *_QUIET, f"--user-data-dir={source.with_name('browser')}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # it refuses to start as root with one
        try:
            subprocess.run(  # noqa: S603  (a program of the PATH, no shell, our own file)
                [*command, f"--print-to-pdf={target}", source.as_uri()],
                check=True,
                capture_output=True,
                timeout=LONGEST,
            )
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise DcqError(_MISSING) from error
