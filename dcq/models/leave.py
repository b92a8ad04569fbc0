"""Which addresses in a stranger's file may be sent anything, and so a key.

A study's file may come with a pull request, and a model's name in it may have an address:
``NAME@https://host/v1``. What is asked there gets ``DCQ_API_KEY``, and the texts of the benchmark.
So who runs the file says outside of it which hosts may be asked: by ``--allow-host`` or by
``DCQ_ALLOW_HOSTS``, several separated by commas. A host is allowed with its port, over https unless
``http://`` is written before it. This machine, presets, which have a key of their own, and plain
names, which go where ``OPENAI_BASE_URL`` says, need no leave.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from dcq.environment import read_variable
from dcq.errors import InputError, ModelChoiceError
from dcq.models.address import check_url, client_host, is_loopback
from dcq.models.endpoints import split_mode
from dcq.models.naming import read_name

VARIABLE = "DCQ_ALLOW_HOSTS"
_PORTS = {"http": 80, "https": 443}


class AllowedOrigin(NamedTuple):
    """Where calls go: ``http`` or ``https``, the host as the client looks it up, and the port."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{'http://' * (self.scheme == 'http')}{host}{port}"


def read_allowed(given: Iterable[str]) -> frozenset[AllowedOrigin]:
    """The origins that are ``given``, and those of ``DCQ_ALLOW_HOSTS``. Raises InputError for one
    that is no host."""
    words = [*given, *read_variable(VARIABLE).split(",")]
    return frozenset(_read_host(word.strip()) for word in words if word.strip())


def check_addresses(models: Iterable[str], allowed: Iterable[AllowedOrigin]) -> None:
    """Raise ModelChoiceError for the first of ``models``, named as for commands, that would be
    asked at an address which nobody allowed. Nothing is sent or resolved."""
    known = frozenset(allowed)
    for origin in foreign_origins(models):
        if origin not in known:
            raise ModelChoiceError(
                f"The study names a model at {origin.host}, which would get your key and your "
                f"texts; if you trust it, say so with --allow-host {origin}."
            )


def foreign_origins(models: Iterable[str]) -> list[AllowedOrigin]:
    """Where ``models`` with an address are asked, each origin once, without this machine. Raises
    ModelChoiceError for an address that is none."""
    addresses = (read_name(split_mode(model)[0]).address for model in models)
    urls = [check_url(address) for address in addresses if address]
    return list(dict.fromkeys(_origin(url) for url in urls if not is_loopback(url)))


def _read_host(word: str) -> AllowedOrigin:
    url = word if "//" in word else f"https://{word}"
    try:
        return _origin(check_url(url, allow_metadata=True))
    except ModelChoiceError:
        raise InputError(
            f"{word[:80]!r} names no host to allow; write HOST, HOST:PORT or http://HOST:PORT."
        ) from None


def _origin(url: str) -> AllowedOrigin:
    parts = urlsplit(url)
    host = client_host(url).rstrip(".")
    return AllowedOrigin(parts.scheme, host, parts.port or _PORTS[parts.scheme])
