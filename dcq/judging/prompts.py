"""What is known of the prompts of runs: whether their servers read them whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dcq.evidence.prompt_ceiling import PromptCounts, count_cut
from dcq.store import Store, prompt_tokens

_FEWEST_ALIKE = 3  # prompts with one count of tokens, and
_SHARE_ALIKE = 0.05  # of all; with fewer the lengths of the texts need not be read


def read(store: Store, run_ids: Sequence[str]) -> dict[str, PromptCounts]:
    """The prompts of each of these runs that asked in words, by run."""
    table = prompt_tokens.counted(store, run_ids)
    found = {
        str(row["run"]): PromptCounts(int(row["n"]), uncounted=2 * row["reported"] < row["n"])
        for row in table.to_dict("records")
    }
    alike = table[table["alike"] >= np.maximum(_FEWEST_ALIKE, _SHARE_ALIKE * table["n"])]
    suspects = [str(run) for run in alike["run"] if not found[str(run)].uncounted]
    if suspects:
        for run, asked in prompt_tokens.by_length(store, suspects).groupby("run"):
            found[str(run)] = count_cut(
                asked["tokens"].to_numpy(np.int64), asked["characters"].to_numpy(np.int64)
            )
    return found
