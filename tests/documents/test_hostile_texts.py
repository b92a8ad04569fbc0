"""Texts that some format would run, load or turn, in the documents of one deck."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dcq.documents import html_report, tables
from dcq.documents.deck import Deck, build
from dcq.store import Store
from tests.support import hostile
from tests.support.html_page import MOST, HtmlPage
from tests.support.judged import put

pytestmark = pytest.mark.slow

CONTROL_OR_TURNING = r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]"


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One result, of a plain text."""
    store = Store(tmp_path_factory.mktemp("harmless") / "dcq.duckdb")
    put(store, "harmless", {"D": 1}, n=1)
    return store


@pytest.fixture(scope="module")
def plain_tags(harmless: Store) -> set[str]:
    return {name for name, _ in HtmlPage(html_report.render(build(harmless))).tags}


@pytest.fixture(scope="module", params=hostile.TEXTS, ids=range(len(hostile.TEXTS)))
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def deck(text: str, harmless: Store, tmp_path_factory: pytest.TempPathFactory) -> Deck:
    """The harmless result, and one with this text in all that can hold it."""
    path: Path = tmp_path_factory.mktemp("hostile") / "dcq.duckdb"
    path.write_bytes(harmless.path.read_bytes())
    model = f"{text[:200].split()[0]}@http://127.0.0.1:9/v1".lstrip("\x00")
    hostile.run(Store(path), text, model)
    return build(Store(path))


def test_html_shows_it_and_changes_nothing(deck: Deck, text: str, plain_tags: set[str]) -> None:
    source = html_report.render(deck)
    page = HtmlPage(source)
    assert {name for name, _ in page.tags} == plain_tags
    handlers = [name for _, tag in page.tags for name in tag if name.startswith("on")]
    assert handlers == []
    assert len([kind for kind, _ in page.scripts if kind == ""]) == 1
    assert len(page.data["results"]) == 2
    assert len(source) < MOST
    if "x" * 3_000 not in text and text.isprintable():
        assert text in page.text


def test_markdown_runs_nothing_and_has_as_many_cells_in_each_row(deck: Deck) -> None:
    written = tables.markdown(deck)
    bare = re.sub(r"\\.", "", written)  # what is left is Markdown's
    assert not re.search(r"[<>`\[\]~$]|://", bare)
    assert not re.search(CONTROL_OR_TURNING, written)
    rows = [row for row in written.splitlines() if row[:1] == "|"]
    widths = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    heads = [place + 1 for place, row in enumerate(rows) if set(row) <= set("|-: ")]
    assert heads
    for start, end in zip(heads, [*(place - 2 for place in heads[1:]), len(rows)], strict=True):
        assert len({*widths[start - 2 : end]}) == 1


def test_latex_runs_nothing(deck: Deck) -> None:
    paper = tables.latex(deck)
    paper = paper.split("\n\n", 1)[1]  # behind the head, which is ours alone
    ours = set(re.findall(r"\\([A-Za-z]+)", paper))
    assert ours <= {
        *("arraybackslash", "begin", "bottomrule", "caption", "cdot", "centering", "dcqletter"),
        *("dots", "end", "geq", "leq", "textemdash", "times"),
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
    assert not re.search(CONTROL_OR_TURNING, paper)
