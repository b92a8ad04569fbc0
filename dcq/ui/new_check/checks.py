"""Checks as studies' files: each is kept beside the uploads, and run by the command that a person
would type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dcq import writer
from dcq.errors import AskedAlreadyError, DcqError
from dcq.jobs import command
from dcq.models.leave import foreign_origins
from dcq.partitions import find
from dcq.records import fingerprint
from dcq.store import Store
from dcq.study import running
from dcq.study.draft import Draft, write_draft
from dcq.study.file import read_study, read_text
from dcq.study.spec import StudySpec
from dcq.ui import downloads, links
from dcq.words import place

KEY = "check"  # the parameter of an address that names a check
_OPENED = "check_opened"
_SUFFIX = ".study.toml"
_MOST = 50  # that are listed


@dataclass(frozen=True)
class SavedCheck:
    """A study's file, by the ``key`` that addresses have, and what it says."""

    key: str
    path: Path
    spec: StudySpec

    @property
    def words(self) -> tuple[str, ...]:
        """The command that runs it. Who wrote the models' names here allowed their addresses."""
        hosts = foreign_origins([*(m.name for m in self.spec.models), self.spec.rewordings.model])
        allowed = [word for host in hosts for word in ("--allow-host", str(host))]
        return ("study", "run", str(self.path.absolute()), "--yes", *allowed)

    @property
    def benchmarks(self) -> str:
        """What it is about, in words."""
        names = []
        for target in self.spec.targets:
            entry = None if target.file else find(target.dataset)
            names.append(place(entry.title if entry else target.dataset, target.split))
        return ", ".join(names)


def read_draft(store: Store, draft: Draft) -> SavedCheck:
    """The check that a draft would be; nothing is written. Raises InputError where it is none."""
    text = write_draft(draft)
    path = _path(store, draft.name, text)
    return SavedCheck(_key(path), path, read_text(text, path))


def save(store: Store, draft: Draft) -> SavedCheck:
    """Keep a draft as a file; one that says the same is the same file, and none is replaced."""
    check = read_draft(store, draft)
    if not check.path.exists():
        check.path.parent.mkdir(parents=True, exist_ok=True)
        writer.write(check.path, write_draft(draft).encode())
    return check


def _path(store: Store, name: str, text: str) -> Path:
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "check"
    return downloads.folder(store) / f"{stem}-{fingerprint(text)[:8]}{_SUFFIX}"


def _key(path: Path) -> str:
    return path.name.removesuffix(_SUFFIX)


def named(store: Store, key: str) -> SavedCheck | None:
    """The check of a key, which an address names; None where there is none."""
    return next((check for check in listing(store) if check.key == key), None)


def opened(*, arrived: bool) -> str:
    """The key of the check that is open in this tab, empty where none is: the address's, or the one
    that was open before. An address that the browser has not heard of yet may come late. Whoever
    has just ``arrived`` at the page opens what its address names."""
    named = st.query_params.get(KEY) or ("" if arrived else st.session_state.get(_OPENED, ""))
    st.session_state[_OPENED] = named
    if named:
        links.put(KEY, named)
    return named


def leave() -> None:
    """Open none."""
    st.session_state[_OPENED] = ""
    links.forget(KEY)


def listing(store: Store) -> list[SavedCheck]:
    """The checks that were started here, the newest first; files that are none are left out."""
    paths = [path for path in downloads.folder(store).glob(f"*{_SUFFIX}") if path.is_file()]
    paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    found = []
    for path in paths[:_MOST]:
        try:
            found.append(SavedCheck(_key(path), path, read_study(path)))
        except (DcqError, OSError):
            continue
    return found


def start(store: Store, check: SavedCheck) -> None:
    """Run it in a process of its own. Raises AskedAlreadyError while it, or another of the same
    study, is run."""
    if running_now(store, check.spec.name) is not None:
        raise AskedAlreadyError(
            f"A check of “{check.spec.name}” is under way; wait until it has ended, or stop it."
        )
    command.start(store, check.words)
    check.path.touch()  # the newest is the one that was started last


def is_live(store: Store, check: SavedCheck) -> bool:
    """Whether it is run now, here or by somebody else."""
    now = running_now(store, check.spec.name)
    return now is not None and now.key == check.key


def running_now(store: Store, name: str) -> SavedCheck | None:
    """The check that runs the study ``name``, which one at a time can; None where none does."""
    same = [check for check in listing(store) if check.spec.name == name]
    states = {check.key: command.state(store, check.words) for check in same}
    here = [check for check in same if (state := states[check.key]) is not None and state.live]
    if not here and running.is_running(store, name):
        here = same
    return next(iter(here), None)


def last_words(store: Store, check: SavedCheck) -> tuple[int, str]:
    """The exit code of its last run and the last line that it printed, as far as this app started
    it; 0 and nothing otherwise."""
    state = command.state(store, check.words)
    return (0, "") if state is None else (state.code, state.last_line)
