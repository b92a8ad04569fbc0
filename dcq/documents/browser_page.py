"""A page that Chromium opens, in a temporary folder of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dcq.errors import DcqError


@contextmanager
def written(html: str) -> Iterator[Path]:
    """The file of a page, alone in its folder, until the block ends. Raises DcqError where the
    system's temporary folder cannot be written."""
    try:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    except OSError as error:
        raise _unwritable(error) from error
    with folder as name:
        file = Path(name, "page.html")
        try:
            file.write_text(html, "utf-8")
        except OSError as error:
            raise _unwritable(error) from error
        yield file


def _unwritable(error: OSError) -> DcqError:
    return DcqError(
        f"The temporary folder {tempfile.gettempdir()} cannot be written ({error.strerror}); make "
        "room there, or set TMPDIR to another folder."
    )
