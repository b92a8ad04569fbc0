from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import pytest

from studies.figure import describe, draw, tabulate
from studies.measures import summarise
from studies.rows import Membership, StudyRow, read_row

UNSEEN = StudyRow(
    instance="",
    group=Membership.OTHER,
    slot=3,
    per_token=(-2.0, -3.0, -3.0, -3.0),
    outcome="answered",
    letter="A",
    chance_of_original=0.2,
    general=0.2,
    guided=0.2,
    exact=False,
    opening=0.1,
    opening_exact=False,
)
SEEN = replace(
    UNSEEN,
    group=Membership.MEMBER,
    per_token=(-2.0, -3.0, -3.0, -0.5),
    letter="D",
    chance_of_original=0.9,
    guided=0.8,
    exact=True,
    opening=1.0,
    opening_exact=True,
)
CONTROL = replace(UNSEEN, group=Membership.CONTROL, opening=None, opening_exact=None)
ROWS = [SEEN] * 20 + [UNSEEN] * 20 + [CONTROL] * 20


def figures() -> dict[str, object]:
    before = [replace(UNSEEN, group=Membership.MEMBER)] * 20 + ROWS[20:]
    doses = [{"exposures": n, **summarise(rows)} for n, rows in ((0, before), (3, ROWS))]
    found: dict[str, object] = json.loads(json.dumps({"doses": doses}))
    return found


def test_a_row_tells_margin_choice_and_letter() -> None:
    assert (SEEN.margin, SEEN.likeliest, SEEN.named) == (1.5, 1, 1)
    assert (UNSEEN.margin, UNSEEN.likeliest, UNSEEN.named) == (-1, 0, 0)
    tied = replace(SEEN, per_token=(-1.0, -2.0, -2.0, -1.0), letter=None, outcome="refused")
    assert math.isnan(tied.likeliest)
    assert math.isnan(tied.named)


def test_estimates_stand_beside_the_true_share() -> None:
    sets = summarise(ROWS)["sets"]
    assert {name: one["true_share"] for name, one in sets.items()} == {
        "members": 1.0,
        "both halves": 0.5,
        "non-members": 0.0,
        "controls": 0.0,
    }
    assert [one["n"] for one in sets.values()] == [20, 40, 20, 20]
    assert sets["members"]["likelihood"]["kappa_fixed"] == 1
    assert sets["both halves"]["letter"]["kappa_control"] == pytest.approx(0.5, abs=0.03)
    assert sets["controls"]["letter"]["kappa_control"] is None
    assert sets["both halves"]["letter"]["replies"] == {"A": 20, "D": 20}
    assert sets["members"]["replication"]["exact"] == 20
    assert sets["members"]["replication"]["algorithm_1"]
    assert not sets["non-members"]["replication"]["algorithm_1"]
    assert sets["controls"]["replication"]["opening"] is None


def test_scores_tell_members_and_methods_are_crossed() -> None:
    found = summarise(ROWS)
    assert {one["value"] for one in found["auroc"].values()} == {1.0}
    assert found["cross_check"]["letter"]["match_right"] == 20
    assert found["cross_check"]["likelihood"]["other_wrong"] == 20


def test_replies_without_a_letter_do_not_count_in_n() -> None:
    refused = replace(SEEN, letter=None, outcome="refused")
    letter = summarise([refused] * 5 + ROWS)["sets"]["members"]["letter"]
    assert letter["n"] == 20
    assert letter["replies"] == {"D": 20, "refused": 5}


def test_rows_survive_json() -> None:
    assert read_row(json.loads(json.dumps(asdict(SEEN)))) == SEEN
    assert read_row(json.loads(json.dumps(asdict(CONTROL)))).group is Membership.CONTROL


def test_the_tables_have_a_column_a_dose() -> None:
    table = tabulate(figures())
    lines = [line for line in table.split("\n") if line]
    assert {line.count("|") for line in lines} == {4}
    assert "| quiz by likelihood, trained on (truth 100 %) | −0.33 [" in table
    assert "| quiz, likelihood: margin | 0.50 [" in table
    assert "0.20 / 0.80, 20 exact" in table
    assert "| 0 of 0, 0 of 40 | 20 of 20, 0 of 20 |" in table
    assert "κ_control 1.00, p" in table


def test_the_figure_draws_each_set_and_score_with_its_limits() -> None:
    figure = draw(figures())
    assert len(figure.data) == 4 + 4 + 5
    assert all(len(trace.y) == len(trace.error_y.array) == 2 for trace in figure.data)
    assert "100 % of the originals trained on and 0 % of those held out" in describe(figures())
