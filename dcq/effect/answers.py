"""The answers that the store has on models and a benchmark."""

from __future__ import annotations

from dcq.errors import InputError
from dcq.judging import answers, known
from dcq.store import Store


def answers_on(store: Store, partition: str) -> dict[str, str | None]:
    """The answer on each model that was asked about ``partition`` (``key/split``), over all
    methods. Raises ``InputError`` where no model was asked."""
    partition_answers = answers.answers(store, partition=partition)
    if not partition_answers:
        known.check(store, partition=partition)
        raise InputError(
            f"No model was asked about {partition!r}; `python -m dcq answer` lists partitions."
        )
    return {answer.model: answer.ruling.value for answer in partition_answers}
