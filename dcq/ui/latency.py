"""How long replies take, in words."""

from __future__ import annotations

from dcq.store.results import Latency


def words(timed: Latency | None) -> str:
    """``replies in 0.41 s, 95 % within 0.80 s, 99 % within 12 s``; nothing where no reply was
    timed, and no share of fewer replies than make one."""
    if timed is None:
        return ""
    parts = [f"replies in {_seconds(timed.p50)}"]
    if timed.replies >= 20:
        parts.append(f"95 % within {_seconds(timed.p95)}")
    if timed.replies >= 100:
        parts.append(f"99 % within {_seconds(timed.p99)}")
    return ", ".join(parts)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
