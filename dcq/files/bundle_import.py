"""Importing a bundle: its verdicts are computed again, and compared with those it was made with.

First in a store of its own, which holds nothing else, so that what differs is the bundle's; then,
where the bundle is put into a store that holds more, in that store: controls and family may be
larger there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dcq import methods
from dcq.errors import StoreError
from dcq.files import bundle_read
from dcq.files.bundle import WHOLE, Manifest, Outcomes, damaged
from dcq.files.bundle_outcomes import (
    differences,
    in_both,
    outcomes_of,
    shorten,
    without_needing_texts,
)
from dcq.files.bundle_read import Bundle
from dcq.files.bundle_write import kappa_of, searches_of
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.store import Store, runs, studies
from dcq.store.bundle_put import put
from dcq.store.studies import EVERYTHING
from dcq.variants.leakage import TextOnly
from dcq.version import __version__

_MOST_RUNS = 1_000_000


@dataclass(frozen=True)
class Imported:
    """What became of a bundle. ``added`` counts new rows by table and is empty where nothing was
    stored, because texts are withheld. ``differences`` are between the bundle's verdicts and those
    that its rows give; ``here`` between them and those in the store, which holds more. ``carried``
    says what could not be computed again. ``sha256`` is the manifest's."""

    manifest: Manifest
    sha256: str
    added: Mapping[str, int]
    differences: tuple[str, ...]
    here: tuple[str, ...]

    @property
    def stored(self) -> bool:
        """Whether its rows are in the store now."""
        return self.manifest.text == WHOLE

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "study": self.manifest.study,
            "made_at": self.manifest.made_at,
            "dcq": self.manifest.dcq,
            "manifest_sha256": self.sha256,
            "text": self.manifest.text,
            "stored": self.stored,
            "added": dict(self.added),
            "results": len(self.manifest.outcomes.results),
            "replications": len(self.manifest.outcomes.replications),
            "others": len(self.manifest.outcomes.others),
            "overlaps": len(self.manifest.outcomes.overlaps),
            "agree": not self.differences,
            "differences": list(self.differences),
            "differences_here": list(self.here),
            "carried": list(self.manifest.sentences),
        }

    def sentence(self) -> str:
        """As a person reads it."""
        outcomes = self.manifest.outcomes
        others = outcomes.others if self.stored else without_needing_texts(outcomes.others)
        count = len(outcomes.results) + len(outcomes.overlaps) + len(others)
        if self.stored:  # else nobody computed them
            count += len(outcomes.replications)
        new = sum(self.added.values())
        lines = [
            f"{new:,} rows are new in this store."
            if self.stored
            else "Nothing was stored: the bundle has no texts, so it can only be checked."
        ]
        if self.differences:
            lines += ["Computed again, this differs from the bundle:", *self.differences]
        else:
            lines.append(f"Computed again, all {count:,} results agree with the bundle.")
        lines += self.manifest.sentences
        if self.here:
            lines += ["This store holds more than the bundle, and so says:", *self.here]
        return "\n".join(lines)


def load(store: Store, path: Path) -> Imported:
    """Check a bundle and put it into the store. Raises InputError, and stores nothing, for a file
    that is no sound bundle, and for one that contradicts the store."""
    bundle = bundle_read.read(path)
    manifest = bundle.manifest
    found = check(bundle, path.name)
    whole = manifest.text == WHOLE
    added = put(store, bundle.tables, methods.run_names()) if whole else {}
    here: list[str] = []
    if whole and set(runs.listing(store, limit=_MOST_RUNS)) - _runs(bundle):
        within = studies.load(store, manifest.study) if manifest.study else EVERYTHING
        now = outcomes_of(store, within, searches_of(bundle.tables))
        here = differences(*in_both(manifest.outcomes, now))
    return Imported(manifest, bundle.sha256, added, tuple(found), tuple(here))


def check(bundle: Bundle, name: str) -> list[str]:
    """A sentence for each result that the bundle's rows do not give as its manifest says. Raises
    InputError where they give none at all."""
    manifest = bundle.manifest
    whole = manifest.text == WHOLE
    with tempfile.TemporaryDirectory(prefix="dcq-bundle-") as folder:
        alone = Store(Path(folder) / "dcq.duckdb")
        put(alone, bundle.tables, methods.run_names(), with_text=whole)
        try:
            within = studies.load(alone, manifest.study) if manifest.study else EVERYTHING
            found = outcomes_of(
                alone,
                within,
                searches_of(bundle.tables),
                text_of=text_scores if whole else _carried(manifest),
                with_text=whole,
                every_method=whole,
            )
        except StoreError:
            raise
        except Exception as error:  # whatever rows cause that do not fit one another
            why = shorten(f"{type(error).__name__}: {error}")
            raise damaged(name, f"its rows give no results ({why})") from error
    said = manifest.outcomes
    if not whole:
        others = without_needing_texts(said.others)
        said = Outcomes(said.results, [], said.overlaps, others)  # the rest needs texts
    return differences(said, found, wording=manifest.dcq == __version__)


def _carried(manifest: Manifest) -> TextScores:
    known = {
        quiz: tuple(TextOnly(one.name, kappa_of(one), {}) for one in found)
        for quiz, found in manifest.baselines.items()
    }
    return lambda _, quizzes: {quiz: known[quiz] for quiz in quizzes}


def _runs(bundle: Bundle) -> set[str]:
    return set(bundle.tables["run"]["id"].to_pylist())
