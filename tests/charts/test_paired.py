from __future__ import annotations

import pandas as pd
import pytest

from dcq import charts


@pytest.fixture
def published() -> pd.DataFrame:
    """Four of the eight pairs of paper 000, Figure 3."""
    return pd.DataFrame(
        {
            "model": ["gpt-4-0613", "gpt-4-0613", "gpt-3.5-turbo-0613", "gpt-3.5-turbo-0613"],
            "dataset": ["XSum", "WNLI", "XSum", "WNLI"],
            "split": "train",
            "n": 100,
            "modified_option_d_pct": [3, 2, 8, 4],
            "standard_option_d_pct": [100, 65, 85, 50],
        }
    )


def test_each_model_has_a_panel_with_both_shares(published: pd.DataFrame) -> None:
    figure = charts.paired_slots(charts.from_figure_3(published))
    shares = {
        (mark[0], mark[2], mark[3]): x
        for trace in figure.data
        for mark, x in zip(trace.customdata, trace.x, strict=True)
    }
    assert len(shares) == 8
    assert shares[("modified", "gpt-4-0613", "XSum train")] == 0.03
    assert shares[("standard", "gpt-3.5-turbo-0613", "WNLI train")] == 0.5
    assert {trace.xaxis for trace in figure.data} == {"x", "x2"}


def test_an_arrow_runs_from_without_to_with(published: pd.DataFrame) -> None:
    figure = charts.paired_slots(charts.from_figure_3(published))
    arrows = [a for a in figure.layout.annotations if a.axref and a.axref != "pixel"]
    assert [(a.ax, a.x, a.axref == a.xref) for a in arrows] == [
        (0.03, 1.0, True),
        (0.02, 0.65, True),
        (0.08, 0.85, True),
        (0.04, 0.5, True),
    ]


@pytest.mark.parametrize(
    ("modified", "standard", "sides"),
    [
        (0.1, 0.7, ("middle left", "middle right")),
        (0.7, 0.1, ("middle right", "middle left")),
        (0.3, 0.3, ("middle left", "middle right")),
    ],
)
def test_the_two_values_never_stand_on_the_same_side(
    published: pd.DataFrame, modified: float, standard: float, sides: tuple[str, str]
) -> None:
    pairs = charts.from_figure_3(published).iloc[:1]
    figure = charts.paired_slots(pairs.assign(modified=modified, standard=standard))
    assert tuple(trace.textposition[0] for trace in figure.data) == sides


def test_description_counts_the_rises(published: pd.DataFrame) -> None:
    pairs = charts.from_figure_3(published)
    pairs.loc[3, "standard"] = 0.01
    sentence = charts.describe_paired_slots(pairs)
    assert "rises in 3 of 4 settings" in sentence
    assert "gpt-4-0613 on XSum train, slot D, from 3 % to 100 %" in sentence


def test_no_pair_still_draws(published: pd.DataFrame) -> None:
    pairs = charts.from_figure_3(published).iloc[:0]
    assert not charts.paired_slots(pairs).data
    assert charts.describe_paired_slots(pairs).endswith("no pair yet.")
