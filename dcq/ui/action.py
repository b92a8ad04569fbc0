"""Buttons that need a role: when they are disabled, what they do, and what went wrong.

The role is checked twice, when the button is drawn and when it is pressed: it may have been taken
away since, and a click can be forged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from dcq.errors import DcqError
from dcq.ui import notice, roles
from dcq.ui.roles import UserRole
from dcq.ui.text import plain

Kind = Literal["primary", "secondary", "tertiary"]
WhyNot = str | bool | None


def button(
    label: str,
    act: Callable[[], object],
    *,
    key: str,
    icon: str | None = None,
    kind: Kind = "secondary",
    role: UserRole = UserRole.RUNNER,
    why_not: WhyNot = None,
    tip: str | None = None,
) -> None:
    """Draw the button. Once it is pressed, call ``act`` and draw the whole page again, or show what
    went wrong. ``why_not``, ``tip``: as in ``pressed``."""
    if pressed(
        label, key=key, icon=icon, kind=kind, role=role, why_not=why_not, tip=tip
    ) and attempt(act, role):
        st.rerun()


def pressed(
    label: str,
    *,
    key: str,
    icon: str | None = None,
    kind: Kind = "secondary",
    role: UserRole = UserRole.RUNNER,
    why_not: WhyNot = None,
    tip: str | None = None,
    width: Literal["content", "stretch"] = "content",
) -> bool:
    """Draw the button; returns whether it was pressed, so that the caller can ``attempt`` something
    further down. ``why_not``: what is missing besides the role, or True where the page says it
    elsewhere; it may quote data. ``tip``: the help of an enabled button, as Markdown."""
    missing = roles.why_not(role)
    if isinstance(why_not, str) and why_not:
        missing = missing or plain(why_not)
    return st.button(
        label,
        type=kind,
        icon=icon,
        key=key,
        width=width,
        disabled=bool(missing or why_not),
        help=missing or tip,
    )


def attempt(act: Callable[[], object], role: UserRole = UserRole.RUNNER) -> bool:
    """Call ``act`` if the user may; returns whether it was done. Where it was not, shows why."""
    if error := trouble(act, role):
        notice.error(error)
    return not error


def trouble(act: Callable[[], object], role: UserRole = UserRole.RUNNER) -> str:
    """Call ``act`` if the user may; returns why it was not done, empty if it was. For parts that
    are redrawn each second, where a message would be erased, so that the caller has to keep the
    sentence."""
    try:
        roles.require(role)
        act()
    except DcqError as error:
        return str(error)
    return ""
