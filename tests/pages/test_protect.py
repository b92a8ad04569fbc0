"""The page Protect: from accepted wordings to files, and what a check showed."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.jobs.state import RunState
from dcq.judging.study import judged_results
from dcq.protect import NAME, make
from dcq.protect import secret as private
from dcq.protect.check import open_check
from dcq.protect.published import read, rows
from dcq.protect.secret import Secret
from dcq.protect.shuffle import By
from dcq.protect.verify import problems, read_commitment
from dcq.store import Store, runs, samples
from dcq.ui.protect import folders
from tests.conftest import button_called, frame_with, small_sample
from tests.support.lot_checks import ask
from tests.support.protected import a_secret
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for, wait_until_ended


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


@pytest.mark.parametrize("given", ["protect_beacon", "protect_round"])
def test_half_a_beacon_draws_no_lots(page: AppTest, fresh_store: Store, given: str) -> None:
    sample_id = samples.save(fresh_store, small_sample(6))
    make.accept_open(fresh_store, sample_id, "R. Reader")
    at = page.run()
    at.segmented_control(key="protect_wordings").set_value(4).run()
    assert not at.button(key="protect_draw").disabled
    at.text_input(key=given).set_value("5412345").run()
    assert not at.exception
    assert at.button(key="protect_draw").disabled


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


def _with_secret(store: Store, passphrase: str = "") -> Secret:
    secret = a_secret(16)
    make.write(secret, folders.place(store, secret), passphrase)
    return secret


def test_a_check_is_started_and_read_on_the_page(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    secret = _with_secret(fresh_store)
    provider.seen = tuple(row["text"] for row in rows(secret))
    page.session_state["protect_view"] = "Check models"
    at = page.run()
    at.multiselect(key="protect_models_letter").set_value(["knows-original"]).run()
    assert not at.exception
    assert list(frame_with(at, "calls")["calls"]) == [64]
    button_called(at, "Check the model").click().run()
    assert not at.exception
    [run] = runs.listing(fresh_store)
    assert wait_until_ended(fresh_store, [run]) == {RunState.FINISHED}
    logs = (fresh_store.runs_folder / f"{run}.log").read_text()
    assert secret.key.hex() not in logs
    # The lots are opened when the replies are in.
    wait_for(lambda: judged_results(fresh_store, NAME))
    at.run()
    button_called(at, "Read the result").click().run()
    assert not at.exception
    assert "knows-original" in frame_with(at, "Model")["Model"].tolist()
    assert at.metric[1].value == "1 of 1"


def test_a_secret_behind_a_passphrase_is_checked_by_its_command(
    page: AppTest, fresh_store: Store
) -> None:
    _with_secret(fresh_store, "river bank")
    page.session_state["protect_view"] = "Check models"
    at = page.run()
    assert not at.exception
    assert "behind a passphrase" in " ".join(str(one.value) for one in at.caption)
    assert "protect check" in at.code[0].value
    assert [one for one in at.button if one.key == "protect_start"] == []


def test_a_damaged_secret_is_one_sentence(page: AppTest, fresh_store: Store) -> None:
    secret = _with_secret(fresh_store)
    (folders.place(fresh_store, secret) / make.SECRET).write_text("{")
    page.session_state["protect_view"] = "Check models"
    at = page.run()
    assert not at.exception
    assert len(at.error) == 1
