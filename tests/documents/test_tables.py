"""Markdown and LaTeX: the same numbers, and nothing that either would interpret."""

from __future__ import annotations

import re

import pytest

from dcq.documents import tables
from dcq.documents.deck import Deck, build
from dcq.judging import study
from dcq.quiz.results import quiz_row
from dcq.store import Store
from dcq.words import interval_words, kappa_words

pytestmark = pytest.mark.slow

_ESCAPED = re.compile(r"\\(.)")


def test_both_have_the_numbers_of_the_store(seen: Store, seen_deck: Deck) -> None:
    written, paper = _ESCAPED.sub(r"\1", tables.markdown(seen_deck)), tables.latex(seen_deck)
    for one in study.findings(seen):
        kappa = quiz_row(one.evidence).kappa
        value = kappa_words(kappa.kappa_fixed, None, None)
        assert kappa.kappa_low is not None
        assert kappa.kappa_high is not None
        limits = interval_words(kappa.kappa_low, kappa.kappa_high)
        lines = [row for row in written.splitlines() if f"| {one.evidence.run} |" in row]
        shown = [
            line for line in lines if f"| {quiz_row(one.evidence).n} | {value} | {limits} |" in line
        ]
        assert len(set(shown)) == 1  # the same row beside the verdict and among all results
        printed = f"{value} & {limits}"
        printed = printed.replace("−", "$-$").replace("[", "{[}").replace("]", "{]}")
        assert [row for row in paper.splitlines() if printed in row and one.evidence.run in row]
    assert "quiz/v1" in written
    assert written.count("## The verdict: contaminated") == 1


def test_a_long_table_runs_over_pages(seen_deck: Deck, monkeypatch: pytest.MonkeyPatch) -> None:
    assert r"\begin{longtable}" not in tables.latex(seen_deck)
    monkeypatch.setattr(tables, "MOST_LINES", 3)  # of the four results
    paper = tables.latex(seen_deck)
    assert r"\begin{longtable}" in paper
    assert paper.count(r"\begin{longtable}") == paper.count(r"\end{longtable}")


def test_an_empty_store(fresh_store: Store) -> None:
    deck = build(fresh_store)
    assert "nothing to report" in tables.markdown(deck)
    assert r"\begin" not in tables.latex(deck)
