"""Scripts for what only the browser knows: a text while it is typed, the keyboard's focus, and the
name given in this tab.

Streamlit receives a text box when it loses focus (or on Ctrl+Enter), gives none the focus, and
forgets a visitor at each refresh. Three small listeners close the gap. They receive no untrusted
text: a widget key and the user's name go out as data, and what comes back is a string for the
caller to check.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import streamlit as st

PAUSE = 400  # milliseconds without a key press, after which a typed text is sent
NAME_LIMIT = 80  # characters
_ASKED = "browser_focus"  # which input shall have the focus, and how often one was asked for

# The script of a box is loaded when the first is drawn, which may be later than ours.
_FIND = """
const find = (box, then, tries = 40) => {
  const found = document.querySelector(box + " :is(input, textarea)");
  if (found) then(found);
  else if (tries) setTimeout(() => find(box, then, tries - 1), 50);
};
"""

_TYPED = (
    _FIND
    + """
export default function ({ parentElement, data, setTriggerValue }) {
  const state = (parentElement.dcq ??= {});
  const inBox = "." + CSS.escape("st-key-" + data.key);
  find(inBox, (box) => box.setAttribute("dir", data.direction));
  if (state.stop) state.stop();  // called again whenever the page is drawn
  const listen = ({ target }) => {
    if (!target.closest || !target.closest(inBox)) return;
    clearTimeout(state.timer);
    state.timer = setTimeout(() => setTriggerValue("typed", target.value), data.pause);
  };
  // When the box loses focus, Streamlit sends the text itself.
  const left = () => clearTimeout(state.timer);
  // A shortcut that saves comes before the box has lost its focus, so it does so here.
  const commit = (event) => {
    const { target, key } = event;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === data.commit
        && target.closest && target.closest(inBox)) target.blur();
  };
  document.addEventListener("input", listen);
  document.addEventListener("focusout", left);
  document.addEventListener("keydown", commit, true);
  state.stop = () => {
    document.removeEventListener("keydown", commit, true);
    document.removeEventListener("input", listen);
    document.removeEventListener("focusout", left);
  };
  return state.stop;
}
"""
)

_FOCUS = (
    _FIND
    + """
export default function ({ parentElement, data }) {
  const state = (parentElement.dcq ??= {});
  const inBox = "." + CSS.escape("st-key-" + data.key);
  if (data.turn && state.turn !== data.turn) {
    state.turn = data.turn;
    find(inBox, (box) => box.focus());
  }
  if (state.stop) state.stop();  // called again whenever the page is drawn
  const leave = ({ target, key }) => {
    if (key === "Escape" && target.closest && target.closest(inBox)) target.blur();
  };
  document.addEventListener("keydown", leave);
  state.stop = () => document.removeEventListener("keydown", leave);
  return state.stop;
}
"""
)

_NAME = """
export default function ({ data, setTriggerValue }) {
  const place = "dcq_name";
  try {
    const known = sessionStorage.getItem(place);
    if (data.name) sessionStorage.setItem(place, data.name);
    else if (known && data.fresh) setTriggerValue("known", known);
    else sessionStorage.removeItem(place);
  } catch { /* storage is blocked: the name is asked for after each refresh */ }
}
"""


@cache
def component(name: str, js: str) -> Callable[..., Any]:
    """A script in the page, under this ``name``."""
    return st.components.v2.component(name, js=js)


def hear_typing(box: str, *, commit: str, direction: Literal["ltr", "rtl"]) -> str | None:
    """Inside a fragment: what has been typed in the text area with the key ``box``, ``PAUSE`` after
    the last key press; None if something else caused this rerun. The area is read in this
    ``direction``. It gives up the focus, which sends its text, when Ctrl and the key ``commit`` are
    pressed."""
    heard = component("dcq_typed", _TYPED)(
        key=f"{box}_typed",
        data={"key": box, "pause": PAUSE, "commit": commit, "direction": direction},
        on_typed_change=lambda: None,
    )
    return heard.typed if isinstance(heard.typed, str) else None


def ask_focus(box: str) -> None:
    """For callbacks: the input with the key ``box`` gets the keyboard's focus when it is drawn."""
    st.session_state[_ASKED] = box, st.session_state.get(_ASKED, ("", 0))[1] + 1


def take_focus(box: str) -> None:
    """To be called after the input with the key ``box``: focuses it if ``ask_focus`` was called for
    it, once, so that a box which is only redrawn swallows no shortcut. Escape gives the focus
    up."""
    asked, turn = st.session_state.get(_ASKED, ("", 0))
    if asked == box:
        st.session_state[_ASKED] = "", turn
    component("dcq_focus", _FOCUS)(
        key=f"{box}_focus", data={"key": box, "turn": turn if asked == box else 0}
    )


def remember_name(name: str, *, fresh: bool, key: str) -> str | None:
    """Let this browser tab remember ``name`` until it is closed. Returns a name remembered from
    before a refresh, once, if ``name`` is empty and the session is ``fresh``."""
    heard = component("dcq_name", _NAME)(
        key=key, data={"name": name, "fresh": fresh}, on_known_change=lambda: None
    )
    remembered_name = heard.known
    return remembered_name.strip()[:NAME_LIMIT] if isinstance(remembered_name, str) else None
