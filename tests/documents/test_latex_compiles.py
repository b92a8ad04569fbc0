"""The tables for a paper, compiled by the three LaTeX programs that people use."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from dcq.documents import tables
from dcq.documents.deck import Deck
from dcq.sections import Exhibit, Section

ROOT = Path(__file__).parents[2]
PROGRAMS = ("pdflatex", "xelatex", "lualatex")
PAPER = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs,longtable,array}
\begin{document}
\listoftables
\input{report}
\end{document}
"""
# A letter of each of many scripts, marks that combine, an emoji, and what the fonts lack.
STRANGE = "é ß ł Ω Я ב ع क ก 中 日 한 ა ⠿ 😀 ⸘ ᚠ e\u0301 \u0323 ħ ŋ ² ½ ∞ ≈ ℝ ﬁ Ａ"
# Where the sentences, headings and marks of documents are written.
SPEAKING = ("documents/**/*.py", "judging/*.py", "**/wording*.py", "words.py", "result_columns.py")


def _signs_of_ours() -> set[str]:
    """The signs beyond ASCII in the strings of these modules, docstrings left out."""
    signs: set[str] = set()
    for path in {found for pattern in SPEAKING for found in (ROOT / "dcq").glob(pattern)}:
        tree = ast.parse(path.read_text("utf-8"))
        expressions = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in set(ast.walk(tree)) - expressions:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                signs |= {sign for sign in node.value if not sign.isascii() and sign.isprintable()}
    return signs - {"\N{REPLACEMENT CHARACTER}"}


def _deck(rows: list[str], title: str = "Signs") -> Deck:
    table = pd.DataFrame({"sign": rows, "n": range(len(rows))})
    exhibit = Exhibit(title, ("From the run 1", "Ends with a stop."), table)
    section = Section("kappa", "Kappa", (), (exhibit,))
    return Deck("A title", "", datetime(2026, 11, 27, tzinfo=UTC), (section,), {})


def test_every_sign_of_ours_has_a_command() -> None:
    signs = _signs_of_ours()
    assert {"≥", "κ", "→", "✓"} <= signs
    assert r"\dcqletter" not in tables.latex(_deck(sorted(signs))).split("\n\n", 1)[1]


def test_a_caption_has_one_stop_at_its_end() -> None:
    assert r"\caption{Signs. From the run 1. Ends with a stop.}" in tables.latex(_deck(["a"]))


@pytest.mark.ci
@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_it_compiles(program: str, tmp_path: Path, seen_deck: Deck) -> None:
    if shutil.which(program) is None and "CI" not in os.environ:
        pytest.skip(f"{program} is not installed: make .venv/latex")
    signs = "".join(sorted(_signs_of_ours()))
    strange = _deck([signs, *STRANGE.split(), STRANGE], title=f"Names such as {STRANGE}")
    for place, deck in enumerate((seen_deck, strange)):
        log = _compile(tables.latex(deck), program, tmp_path / str(place))
        assert "Missing character" not in log  # left out of the page in silence
        assert "??" not in log


def test_a_letter_without_a_glyph_is_named(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None or shutil.which("pdftotext") is None:
        pytest.skip("pdflatex or pdftotext is not installed: make .venv/latex")
    _compile(tables.latex(_deck(["qwen 中 é"])), "pdflatex", tmp_path)
    shown = subprocess.run(
        ["pdftotext", tmp_path / "paper.pdf", "-"], capture_output=True, text=True, check=True
    )
    assert "qwen [U+4E2D] é" in shown.stdout


def _compile(report: str, program: str, folder: Path) -> str:
    """The log of compiling ``report`` within a paper; fails where the program does."""
    folder.mkdir(exist_ok=True)
    (folder / "report.tex").write_text(report, "utf-8")
    (folder / "paper.tex").write_text(PAPER, "utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for _ in "12":  # the second time reads the list of tables
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
        log = (folder / "paper.log").read_text("utf-8", "replace")
        assert done.returncode == 0, log[-3000:]
    return log
