"""The page of providers claims only what a test shows, and names where each behaviour is public."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "providers.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
LINK = re.compile(r"\]\((https://[^)\s]+)\)")


def rows() -> list[str]:
    """The rows of the tables, without their heads."""
    lines = PAGE.read_text("utf-8").splitlines()
    return [
        line
        for line in lines
        if line.startswith("|") and not line.startswith(("|---", "| provider or server"))
    ]


@lru_cache
def names_of_tests(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


def test_there_are_rows() -> None:
    assert len(rows()) >= 30


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[:60])
def test_each_row_has_a_source_and_a_test_that_names_it(row: str) -> None:
    [link] = LINK.findall(row)
    [(path, name)] = TEST.findall(row)
    assert name in names_of_tests(path)
    source = (ROOT / path).read_text("utf-8")
    thread = re.fullmatch(r"https://github\.com/([^/]+/[^/]+)/(?:issues|pull)/(\d+)", link)
    named = [link, link.removeprefix("https://github.com/")]
    named += [f"{thread[1]}#{thread[2]}"] if thread else []
    assert any(text in source for text in named)
