"""Results as metadata for a model's card on the Hugging Face Hub, in its form: ``model-index``.

The form is the Hub's, and its own library writes it. It has no words for this quiz, so the task and
the types of the metrics are named by us.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from dcq.documents.deck.model import Deck
from dcq.partitions import catalog
from dcq.records import Role

TASK, TASK_NAME = "data-contamination", "Data Contamination Quiz"
_KAPPAS = {"kappa_control": "κ above unseen text", "kappa_fixed": "κ above guessing"}


def write_metadata(deck: Deck) -> str:
    """One YAML document for each model that has a verdict, for the head of its card. Empty without
    a verdict."""
    judged = [one for one in deck.data["results"] if one["role"] == Role.TARGET and one["verdict"]]
    models = dict.fromkeys(one["model"] for one in judged)
    return "---\n".join(
        ModelCardData(
            model_name=model,
            eval_results=[
                metric for one in judged if one["model"] == model for metric in _metrics(one)
            ],
        ).to_yaml()
        + "\n"
        for model in models
    )


def _metrics(result: Mapping[str, Any]) -> list[EvalResult]:
    """The verdict, its κ, and n, on one partition."""
    key, _, split = result["partition"].rpartition("/")
    known = catalog.find(key)
    values = {"verdict": ("Verdict", result["verdict"])}
    for kind, name in _KAPPAS.items():
        if result[kind] is not None:
            values[kind] = (name, round(result[kind], 3))
    values["n"] = (f"Answers, {result['kind']} quiz, run {result['run']}", result["n"])
    return [
        EvalResult(
            task_type=TASK,
            task_name=TASK_NAME,
            dataset_type=known.hub or key if known else key,
            dataset_name=known.title if known else key,
            dataset_config=known.config if known else None,
            dataset_split=split,
            metric_type=kind,
            metric_name=name,
            metric_value=value,
        )
        for kind, (name, value) in values.items()
    ]
