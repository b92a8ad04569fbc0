"""Permissions when several people share one app (docs/sharing.md), and the name saved with each
decision and edit.

A single user on their own machine may do everything. Once sign-in is configured or a role file is
named, only people with a role in that file may use the app, and each action needs a certain
role."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal, TypeVar

import streamlit as st

from dcq import settings
from dcq.errors import DcqError, InputError
from dcq.incoming.plain_file import MOST_SETTINGS, read_text
from dcq.naming import LONGEST_PERSON, read_name, readable
from dcq.ui import browser, example, notice
from dcq.ui.text import plain

_T = TypeVar("_T")


class UserRole(IntEnum):
    """The permissions of a user; each role includes the ones before it."""

    VIEWER = 1  # reads everything
    ANNOTATOR = 2  # also draws samples, writes and reviews variants
    RUNNER = 3  # also spends money: runs, test calls, variants by a model


_NEEDED = {
    UserRole.ANNOTATOR: "Changing samples, variants and files needs the role annotator",
    UserRole.RUNNER: "Asking a model needs the role runner",
}


def admit() -> None:
    """Continue the page for users who may see it, and show who is signed in; for all others, say
    what to do and end the page."""
    if not shared():
        return
    try:
        if "is_logged_in" not in st.user:
            raise InputError(
                "DCQ_ROLES is set but sign-in is not configured; add [auth] to "
                ".streamlit/secrets.toml or unset DCQ_ROLES."
            )
        if not st.user.is_logged_in:
            st.title("Sign in", anchor=False)
            st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
            st.stop()
        own_role = role()
    except DcqError as error:
        notice.error(error)
        st.stop()
    with st.sidebar:
        role_name = own_role.name.lower() if own_role else "no role"
        st.caption(plain(f"{display_name() or 'Signed in'} · {role_name}"))
        st.button("Sign out", icon=":material/logout:", key="roles_out", on_click=st.logout)
    if own_role is None:
        st.error(
            "You are signed in but have no role here; ask the administrator of this app for one.",
            icon=":material/lock:",
        )
        st.stop()


def role() -> UserRole | None:
    """The role of the current user, None if they have none. Raises InputError if the role file is
    not named or cannot be read."""
    if not shared():
        return UserRole.RUNNER
    path = settings.load().roles
    if path is None:
        raise InputError(
            "Sign-in is configured but there are no roles; name a role file in DCQ_ROLES."
        )
    if st.user.get("is_logged_in") is not True or not _vouched():
        return None
    return find_role(read_roles(path), _email())


def why_not(needed: UserRole, what: str | None = None) -> str | None:
    """Why the user may not do ``what``, which needs the role ``needed``, for the button's help;
    None if they may. Nobody may change the example."""
    if example.is_shown():
        return example.READ_ONLY
    own_role = role()
    if own_role is not None and own_role >= needed:
        return None
    sentence = f"{what} needs the role {needed.name.lower()}" if what else _NEEDED[needed]
    return f"{sentence}; ask the administrator of this app for it."


def require(needed: UserRole) -> None:
    """Raise InputError if the user may not do what needs the role ``needed``. Checked again when
    the button is pressed: the role may have been removed since, and a click can be forged."""
    if sentence := why_not(needed):
        raise InputError(sentence)


def while_allowed(make: Callable[[], _T], needed: UserRole = UserRole.VIEWER) -> Callable[[], _T]:
    """``make``, which raises InputError where the user has lost the role when it is called. For a
    download, which is made outside of a page, where nobody is signed in: the person is remembered
    and their role is read again."""
    if not shared():
        return make
    email = _email() if st.user.get("is_logged_in") is True else None

    def made() -> _T:
        path = settings.load().roles
        own_role = None if path is None or email is None else find_role(read_roles(path), email)
        if own_role is None or own_role < needed:
            raise InputError(
                "Your role for this was taken away; ask the administrator of this app."
            )
        return make()

    return made


def leave_if_gone() -> None:
    """For parts that are drawn again by themselves: draw the whole page, which ends for users who
    may no longer see it."""
    if role() is None:
        st.rerun()


def refuses(needed: UserRole) -> bool:
    """``require`` for callbacks: shows why and returns True if the user may not."""
    sentence = why_not(needed)
    if sentence:
        notice.toast(sentence, icon=":material/lock:", duration="long")
    return bool(sentence)


def shared() -> bool:
    """True if users sign in or have roles; then no page accepts a path on this machine."""
    return settings.load().roles is not None or "is_logged_in" in st.user


def author() -> str:
    """The signed-in user as records name them: name and address, or the address alone; empty if no
    one is signed in. Two people of the same name stay distinct, and no name can pass for an
    address."""
    address, name = identity(), display_name()
    if not address or name.casefold() == address:
        return address
    return f"{name} <{address}>"


def identity() -> str:
    """A unique id of the signed-in user: the address verified by the provider, in lower case, else
    the provider's own id of the account; empty if no one is signed in."""
    if not shared() or st.user.get("is_logged_in") is not True:
        return ""
    return _email().casefold() or f"account {st.user.get('sub') or 'unknown'}"


def display_name() -> str:
    """The name of the signed-in user, as they or their provider chose it, else their address."""
    name = st.user.get("name")
    words = readable(re.sub(r"[<>]|\s", " ", name)) if isinstance(name, str) else ""
    words = " ".join(words.split())[:LONGEST_PERSON]
    return words or identity()


def uploader() -> str:
    """Whose quota an upload counts against: the address of the signed-in user, empty on an app that
    is not shared. Raises InputError if the sign-in carries no address."""
    if not shared():
        return ""
    email = _email().casefold()
    if not email:
        raise InputError(
            "Uploads are counted by e-mail address, and your sign-in has none; sign in with an "
            "account that has one."
        )
    return email


def read_roles(path: Path) -> Mapping[str, Any]:
    """The role file; raises InputError if it cannot be read or names an unknown role."""
    try:
        document = tomllib.loads(read_text(path, MOST_SETTINGS))
    except (OSError, ValueError):
        raise InputError(
            f"The role file {path} cannot be read as TOML in UTF-8; fix it or DCQ_ROLES."
        ) from None
    names = [document.get("everyone", "viewer")]
    for table in ("people", "domains"):
        entries = document.setdefault(table, {})
        names += entries.values() if isinstance(entries, dict) else [entries]
    role_names = [known_role.name.lower() for known_role in UserRole]
    if unknown := [name for name in names if name not in role_names]:
        raise InputError(
            f"The role file {path} gives the role {unknown[0]!r}; use {', '.join(role_names)}."
        )
    return document


def find_role(roles: Mapping[str, Any], email: str) -> UserRole | None:
    """The role of an address by a role file: the person's own, else their domain's, else
    everyone's. Case does not matter."""
    email = email.casefold()
    people = {name.casefold(): role_name for name, role_name in roles["people"].items()}
    domains = {name.casefold(): role_name for name, role_name in roles["domains"].items()}
    role_name = people.get(email) or domains.get(email.rpartition("@")[2]) if email else None
    role_name = role_name or roles.get("everyone")
    return UserRole[role_name.upper()] if role_name else None


def _email() -> str:
    """The address verified by the identity provider, empty if there is none."""
    email = st.user.get("email")
    return email if isinstance(email, str) and _vouched() else ""


def _vouched() -> bool:
    """Whether the address counts as verified. Some providers leave the claim out, which counts as
    verified, and some send it as a string; any value but true counts as not verified."""
    return str(st.user.get("email_verified", True)).strip().casefold() == "true"


LabelVisibility = Literal["visible", "collapsed"]

_KEY, _KNOWN, _TYPED = "people_author", "people_known", "people_typed"
NEEDED = "Enter your name first, at the top right: it is saved with each decision and edit."


def why_not_decide(author: str) -> str | None:
    """Why this person cannot decide or label anything, None if they can."""
    return why_not(UserRole.ANNOTATOR) or (None if author else NEEDED)


def ask_author(*, in_row: bool = False) -> str:
    """The name of the signed-in user, else ``DCQ_AUTHOR``, else the name that the user enters;
    empty while there is none. ``in_row``: without a line for the label of the field.

    No name is suggested, and only the tab in which a name was entered remembers it over a refresh,
    so that no one works under another's name.
    """
    label: LabelVisibility = "collapsed" if in_row else "visible"
    signed_in = author()
    if configured := signed_in or settings.load().author.strip():
        source = "You are signed in under this name." if signed_in else "Set by DCQ_AUTHOR."
        st.text_input(
            "Your name",
            configured,
            disabled=True,
            help=source,
            key="people_set",
            label_visibility=label,
        )
        return configured
    if remembered_name := st.session_state.pop(_KNOWN, None):
        st.session_state[_KEY] = remembered_name
    with st.container(gap=None):
        text = st.text_input(
            "Your name",
            key=_KEY,
            max_chars=browser.NAME_LIMIT,
            placeholder="Your name" if in_row else "needed to decide",
            label_visibility=label,
            persist_state="session",
            on_change=notice.told(_note_typed),
            help="Saved with each decision and edit, and remembered in this tab until you close "
            "it. Set DCQ_AUTHOR to set it permanently.",
        )
        name = _checked(text or "")
        fresh = _TYPED not in st.session_state
        remembered_name = browser.remember_name(name, fresh=fresh, key="people_tab")
    if remembered_name and not name and fresh:
        st.session_state[_KNOWN] = remembered_name
        st.rerun()
    return name


def _checked(typed: str) -> str:
    """The name that a user typed; empty, with the reason, where nobody can be called so."""
    if not typed.strip():
        return ""
    try:
        return read_name(typed, "person", LONGEST_PERSON)
    except InputError as error:
        notice.error(error)
        return ""


def known_author() -> str:
    """The name that ``ask_author`` would return, without asking; empty while there is none."""
    if known := author() or settings.load().author.strip():
        return known
    try:
        return read_name(str(st.session_state.get(_KEY) or ""), "person", LONGEST_PERSON)
    except InputError:
        return ""


def _note_typed() -> None:
    st.session_state[_TYPED] = True
