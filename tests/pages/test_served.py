"""What the app says of the model that an endpoint says it served."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.asked import ask
from tests.support.provider import FakeProvider


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/answers.py")


def words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.warning, *at.text]
    return "\n".join(str(element.value) for element in shown)


def plainly(at: AppTest) -> str:
    return words(at).replace("\\", "").replace("\u2060", "")


def test_another_model_than_was_asked_is_named_with_the_run_and_the_answer(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "dated")
    at = page.run()
    assert not at.exception
    assert "dated-2026-01-02 in 6 of 6 answers; asked for dated" in plainly(at)
    at.number_input(key="answers_question").set_value(1).run()
    assert not at.exception
    assert "dated-2026-01-02 · fingerprint fp_0a" in plainly(at)


def test_several_models_in_one_run_are_warned_of(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    ask(fresh_store, samples.save(fresh_store, small_sample(20)), QuizKind.STANDARD, "switching")
    at = page.run()
    assert not at.exception
    assert "2 models answered this run" in "\n".join(str(w.value) for w in at.warning)


def test_a_name_made_to_deceive_is_shown_letter_for_letter(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "shady")
    at = page.run()
    assert not at.exception
    shown = next(str(c.value) for c in at.caption if "alert" in str(c.value))
    assert "\\<script\\>" in shown
    assert "\\*\\*x\\*\\*" in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown


def test_nothing_is_said_of_a_run_where_what_was_asked_was_served(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    at = page.run()
    assert not at.exception
    assert "asked for" not in plainly(at)
    assert not at.warning
