from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store
from tests.support.runs import answer


def _page() -> None:  # runs as a script of its own
    import os
    from pathlib import Path

    from dcq.quiz import protocol2
    from dcq.store import Store
    from dcq.ui import range_view

    store = Store(Path(os.environ["DCQ_STORE"]))
    range_view.show(store, protocol2.estimates(store), prefix="test")


def test_a_complete_range_has_its_chart_and_the_files_of_the_authors(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    bdq = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
    answer(fresh_store, bdq, {"A": 2, "B": 2, "C": 2})
    at = AppTest.from_function(_page, default_timeout=60).run()
    assert not at.exception
    assert not at.get("plotly_chart")
    answer(fresh_store, freeze.freeze_bcq(fresh_store, bdq, "D").quiz, {"D": 3, "E": 3})
    at.run()
    assert not at.exception
    assert "slot D" in str(at.get("plotly_chart")[0].proto.spec)
    labels = [button.proto.label for button in at.get("download_button")]
    assert labels[:2] == ["Answers, as published · csv", "Report, as published · txt"]
