"""What only the browser knows: a text while it is being typed, and the name given in this tab.

Streamlit receives a text box when it loses focus (or on Ctrl+Enter), and forgets a visitor at each
refresh. Two small listeners close the gap. They receive no untrusted text: a widget key and the
user's name go out as data, and what comes back is a string for the caller to check.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

PAUSE = 400  # milliseconds without a key press, after which a typed text is sent
NAME_LIMIT = 80  # characters

_TYPED = """
export default function ({ parentElement, data, setTriggerValue }) {
  const state = (parentElement.dcq ??= {});
  const inBox = "." + CSS.escape("st-key-" + data.key);
  // What is typed has the direction of its first letter, so that Arabic starts on the right.
  document.querySelector(inBox + " textarea")?.setAttribute("dir", "auto");
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
  if (!state.focused) document.querySelector(inBox + " textarea")?.focus();
  state.focused = true;
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
def _component(name: str, js: str) -> Callable[..., Any]:
    return st.components.v2.component(name, js=js)


def hear_typing(box: str, *, commit: str) -> str | None:
    """Inside a fragment: what has been typed in the text area with the key ``box``, ``PAUSE`` after
    the last key press; None if something else caused this rerun. The area takes the direction of
    its text. It has the focus when it is first drawn, and gives it up, which sends its text, when
    Ctrl and the key ``commit`` are pressed."""
    heard = _component("dcq_typed", _TYPED)(
        key=f"{box}_typed",
        data={"key": box, "pause": PAUSE, "commit": commit},
        on_typed_change=lambda: None,
    )
    return heard.typed if isinstance(heard.typed, str) else None


def remember_name(name: str, *, fresh: bool, key: str) -> str | None:
    """Let this browser tab remember ``name`` until it is closed. Returns a name remembered from
    before a refresh, once, if ``name`` is empty and the session is ``fresh``."""
    heard = _component("dcq_name", _NAME)(
        key=key, data={"name": name, "fresh": fresh}, on_known_change=lambda: None
    )
    known = heard.known
    return known.strip()[:NAME_LIMIT] if isinstance(known, str) else None
