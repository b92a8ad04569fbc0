"""Stored replies brought up to the reader of this release, before anyone looks at results."""

from __future__ import annotations

from dcq.errors import StoreError
from dcq.said import READER
from dcq.store import Store, readings
from dcq.words import counted


def read_stored_replies(store: Store) -> str:
    """Read all replies again that an earlier release has read; returns a sentence on what changed,
    empty where nothing did. A store that is busy or cannot be written stays as it is."""
    try:
        if not readings.read_earlier(store, READER):
            return ""
        return _read(store)
    except StoreError:
        return ""


def _read(store: Store) -> str:
    # Here, because every command looks whether there is something to read, and hardly ever is.
    from dcq import methods, settings
    from dcq.asking.read_again import ReadAgain, read_again
    from dcq.effect.asked import keep_runs
    from dcq.effect.method import METHOD as SCORE
    from dcq.replication.method import CHEAT, REPLICATION, judge_again

    kinds = [kind for method in methods.METHODS for kind in method.kinds] + [CHEAT, SCORE]
    by_name = {kind.name: kind for kind in kinds if kind.reads_again}

    def follow(run: ReadAgain) -> None:
        if run.method == REPLICATION.name:
            judge_again(store, run.run, run.changed)
        elif run.method == SCORE.name:
            keep_runs(store, [run.run], settings.load().author)

    read = read_again(store, by_name, follow)
    changed = [run for run in read if run.changed]
    if not changed:
        return ""
    count = sum(len(run.changed) for run in changed)
    noun = "stored reply" if count == 1 else "stored replies"
    return (
        f"This release reads {count:,} {noun} of {counted(len(changed), 'run')} otherwise than an"
        " earlier one. No model was asked; results may have changed."
    )
