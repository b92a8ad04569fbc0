from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import PartitionRole
from dcq.store import Store, studies
from dcq.store.studies import Study
from tests.support.judged import SEEN, UNSEEN, put

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/present.py")


def slides(at: AppTest) -> list[dict[str, Any]]:
    """What the browser draws."""
    [sent] = [one.proto for one in at.get("bidi_component")]
    return list(json.loads(sent.json)["slides"])


def test_an_empty_store_says_that_there_is_nothing_yet(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    first, *_ = slides(at)
    assert "No model has answered yet" in first["sentences"][0]


def test_the_browser_gets_every_slide_with_its_notes(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN, PartitionRole.CONTROL)
    at = page.run()
    assert not at.exception
    shown = slides(at)
    assert shown[0]["title"].startswith("Has ")
    assert [one["number"] for one in shown] == list(range(1, len(shown) + 1))
    titles = [one["title"] for one in shown]
    assert "Which one is the original?" in titles
    assert titles[-1] == "What this does not show"
    [verdict] = [one for one in shown if one["kind"] == "verdict"]
    assert verdict["ruling"] == "contaminated"
    assert any(line.startswith("Controls: ") for line in verdict["notes"])


def test_slides_are_of_the_study_that_the_address_names(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", SEEN)
    studies.save(fresh_store, Study("Rivers alone", partitions=("rivers/test",)))
    page.query_params["study"] = "Rivers alone"
    at = page.run()
    assert not at.exception
    first, *_ = slides(at)
    assert "Study “Rivers alone”" in first["source"]
    assert first["title"] == "Has tester seen Rivers test?"
    assert not at.sidebar.selectbox  # it would be below the slides
