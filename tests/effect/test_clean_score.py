"""The score without the instances that look seen: by hand, by simulation, and where it is shown."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dcq.effect import stored
from dcq.effect.clean_score import kept_score, score_without
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import ItemVersion, VersionedAnswer, gather
from dcq.judging import clean
from dcq.judging.clean import CleanSubset
from dcq.store import Store, samples
from tests.support.judged import SEEN, put, put_controls
from tests.support.runs import NOBODY

pytestmark = pytest.mark.slow

CHOICE = CleanSubset("s", ("m",), ("a", "b", "c"), ("d", "e"), ("f",))


def test_it_is_the_mean_of_what_is_left() -> None:
    found = score_without("m", {"a": 1, "b": 0, "c": 0, "d": 1, "e": 1, "f": 0, "x": 1}, CHOICE)
    assert found is not None
    assert (found.total.n, found.total.accuracy) == (6, 0.5)
    assert found.left.n == 3
    assert found.left.accuracy == pytest.approx(1 / 3)
    assert found.difference == pytest.approx(1 / 3 - 0.5)
    assert found.low is not None
    assert found.high is not None
    assert found.difference is not None
    assert found.low < found.difference < found.high
    said = found.sentence.replace("\u2212", "-")
    assert "m scores 50.0 on 6 instances and 33.3 on the 3 left: -16.7 [" in said
    assert "easier or harder" in said


def test_nothing_left_out_nothing_left_and_no_score() -> None:
    whole = CleanSubset("s", ("m",), ("a", "b"), (), ())
    found = score_without("m", {"a": 1, "b": 0}, whole)
    assert found is not None
    assert found.difference is None
    assert "left." in found.sentence
    none = CleanSubset("s", ("m",), (), ("a",), ())
    found = score_without("m", {"a": 1}, none)
    assert found is not None
    assert "No score" in found.sentence
    assert score_without("m", {"x": 1}, whole) is None


@pytest.mark.simulation
def test_its_interval_covers_the_difference() -> None:
    rng = np.random.default_rng(1)
    covered, times = 0, 4_000
    for _ in range(times):
        seen = rng.random(120) < 0.4
        right = rng.random(120) < np.where(seen, 0.85, 0.6)
        ids = [str(k) for k in range(120)]
        choice = CleanSubset(
            "s", ("m",), tuple(i for i, s in zip(ids, seen, strict=True) if not s),
            tuple(i for i, s in zip(ids, seen, strict=True) if s), (),
        )  # fmt: skip
        found = score_without("m", dict(zip(ids, right.astype(float), strict=True)), choice)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= -seen.mean() * 0.25 <= found.high
    assert covered / times >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / times)


def test_it_stands_below_the_answer(app: AppTest, fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    [sample] = [one.id for one in samples.listing(fresh_store) if one.partition == "rivers/test"]
    choice = clean.subset(fresh_store, sample, clean.models(fresh_store, sample))
    ids = [one.id for one in samples.load(fresh_store, sample).instances]
    answers = [
        VersionedAnswer(NOBODY, one, version, float(one in choice.seen))
        for one in ids
        for version in ItemVersion
    ]
    assert kept_score(fresh_store, choice) == []
    stored.keep(fresh_store, "rivers/test", gather(answers), ScoreContext({}, {}))
    [score] = kept_score(fresh_store, choice)
    assert (score.total.n, score.left.accuracy) == (100, 0.0)
    app.session_state["results_answer_what_now"] = True
    app.switch_page("pages/results.py").run()
    assert not app.exception
    shown = " ".join(str(one.value) for one in app.markdown).replace("\\", "")
    assert "scores 80.0 on 100 instances and 0.0 on the 20 left" in shown
