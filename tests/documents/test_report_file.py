"""The report as a file of each format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import ModelCard

from dcq.documents import report_file
from dcq.documents.deck import build
from dcq.errors import DcqError, InputError
from dcq.judging.answers import answers
from dcq.judging.study import findings
from dcq.quiz.results import quiz_row
from dcq.replication.replicate import Design, replicate
from dcq.store import Store
from tests.support import replications
from tests.support.judged import SEEN, put, put_controls
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow


def test_a_pdf_is_printed_with_its_charts(fresh_store: Store) -> None:
    empty = report_file.to_bytes(build(fresh_store), ".pdf")
    put(fresh_store, "seen", SEEN)
    printed = report_file.to_bytes(build(fresh_store), ".pdf")
    assert printed.startswith(b"%PDF-")
    assert len(printed) > len(empty) + 20_000
    assert printed.count(b"/Type /Page\n") > empty.count(b"/Type /Page\n")


def test_without_chromium_the_fix_is_named(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert report_file.browser() is None
    with pytest.raises(DcqError, match="apt-get install chromium"):
        report_file.to_bytes(build(fresh_store), ".pdf")


def test_a_chromium_that_fails_is_an_error_too(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DcqError, match="does not start"):
        report_file.print_pdf("<p>")
    broken.write_text("#!/bin/sh\nexit 0\n")  # ends well and prints nothing
    with pytest.raises(DcqError, match="does not start"):
        report_file.print_pdf("<p>")


@pytest.mark.parametrize("suffix", [".pdf", ".pptx"])
def test_a_full_temporary_folder_is_named(
    suffix: str, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium opens the page from there."""
    built = build(fresh_store)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(DcqError, match=r"temporary folder .*gone cannot be written \(No such file"):
        report_file.to_bytes(built, suffix)


def test_another_format_is_refused(fresh_store: Store) -> None:
    with pytest.raises(InputError, match=r"not '\.docx'"):
        report_file.to_bytes(build(fresh_store), ".docx")


def _read(content: bytes) -> list[dict[str, Any]]:
    """The metadata of each model, as the Hub's own reader takes it from a card."""
    documents = content.decode().split("---\n")
    cards = [ModelCard(f"---\n{document}---\n") for document in documents]
    # The library has no types there.
    return [card.data.to_dict()["model-index"][0] for card in cards]  # type: ignore[no-untyped-call]


def test_a_models_card_has_no_dataset_that_a_file_is_only_called_like(fresh_store: Store) -> None:
    put(fresh_store, "ag_news", SEEN, source="file:my-news.csv")
    [model] = _read(report_file.to_bytes(build(fresh_store), ".yaml"))
    name = "ag_news (own data)"
    assert model["results"][0]["dataset"] == {"type": name, "name": name, "split": "test"}


def test_a_models_card_takes_the_verdicts_in_the_hubs_form(fresh_store: Store) -> None:
    assert report_file.to_bytes(build(fresh_store), ".yaml") == b""
    put(fresh_store, "ag_news", SEEN, source="hub:fancyzhx/ag_news@main")
    put_controls(fresh_store)
    [model] = _read(report_file.to_bytes(build(fresh_store), ".yaml"))
    [result] = model["results"]
    assert result["dataset"] == {"type": "fancyzhx/ag_news", "name": "AG News", "split": "test"}
    values = {metric["type"]: metric["value"] for metric in result["metrics"]}
    [found] = [one for one in findings(fresh_store) if one.verdict]
    assert found.calibration is not None
    assert values == {
        "verdict": "contaminated",
        "kappa_control": pytest.approx(found.calibration.kappa_control, abs=0.001),
        "kappa_fixed": pytest.approx(quiz_row(found.evidence).kappa.kappa_fixed, abs=0.001),
        "n": quiz_row(found.evidence).n,
    }


def test_models_of_any_name_have_a_document_each(fresh_store: Store) -> None:
    names = ["one@http://127.0.0.1:9/v1", "a: [b] #c@http://127.0.0.1:9/v1"]
    for name in names:
        put(fresh_store, "rivers", SEEN, model=name)
    found = _read(report_file.to_bytes(build(fresh_store), ".yaml"))
    assert sorted(one["name"] for one in found) == sorted(names)


async def test_a_pair_that_only_completions_speak_of_stands_on_the_card(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample, texts = replications.save(fresh_store, 4)
    provider.seen = tuple(texts)
    await replicate(fresh_store, sample, "recites", Design(judge="judges"))
    [model] = _read(report_file.to_bytes(build(fresh_store), ".yaml"))
    [result] = model["results"]
    verdict, count = result["metrics"]
    assert verdict["value"] == answers(fresh_store)[0].ruling.value
    assert count["name"].startswith("Instances, replication, run ")
    assert count["value"] == 4
