"""No message is shown as Markdown unless it is a fixed text of ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.settings import ROOT
from tests.conftest import letters

MODULES = sorted(
    path
    for folder in ("dcq/ui", "pages")
    for path in (ROOT / folder).rglob("*.py")
    if path.name != "notice.py"
)
MESSAGES = {"error", "warning", "info", "success", "toast", "exception"}
SMALL = {"caption"}
# What makes a text of data fit for Markdown, or is a text of ours.
SAFE = {"plain", "percent", "points", "len", "number_words", "join"}


def _is_fixed(node: ast.expr) -> bool:
    """A literal, or a choice between literals."""
    if isinstance(node, ast.IfExp):
        return _is_fixed(node.body) and _is_fixed(node.orelse)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _calls(path: Path, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            ours = isinstance(owner, ast.Name) and owner.id == "notice"
            if node.func.attr in names and not ours:
                yield node


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_messages_with_data_in_them_go_through_notice(path: Path) -> None:
    loose = [
        f"{path.name}:{call.lineno}"
        for call in _calls(path, MESSAGES)
        if not call.args or not _is_fixed(call.args[0])
    ]
    assert loose == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_caption_is_a_bare_variable(path: Path) -> None:
    loose = [
        f"{path.name}:{call.lineno}"
        for call in _calls(path, SMALL)
        if isinstance(call.args[0], ast.Name | ast.Attribute | ast.Subscript)
        or (
            isinstance(call.args[0], ast.Call)
            and isinstance(call.args[0].func, ast.Name)
            and call.args[0].func.id == "str"
        )
    ]
    assert loose == []


def _page() -> None:
    from dcq.errors import InputError
    from dcq.ui import notice

    said = "no column ![c](http://127.0.0.1:1/x.png) <b>:red[x]</b> :smile: $x$ [a](http://e.org)"
    notice.error(InputError(said))
    notice.warning(said)
    notice.info(said)
    notice.success(said)
    notice.caption(said)
    notice.toast(said, icon=":material/lock:")


def test_what_a_message_quotes_is_shown_letter_for_letter() -> None:
    at = AppTest.from_function(_page, default_timeout=60).run()
    shown = [at.error, at.warning, at.info, at.success, at.caption, at.toast]
    for [element] in shown:
        assert "![" not in element.value
        assert "](http" not in element.value
        assert letters(element.value).startswith("no column ![c](http://127.0.0.1:1/x.png) <b>")


def _callbacks() -> Iterator[tuple[str, ast.expr]]:
    for path in [*(ROOT / "dcq" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in ("on_click", "on_change"):
                yield f"{path.name}:{node.value.lineno}", node.value


def test_errors_of_all_callbacks_are_told() -> None:
    """Streamlit puts an error that escapes a callback in the place of the page."""
    of_streamlit = ("st.login", "st.logout", "st.session_state.__setitem__")
    untold = [
        (place, ast.unparse(value))
        for place, value in _callbacks()
        if not isinstance(value, ast.Constant)
        and "notice.told(" not in ast.unparse(value)
        and ast.unparse(value) not in of_streamlit
    ]
    assert untold == []


def test_fragments_are_those_of_the_page() -> None:
    """A fragment is drawn again alone, and nothing around it would tell what went wrong."""
    bare = [
        f"{path.name}:{node.lineno}"
        for path in [*(ROOT / "dcq" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(one).startswith("st.fragment") for one in node.decorator_list)
    ]
    assert bare == []
