"""Where this copy of dcq has its app, its data, and room to write.

A checkout has ``app.py``, ``pages/`` and ``data/`` beside the package, and writes into ``data/``.
An installed copy has them inside the package, where nothing is written: what a person makes goes
into the folder that their system has for it.
"""

from __future__ import annotations

import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
INSTALLED = (_PACKAGE / "_app").is_dir()  # the wheel makes it

ROOT = _PACKAGE.parent  # of the checkout; of an installed copy, the folder it is installed in
APP = _PACKAGE / "_app" / "app.py" if INSTALLED else ROOT / "app.py"
DATA = _PACKAGE / "_data" if INSTALLED else ROOT / "data"  # what dcq comes with
DOCS = _PACKAGE / "_docs" if INSTALLED else ROOT / "docs"  # an installed copy has what pages show

# In a checkout its own modules are found in its folder. An installed copy is found anywhere, so its
# processes stay where they were started, where relative paths hold; -P keeps them from taking a
# module of that folder for one of ours.
PROCESS_FOLDER = None if INSTALLED else ROOT
PYTHON = (sys.executable, "-P") if INSTALLED else (sys.executable,)


def _own_folder() -> Path:
    """The folder of what a person makes: store, uploads, own prices."""
    if not INSTALLED:
        return DATA
    from platformdirs import user_data_path  # here, because a checkout does without

    return user_data_path("dcq", appauthor=False)


OWN = _own_folder()
ENV_FILE = (OWN if INSTALLED else ROOT) / ".env"
DEFAULT_STORE = OWN / "dcq.duckdb"
