"""The matrix as a table of pairs, as tables for a paper, and as a picture."""

from __future__ import annotations

import pandas as pd
import pytest

from dcq.charts import describe_matrix_picture, matrix_picture
from dcq.charts.matrix import Shade
from dcq.documents import matrix as written
from dcq.documents.tables import latex_of
from dcq.judging import every_method
from dcq.judging.answers import answers
from dcq.judging.matrix import Matrix, matrix
from dcq.store import Store
from tests.support.judged import SEEN, UNSEEN, put, put_controls

TESTER = "tester@http://127.0.0.1:9/v1"
OTHER = "other_{}%@http://127.0.0.1:9/v1"


@pytest.fixture
def found(fresh_store: Store) -> Matrix:
    put_controls(fresh_store)
    put(fresh_store, "lakes", UNSEEN)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", SEEN, model=OTHER)
    return matrix(fresh_store, every_method.quizzes(fresh_store), answers(fresh_store))


def test_the_table_has_a_row_for_each_pair_with_the_figures_of_its_conclusion(
    found: Matrix, fresh_store: Store
) -> None:
    table = written.tabulate(found)
    assert len(table) == 6
    first = table.iloc[0]
    [answer] = [
        one for one in answers(fresh_store) if one.pair == (first["model"], first["partition"])
    ]
    assert (first["place"], first["conclusion"]) == ("Rivers test", "contaminated")
    assert first["found"] == 0.8
    assert first["above_expected"] == pytest.approx(first["found"] - first["expected"])
    assert (first["q_value"], first["n"]) == (answer.q_value, 100)
    assert first["sentence"].startswith("Contaminated. tester has probably seen Rivers test.")
    control = table[table["role"] == "control"].iloc[0]
    assert pd.isna(control["conclusion"])
    assert control["sentence"].endswith("cannot have seen: 26 % found.")


def test_a_pair_that_nothing_can_be_compared_for_has_its_share(found: Matrix) -> None:
    row = next(row for row in found.rows if row.partition == "rivers/test")
    assert written.cell_words(row.cells[OTHER]) == "? 80 %"
    assert written.cell_words(row.cells[TESTER]).startswith("⚑ +5")
    assert written.cell_words(row.cells.get("nobody")) == ""
    lakes = next(row for row in found.rows if row.partition == "lakes/test")
    assert written.cell_words(lakes.cells[TESTER])[0] in "✓?"


def test_a_paper_gets_tables_that_fit_and_that_interpret_no_name(found: Matrix) -> None:
    [exhibit] = written.exhibits(found)
    assert list(exhibit.table.columns) == ["Benchmark", "tester", "other_{}%"]
    tex = latex_of("Models and benchmarks", [exhibit], "matrix")
    assert r"other\_\{\}\%" in tex
    assert r"\label{tab:dcq-matrix-1}" in tex
    assert "127.0.0.1" not in tex
    many = Matrix(tuple(f"m-{n}" for n in range(19)), found.rows)
    parts = written.exhibits(many)
    assert [len(part.table.columns) for part in parts] == [9, 9, 4]
    assert parts[2].title.endswith("part 3")


def test_the_picture_has_every_pair_and_says_it(found: Matrix) -> None:
    rows = written.drawn(found)
    figure = matrix_picture(rows)
    [heat] = [trace for trace in figure.data if trace.type == "heatmap"]
    assert (len(heat.z), len(heat.z[0])) == (2, 5)
    assert heat.z[0][0] == list(Shade).index(Shade.CONTAMINATED)
    assert heat.z[1][1] == list(Shade).index(Shade.EMPTY)
    words = describe_matrix_picture(rows)
    assert "tester on Rivers test: ⚑ +5" in words
    assert "other_{}% on Lakes" not in words


def test_a_hostile_name_is_text_in_the_picture() -> None:
    rows = pd.DataFrame(
        [{"model": "<b>x</b>", "benchmark": "<a href='y'>", "shade": Shade.EMPTY, "text": ""}]
    )
    figure = matrix_picture(rows)
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;x&lt;/b&gt;",)
    assert "<a" not in figure.layout.xaxis.ticktext[0]
    assert not matrix_picture(rows.iloc[:0]).data
