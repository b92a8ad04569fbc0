"""The picture of all instances under all results."""

from __future__ import annotations

import numpy as np

from dcq.charts import InstanceTable, describe_instance_picture, instance_picture
from dcq.charts.explorer import MOST_COLUMNS, MOST_TARGETS


def test_each_instance_is_a_column_that_can_be_clicked() -> None:
    values = np.array([[1.0, 0.0, np.nan], [1.0, 1.0, 0.25]])
    figure = instance_picture(InstanceTable(["<b>one</b>", "two"], values, "picked", open_at=2))
    np.testing.assert_array_equal(figure.data[0].z, values.astype(np.float32))
    assert [row[0] for row in figure.data[1].customdata] == [0, 1, 2]
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;one&lt;/b&gt;"
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (1.5, 2.5)


def test_many_instances_share_columns_which_show_the_mean_of_what_is_known() -> None:
    count = 3 * MOST_COLUMNS
    values = np.tile([1.0, 0.0, np.nan], MOST_COLUMNS)[None, :]
    figure = instance_picture(InstanceTable(["one"], values, "picked", open_at=count - 1))
    assert figure.data[0].z.shape == (1, MOST_COLUMNS)
    assert set(figure.data[0].z[0]) == {0.5}
    targets = figure.data[1]
    assert len(targets.x) == MOST_TARGETS
    assert [list(row) for row in targets.customdata[:2]] == [[0, 1, 7], [7, 8, 15]]
    ends = np.asarray(targets.x) + np.asarray(targets.width) / 2
    np.testing.assert_allclose(ends[0], 7 / 3 - 0.5)  # three instances a column
    np.testing.assert_allclose(ends[-1], MOST_COLUMNS - 0.5)
    np.testing.assert_allclose(ends[:-1], np.asarray(targets.x[1:]) - targets.width[1:] / 2)
    assert figure.layout.shapes[0].x1 == MOST_COLUMNS - 0.5


def test_a_column_without_any_answer_is_empty_and_nothing_at_all_is_drawn_too() -> None:
    values = np.full((2, 4), np.nan)
    assert np.isnan(instance_picture(InstanceTable(["a", "b"], values, "picked")).data[0].z).all()
    instance_picture(InstanceTable([], np.full((0, 0), np.nan), "picked"))


def test_groups_are_named_where_they_begin() -> None:
    table = InstanceTable(["a"], np.ones((1, 5)), "picked", groups=((0, "x"), (3, "y")))
    axis = instance_picture(table).layout.xaxis
    assert (list(axis.tickvals), list(axis.ticktext)) == ([-0.5, 2.5], ["x", "y"])


def test_it_is_said_in_words() -> None:
    words = describe_instance_picture(
        InstanceTable(["one", "two"], np.array([[1.0, 0.0], [np.nan, np.nan]]), "picked")
    )
    assert words == "2 instances, a line for each result. Of these are picked, by one: 50 %."
