"""The runs of likelihoods, and their live progress."""

from __future__ import annotations

from collections.abc import Callable

from dcq.likelihood import NAME
from dcq.likelihood.method import METHOD
from dcq.ui import run_panel
from dcq.ui.run_panel import FrozenWords, ListedRun, Panel

_WORDS = FrozenWords(
    run="likelihood", units="instances", again="Score again", unusable="without likelihoods"
)


def panel(read: Callable[[str], None]) -> Panel[ListedRun]:
    """The panel of runs; ``read`` opens the result of one, in a callback."""
    return run_panel.of_frozen(
        "likelihood", NAME, _WORDS, run_panel.resume_with(METHOD), lambda run: read(run.run)
    )
