"""The report as a file of each format."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcq.errors import DcqError, InputError
from dcq.report import pdf, report_file
from dcq.report.deck import build
from dcq.store import Store
from tests.report.test_study import SEEN, put

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
    assert pdf.browser() is None
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
        pdf.print_pdf("<p>")
    broken.write_text("#!/bin/sh\nexit 0\n")  # ends well and prints nothing
    with pytest.raises(DcqError, match="does not start"):
        pdf.print_pdf("<p>")


def test_another_format_is_refused(fresh_store: Store) -> None:
    with pytest.raises(InputError, match=r"not '\.docx'"):
        report_file.to_bytes(build(fresh_store), ".docx")
