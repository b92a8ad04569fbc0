"""The reports that the authors of the contamination report publish: found instances with the pages
that have them, beside annotations that say which instance is which.

A report is a JSON object of ``dataset_name`` and ``matches``. That has a list for each found
instance, of the pages found: ``query``, ``match_string``, ``score``, ``score_label``, ``name``,
``url`` and ``snippet``. It has no ids. It was written in one loop with the annotations, so its
instances are those that the annotations do not call clean, in their order, and the best score of
each is the annotated one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from dcq.errors import InputError
from dcq.overlap.label import Label
from dcq.overlap.match import Category
from dcq.overlap.meteor import RELEASE

_SAME = 1e-9  # scores that differ by less are one


def is_report(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """True for what has the form of a report, whatever its matches hold."""
    return isinstance(value, dict) and isinstance(value.get("matches"), list)


def read_report(path: Path, value: Mapping[str, Any]) -> list[Label]:
    """The instances of a report, their queries as texts, with the category that the code's
    threshold of 0.7 gives them. Raises ``InputError`` where one is not of the form above."""
    return [_instance(path, number, pages) for number, pages in enumerate(value["matches"], 1)]


def _instance(path: Path, number: int, pages: Any) -> Label:
    if not isinstance(pages, list) or not pages or not all(isinstance(p, dict) for p in pages):
        raise InputError(f"{path.name} has no list of pages for match {number}; write it again.")
    scores = [
        tuple(_score(path, number, page, name) for name in ("score", "score_label"))
        for page in pages
    ]
    found = [label for score, label in scores if score >= RELEASE.threshold]
    category = Category.INPUT_ONLY if found else Category.CLEAN
    if any(label >= RELEASE.threshold for label in found):
        category = Category.INPUT_AND_LABEL
    for name in ("query", "url"):
        if not all(isinstance(page.get(name), str) and page[name].strip() for page in pages):
            raise InputError(f'{path.name} has no text "{name}" in match {number}; add it.')
    addresses = dict.fromkeys(page["url"].strip() for page in pages)
    return Label(category, max(s for s, _ in scores), tuple(addresses), pages[0]["query"].strip())


def _score(path: Path, number: int, page: Mapping[str, Any], name: str) -> float:
    value = page.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(
            f"{path.name} has {value!r:.40} as {name} in match {number}; give a number from 0 to 1."
        )
    return float(value)


def complete(labels: Mapping[str, Label], found: list[Label]) -> dict[str, Label] | None:
    """``labels`` with the pages and texts of a report on them; None where the report is on others:
    another number of found instances, or another score of one."""
    ids = [one for one, label in labels.items() if label.category is not Category.CLEAN]
    if len(ids) != len(found) or not all(
        abs(labels[one].score - page.score) < _SAME for one, page in zip(ids, found, strict=True)
    ):
        return None
    return dict(labels) | {
        one: replace(labels[one], sources=page.sources, text=page.text)
        for one, page in zip(ids, found, strict=True)
    }
