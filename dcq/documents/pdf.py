"""An HTML file printed as PDF by Chromium, which needs no network for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from dcq.errors import DcqError

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
    """The Chromium of this machine; None if there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def print_pdf(html: str) -> bytes:
    """The pages of ``html``. Raises ``DcqError`` if no Chromium is there, or if it fails."""
    program = browser()
    if program is None:
        raise DcqError(_MISSING)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(html, "utf-8")
        command = [program, *_QUIET, f"--user-data-dir={folder}/browser"]
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
