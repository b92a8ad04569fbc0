"""What is installed, reachable and set on this machine. Keys are reported as set or missing, never
shown."""

from __future__ import annotations

import os
import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from dcq import settings
from dcq.environment import read_variable
from dcq.errors import DcqError
from dcq.models import embedded, similarity
from dcq.models.endpoints import LIKELIHOOD, missing_variables, resolve
from dcq.models.ping import reachable
from dcq.models.presets import EMBEDDED, PRESETS, Preset
from dcq.models.scorable import scorable
from dcq.overlap.search.providers import PROVIDERS, SearchProvider
from dcq.places import ENV_FILE
from dcq.store import Store
from dcq.variants import offline

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class SetupCheck:
    """One finding: what was checked, whether it can be used (None if only a connection would show
    it and none was made), and what was found or has to be done. ``provider`` marks a provider's
    endpoint, as opposed to a part of this machine; ``extra`` marks an optional part."""

    name: str
    ok: bool | None
    detail: str
    provider: bool = False
    extra: bool = False


def examine(store: Store) -> list[SetupCheck]:
    """Check everything; takes a few seconds at most and calls no model."""
    return [*machine(store), *providers(connect=True)]


def machine(store: Store) -> list[SetupCheck]:
    """Check the parts of this machine, without any connection."""
    return [
        _store(store),
        *_env_file(),
        _embedded(),
        _likelihood(),
        _offline(),
        _meaning(),
        _pictures(),
        *map(_search, PROVIDERS),
    ]


def providers(*, connect: bool) -> list[SetupCheck]:
    """Check the providers' endpoints: which variables are set and, with ``connect``, whether each
    endpoint that is set up accepts a connection."""
    presets = [preset for preset in PRESETS if preset.name != EMBEDDED]
    with ThreadPoolExecutor(len(presets)) as together:  # an address may not answer until a timeout
        return list(together.map(lambda preset: _endpoint(preset, connect=connect), presets))


def _store(store: Store) -> SetupCheck:
    try:
        with store.write():
            pass
    except DcqError as error:
        return SetupCheck("store", False, str(error))
    return SetupCheck("store", True, f"{store.path} can be read and written.")


def _env_file() -> list[SetupCheck]:
    """Whether only its owner can read the file of keys; nothing where there is none, or where files
    have no such rights."""
    try:
        rights = ENV_FILE.stat().st_mode
    except OSError:
        return []
    if os.name == "nt":
        return []
    name = "keys in .env"
    if not rights & 0o077:
        return [SetupCheck(name, True, "Only you can read them.", extra=True)]
    mend = f"chmod 600 {shlex.quote(str(ENV_FILE))}"
    return [
        SetupCheck(name, False, f"Others on this machine can read them; run: {mend}", extra=True)
    ]


def _embedded() -> SetupCheck:
    if reason := embedded.missing():
        return SetupCheck("embedded model", False, reason)
    return SetupCheck(
        "embedded model",
        True,
        f"{embedded.MODEL} is installed. It reads about {embedded.TOKENS_A_SECOND} tokens a second "
        "on one core: 40 questions of 400 tokens take about 80 seconds.",
    )


def _likelihood() -> SetupCheck:
    try:
        resolve(f"{LIKELIHOOD}{EMBEDDED}", settings.load())
    except DcqError as error:
        return SetupCheck("likelihood mode", False, str(error), extra=True)
    return SetupCheck("likelihood mode", True, scorable())


def _offline() -> SetupCheck:
    try:
        offline.reword("The old man walked slowly home.", 1)
    except DcqError as error:
        return SetupCheck("offline rewordings", False, str(error))
    return SetupCheck("offline rewordings", True, "WordNet and the tagger are installed.")


def _meaning() -> SetupCheck:
    reason = similarity.unavailable()
    return SetupCheck(
        "semantic check", reason is None, reason or "The sentence model is installed."
    )


def _pictures() -> SetupCheck:
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser:
        return SetupCheck("charts as SVG and PNG", True, f"{browser} draws them.")
    return SetupCheck("charts as SVG and PNG", False, "Install Chromium: apt-get install chromium.")


def _search(service: SearchProvider) -> SetupCheck:
    missing = service.key_variable and not read_variable(service.key_variable)
    key = f"{service.key_variable} set" if service.key_variable else "no key needed"
    detail = f"Set {service.key_variable} to search with it." if missing else f"{key}."
    return SetupCheck(f"web search: {service.title}", not missing, detail, extra=True)


def _endpoint(preset: Preset, *, connect: bool) -> SetupCheck:
    missing = missing_variables(preset)
    url = settings.load().openai_base_url if preset.name == "openai" else preset.base_url
    if missing:
        return SetupCheck(preset.title, False, f"{' and '.join(missing)} missing.", True)
    key = f"{preset.key_variable} set" if preset.key_variable else "no key needed"
    if not connect:
        return SetupCheck(
            preset.title, None, f"{key}; the connection to {url} was not checked.", True
        )
    if not reachable(url):
        return SetupCheck(preset.title, False, f"{url} is not reachable. {preset.note}", True)
    return SetupCheck(preset.title, True, f"{key}; {url} is reachable.", True)
