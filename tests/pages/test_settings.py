from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import KEY
from tests.support.provider import Provider


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/settings.py")


def test_what_is_set_is_told_and_no_key_is_shown(page: AppTest, provider: Provider) -> None:
    at = page.run()
    assert not at.exception
    told = at.table[1].value.set_index("part")
    found = str(told.at["OpenAI", "what was found"]).replace("\\", "")
    assert "OPENAI_API_KEY set" in found
    assert KEY not in str(at)


def test_a_test_call_reaches_the_model(page: AppTest, provider: Provider) -> None:
    at = page.run()
    at.text_input(key="settings_model").set_value("always-a")
    at.button(key="settings_call").click().run()
    assert not at.exception
    assert provider.counts["always-a"] == 1
    assert "Replied" in at.success[0].value


def test_a_wrong_key_is_one_sentence_without_the_key(
    page: AppTest, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-and-secret")
    at = page.run()
    at.text_input(key="settings_model").set_value("always-a")
    at.button(key="settings_call").click().run()
    assert "OPENAI_API_KEY" in at.error[0].value
    assert "sk-wrong" not in str(at)


def test_a_setting_that_makes_no_sense_is_named(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_TIMEOUT", "soon")
    for page in ("overview", "settings"):
        at = app.switch_page(f"pages/{page}.py").run()
        assert not at.exception
        assert "DCQ_TIMEOUT" in at.error[0].value
