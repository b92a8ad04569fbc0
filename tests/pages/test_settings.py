from __future__ import annotations

from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from dcq.store import Store, copies, samples
from tests.conftest import KEY, letters, small_sample
from tests.support.provider import FakeProvider


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/settings.py")


def test_what_is_set_is_listed_and_no_key_is_shown(page: AppTest, provider: FakeProvider) -> None:
    at = page.run()
    assert not at.exception
    table = at.table[1].value.set_index("part")
    found = str(table.at["OpenAI", "what was found"]).replace("\\", "")
    assert "OPENAI_API_KEY set" in found
    assert KEY not in str(at)


def test_a_test_call_is_answered_by_the_model(page: AppTest, provider: FakeProvider) -> None:
    at = page.run()
    at.text_input(key="settings_model").set_value("always-a")
    at.button(key="settings_call").click().run()
    assert not at.exception
    assert provider.counts["always-a"] == 1
    assert "Replied" in at.success[0].value


def test_a_wrong_key_is_one_sentence_without_the_key(
    page: AppTest, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-and-secret")
    at = page.run()
    at.text_input(key="settings_model").set_value("always-a")
    at.button(key="settings_call").click().run()
    assert "OPENAI_API_KEY" in letters(at.error[0].value)
    assert "sk-wrong" not in str(at)


def test_a_setting_that_makes_no_sense_is_named(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_TIMEOUT", "soon")
    for page in ("overview", "settings"):
        at = app.switch_page(f"pages/{page}.py").run()
        assert not at.exception
        assert "DCQ_TIMEOUT" in letters(at.error[0].value)


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses to which the checks open a connection."""
    opened: list[str] = []

    def reachable(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("dcq.documents.doctor.reachable", reachable)
    return opened


def test_a_look_at_the_page_opens_no_connection(
    page: AppTest, provider: FakeProvider, connections: list[str]
) -> None:
    at = page.run()
    assert not at.exception
    shown = at.table[1].value.set_index("part")
    assert shown.at["OpenAI", "ready"] == "not checked"
    assert connections == []
    at.button(key="settings_connect").click().run()
    assert not at.exception
    assert provider.base_url in connections
    assert at.table[1].value.set_index("part").at["OpenAI", "ready"] == "✓ yes"
    asked = len(connections)
    at.button(key="settings_again").click().run()
    assert len(connections) == asked


def test_connections_are_checked_by_runners(
    page: AppTest, connections: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "roles.toml"
    file.write_text('everyone = "annotator"')
    monkeypatch.setenv("DCQ_ROLES", str(file))
    page.user = {"is_logged_in": True, "email": "ana@example.org"}
    at = page.run()
    assert at.button(key="settings_connect").disabled
    assert connections == []


@pytest.mark.parametrize(
    ("address", "named", "told"),
    [
        ("127.0.0.1", None, False),
        ("::1", "localhost", False),
        ("::", None, True),
        ("192.168.1.7", None, True),
        ("", None, True),  # Streamlit's word for all of the machine's addresses
        ("127.0.0.1", "dcq.example.org", True),
    ],
)
def test_an_app_that_others_reach_without_signing_in_says_so(
    page: AppTest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    named: str | None,
    told: bool,
) -> None:
    set_to = {"server.address": address, "browser.serverAddress": named}
    found = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: set_to.get(name, found(name)))
    monkeypatch.setattr(config, "is_manually_set", lambda name: set_to.get(name) is not None)
    at = page.run()
    assert not at.exception
    warned = " ".join(warning.value for warning in at.warning)
    assert ("Other machines reach this app, and nobody signs in" in warned) is told
    (tmp_path / "roles.toml").write_text('everyone = "viewer"')
    monkeypatch.setenv("DCQ_ROLES", str(tmp_path / "roles.toml"))
    page.user = {"is_logged_in": True, "email": "ana@example.org"}
    assert not page.run().warning


@pytest.fixture
def copy(tmp_path: Path) -> bytes:
    """A copy of another store, with one sample."""
    other = Store(tmp_path / "other.duckdb")
    samples.save(other, small_sample(3, key="lakes"))
    copies.take(other, tmp_path / "copy.duckdb")
    return (tmp_path / "copy.duckdb").read_bytes()


def restore(at: AppTest, content: bytes) -> AppTest:
    upload = at.file_uploader(key="settings_restore_upload")
    upload.upload("../../copy.duckdb", content, "application/octet-stream").run()
    return at.button(key="settings_restore").click().run()


def test_a_copy_takes_the_place_of_the_store_which_is_kept(
    page: AppTest, fresh_store: Store, sample_id: str, copy: bytes
) -> None:
    at = page.run()
    assert at.button(key="settings_restore").disabled
    assert len(at.get("download_button")) == 1
    at = restore(at, copy)
    assert not at.exception
    assert [one.partition for one in samples.listing(fresh_store)] == ["lakes/test"]
    [kept] = fresh_store.path.parent.glob("dcq.before-*.duckdb")
    assert kept.name in letters(at.success[0].value)
    assert [one.id for one in samples.listing(Store(kept))] == [sample_id]


def test_what_is_no_copy_changes_nothing(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    at = restore(page.run(), b"not a store")
    assert not at.exception
    assert "is not a store that can be read" in letters(at.error[0].value)
    assert [one.id for one in samples.listing(fresh_store)] == [sample_id]
    assert not list(fresh_store.path.parent.glob("dcq.before-*"))


def test_only_runners_copy_and_restore_the_store(
    page: AppTest,
    fresh_store: Store,
    sample_id: str,
    copy: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "roles.toml"
    file.write_text('everyone = "runner"')
    monkeypatch.setenv("DCQ_ROLES", str(file))
    page.user = {"is_logged_in": True, "email": "ana@example.org"}
    at = page.run()
    upload = at.file_uploader(key="settings_restore_upload")
    upload.upload("copy.duckdb", copy, "application/octet-stream").run()
    file.write_text('everyone = "annotator"')
    at.button(key="settings_restore").click().run()  # the role was taken away meanwhile
    assert [one.id for one in samples.listing(fresh_store)] == [sample_id]
    assert not at.get("download_button")
    assert "role runner" in at.button(key="settings_no_copy").help
    assert at.button(key="settings_restore").disabled
    assert at.file_uploader(key="settings_restore_upload").disabled
