"""Scores over time: what falls at the end of a model's training data, and what only seems to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from dcq.columns import DATE
from dcq.effect import dates_wording
from dcq.effect.dates import OverTime, over_time, read_dates, stored_dates
from dcq.effect.dates_wording import silent
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import ModelRole, ModelScores, Scores
from dcq.errors import InputError
from dcq.models.cutoffs import Cutoff
from dcq.partitions import DateWindow, draw_sample, open_partition
from dcq.store import Store, samples
from tests.support.result_files import write_csv

N = 1_200
FIRST = date(2023, 1, 1)
DATES = {f"i{k}": FIRST + timedelta(days=k * 730 // N) for k in range(N)}
CUTOFFS = {"m": Cutoff(date(2023, 12, 1), "its maker"), "late": Cutoff(date(2024, 9, 1), "its")}


def model(
    name: str, level: Callable[[bool], float], reworded: float = 0.55, seed: int = 0
) -> ModelScores:
    """Right as often as ``level`` says of items before and after December 2023."""
    rng = np.random.default_rng(seed)
    before = {one: day <= date(2023, 12, 31) for one, day in DATES.items()}
    return ModelScores(
        name,
        ModelRole.TARGET if name == "m" else ModelRole.REFERENCE,
        {one: float(rng.random() < level(old)) for one, old in before.items()},
        {one: float(rng.random() < reworded) for one in DATES},
    )


def of(*models: ModelScores, seen: dict[str, bool] | None = None) -> OverTime:
    known = ScoreContext({}, {"m": seen} if seen else {}, dates=DATES)
    found = over_time(Scores(models), known, CUTOFFS)["m"]
    assert found is not None
    return found


def test_a_model_that_saw_old_items_falls_at_its_cutoff_on_originals_alone() -> None:
    seen = {one: day <= date(2023, 12, 31) for one, day in DATES.items()}
    found = of(model("m", lambda old: 0.9 if old else 0.55), seen=seen)
    assert found.cutoff == date(2023, 12, 31)
    assert found.accuracy.fall == pytest.approx(0.35, abs=0.1)
    assert found.accuracy.p_value < 0.001
    assert found.reworded is not None
    assert found.reworded.p_value > 0.05
    assert found.recognition is not None
    assert found.recognition.fall == pytest.approx(1)
    assert len(found.placebos) == 6
    assert all(one.fall < found.accuracy.fall for one in found.placebos)
    said = " ".join(dates_wording.sentences(found))
    assert "items up to 2023-12, the end of its training data" in said
    assert "At 0 of 6 other moments" in said
    assert "old facts" in said
    assert "reworded may show no fall" in said


def test_items_that_became_harder_for_all_are_no_contamination() -> None:
    """The later model falls there too, so above it nothing falls."""
    harder = [model(name, lambda old: 0.8 if old else 0.5, seed=k)
              for k, name in enumerate(("m", "late"))]  # fmt: skip
    found = of(*harder)
    assert found.accuracy.p_value < 0.01
    assert found.later is not None
    assert (found.later.model, found.later.cutoff) == ("late", date(2024, 9, 30))
    assert found.later.fall.low < 0 < found.later.fall.high
    assert found.later.fall.n_after < found.accuracy.n_after  # of what the later one may have seen
    assert "late may have seen both sides" in " ".join(dates_wording.sentences(found))


def test_too_few_on_a_side_says_so_and_an_unknown_cutoff_nothing() -> None:
    own = model("m", lambda _: 0.5)
    early = {one: min(day, date(2023, 6, 1)) for one, day in DATES.items()}
    known = ScoreContext({}, {}, dates=early)
    assert over_time(Scores((own,)), known, CUTOFFS) == {"m": None}
    assert dates_wording.sentences(None) == [dates_wording.TOO_FEW]
    assert over_time(Scores((own,)), known, {}) == {}
    assert over_time(Scores((own,)), ScoreContext({}, {}), CUTOFFS) == {}


def test_originals_need_no_rewording_to_say_something_over_time() -> None:
    whole = model("m", lambda old: 0.9 if old else 0.55)
    half = list(DATES)[::2]
    parted = replace(
        whole,
        original={one: whole.original[one] for one in half},
        reworded={one: whole.reworded[one] for one in half},
        alone={one: right for one, right in whole.original.items() if one not in set(half)},
    )
    found, alone = of(parted), of(replace(whole, original={}, reworded={}, alone=whole.original))
    whole_found = of(whole)
    for made in (found, alone):
        assert (made.before, made.after) == pytest.approx((whole_found.before, whole_found.after))
        assert made.accuracy.fall == pytest.approx(whole_found.accuracy.fall)
        assert made.accuracy.n_before + made.accuracy.n_after == N
    assert found.reworded is not None
    assert found.reworded.n_before + found.reworded.n_after == N // 2
    assert alone.reworded is None
    known = ScoreContext({}, {}, dates=DATES)
    assert silent(Scores((parted,)), known, CUTOFFS, {"m": found}) == {}


def test_why_dates_say_nothing_is_told_with_its_counts() -> None:
    own = model("m", lambda _: 0.5)
    few = {one: day for one, day in DATES.items() if day <= date(2024, 1, 6)}
    known = ScoreContext({}, {}, dates=few)
    nothing = over_time(Scores((own,)), known, CUTOFFS)
    assert silent(Scores((own,)), known, CUTOFFS, nothing) == {
        "m": "Dates say nothing here: 600 dated items of 365 moments up to the cut-off and 10 of 6 "
        "after it; 30 of 5 are needed on either side."
    }
    assert "No cut-off of m is known" in silent(Scores((own,)), known, {}, {})["m"]
    always = model("m", lambda _: 1.0)
    whole = ScoreContext({}, {}, dates=DATES)
    nothing = over_time(Scores((always,)), whole, CUTOFFS)
    assert nothing == {"m": None}
    assert "commonest" in silent(Scores((always,)), whole, CUTOFFS, nothing)["m"]
    assert silent(Scores((own,)), ScoreContext({}, {}), CUTOFFS, {}) == {}


def test_the_rows_of_the_chart_hold_every_item_once() -> None:
    own, other = model("m", lambda _: 0.7), model("late", lambda _: 0.6)
    found = of(own, other)
    rows = dates_wording.rows({"m": own, "late": other}, ScoreContext({}, {}, dates=DATES), found)
    assert set(rows["line"]) == {"originals", "rewordings", "late"}
    originals = rows[rows["line"] == "originals"]
    assert originals["n"].sum() == N
    mean = (originals["share"] * originals["n"]).sum() / N
    assert mean == pytest.approx(np.mean(list(own.original.values())))


def test_dates_are_read(tmp_path: Path) -> None:
    good = write_csv(tmp_path / "d.csv", [{"instance_id": "a", "date": "2023-10"}])
    assert read_dates(good) == {"a": date(2023, 10, 1)}
    for rows, said in (
        ([{"instance_id": "a", "date": "soon"}], "row 1"),
        ([{"instance_id": "a", "day": "2023"}], "row 1"),
        ([{"instance_id": "a", "date": d} for d in ("2023", "2024")], "two dates"),
    ):
        with pytest.raises(InputError, match=said):
            read_dates(write_csv(tmp_path / "bad.csv", rows))


def test_dates_of_a_sample_come_from_the_store(fresh_store: Store, tmp_path: Path) -> None:
    rows = [{"text": f"News {k}.", "day": f"2023-{k + 1:02d}-01"} for k in range(12)]
    opened = open_partition(
        "news", "test", file=write_csv(tmp_path / "news.csv", rows), text="text"
    )
    drawn = draw_sample(opened, 5, window=DateWindow("day"))
    samples.save(fresh_store, drawn)
    assert stored_dates(fresh_store, "news/test") == {
        one.id: date.fromisoformat(one.fields[DATE]) for one in drawn.instances
    }
    assert stored_dates(fresh_store, "none/test") == {}
