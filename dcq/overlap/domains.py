"""The web domains of found instances, and what leaving domains out would avoid.

The contamination report, Figures 3, 5 and 6 (domains) and section 7.1 (blocklists). An instance is
avoided only if all pages that have it are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dcq.errors import InputError
from dcq.incoming.memory import Budget
from dcq.incoming.plain_file import open_text

STEPS = (1, 10, 100)  # domains left out, the commonest first

Pages = Mapping[str, Iterable[str]]  # addresses by instance


@dataclass(frozen=True)
class Blocklist:
    """Of ``n`` found instances, the shares whose every page a blocklist leaves out: by its
    addresses, and by their domains. None for n = 0."""

    n: int
    by_address: float | None
    by_domain: float | None


@dataclass(frozen=True)
class Avoided:
    """Leaving out ``domains`` domains avoids ``avoided`` of ``n`` found instances."""

    domains: int
    n: int
    avoided: int


def blocked(pages: Pages, blocklist: Iterable[str]) -> Blocklist:
    """What a blocklist of addresses would have avoided. ``pages`` has the addresses on which each
    found instance stands; an instance without any is not counted."""
    blocked_places = {_place(address) for address in blocklist} - {""}
    domains = {place.split("/")[0] for place in blocked_places}
    place_sets = [places for some in pages.values() if (places := _places(some))]
    if not place_sets:
        return Blocklist(0, None, None)
    by_address = sum(places <= blocked_places for places in place_sets)
    wide = sum({place.split("/")[0] for place in places} <= domains for places in place_sets)
    return Blocklist(len(place_sets), by_address / len(place_sets), wide / len(place_sets))


def domain_counts(pages: Pages) -> dict[str, int]:
    """How many instances stand on each domain, the most first."""
    counts = Counter(domain for some in pages.values() for domain in domains_of(some))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def by_domain(pages: Pages) -> dict[str, list[str]]:
    """The instances on each domain, the domain with the most first."""
    instances_by_domain: dict[str, list[str]] = defaultdict(list)
    for identity, some in pages.items():
        for domain in domains_of(some):
            instances_by_domain[domain].append(identity)
    return {domain: instances_by_domain[domain] for domain in domain_counts(pages)}


def avoided(pages: Pages, steps: Sequence[int] = STEPS) -> tuple[Avoided, ...]:
    """What leaving out the commonest domains of these pages would avoid; the last step is the first
    that leaves out all domains. The domains are chosen on the same pages, so on other pages they
    would avoid less. None where there is no page."""
    domain_sets = [domains for some in pages.values() if (domains := domains_of(some))]
    ranked = list(domain_counts(pages))
    results = []
    for step in steps if ranked else ():
        out = set(ranked[:step])
        results.append(
            Avoided(min(step, len(ranked)), len(domain_sets), sum(d <= out for d in domain_sets))
        )
        if step >= len(ranked):
            break
    return tuple(results)


def read_blocklist(path: Path) -> list[str]:
    """Addresses or domains, one a line; ``#`` begins a remark. Raises ``InputError`` where there is
    none, or where the file is no text."""
    try:
        with open_text(path, "utf-8-sig") as file:
            addresses = list(_addresses(Budget(path.name).watch(file, ",")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path.name} cannot be read as text; give a file with an address in each line."
        ) from error
    if not addresses:
        raise InputError(f"{path.name} has no address; give a file with an address in each line.")
    return addresses


def _addresses(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        address = line.strip()
        if address and not address.startswith("#"):
            yield address


def domains_of(addresses: Iterable[str]) -> set[str]:
    """The domains of web addresses; paths of files have none."""
    return {place.split("/")[0] for place in _places(addresses)}


def _places(addresses: Iterable[str]) -> set[str]:
    web = (address for address in addresses if address.lower().startswith(("http://", "https://")))
    return {place for address in web if (place := _place(address))}


def _place(address: str) -> str:
    """Host and path, without what leads to the same page: scheme, www, query, final slash. Empty
    where there is no host."""
    try:
        parts = urlsplit(address if "//" in address else f"//{address}")
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return ""
    return f"{host}{parts.path.rstrip('/')}" if host else ""
