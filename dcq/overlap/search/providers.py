"""The search services and archives by the names that people type, and their addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dcq.environment import read_variable
from dcq.errors import InputError
from dcq.models.address import check_url
from dcq.models.endpoints import Endpoint
from dcq.overlap.search import infinigram
from dcq.overlap.search.archives import Archive, CommonCrawl, Wayback
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.serpapi import SerpApi
from dcq.overlap.search.service import Service, key_from
from dcq.words import listed


@dataclass(frozen=True)
class SearchProvider:
    """A search service: its ``name``, a ``title`` for people, the variable of its ``key`` ("" for
    none), and where to read its terms."""

    name: str
    title: str
    key: str
    terms: str
    live: bool


PROVIDERS = (
    SearchProvider(
        "brave", "Brave Search", Brave.key, "https://api-dashboard.search.brave.com", live=True
    ),
    SearchProvider(
        "serpapi", "SerpApi (Google)", SerpApi.key, "https://serpapi.com/legal", live=True
    ),
    SearchProvider(
        infinigram.NAME, "infini-gram", InfiniGram.key, "https://infini-gram.io", live=False
    ),
)
ARCHIVES: dict[str, Callable[[], Archive]] = {"common-crawl": CommonCrawl, "wayback": Wayback}

# Another address for each, such as that of a proxy or of a server of one's own.
_ADDRESSES = {
    "brave": "BRAVE_SEARCH_URL",
    "serpapi": "SERPAPI_URL",
    infinigram.NAME: "INFINI_GRAM_URL",
    "common-crawl": "COMMON_CRAWL_URL",
    "wayback": "WAYBACK_URL",
}


def find_service(name: str) -> Service:
    """The service of this name, ``infini-gram`` with its index after a colon. Raises InputError for
    another."""
    name = name.strip()
    head, _, index = name.partition(":")
    if head == infinigram.NAME:
        known_infini_gram = InfiniGram(index.strip()) if index.strip() else InfiniGram()
        return replace(known_infini_gram, address=_address(head) or known_infini_gram.address)
    if name == "brave":
        return Brave(_address(name) or Brave.address)
    if name == "serpapi":
        return SerpApi(_address(name) or SerpApi.address)
    known_names = listed([search_provider.name for search_provider in PROVIDERS])
    raise InputError(f"There is no search service {name!r}; choose from {known_names}.")


def documents_of(source: str) -> int | None:
    """``Service.documents`` of a service by the name that results have of it."""
    return InfiniGram.documents if source.partition(":")[0] == infinigram.NAME else None


def find_archive(name: str) -> Archive:
    """The archive of this name. Raises InputError for another."""
    if name not in ARCHIVES:
        raise InputError(f"There is no archive {name!r}; choose from {listed(list(ARCHIVES))}.")
    archive = ARCHIVES[name]()
    if address := _address(name):
        archive = replace(archive, address=address)  # type: ignore[type-var]  # both are dataclasses
    return archive


def service_endpoint(name: str) -> Endpoint:
    """The endpoint of a service for the engine. Raises InputError where the service's key is not
    set."""
    service = find_service(name)
    if service.key:
        key_from(service.key, service.name)
    return Endpoint(
        name=service.name,
        model=service.name,
        base_url=service.address,
        concurrency=1,
        key_variable=service.key,
    )


def archive_endpoint(name: str) -> Endpoint:
    """The endpoint of an archive for the engine."""
    archive = find_archive(name)
    return Endpoint(
        name=archive.name, model=archive.name, base_url=archive.address, concurrency=1, free=True
    )


def _address(name: str) -> str:
    url = read_variable(_ADDRESSES[name])
    return check_url(url) if url else ""
