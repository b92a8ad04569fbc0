"""The wheel as a stranger gets it: built from a checkout in use, installed somewhere else.

The installed copy has a Python environment of its own. What dcq needs is not downloaded again for
it: the environment looks for it where these tests run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from dcq.places import ROOT

DOCS = ("docs/method.md", "docs/figures/controls.svg", "docs/figures/simulation.svg")
SOURCES = ("dcq", "pages", "data", "app.py", ".streamlit/config.toml", ".gitignore", *DOCS)
PROJECT = ("pyproject.toml", "README.md", "LICENSE", *(p.name for p in ROOT.glob("req*.txt")))
# What a checkout in use holds and nobody else may see.
PRIVATE = (
    ".env",
    ".streamlit/secrets.toml",
    "data/dcq.duckdb",
    "data/dcq.duckdb.wal",
    "data/dcq.runs/261122-87e9d1fc.log",
    "data/uploads/notes-8f14e45f.csv",
    "data/prices.toml",
    "data/own_cutoffs.toml",
)
_LEFT_OUT = ("__pycache__", *(Path(name).name for name in PRIVATE), "dcq.runs", "uploads", "logs")


def copy_checkout(folder: Path) -> list[str]:
    """Copy what the wheel is made of into ``folder``; returns the names of the sources."""
    for name in (*SOURCES, *PROJECT):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            ignore = shutil.ignore_patterns(*_LEFT_OUT)
            shutil.copytree(ROOT / name, folder / name, ignore=ignore)
        else:
            shutil.copy2(ROOT / name, folder / name)
    return sorted(
        str(path.relative_to(folder))
        for name in SOURCES
        for path in (folder / name, *(folder / name).rglob("*"))
        if path.is_file()
    )


def build(checkout: Path, into: Path) -> Path:
    """Build the wheel with what is installed here; returns its file."""
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    command = [sys.executable, "-m", "pip", "wheel", ".", *options, "--wheel-dir", str(into)]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [wheel] = into.glob("*.whl")
    return wheel


@dataclass(frozen=True)
class Installed:
    """A copy installed in ``folder``, in the hands of somebody whose home is empty and who stands
    in a folder whose files have the names of ours."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def dcq(self) -> Path:
        return self.folder / "bin" / "dcq"

    @property
    def home(self) -> Path:
        return self.folder.parent / "home"

    @property
    def elsewhere(self) -> Path:
        return self.folder.parent / "elsewhere"

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DCQ_", "XDG_", "PYTHON", "STREAMLIT_"))
        }
        return kept | {"HOME": str(self.home)}

    def files(self) -> set[str]:
        """What lies in the installed package."""
        [package] = self.folder.glob("lib/python*/site-packages/dcq")
        return {
            str(path.relative_to(package))
            for path in package.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command of this copy's, by this person, from elsewhere."""
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.elsewhere,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=240,
        )


def install(wheel: Path, folder: Path) -> Installed:
    """Install ``wheel`` into an environment of its own below ``folder``."""
    made = Installed(folder / "environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made.folder], check=True)
    [packages] = made.folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", str(made.python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True)
    made.home.mkdir()
    (made.elsewhere / "pages").mkdir(parents=True)
    (made.elsewhere / "data").mkdir()
    for name in ("app.py", "pages/overview.py", "streamlit.py", "data/catalog.toml"):
        (made.elsewhere / name).write_text("raise SystemExit('somebody else’s file')\n", "utf-8")
    return made
