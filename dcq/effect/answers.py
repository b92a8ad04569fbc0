"""What is known in the store of each model and a benchmark: its strongest verdict."""

from __future__ import annotations

from dcq.errors import InputError
from dcq.judging import study
from dcq.store import Store


def answers_on(store: Store, partition: str) -> dict[str, str | None]:
    """The ruling of each model that was asked about ``partition`` (``key/split``), whatever the
    method; the strongest where there are several. Raises ``InputError`` where nobody was asked."""
    cases = study.judged(store)
    own = [
        (one.evidence.model, cases.verdicts[run])
        for run, one in cases.cases.items()
        if one.evidence.partition == partition and run in cases.verdicts
    ]
    if not own:
        raise InputError(
            f"No model was asked about {partition!r}; `python -m dcq results` lists partitions."
        )
    ordered = sorted(own, key=lambda pair: study.rank_verdict(pair[1]), reverse=True)
    return {model: verdict.ruling.value for model, verdict in ordered}
