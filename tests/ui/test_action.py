"""A button that needs a role, a panel that is drawn again, and the way through a list."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.ui import action, roles
from tests.conftest import letters


def _page() -> None:
    import streamlit as st

    from dcq.errors import InputError
    from dcq.ui import action

    def act() -> None:
        if st.session_state.get("fails"):
            raise InputError("no column ![c](http://127.0.0.1:1/x.png)")
        st.session_state["times"] = st.session_state.get("times", 0) + 1

    st.caption(f"Done {st.session_state.get('times', 0)} times.")
    action.button("Do it", act, key="do", tip="*Does it*")
    action.button("Not yet", act, key="not_yet", why_not="name a *file*", tip="Does it")
    action.button("Never", act, key="never", why_not=True, tip="Does it")


def _shared(monkeypatch: pytest.MonkeyPatch, role: roles.UserRole) -> None:
    monkeypatch.setattr(roles, "role", lambda: role)


def test_what_is_done_is_seen_at_once() -> None:
    at = AppTest.from_function(_page).run()
    assert at.button(key="do").help == "*Does it*"
    at.button(key="do").click().run()
    assert [caption.value for caption in at.caption] == ["Done 1 times."]
    assert not at.error


def test_what_is_missing_disables_and_is_quoted_letter_for_letter() -> None:
    at = AppTest.from_function(_page).run()
    assert at.button(key="not_yet").disabled
    assert letters(at.button(key="not_yet").help) == "name a *file*"
    assert "*file*" not in at.button(key="not_yet").help.replace("\\*", "")
    assert at.button(key="never").disabled
    assert at.button(key="never").help == "Does it"


def test_what_went_wrong_is_said_and_nothing_is_done() -> None:
    at = AppTest.from_function(_page).run()
    at.session_state["fails"] = True
    at.button(key="do").click().run()
    [error] = at.error
    assert letters(error.value).startswith("no column ![c](http")
    assert "![" not in error.value
    assert [caption.value for caption in at.caption] == ["Done 0 times."]


def test_a_role_comes_before_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    _shared(monkeypatch, roles.UserRole.VIEWER)
    at = AppTest.from_function(_page).run()
    for key in ("do", "not_yet", "never"):
        assert at.button(key=key).disabled
        assert "needs the role runner" in at.button(key=key).help


def test_a_role_is_asked_for_again_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    assert action.trouble(lambda: done.append(1)) == ""
    _shared(monkeypatch, roles.UserRole.ANNOTATOR)
    assert action.trouble(lambda: done.append(2), roles.UserRole.ANNOTATOR) == ""
    assert "needs the role runner" in action.trouble(lambda: done.append(3))
    assert done == [1, 2]


def _walk() -> None:
    import streamlit as st

    from dcq.ui import walker

    number = walker.walk([2, 3, 7], 9, what="Instance", key="at", names="w", in_address=False)
    st.markdown(f"{number}")


def test_a_walk_passes_what_cannot_be_open() -> None:
    at = AppTest.from_function(_walk).run()
    assert at.number_input(key="at").label == "Instance, of 9"
    assert at.caption[0].value == "of 9"
    assert at.markdown[0].value == "2"
    assert at.button(key="w_previous").disabled
    at.button(key="w_next").click().run()
    at.button(key="w_next").click().run()
    assert at.markdown[0].value == "7"
    assert at.button(key="w_next").disabled
    at.number_input(key="at").set_value(5).run()  # left out: the next that can be
    assert at.markdown[0].value == "7"
    at.button(key="w_previous").click().run()
    assert at.markdown[0].value == "3"


def _live(path: str) -> None:
    from pathlib import Path

    import streamlit as st

    from dcq.errors import InputError
    from dcq.store import Store
    from dcq.ui import refresh

    def draw(store: Store) -> bool:
        st.caption(f"waits {store.timeout:g} s")
        st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
        if st.session_state["drawn"] == 1:
            raise InputError("The store is busy.")
        return False

    refresh.show(Store(Path(path)), draw, live=st.session_state.get("drawn", 0) < 2)


def test_a_busy_store_is_asked_again_and_the_end_draws_the_whole_page(tmp_path: Path) -> None:
    at = AppTest.from_function(_live, args=(str(tmp_path / "dcq.duckdb"),)).run()
    assert letters(at.warning[0].value) == "The store is busy. This page retries by itself."
    assert at.caption[0].value == "waits 2 s"
    at.run()
    assert not at.warning
    assert at.session_state["drawn"] == 3  # the last one ended, so the page was drawn once more
