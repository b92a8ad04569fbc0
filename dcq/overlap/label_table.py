"""What a search or a scan found as labels: for the effect on scores, and as a file for others."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from dcq.overlap.label import Label
from dcq.overlap.outcome import OverlapHit, OverlapResult

_WEB = ("http://", "https://")


def labels(found: OverlapResult) -> dict[str, Label]:
    """The labels of what was searched, with the web addresses of the hits that count and the text
    by which results are matched."""
    rows = {row.instance_id: row for row in found.rows}
    return {
        one: replace(label, sources=_addresses(rows[one].hits), text=rows[one].text)
        for one, label in found.labels().items()
    }


def window_name(found: OverlapResult) -> str:
    """``2017-01 to 2020-12``; "" where the time was not limited."""
    if found.window is None:
        return ""
    return f"{found.window.start:%Y-%m} to {found.window.end:%Y-%m}"


def frame(found: OverlapResult) -> pd.DataFrame:
    """A row for each instance that was searched, as ``overlap effect --labels`` reads it."""
    name = window_name(found)
    return pd.DataFrame(
        [
            {
                "instance_id": one,
                "category": label.category.value,
                "score": None if math.isnan(label.score) else label.score,
                "sources": " ".join(label.sources),
                "text": label.text,
                "window": name,
            }
            for one, label in labels(found).items()
        ],
        columns=["instance_id", "category", "score", "sources", "text", "window"],
    ).astype({"score": float})


def web_address(hit: OverlapHit) -> str:
    """Where on the web a hit is: a page's address, or what a document of a crawl is called; ""
    for files."""
    found = (one for one in (hit.source, hit.document) if one.lower().startswith(_WEB))
    return next((one for one in found if not any(c.isspace() for c in one)), "")


def _addresses(hits: tuple[OverlapHit, ...]) -> tuple[str, ...]:
    counted = (web_address(hit) for hit in hits if hit.crawled is not False)
    return tuple(dict.fromkeys(one for one in counted if one))
