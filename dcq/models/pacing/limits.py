"""A provider's limits per minute, and the one pace that all runs of a process share."""

from __future__ import annotations

import asyncio
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from weakref import ReferenceType, WeakValueDictionary, ref

from dcq.errors import ModelChoiceError
from dcq.incoming.plain_file import MOST_SETTINGS, read_text
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.pace import Pace
from dcq.models.pacing.rate_limit import RateLimit
from dcq.settings import DATA

LIMITS_FILE = DATA / "limits.toml"
LEAST_A_MINUTE = 0.01  # one call in a hundred minutes; slower would never end
MOST_A_MINUTE = 1e9  # more is no limit at all
# Held weakly, and by event loop: a pace lives as long as a client uses it, in one loop.
_PACES: WeakValueDictionary[tuple[ReferenceType[asyncio.AbstractEventLoop], str], Pace] = (
    WeakValueDictionary()
)


@dataclass(frozen=True)
class Limits:
    """Requests and tokens (in and out) per minute; None if not limited."""

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        for value in (self.requests_per_minute, self.tokens_per_minute):
            if value is not None and not LEAST_A_MINUTE <= value <= MOST_A_MINUTE:
                raise ModelChoiceError(
                    f"A limit of {value:g} a minute cannot be applied; give {LEAST_A_MINUTE:g} to"
                    f" {MOST_A_MINUTE:,.0f}, or none."
                )

    def or_else(self, usual: Limits) -> Limits:
        """These limits, with those of ``usual`` where one is missing."""
        return Limits(
            self.requests_per_minute or usual.requests_per_minute,
            self.tokens_per_minute or usual.tokens_per_minute,
        )


def find_limits(endpoint: Endpoint, path: Path = LIMITS_FILE) -> Limits:
    """The limits that ``path`` gives for the endpoint's host and port."""
    try:
        table = tomllib.loads(read_text(path, MOST_SETTINGS)).get(_host(endpoint), {})
        return Limits(**{name: float(value) for name, value in table.items()})
    except FileNotFoundError:
        return Limits()
    except (OSError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise ModelChoiceError(
            f"{path} cannot be read as limits; write a table for each host with numbers for"
            " requests_per_minute and tokens_per_minute."
        ) from error


def pace_for(
    endpoint: Endpoint,
    concurrency: int | None = None,
    limits: Limits | None = None,
    folder: Path | None = None,
) -> Pace:
    """The pace of the endpoint's provider in the running event loop.

    ``concurrency`` and ``limits`` (by default the endpoint's, and those of the file) are those of
    the first caller; they apply until no client uses the pace any more. Processes with the same
    ``folder`` share the limits; the calls in flight are counted per process.
    """
    key = ref(asyncio.get_running_loop()), _host(endpoint)
    pace = _PACES.get(key)
    if pace is None:
        limits = limits or find_limits(endpoint)
        pace = _PACES[key] = Pace(
            concurrency or endpoint.concurrency,
            requests=_rate_limit(limits.requests_per_minute, endpoint, folder, "requests"),
            tokens=_rate_limit(limits.tokens_per_minute, endpoint, folder, "tokens"),
        )
    return pace


def _rate_limit(
    per_minute: float | None, endpoint: Endpoint, folder: Path | None, unit: str
) -> RateLimit | None:
    if per_minute is None:
        return None
    name = re.sub(r"[^\w.-]", "_", _host(endpoint))
    return RateLimit(per_minute, folder and folder / f"{name}.{unit}")


def _host(endpoint: Endpoint) -> str:
    return urlsplit(endpoint.base_url).netloc or endpoint.name
