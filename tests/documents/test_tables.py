"""Markdown and LaTeX: the same numbers, and nothing that either would interpret."""

from __future__ import annotations

import re

import pytest

from dcq.documents import tables
from dcq.documents.deck import build
from dcq.judging import study
from dcq.store import Store
from dcq.words import kappa_words
from tests.support import hostile
from tests.support.judged import SEEN, put, put_controls

pytestmark = pytest.mark.slow

_ESCAPED = re.compile(r"\\(.)")


def test_both_have_the_numbers_of_the_store(fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN)
    put_controls(fresh_store)
    deck = build(fresh_store)
    written, paper = _ESCAPED.sub(r"\1", tables.markdown(deck)), tables.latex(deck)
    for one in study.findings(fresh_store):
        kappa = one.result.kappa
        words = kappa_words(kappa.kappa_fixed, kappa.kappa_low, kappa.kappa_high)
        [line] = [row for row in written.splitlines() if f"| {words} |" in row
                  and one.result.run in row and "standard" in row]  # fmt: skip
        assert f"| {one.result.n} |" in line
        printed = words.replace("−", "$-$").replace("[", "{[}").replace("]", "{]}")
        assert [row for row in paper.splitlines() if printed in row and one.result.run in row]
    assert "quiz/v1" in written
    assert written.count("## The verdict: contaminated") == 1


def test_every_markdown_table_has_as_many_cells_in_each_row(fresh_store: Store) -> None:
    for text in hostile.TEXTS:
        hostile.run(fresh_store, text)
    rows = [row for row in tables.markdown(build(fresh_store)).splitlines() if row[:1] == "|"]
    widths = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    heads = [place + 1 for place, row in enumerate(rows) if set(row) <= set("|-: ")]
    assert heads
    for start, end in zip(heads, [*(place - 2 for place in heads[1:]), len(rows)], strict=True):
        assert len({*widths[start - 2 : end]}) == 1


@pytest.mark.parametrize("text", hostile.TEXTS, ids=range(len(hostile.TEXTS)))
def test_markdown_runs_nothing(fresh_store: Store, text: str) -> None:
    hostile.run(fresh_store, text, f"{text[:100].split()[0]}@http://127.0.0.1:9/v1".lstrip("\x00"))
    written = tables.markdown(build(fresh_store))
    bare = re.sub(r"\\.", "", written)  # what is left is Markdown's
    assert not re.search(r"[<>`\[\]~$]|://", bare)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", written)


@pytest.mark.parametrize("text", hostile.TEXTS, ids=range(len(hostile.TEXTS)))
def test_latex_runs_nothing(fresh_store: Store, text: str) -> None:
    hostile.run(fresh_store, text, f"{text[:100].split()[0]}@http://127.0.0.1:9/v1".lstrip("\x00"))
    paper = tables.latex(build(fresh_store))
    ours = set(re.findall(r"\\([A-Za-z]+)", paper))
    assert ours <= {
        *("arraybackslash", "begin", "bottomrule", "caption", "cdot", "centering", "dots", "end"),
        *("endhead", "footnotesize", "gamma", "kappa", "label", "midrule", "raggedright"),
        *("tabularnewline", "textasciicircum", "textasciigrave", "textasciitilde", "textbackslash"),
        *("textbar", "textbf", "textendash", "textgreater", "textless", "textquotedbl"),
        *("textquotesingle", "textwidth", "toprule"),
    }
    body = "\n".join(line for line in paper.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\.", "", body)
    assert bare.count("{") == bare.count("}")
    assert "%" not in bare
    assert "#" not in bare
    assert body.count(r"\begin{") == body.count(r"\end{")
    for row in re.findall(r"^.*(?<!\\)\\\\$", body, re.MULTILINE):
        assert not row.startswith(("[", "*"))  # would belong to the line break before it
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", paper)


def test_a_long_table_runs_over_pages(fresh_store: Store) -> None:
    for number in range(tables.MOST_LINES + 1):
        put(fresh_store, f"set-{number}", {"D": 2}, n=2)
    paper = tables.latex(build(fresh_store))
    assert r"\begin{longtable}" in paper
    assert paper.count(r"\begin{longtable}") == paper.count(r"\end{longtable}")


def test_an_empty_store(fresh_store: Store) -> None:
    deck = build(fresh_store)
    assert "nothing to report" in tables.markdown(deck)
    assert r"\begin" not in tables.latex(deck)
