from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import QuizKind
from dcq.store import Store
from dcq.store.results import Latency
from dcq.ui import run_card
from tests.support.asked import ask
from tests.support.provider import FakeProvider


def test_short_and_long_times_are_given_as_exactly_as_they_matter() -> None:
    timed = Latency(100, p50=0.413, p95=9.999, p99=1234.5)
    whole = "replies in 0.41 s, 95 % within 10.00 s, 99 % within 1,234 s"
    assert run_card.words(timed) == whole
    assert run_card.words(replace(timed, replies=99)) == "replies in 0.41 s, 95 % within 10.00 s"
    assert run_card.words(replace(timed, replies=19)) == "replies in 0.41 s"


def test_nothing_is_shown_where_nothing_was_timed() -> None:
    assert run_card.words(None) == ""


@pytest.mark.parametrize("page", ["quiz", "answers"])
def test_pages_show_how_long_replies_took(
    app: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider, page: str
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "guess")
    at = app.switch_page(f"pages/{page}.py").run()
    assert not at.exception
    assert sum("replies in 0" in caption.value for caption in at.caption) == 1
