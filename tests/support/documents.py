"""The documents and the commands in them."""

from __future__ import annotations

from dcq.settings import ROOT
from tests.support import option_tables

DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "data/**/*.md", "studies/*.md")
    for path in ROOT.glob(pattern)
)


COMMANDS = option_tables.commands()
