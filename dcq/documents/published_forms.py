"""Answers in the formats in which other projects publish such findings.

- The Hub's ``.eval_results/*.yaml``, by its own library: numbers on one data set of the Hub, in the
  repository of the model.
- Every Eval Ever, schema 0.2.1: https://github.com/evaleval/every_eval_ever
- The LM Contamination Index, rows of its ``data.json``:
  https://github.com/hitz-zentroa/lm-contamination

None has a word for "inconclusive", and no answer is ever written as "clean".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from dcq import settings
from dcq.errors import InputError
from dcq.evidence.power import ALPHA
from dcq.evidence.record import KAPPA, MATCH_RATE, SHARE_FOUND
from dcq.judging.answer import Answer, MethodAnswer
from dcq.judging.judged import Ruling
from dcq.partitions.origin import Origin, find_origin
from dcq.store import Store, samples
from dcq.store.connect import utc_now
from dcq.version import __version__
from dcq.words import interval_words, names_for_others, p_words, two_decimals, without_address

EEE_VERSION = "0.2.1"
_LEVELS = (Ruling.NO_EVIDENCE, Ruling.CONTAMINATED)
_UNKNOWN = -1  # what that schema scores an unknown level as
_SPLITS = {"train": "train", "validation": "dev", "dev": "dev", "val": "dev", "test": "test"}


class Form(StrEnum):
    """The formats, as they are named on the command line."""

    HUB = "hub"
    EVERY_EVAL_EVER = "every-eval-ever"
    CONTAMINATION_INDEX = "contamination-index"


@dataclass(frozen=True)
class Facts:
    """What a format needs besides the answers: the ``sources`` of partitions as samples keep them,
    where the evidence is published (``url``, may be empty), who evaluated, and the moment (UTC)."""

    sources: Mapping[str, str]
    url: str
    author: str
    now: datetime


def facts_of(store: Store, answers: Sequence[Answer], url: str = "") -> Facts:
    """The facts on answers of a store; ``url`` is where their evidence is published."""
    sources = {
        answer.partition: samples.load(store, answer.sample).partition.source
        for answer in answers
        if answer.sample
    }
    return Facts(sources, url, settings.load().author, utc_now())


def to_bytes(form: Form, answers: Sequence[Answer], facts: Facts) -> bytes:
    """The answers as the content of a file. Raises InputError where the format has no place for
    them."""
    if not answers:
        raise InputError(
            "There is no answer to write; `python -m dcq answer` lists those that are."
        )
    names = names_for_others(answer.model for answer in answers)
    answers = [_named(answer, without_address(names[answer.model])) for answer in answers]
    if form is Form.HUB:
        rows = eval_result_entries_to_yaml(hub_entries(answers, facts))
        return str(yaml.safe_dump(rows, allow_unicode=True, sort_keys=False)).encode()
    document: Any = (
        every_eval_ever(answers, facts)
        if form is Form.EVERY_EVAL_EVER
        else contamination_index(answers, facts)
    )
    return json.dumps(document, ensure_ascii=False, indent=4, allow_nan=False).encode() + b"\n"


def _named(answer: Answer, name: str) -> Answer:
    """The answer with another name of the model: the address of an endpoint, behind the @, and a
    path on somebody's disk are nobody else's business."""
    return replace(answer, model=name, sentence=answer.sentence.replace(answer.model, name))


def hub_entries(answers: Sequence[Answer], facts: Facts) -> list[EvalResultEntry]:
    """One entry for each result that votes. The names of the tasks are ours: a benchmark on the Hub
    has none for contamination."""
    _one_model(answers)
    entries = [
        EvalResultEntry(
            dataset_id=origin.hub,
            task_id=f"dcq-{vote.method}-{_split(answer)}",
            value=round(vote.estimate, 4),
            dataset_revision=origin.revision,
            date=_moment(vote),
            source_url=facts.url or None,
            source_name=f"dcq {__version__}" if facts.url else None,
            notes=_notes(answer, vote),
        )
        for answer in answers
        if (origin := _origin(answer, facts)).hub
        for vote in answer.voting
        if vote.estimate is not None
    ]
    if not entries:
        raise InputError(
            "No result that votes is about a data set of the Hub, which this form is for; choose "
            f"{Form.EVERY_EVAL_EVER}."
        )
    return entries


def every_eval_ever(answers: Sequence[Answer], facts: Facts) -> dict[str, Any]:
    """One document on one model: each ruling as a level, unknown where it is inconclusive, and each
    estimate that has bounds, with its interval."""
    model = _one_model(answers)
    at = str(int(facts.now.replace(tzinfo=UTC).timestamp()))
    details = {"deployment_type": "unknown", "model_availability": "unknown"}
    results = [
        row for answer in answers for row in [_level(answer, facts), *_estimates(answer, facts)]
    ]
    return {
        "schema_version": EEE_VERSION,
        "evaluation_id": f"dcq/{model}/{at}",
        "retrieved_timestamp": at,
        "source_metadata": {
            "source_name": "dcq",
            "source_type": "evaluation_run",
            "source_organization_name": facts.author or "unknown",
            "evaluator_relationship": "other",
            **({"source_organization_url": facts.url} if facts.url else {}),
        },
        "eval_library": {"name": "dcq", "version": __version__},
        "model_info": {"name": model, "id": model, "additional_details": details},
        "evaluation_results": results,
    }


def contamination_index(answers: Sequence[Answer], facts: Facts) -> list[dict[str, Any]]:
    """A row for each model and data set. A split is ``contaminated``, ``suspicious`` where one
    method alone says so, or null; per cents are κ, and only of what is called and published at a
    source."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for answer in answers:
        split = _SPLITS.get(_split(answer))
        if split is None:
            continue
        dataset = _origin(answer, facts).name
        row = rows.setdefault(
            (answer.model, dataset),
            {
                "model": answer.model,
                "dataset": dataset,
                **{f"{name}_split": None for name in ("train", "dev", "test")},
                **{f"{name}_percent": None for name in ("train", "dev", "test")},
                "guidelines": None,
                "source": facts.url,
            },
        )
        row[f"{split}_split"] = _index_word(answer)
        if facts.url and answer.ruling is Ruling.CONTAMINATED:
            row[f"{split}_percent"] = _percent(answer)
    if not rows:
        raise InputError("The index knows train, dev and test; no answer is about one of these.")
    return list(rows.values())


def _index_word(answer: Answer) -> str | None:
    if answer.ruling is Ruling.CONTAMINATED:
        return "contaminated"
    alone = any(vote.p_value is not None and vote.p_value <= ALPHA for vote in answer.voting)
    return "suspicious" if alone else None


def _percent(answer: Answer) -> float | None:
    """κ of the quiz that counts most: the share of instances that were found beyond guessing."""
    estimates = [vote.estimate for vote in answer.voting if vote.unit == KAPPA and vote.estimate]
    return round(100 * max(0.0, estimates[0]), 1) if estimates else None


def _one_model(answers: Sequence[Answer]) -> str:
    models = list(dict.fromkeys(answer.model for answer in answers))
    if len(models) > 1:
        raise InputError(
            f"This form is about one model, and there are {len(models)}; name one with --model."
        )
    return models[0]


def _origin(answer: Answer, facts: Facts) -> Origin:
    return find_origin(answer.partition, facts.sources.get(answer.partition, ""))


def _split(answer: Answer) -> str:
    return answer.partition.rpartition("/")[2]


def _moment(vote: MethodAnswer) -> str | None:
    if vote.judged is None:
        return None
    at = vote.judged.evidence.at.replace(tzinfo=UTC)
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _notes(answer: Answer, vote: MethodAnswer) -> str:
    limits = (
        "" if vote.low is None or vote.high is None else f" {interval_words(vote.low, vote.high)}"
    )
    text = f"{vote.name}: {vote.unit} {two_decimals(vote.estimate or 0.0)}{limits}, n = {vote.n:,}"
    q = "" if answer.q_value is None else f", {p_words(answer.q_value, 'q')}"
    return f"Data contamination: {answer.ruling.word}{q} of all methods; {text}."


def _source_data(answer: Answer, facts: Facts, n: int) -> dict[str, Any]:
    origin = _origin(answer, facts)
    details = {"partition": answer.partition}
    if not origin.hub:
        return {
            "dataset_name": answer.place,
            "source_type": "other",
            "additional_details": details,
        }
    revision = {"revision": origin.revision} if origin.revision else {}
    return {
        "dataset_name": answer.place,
        "source_type": "hf_dataset",
        "hf_repo": origin.hub,
        "hf_split": _split(answer),
        "samples_number": n,
        "additional_details": details | revision,
    }


def _level(answer: Answer, facts: Facts) -> dict[str, Any]:
    level = _LEVELS.index(answer.ruling) if answer.ruling in _LEVELS else _UNKNOWN
    figures = {"p_value": answer.p_value, "q_value": answer.q_value}
    return {
        "evaluation_name": f"Data contamination of {answer.partition}",
        "source_data": _source_data(
            answer, facts, max((method.n for method in answer.methods), default=0)
        ),
        "metric_config": {
            "evaluation_description": "Whether the model has seen the partition: one ruling from "
            "all methods. An unknown level is an inconclusive one; no evidence does not mean "
            "unseen.",
            "lower_is_better": True,
            "score_type": "levels",
            "level_names": [level.value for level in _LEVELS],
            "has_unknown_level": True,
        },
        "score_details": {
            "score": level,
            "details": {
                "sentence": answer.sentence,
                **{name: f"{value:.6g}" for name, value in figures.items() if value is not None},
            },
        },
    }


def _least_kappa(vote: MethodAnswer) -> float:
    chance = (vote.judged.evidence.chance if vote.judged else None) or 0.25
    return -chance / (1 - chance)


_BOUNDS: Mapping[str, tuple[Callable[[MethodAnswer], float], float]] = {
    KAPPA: (_least_kappa, 1.0),
    MATCH_RATE: (lambda _: 0.0, 1.0),
    SHARE_FOUND: (lambda _: 0.0, 1.0),
}


def _estimates(answer: Answer, facts: Facts) -> list[dict[str, Any]]:
    """Those of the results that vote whose unit has bounds."""
    rows = []
    for vote in answer.voting:
        if vote.estimate is None or vote.unit not in _BOUNDS:
            continue
        least, most = _BOUNDS[vote.unit]
        limits = (
            {}
            if vote.low is None or vote.high is None
            else {
                "confidence_interval": {
                    "lower": vote.low,
                    "upper": vote.high,
                    "confidence_level": 0.95,
                }
            }
        )
        rows.append(
            {
                "evaluation_name": f"{vote.name.capitalize()} on {answer.partition}",
                "source_data": _source_data(answer, facts, vote.n),
                "metric_config": {
                    "evaluation_description": f"{vote.unit} by itself, before the comparison with "
                    "text that the model cannot have seen",
                    "lower_is_better": True,
                    "score_type": "continuous",
                    "min_score": least(vote),
                    "max_score": most,
                },
                "score_details": {
                    "score": vote.estimate,
                    "details": {"run": vote.run},
                    "uncertainty": {**limits, "num_samples": vote.n},
                },
            }
        )
    return rows
