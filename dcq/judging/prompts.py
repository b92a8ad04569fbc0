"""What is known of the prompts of runs: whether their servers read them whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dcq.evidence.prompt_ceiling import PromptCounts, count_cut
from dcq.store import Store, prompt_tokens

_FEWEST_ALIKE = 3  # prompts with one count of tokens, and
_SHARE_ALIKE = 0.05  # of all; with fewer the lengths of the texts need not be read
# Where an endpoint reports no prompt tokens their bytes are stored, which are no fewer than the
# characters. A smaller number is its own, even if the rest of its report contradicts itself.
_COUNTED = 0.7  # tokens a character


def read(store: Store, run_ids: Sequence[str]) -> dict[str, PromptCounts]:
    """The prompts of each of these runs that asked in words, by run."""
    table = prompt_tokens.counted(store, run_ids)
    table["uncounted"] = 2 * table["reported"] < table["n"]
    found = {
        str(row["run"]): PromptCounts(int(row["n"]), uncounted=bool(row["uncounted"]))
        for row in table.to_dict("records")
    }
    alike = table["alike"] >= np.maximum(_FEWEST_ALIKE, _SHARE_ALIKE * table["n"])
    suspects = [str(run) for run in table.loc[alike | table["uncounted"], "run"]]
    if not suspects:
        return found
    asked = prompt_tokens.by_length(store, suspects)
    asked = asked[asked["reported"] | (asked["tokens"] < _COUNTED * asked["characters"])]
    for run, counted in asked.groupby("run"):
        if 2 * len(counted) >= found[str(run)].n:
            found[str(run)] = count_cut(
                counted["tokens"].to_numpy(np.int64), counted["characters"].to_numpy(np.int64)
            )
    return found
