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
    """A search service: its ``name``, a ``title`` for people, the environment variable of its key
    ("" for none), and where to read its terms. ``live``: it searches the web of today."""

    name: str
    title: str
    key_variable: str
    terms_url: str
    live: bool


PROVIDERS = (
    SearchProvider(
        "brave",
        "Brave Search",
        Brave.key_variable,
        "https://api-dashboard.search.brave.com",
        live=True,
    ),
    SearchProvider(
        "serpapi", "SerpApi (Google)", SerpApi.key_variable, "https://serpapi.com/legal", live=True
    ),
    SearchProvider(
        infinigram.NAME,
        "infini-gram",
        InfiniGram.key_variable,
        "https://infini-gram.io",
        live=False,
    ),
)
ARCHIVES: dict[str, Callable[[], Archive]] = {"common-crawl": CommonCrawl, "wayback": Wayback}

# Another address for each, such as that of a proxy or of a server of one's own.
_ADDRESS_VARIABLES = {
    "brave": "BRAVE_SEARCH_URL",
    "serpapi": "SERPAPI_URL",
    infinigram.NAME: "INFINI_GRAM_URL",
    "common-crawl": "COMMON_CRAWL_URL",
    "wayback": "WAYBACK_URL",
}


def find_service(name: str) -> Service:
    """The service of this name, for infini-gram with or without an index (``infini-gram:INDEX``).
    Raises InputError for another name."""
    name = name.strip()
    service_name, _, index = name.partition(":")
    if service_name == infinigram.NAME:
        infini_gram = InfiniGram(index.strip()) if index.strip() else InfiniGram()
        return replace(infini_gram, address=_address_override(service_name) or infini_gram.address)
    if name == "brave":
        return Brave(_address_override(name) or Brave.address)
    if name == "serpapi":
        return SerpApi(_address_override(name) or SerpApi.address)
    names = listed([search_provider.name for search_provider in PROVIDERS])
    raise InputError(f"There is no search service {name!r}; choose from {names}.")


def max_documents(source: str) -> int | None:
    """The most documents that a query fetches from a service that finds only literal text, by the
    name that results have of it; None for one that ranks pages."""
    return InfiniGram.documents if source.partition(":")[0] == infinigram.NAME else None


def find_archive(name: str) -> Archive:
    """The archive of this name. Raises InputError for another name."""
    if name not in ARCHIVES:
        raise InputError(f"There is no archive {name!r}; choose from {listed(list(ARCHIVES))}.")
    archive = ARCHIVES[name]()
    if address := _address_override(name):
        archive = replace(archive, address=address)  # type: ignore[type-var]  # both are dataclasses
    return archive


def service_endpoint(name: str) -> Endpoint:
    """How the engine calls a service. Raises InputError for an unknown name, or if its key is not
    set."""
    service = find_service(name)
    if service.key_variable:
        key_from(service.key_variable, service.name)
    return Endpoint(
        name=service.name,
        model=service.name,
        base_url=service.address,
        concurrency=1,
        key_variable=service.key_variable,
    )


def archive_endpoint(name: str) -> Endpoint:
    """How the engine calls an archive. Raises InputError for an unknown name."""
    archive = find_archive(name)
    return Endpoint(
        name=archive.name, model=archive.name, base_url=archive.address, concurrency=1, free=True
    )


def _address_override(name: str) -> str:
    """The address that an environment variable sets for a service or archive; "" if unset."""
    url = read_variable(_ADDRESS_VARIABLES[name])
    return check_url(url) if url else ""
