"""What a replication checks itself, in words."""

from __future__ import annotations

from dcq.evidence.check import Words


def not_all_asked(count: int, of: int) -> Words:
    number = f"{count:,} of {of:,}"
    return Words(number, f"The run is unfinished: {number} completions were asked for so far.")


def endpoint_down(count: int, of: int) -> Words:
    number = f"{count:,} of {of:,}"
    return Words(number, f"The endpoint was down: {number} requests got a reply.")


def judge_not_done(count: int, of: int) -> Words:
    number = f"{count:,} of {of:,}"
    return Words(number, f"The judge is not done: {number} completions were judged so far.")
