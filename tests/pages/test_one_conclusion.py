"""Each page says of a model and a partition what is concluded of them, whatever a single method
found. The study is one whose methods do not say the same."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from dcq.cli import app as cli
from dcq.files import export
from dcq.judging.answer import conclusions_by_run
from dcq.judging.answers import answers
from dcq.store import Store
from dcq.words import model_title
from tests.support import mixed

pytestmark = pytest.mark.slow
_RULING = re.compile("contaminated|no evidence|undecided", re.IGNORECASE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return mixed.made(tmp_path_factory)


@pytest.fixture
def store(made: Store, fresh_store: Store) -> Store:
    shutil.copy(made.path, fresh_store.path)
    return fresh_store


def rulings(text: str) -> set[str]:
    return {found.lower() for found in _RULING.findall(text)}


def told_of_pairs(at: AppTest, store: Store) -> int:
    """How many places of a page say what is concluded of a pair; each must say the right word."""
    concluded = {
        f"{model_title(answer.model)} on {answer.place}": answer.ruling.word
        for answer in answers(store)
    }
    texts = [str(shown.value) for shown in (*at.markdown, *at.caption, *at.title)]
    texts += [box.label for box in at.expander]
    found = [
        (rulings(text.partition(name)[2].replace("\\", "")[:60]), right)
        for text in texts
        for name, right in concluded.items()
        if name in text.replace("\\", "")
    ]
    for frame in at.dataframe:
        if {"Model", "Partition", "Answer"} <= {*frame.value.columns}:
            found += [
                ({row["Answer"]}, concluded[f"{row['Model']} on {row['Partition']}"])
                for row in frame.value.to_dict("records")
                if isinstance(row["Answer"], str) and row["Answer"]
            ]
    assert all(said <= {right} for said, right in found), found
    return sum(bool(said) for said, _ in found)


@pytest.mark.parametrize(
    ("page", "parameter", "method"),
    [("results", "results_run", "quiz"), ("replication", "replication_run", "replication")],
)
def test_the_page_of_a_result_has_the_word_of_its_pair(
    page: str, parameter: str, method: str, app: AppTest, store: Store
) -> None:
    concluded = conclusions_by_run(answers(store))
    of_method = {
        entry.run: (answer.ruling.word, entry.verdict)
        for answer in concluded.values()
        for entry in answer.methods
        if entry.method == method
    }
    assert any(verdict != ruling for ruling, verdict in of_method.values())
    at = app.switch_page(f"pages/{page}.py")
    for run, (ruling, _) in of_method.items():
        at.query_params.clear()
        at.query_params[parameter] = run
        at.session_state[parameter] = run
        at.session_state["replication_view"] = "Result"
        at.run()
        assert not at.exception
        assert [rulings(str(title.value)) for title in at.title[1:]] == [{ruling}]
        told_of_pairs(at, store)


def test_tables_boxes_and_the_case_have_it_too(app: AppTest, store: Store) -> None:
    at = app.switch_page("pages/case.py").run()
    assert rulings(str(at.title[1].value)) == {answers(store)[0].ruling.word}
    told_of_pairs(at, store)
    for view in ("Table", "Answers"):
        at = app.switch_page("pages/results.py").run()
        at.segmented_control(key="results_view").set_value(view).run()
        assert told_of_pairs(at, store)


@pytest.mark.parametrize("filtered", [False, True])
def test_the_table_of_the_page_has_the_rows_of_the_exported_one(
    filtered: bool, app: AppTest, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    got = {}

    def keep(label: str, stem: str, content: Callable[[], pd.DataFrame], *, key: str) -> None:
        got[stem] = content()

    monkeypatch.setattr("dcq.ui.downloads.offer_table", keep)
    at = app.switch_page("pages/results.py")
    if filtered:
        at.query_params["results_partition"] = "Fells test"
    assert not at.run().exception
    table, exported = got["dcq-results"], export.frame(store, export.ExportTable.RESULTS)
    assert set(table["method"]) == {"quiz", "replication"}
    if filtered:
        exported = exported[exported["partition"] == "fells/test"]
    assert set(table["run"]) == set(exported["run"])


def test_the_terminal_has_it_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", str(store.path))
    said = CliRunner().invoke(cli, ["results"], catch_exceptions=False).stdout
    for answer in answers(store):
        lines = re.findall(
            rf"^{answer.model} on {answer.partition}, [^:]+: (.*)$", said, re.MULTILINE
        )
        assert len(lines) == len([entry for entry in answer.methods if entry.judged])
        for line in lines:
            assert line.lower().startswith(f"{answer.ruling.word}. ")
