from __future__ import annotations

import pytest

from dcq import charts
from dcq.audit import published


def test_table_1_follows_the_formula_but_for_one_setting() -> None:
    table = published.table1()
    assert len(table) == 28
    (odd,) = published.misprints(table).to_dict("records")
    assert (odd["model"], odd["dataset"], odd["split"]) == ("gpt-4-0613", "WNLI", "train")
    assert odd["printed"] == 0.5533
    assert odd["kappa"] == pytest.approx(0.5333, abs=1e-4)


def test_what_is_below_chance_stays_signed() -> None:
    table = published.table1()
    (row,) = table[
        (table["model"] == "gpt-3.5-turbo-0613")
        & (table["dataset"] == "IMDB")
        & (table["split"] == "test")
    ].to_dict("records")
    assert row["printed"] == 0
    assert row["kappa"] == pytest.approx(-0.2)
    assert row["low"] < row["kappa"] < row["high"]


def test_figure_3_fits_its_chart() -> None:
    pairs = charts.from_figure_3(published.figure3())
    assert "rises in 8 of 8 settings" in charts.describe_paired_slots(pairs)
