"""Messages to the user, shown verbatim.

An error message quotes what it is about: the name of a column or a file, an endpoint's reply.
Streamlit renders messages as Markdown, in which such a name can be an image that the user's browser
fetches. So every message that is not a fixed text goes through here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Literal, ParamSpec

import streamlit as st

from dcq.errors import DcqError
from dcq.ui.text import plain

_P = ParamSpec("_P")
_Duration = Literal["short", "long", "infinite"]


def error(message: object, *, icon: str = ":material/error:") -> None:
    """An error: an exception of ours, or a sentence."""
    st.error(plain(str(message)), icon=icon)


def warning(message: object, *, icon: str = ":material/warning:") -> None:
    """What the user should know before going on."""
    st.warning(plain(str(message)), icon=icon)


def info(message: object, *, icon: str | None = None) -> None:
    """A neutral message."""
    st.info(plain(str(message)), icon=icon)


def success(message: object, *, icon: str = ":material/check:") -> None:
    """A message that something was done."""
    st.success(plain(str(message)), icon=icon)


def caption(message: object) -> None:
    """A remark in small type."""
    st.caption(plain(str(message)))


def toast(message: object, *, icon: str, duration: _Duration = "short") -> None:
    """A message that goes away by itself."""
    st.toast(plain(str(message)), icon=icon, duration=duration)


def told(callback: Callable[_P, object]) -> Callable[_P, None]:
    """The callback of a button or field, whose errors are told on the page that is drawn next; one
    that escapes would stand in the place of that page."""

    @wraps(callback)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except DcqError as error:
            toast(error, icon=":material/error:", duration="long")

    return called
