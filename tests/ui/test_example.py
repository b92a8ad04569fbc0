"""The example investigation: seen without a trace in the user's own store, and never changed."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from dcq.errors import StoreReadOnlyError
from dcq.store import Store, runs, samples
from dcq.ui import example
from tests.conftest import letters, small_sample
from tests.support.role_settings import ROLES

pytestmark = pytest.mark.slow

# As a visitor finds it on the page.
SENTENCE = "An example, not a finding about a released model"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/overview.py")


@pytest.fixture
def linked(page: AppTest) -> AppTest:
    """The app with the example in its address."""
    page.query_params["example"] = "true"
    return page


def see(at: AppTest) -> AppTest:
    """The example, by the button of an empty store."""
    return at.run().button(key="example_open").click().run()


def texts(at: AppTest) -> str:
    return letters(" ".join(str(shown.value) for shown in [*at.markdown, *at.caption]))


def test_one_click_shows_a_verdict_says_what_it_is_and_leaves_the_own_store_empty(
    page: AppTest, fresh_store: Store
) -> None:
    before = fresh_store.path.read_bytes()
    at = see(page)
    assert not at.exception
    assert SENTENCE in texts(at)
    assert "1 contaminated, 3 undecided" in texts(at)
    at = at.switch_page("pages/case.py").run()
    assert not at.exception
    assert "Contaminated" in at.title[1].value
    assert any("SmolLM2-135M trained on reviews picked" in letters(c.value) for c in at.caption)
    assert any("ruler_" in (one.key or "") for one in at.get("bidi_component"))
    assert fresh_store.path.read_bytes() == before
    assert runs.listing(fresh_store) == []


def test_it_goes_along_to_other_pages_and_back_home(page: AppTest) -> None:
    at = see(page)
    at = at.switch_page("pages/results.py").run()
    assert not at.exception
    assert SENTENCE in texts(at)
    assert at.query_params["example"] in ("true", ["true"])
    at = at.button(key="example_close").click().run()
    assert not at.exception
    assert SENTENCE not in texts(at)
    assert "example" not in at.query_params
    assert at.button(key="example_open")


def test_a_link_leads_to_it(linked: AppTest) -> None:
    at = linked.run()
    assert not at.exception
    assert SENTENCE in texts(at)


def test_slides_of_it_say_so(linked: AppTest) -> None:
    at = linked.switch_page("pages/present.py").run()
    assert not at.exception
    assert SENTENCE in texts(at)


def test_a_store_with_a_sample_offers_its_own_next_step(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, small_sample())
    at = page.run()
    assert not [button for button in at.button if button.key == "example_open"]


@pytest.mark.parametrize("name", ["dataset", "variants", "quiz", "settings"])
def test_nothing_in_it_can_be_changed(linked: AppTest, name: str) -> None:
    at = linked.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    pressed = [one for one in at.button if letters(one.help or "") == example.READ_ONLY]
    assert pressed
    assert all(button.disabled for button in pressed)


def test_a_viewer_may_see_it(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_store: Store
) -> None:
    roles = tmp_path / "roles.toml"
    roles.write_text(ROLES)
    monkeypatch.setenv("DCQ_ROLES", str(roles))
    page.user = {"is_logged_in": True, "email": "vic@example.org"}
    at = see(page)
    assert not at.exception
    assert "1 contaminated, 3 undecided" in texts(at)
    assert runs.listing(fresh_store) == []


def test_a_store_that_cannot_be_written_is_no_hindrance(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Store.write

    def refuse(store: Store) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        if store == fresh_store:
            raise StoreReadOnlyError("It cannot be written.")
        return write(store)

    monkeypatch.setattr(Store, "write", refuse)
    at = see(page)
    assert not at.exception
    assert not at.error
    assert "1 contaminated, 3 undecided" in texts(at)


def test_a_folder_that_was_cleared_away_is_made_again_while_there_is_a_bundle(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    see(page)
    example.open_store().path.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(example, "BUNDLE", tmp_path / "example.zip")
        at = page.run()
        assert not at.exception
        assert "restore the data folder" in letters(at.error[0].value)
    at = page.run()
    assert not at.exception
    assert "1 contaminated, 3 undecided" in texts(at)
