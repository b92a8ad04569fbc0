"""What a page offers is given to those who may have it when they press the button."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dcq.errors import InputError
from dcq.protect import make
from dcq.settings import ROOT
from dcq.store import Store, private_wordings, samples, variants
from dcq.store.variants import NewVariant
from dcq.ui import roles
from dcq.ui.protect import folders
from tests.conftest import small_sample
from tests.support.role_settings import ROLES

pytestmark = pytest.mark.slow

Offered = dict[str, Callable[[], bytes | str]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """What a browser would ask for when a button is pressed, by the name of the file."""
    contents: Offered = {}

    def button(label: str, data: Any, file_name: str, *_: Any, **look: Any) -> bool:
        if not look.get("disabled"):
            contents[file_name] = data
        return False

    monkeypatch.setattr(st, "download_button", button)
    return contents


@pytest.fixture
def role_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "roles.toml"
    path.write_text(ROLES)
    monkeypatch.setenv("DCQ_ROLES", str(path))
    return path


def signed_in(app: AppTest, email: str) -> AppTest:
    app.user = {"is_logged_in": True, "email": email}
    return app


def protect(store: Store) -> Path:
    """A protected benchmark as the page keeps one: only its files matter here."""
    place = folders.root(store) / "rivers"
    place.mkdir(parents=True)
    for name in (make.COMMITMENT, make.PUBLISHED, make.SECRET):
        (place / name).write_text(f"content of {name}")
    return place


def test_the_whole_store_is_kept_from_whoever_lost_the_role_while_the_page_was_open(
    app: AppTest, sample_id: str, role_file: Path, offered: Offered
) -> None:
    at = signed_in(app, "rita@example.org").switch_page("pages/settings.py").run()
    assert not at.exception
    copy = offered["dcq-backup.duckdb"]
    assert len(copy()) > 10_000
    role_file.write_text(ROLES.replace("runner", "annotator"))
    with pytest.raises(InputError, match="Your role for this was taken away"):
        copy()
    role_file.write_text(ROLES)
    assert copy()
    role_file.unlink()
    with pytest.raises(InputError):
        copy()


def test_the_secret_is_kept_from_whoever_lost_the_role_while_the_page_was_open(
    app: AppTest, fresh_store: Store, sample_id: str, role_file: Path, offered: Offered
) -> None:
    protect(fresh_store)
    at = signed_in(app, "anna@example.org").switch_page("pages/protect.py").run()
    assert not at.exception
    assert offered[make.SECRET]() == f"content of {make.SECRET}".encode()
    role_file.write_text(ROLES.replace("annotator", "viewer"))
    with pytest.raises(InputError, match="Your role for this was taken away"):
        offered[make.SECRET]()
    assert offered[make.PUBLISHED]()


def test_alone_a_person_downloads_everything(
    app: AppTest, sample_id: str, offered: Offered
) -> None:
    app.switch_page("pages/settings.py").run()
    assert len(offered["dcq-backup.duckdb"]()) > 10_000


def test_what_draws_itself_again_ends_with_the_role(
    app: AppTest, role_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a page that draws itself each second does not come by the page's own door."""
    role_file.write_text('everyone = "viewer"')
    code = """
        import streamlit as st
        from dcq.store import Store
        from dcq.ui import refresh, roles

        def draw(store):
            st.markdown("the content")
            return True

        refresh.show(Store("none.duckdb"), draw, live=False)
        """
    at = signed_in(AppTest.from_string(textwrap.dedent(code)), "anna@example.org")
    at.run()
    assert [one.value for one in at.markdown] == ["the content"]
    monkeypatch.setattr(st, "rerun", lambda: (_ for _ in ()).throw(RuntimeError("whole page")))
    monkeypatch.setattr(roles, "role", lambda: None)
    assert at.run().exception


def test_every_download_asks_for_the_role_when_it_is_pressed() -> None:
    texts = [
        path.read_text() for start in ("dcq", "pages") for path in (ROOT / start).rglob("*.py")
    ]
    # One door, which the others go through.
    assert sum(text.count(".download_button(") for text in texts) == 1
    assert re.search(
        r"\.download_button\(\s*[^\n]+,\s*roles\.while_allowed\(make, needed\)",
        (ROOT / "dcq" / "ui" / "downloads.py").read_text(),
    )
    assert sum(text.count("offer_file(") for text in texts) > 8


_OFFER = """
    import pandas as pd
    from dcq.ui import downloads

    def table():
        return pd.DataFrame({"text": ["SECRET"]})

    downloads.offer_table("Table", "dcq-table", table, key="one", suffixes=[".csv"])
    """


def test_a_refused_private_wording_is_told_in_the_place_of_the_button(
    app: AppTest, fresh_store: Store
) -> None:
    secret = "the lengthy river which winds around more hills than people can count"
    drawn = small_sample(4)
    sample = samples.save(fresh_store, drawn)
    instance = samples.load(fresh_store, sample).instances[0].id
    variants.add(fresh_store, sample, [NewVariant(instance, 0, secret, "person", "Anna")])
    private_wordings.record(fresh_store, "0" * 64, {"0001": [secret]})
    code = textwrap.dedent(_OFFER).replace("SECRET", secret)
    at = AppTest.from_string(code).run()
    at.download_button[0].click().run()
    assert not at.exception
    [told] = at.error
    assert "private wordings of a protected benchmark" in told.value
    assert f"protect burn {sample} 0001" in told.value
    assert not at.download_button  # its own message would not say why
    at.run()
    assert not at.error
    assert at.download_button
    private_wordings.burn(fresh_store, sample, ["0001"], "Anna")
    at.download_button[0].click().run()
    assert not at.error
    assert at.download_button


def test_a_role_that_was_taken_away_is_told_in_the_place_of_the_button(
    app: AppTest, role_file: Path
) -> None:
    code = textwrap.dedent(_OFFER)
    at = signed_in(AppTest.from_string(code), "rita@example.org").run()
    at.download_button[0].click().run()
    assert not at.error
    role_file.write_text('[roles]\n"other@example.org" = "viewer"\n')
    at.download_button[0].click().run()
    assert not at.exception
    [told] = at.error
    assert told.value.startswith("Your role for this was taken away")
    assert not at.download_button
