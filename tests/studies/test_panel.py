from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dcq.evidence.controls import calibrate
from dcq.likelihood.measures import DECIDING, MEASURES
from studies import panel_scores
from studies.panel import TRAININGS
from studies.panel_figure import describe, draw, tabulate
from studies.panel_scores import against, rows_of


def test_the_halves_are_disjoint_and_another_seed_draws_others() -> None:
    drawn = {
        training.name: [{one.id for one in half.instances} for half in training.halves()]
        for training in TRAININGS
    }
    for trained, held_out in drawn.values():
        assert len(trained) == len(held_out) == 20
        assert not trained & held_out
    assert drawn["control-news-0"][0] != drawn["control-news-1"][0]
    members, others = TRAININGS[0].halves()
    assert members.partition.key != others.partition.key
    assert {*members.variants} == {one.id for one in members.instances}


def test_what_is_kept_is_read_again_without_a_broken_line(tmp_path: Path) -> None:
    kept = tmp_path / "scores.jsonl"
    rows = [
        {"set": "a", "place": 0, "measures": ["mean"], "values": {"mean-0": -1.0, "mean-1": -2.0}},
        {"set": "a", "place": 1, "measures": ["mean"], "values": {"mean-0": -3.0}},
    ]
    kept.write_text("\n".join(map(json.dumps, rows)) + '\n{"set": "a", "pl', "utf-8")
    assert panel_scores.read(kept) == {"a": {"mean-0": {0: -1.0, 1: -3.0}, "mean-1": {0: -2.0}}}
    assert panel_scores.read(tmp_path / "none") == {}


def test_a_set_is_judged_as_dcq_judges_it() -> None:
    draw_numbers = np.random.default_rng(0)

    def values(lift: float) -> dict[str, dict[int, float]]:
        table = draw_numbers.normal(0, 1, (20, 4))
        table[:, 0] += lift
        return {
            f"{DECIDING.name}-{place}": dict(enumerate(map(float, table[:, place])))
            for place in range(4)
        }

    target, *controls = (rows_of(values(lift), 20)[DECIDING.name] for lift in (3.0, 0.0, 0.0, 0.0))
    p = against(target, controls)
    expected = calibrate(
        target.ranks[:, None], [one.ranks[:, None] for one in controls], prior=None
    )
    assert expected is not None
    assert p == expected.p_value < 0.05
    assert (against(controls[0], controls[1:]) or 0) > 0.05
    assert against(rows_of({}, 20)[DECIDING.name], controls) is None


def side(rank: float, p: float | None) -> dict[str, Any]:
    return {"set": "s", "n": 20, "rank": rank, "p": p}


def figures() -> dict[str, Any]:
    def dose(exposures: int, rank: float, p: float) -> dict[str, Any]:
        one = {
            "members": side(rank, p),
            "others": side(0.5, 0.4),
            "controls": [side(0.45, 0.6), side(0.55, 0.04)],
            "auroc": {"value": 0.75, "low": 0.6, "high": 0.9},
            "auroc_of_value": None,
        }
        return {"exposures": exposures, "measures": {MEASURES[0].name: one}}

    doses = [dose(0, 0.5, 0.5), dose(3, 0.9, 0.01)]
    return {"trainings": [{"partition": "p", "seed": 0, "doses": doses}]}


def test_the_table_counts_calls_and_false_alarms() -> None:
    table = tabulate(figures())
    assert "| Mean log-probability | 0: 0.500 | 1: 0.010 | 0 of 2 | 2 of 4 |" in table
    assert "| Mean log-probability | 0.75 / – | 0.75 / – |" in table
    assert "zlib" not in table  # that was not scored


def test_the_figure_has_the_doses_and_its_sentence_the_midranks() -> None:
    figure = draw(figures())
    lines = [trace for trace in figure.data if trace.name == "trained on"]
    assert [list(line.y) for line in lines] == [[0.5, 0.9]]
    assert describe(figures()).endswith("before: 0.50 and 0.50; 3: 0.90 and 0.50.")


@pytest.mark.parametrize("key", panel_scores.CONTROLS[:2])
def test_prefixes_come_from_what_no_study_trains_on(key: str) -> None:
    assert key not in {training.key for training in TRAININGS}
