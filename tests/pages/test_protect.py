"""The page Protect: from accepted wordings to files, and what a check showed."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.protect import make
from dcq.protect import secret as private
from dcq.protect.check import open_check
from dcq.protect.published import read
from dcq.protect.shuffle import By
from dcq.protect.verify import problems, read_commitment
from dcq.store import Store, samples
from dcq.ui.protect import folders
from tests.conftest import button_called, small_sample
from tests.protect.test_method import ask
from tests.support.protected import a_secret
from tests.support.provider import FakeProvider


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/protect.py")


def test_an_empty_store_leads_to_the_dataset(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert any("no sample to protect" in str(one.value) for one in at.info)


def test_an_author_accepts_draws_and_takes_the_files(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, small_sample(6))
    at = page.run()
    at.segmented_control(key="protect_wordings").set_value(4).run()
    assert not at.exception
    assert at.button(key="protect_draw").disabled
    at.checkbox(key="protect_read").check().run()
    button_called(at, "Accept 24 wordings that no check faults").click().run()
    assert not at.exception
    at.button(key="protect_draw").click().run()
    assert not at.exception
    [folder] = folders.every(fresh_store)
    secret = private.read(folder / make.SECRET)
    committed = read_commitment((folder / make.COMMITMENT).read_bytes(), "c")
    published = read((folder / make.PUBLISHED).read_bytes(), make.PUBLISHED)
    assert problems(secret, committed, published) == []
    assert len(at.get("download_button")) == 5
    shown = " ".join(str(one.value) for one in (*at.markdown, *at.caption, *at.success))
    assert secret.key.hex() not in shown
    at.button(key="protect_draw").click().run()
    assert len(folders.every(fresh_store)) == 2  # another lot of its own, and the first is kept


def test_the_plan_follows_its_sliders(page: AppTest) -> None:
    page.session_state["protect_view"] = "What it will find"
    at = page.run()
    assert not at.exception
    assert at.metric[0].value == "33 %"
    at.slider(key="protect_plan_items").set_value(2000).run()
    assert at.metric[0].value == "27 %"


def test_checks_are_shown_with_their_threats(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    ask(fresh_store, open_check(fresh_store, a_secret(), By.LETTER), "always-a")
    page.session_state["protect_view"] = "Check models"
    at = page.run()
    assert not at.exception
    assert "burnt" in at.warning[0].value
    assert [one.label for one in at.metric] == ["Average evidence", "Models called"]
    assert at.metric[1].value == "0 of 1"
