"""Who may do what where several people share one app (docs/sharing.md).

Alone on their own machine a person may do everything. Once sign-in is configured or a role file is
named, only people whom the file gives a role come in, and each action asks for the role it needs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

import streamlit as st

from dcq import settings
from dcq.errors import DcqError, InputError
from dcq.ui import notice
from dcq.ui.text import plain


class Role(IntEnum):
    """What a person may do; each may do what the ones before it may."""

    VIEWER = 1  # reads everything
    ANNOTATOR = 2  # also draws samples, writes and reviews variants
    RUNNER = 3  # also spends money: runs, test calls, variants by a model


_NEEDED = {
    Role.ANNOTATOR: "Samples, variants and files are changed by annotators",
    Role.RUNNER: "Models are asked by runners",
}


def admit() -> None:
    """Let the page go on for those who may see it; everyone else is told what to do, and it ends.
    Shows who is signed in."""
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
        mine = role()
    except DcqError as error:
        notice.error(error)
        st.stop()
    with st.sidebar:
        told = mine.name.lower() if mine else "no role"
        st.caption(plain(f"{display_name() or 'Signed in'} · {told}"))
        st.button("Sign out", icon=":material/logout:", key="roles_out", on_click=st.logout)
    if mine is None:
        st.error(
            "You are signed in but have no role here; ask whoever runs this app for one.",
            icon=":material/lock:",
        )
        st.stop()


def role() -> Role | None:
    """The role of the person at the screen, None if they have none. Raises InputError where the
    role file cannot be read."""
    if not shared():
        return Role.RUNNER
    path = settings.load().roles
    if path is None:
        raise InputError(
            "Sign-in is configured but nobody has a role; name a role file in DCQ_ROLES."
        )
    if st.user.get("is_logged_in") is not True or not _vouched():
        return None
    return find_role(read_roles(path), _email())


def lacks(needed: Role) -> str | None:
    """A sentence where the person may not do what asks for ``needed``, for the button's help; None
    where they may."""
    mine = role()
    if mine is not None and mine >= needed:
        return None
    return f"{_NEEDED[needed]}; ask whoever runs this app for that role."


def require(needed: Role) -> None:
    """Raise InputError where the person may not do what asks for ``needed``. Asked again when the
    button is pressed: a role may have gone since it was drawn, and a click can be forged."""
    if sentence := lacks(needed):
        raise InputError(sentence)


def refuses(needed: Role) -> bool:
    """``require`` for callbacks: tells the person and returns True where they may not."""
    sentence = lacks(needed)
    if sentence:
        notice.toast(sentence, icon=":material/lock:", duration="long")
    return bool(sentence)


def shared() -> bool:
    """True where people sign in or have roles: then nobody but those at the machine names a path
    on it."""
    return settings.load().roles is not None or "is_logged_in" in st.user


def author() -> str:
    """Who is signed in, as records name them: name and address, or the address alone; empty where
    nobody is. Two people of one name are told apart, and no name can pass for an address."""
    known, shown = identity(), display_name()
    if not known or shown.casefold() == known:
        return known
    return f"{shown} <{known}>"


def identity() -> str:
    """What is one person's alone: the address that the provider vouches for, in small letters, else
    the provider's own id of the account; empty where nobody is signed in."""
    if not shared() or st.user.get("is_logged_in") is not True:
        return ""
    return _email().casefold() or f"account {st.user.get('sub') or 'unknown'}"


def display_name() -> str:
    """The name of who is signed in, as they or their provider chose it, else their address."""
    name = st.user.get("name")
    words = " ".join(re.sub(r"[<>]", " ", name).split()) if isinstance(name, str) else ""
    return words or identity()


def uploader() -> str:
    """Whose uploads are counted together: the address of who is signed in, empty on an app that is
    not shared. Raises InputError where the sign-in carries no address."""
    if not shared():
        return ""
    email = _email().casefold()
    if not email:
        raise InputError(
            "Your sign-in carries no e-mail address, by which uploads are counted; sign in with an "
            "account that has one."
        )
    return email


def read_roles(path: Path) -> Mapping[str, Any]:
    """The role file; raises InputError where it cannot be read or names an unknown role."""
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise InputError(
            f"The role file {path} cannot be read as TOML in UTF-8; mend it or DCQ_ROLES."
        ) from None
    names = [document.get("everyone", "viewer")]
    for table in ("people", "domains"):
        given = document.setdefault(table, {})
        names += given.values() if isinstance(given, dict) else [given]
    known = [known.name.lower() for known in Role]
    if unknown := [name for name in names if name not in known]:
        raise InputError(
            f"The role file {path} gives the role {unknown[0]!r}; use {', '.join(known)}."
        )
    return document


def find_role(roles: Mapping[str, Any], email: str) -> Role | None:
    """The role of an address by a role file: the person's own, else their domain's, else
    everyone's. Case does not matter."""
    email = email.casefold()
    people = {name.casefold(): given for name, given in roles["people"].items()}
    domains = {name.casefold(): given for name, given in roles["domains"].items()}
    given = people.get(email) or domains.get(email.rpartition("@")[2]) if email else None
    given = given or roles.get("everyone")
    return Role[given.upper()] if given else None


def _email() -> str:
    """The address that the identity provider vouches for, empty if it does not."""
    email = st.user.get("email")
    return email if isinstance(email, str) and _vouched() else ""


def _vouched() -> bool:
    """Whether the provider does not deny that the address is the person's. Some leave the claim
    out, some send it as a text; anything but a yes is a no."""
    return str(st.user.get("email_verified", True)).strip().casefold() == "true"
