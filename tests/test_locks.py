"""The lock files fit the ranges, and say exactly what is installed. `make lock` writes them."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dcq.settings import ROOT

LOCKS = {
    f"requirements{part}.lock": f"requirements{part}.txt"
    for part in ("", "-dev", "-embedded", "-likelihood")
}


def _wanted(name: str) -> list[Requirement]:
    """The requirements of a file, and of those it includes."""
    found = []
    for line in (ROOT / name).read_text("utf-8").splitlines():
        text = line.split(" #")[0].strip()
        if text.startswith("-r "):
            found += _wanted(text.removeprefix("-r "))
        elif text and not text.startswith("#"):
            found.append(Requirement(text))
    return found


def _locked(name: str) -> list[tuple[Requirement, str]]:
    """Each entry of a lock file and its hashes."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    entries = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [
        (Requirement(entry.split(" --hash")[0]), entry.partition(" --hash")[2]) for entry in entries
    ]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_locked_at_a_version_in_its_range(lock: str) -> None:
    versions: dict[str, list[str]] = {}
    for entry, _ in _locked(lock):
        [exact] = entry.specifier
        assert exact.operator == "=="
        versions.setdefault(canonicalize_name(entry.name), []).append(exact.version)
    for requirement in _wanted(LOCKS[lock]):
        found = versions.get(canonicalize_name(requirement.name), [])
        assert found, f"{requirement.name} is not in {lock}; run: make lock"
        assert all(requirement.specifier.contains(version) for version in found), requirement


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_has_hashes_and_names_no_place(lock: str) -> None:
    for entry, hashes in _locked(lock):
        assert re.search(r"sha256:[0-9a-f]{64}", hashes), entry.name
    assert not re.search(r"://|@ |--(?:extra-)?(?:index-url|find-links)|file:", _text(lock))


def test_the_locks_agree() -> None:
    """What is tested is what is installed without the tools."""
    run = {str(entry) for entry, _ in _locked("requirements.lock")}
    test = {str(entry) for entry, _ in _locked("requirements-dev.lock")}
    assert {one.partition(";")[0] for one in run} <= {one.partition(";")[0] for one in test}


def test_the_checks_install_from_the_locks() -> None:
    installs = [line for line in _text("Makefile").splitlines() if "pip install" in line]
    named = [line for line in installs if " -r " in line]
    assert named
    assert all("--require-hashes" in line and ".lock" in line for line in named)
    assert "make ci" in _text(".ci/run")


def _text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")
