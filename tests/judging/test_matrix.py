"""The matrix of a study: what its cells say, and how it is chosen and sorted."""

from __future__ import annotations

import pytest

from dcq.judging import every_method
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.judging.matrix import Matrix, MatrixOrder, family_of, matrix
from dcq.records import PartitionRole
from dcq.store import Store
from tests.support.judged import SEEN, UNSEEN, put, put_controls

TESTER = "tester@http://127.0.0.1:9/v1"
OTHER = "other@http://127.0.0.1:9/v1"
HALF = {"D": 45, "A": 55}


@pytest.fixture
def found(fresh_store: Store) -> Matrix:
    put_controls(fresh_store)
    put_controls(fresh_store, model=OTHER)
    put(fresh_store, "lakes", UNSEEN)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", HALF, model=OTHER)
    return matrix(fresh_store, every_method.quizzes(fresh_store), answers(fresh_store))


def _names(of: Matrix) -> list[str]:
    return [row.partition for row in of.rows]


def test_a_cell_has_the_conclusion_and_what_is_above_unseen_text(found: Matrix) -> None:
    rivers = next(row for row in found.rows if row.partition == "rivers/test")
    cell = rivers.cells[TESTER]
    assert cell.ruling is Ruling.CONTAMINATED
    assert cell.answer is not None
    leading = cell.answer.leading
    assert leading is not None
    assert leading.score is not None
    assert leading.expected is not None
    assert cell.above == leading.score - leading.expected
    assert 0.5 < cell.above < 0.6
    control = next(row for row in found.rows if row.role is PartitionRole.CONTROL)
    assert (control.cells[TESTER].ruling, control.cells[TESTER].above) == (None, None)
    assert control.cells[TESTER].share == 0.26


def test_what_is_found_comes_first_and_controls_last(found: Matrix) -> None:
    assert _names(found)[:2] == ["rivers/test", "lakes/test"]
    assert [row.role for row in found.rows] == ["target"] * 2 + ["control"] * 3
    assert found.models[0] == TESTER
    model, row, _ = found.cells[0]
    assert (model, row.partition) == (TESTER, "rivers/test")
    assert [cell.ruling for *_, cell in found.cells[-6:]] == [None] * 6


def test_rows_and_columns_are_sorted_pinned_and_grouped(found: Matrix) -> None:
    assert _names(found.arranged(MatrixOrder.NAME))[:2] == ["lakes/test", "rivers/test"]
    assert found.arranged(MatrixOrder.NAME).models == (OTHER, TESTER)
    assert _names(found.arranged(MatrixOrder.NEWEST))[0] == "rivers/test"
    pinned = found.arranged(MatrixOrder.FOUND, ["unseen-1/test", OTHER])
    assert (_names(pinned)[0], pinned.models[0]) == ("unseen-1/test", OTHER)
    many = Matrix(("qwen-1", "gpt-10", "qwen-2", "gpt-9"), ())
    assert many.arranged(MatrixOrder.NAME).models == ("gpt-9", "gpt-10", "qwen-1", "qwen-2")
    pinned = many.arranged(MatrixOrder.NAME, ["qwen-2"])
    assert pinned.models == ("qwen-2", "gpt-9", "gpt-10", "qwen-1")


def test_families_stand_side_by_side_where_their_first_model_is(found: Matrix) -> None:
    many = Matrix(("gpt-2", "Qwen/qwen-1", "gpt-1"), ())
    assert many.arranged(MatrixOrder.NAME, (), family_of).models == (
        *("gpt-1", "gpt-2"),
        "Qwen/qwen-1",
    )


def test_a_choice_leaves_out_what_is_empty_and_changes_no_cell(found: Matrix) -> None:
    flagged = found.of(lambda model, row, cell: cell.ruling is Ruling.CONTAMINATED)
    assert "lakes/test" not in _names(flagged)
    assert flagged.rows[0].cells[TESTER] is found.rows[0].cells[TESTER]
    hidden = found.of(lambda model, row, cell: True, [TESTER, "unseen-0/test"])
    assert hidden.models == (OTHER,)
    assert _names(hidden) == ["rivers/test", "unseen-1/test", "unseen-2/test"]


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("Qwen/Qwen2.5-7B", "qwen"),
        ("gpt-4o@https://example.org/v1", "gpt"),
        ("/models/llama-3.1.gguf", "llama"),
        ("4o", "4o"),
        ("模型-2", "模型"),
    ],
)
def test_a_family_is_the_beginning_of_the_name(model: str, family: str) -> None:
    assert family_of(model) == family


def test_an_address_names_neither_model_nor_endpoint(found: Matrix) -> None:
    ids = {cell.answer.id for _, _, cell in found.cells if cell.answer}
    assert len(ids) == 3
    assert all(len(each) == 16 and each.isalnum() for each in ids)
