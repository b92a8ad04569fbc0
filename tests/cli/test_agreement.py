from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import InputError
from dcq.store import Store
from tests.support.annotating import assign, say

KEYS = (
    *("sample", "annotators", "assigned", "instances", "n", "agree"),
    *("share", "share_low", "share_high", "kappa", "kappa_low", "kappa_high"),
    *("alpha", "alpha_low", "alpha_high", "disagreements", "adjudicated", "pace"),
)


@pytest.fixture
def decided(fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A sample on six of whose eight variants two people agree."""
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    assign(fresh_store, sample_id, 1.0)
    for instance in (0, 1):
        say(fresh_store, sample_id, "Ada", "aarr", instance=instance)
        say(fresh_store, sample_id, "Ben", "arrr", instance=instance)
    say(fresh_store, sample_id, "Cy", "-a")
    return sample_id


def test_the_figures(decided: str) -> None:
    done = CliRunner().invoke(app, ["agreement", decided[:6], "--json"], catch_exceptions=False)
    found = json.loads(done.stdout)
    assert tuple(found) == KEYS
    assert (found["sample"], found["n"], found["agree"], found["share"]) == (decided, 8, 6, 0.75)
    assert found["kappa"] == pytest.approx(0.5)
    assert (found["kappa_low"], found["alpha_high"]) == (None, None)  # of two instances
    assert (found["disagreements"], found["adjudicated"]) == (2, 1)
    [ada, ben] = found["pace"]
    assert (ada["annotator"], ada["n"], ada["accepted_early"], ben["accepted_late"]) == (
        "Ada", 8, 0.5, 0.25,
    )  # fmt: skip
    assert ada["p_value"] is None  # two instances tell no drift


def test_in_words(decided: str) -> None:
    done = CliRunner().invoke(app, ["agreement", decided], catch_exceptions=False)
    assert done.stdout.startswith("Ada and Ben agree on 6 of 8 (75 %, ")
    first, ada, ben = done.stdout.splitlines()
    assert first.endswith("They differ on 2; a third person has settled 1.")
    assert ada.startswith("Ada takes 0 s a variant")
    assert ben.endswith("accepts 25 % in the first half, 25 % in the second.")


def test_mistakes(fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    for name, why in ((sample_id, "No two annotators"), ("nothing", "No sample has the id")):
        done = CliRunner().invoke(app, ["agreement", name])
        assert isinstance(done.exception, InputError)
        assert why in str(done.exception)
