"""The statement of a passport: an in-toto statement on an answer.

Except for its own dates and the bundle's digest it follows from the rows of a store, so whoever has
the bundle can make it again and compare (``dcq.passport.verify``).
https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import rfc8785

from dcq.documents import answer_document
from dcq.documents.deck.limits import ALWAYS
from dcq.errors import InputError
from dcq.evidence.record import Evidence, ServedModel
from dcq.files.bundle import WHOLE, BundleManifest
from dcq.files.bundle_outcomes import plain_answer
from dcq.judging.answer import Answer
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.store import Store, runs, samples
from dcq.store.bundle_tables import WITHHELD
from dcq.store.studies import Study
from dcq.version import __version__

TYPE, PREDICATE = "https://in-toto.io/Statement/v1", "urn:dcq:passport:1"
FIRST_RELEASE = "0.1.0"  # that made passports
# Raise it where the words of a statement change, its sentences, reasons and limits: those of an
# earlier wording are not compared. Passports of the first one do not name it; since the third one
# the subject has the name of the partition on screens, by which the sentence calls it.
FIRST_WORDING, WORDING = 1, 5
VALID = timedelta(days=365)
LONGEST = timedelta(days=3650)  # as `passport make --days` allows
REPLIES = (
    "Replies are kept as endpoints gave them; what follows from them can be computed again, the "
    "replies themselves cannot."
)


def find(
    store: Store,
    within: Study,
    model: str | None = None,
    partition: str | None = None,
    text_of: TextScores = text_scores,
) -> list[Answer]:
    """The answers that a passport can be about."""
    return answers(store, within, model=model, partition=partition, text_of=text_of)


def state(store: Store, answer: Answer, *, with_text: bool = True) -> dict[str, Any]:
    """The part of a statement that follows from a store's rows: the subjects, and most of the
    predicate. Without text, the store has hashes instead of texts."""
    results = [entry.judged for entry in answer.methods if entry.judged]
    evidence = [result.evidence for result in results]
    asked = {entry.run: runs.load(store, entry.run).plan for entry in evidence}
    moments = list(_moments(evidence))
    return {
        "subject": [
            _data_set(store, answer, evidence, with_text=with_text),
            _model(answer, evidence),
        ],
        "predicate": {
            "answer": plain_answer(answer),
            "controls": [_compared(result) for result in results],
            "prompts": [
                {"id": prompt, "sha256": _sha256(wording)}
                for prompt, wording in sorted({(p.prompt, p.wording) for p in asked.values()})
            ],
            "asked": {"first": min(moments), "last": max(moments)} if moments else None,
            "limits": list(ALWAYS),
            "link": answer_document.link(answer),
        },
    }


def make(
    stated: dict[str, Any],
    manifest: BundleManifest,
    digest: str,
    *,
    now: datetime,
    valid: timedelta = VALID,
) -> dict[str, Any]:
    """The statement on what ``state`` gave, whose study is in a bundle of this ``manifest`` with
    this SHA-256; ``now`` is UTC. Raises InputError where it would be ``valid`` for too long."""
    check_validity(valid)
    return {
        "_type": TYPE,
        "predicateType": PREDICATE,
        "subject": stated["subject"],
        "predicate": {
            **stated["predicate"],
            "study": manifest.study,
            "bundle": {"manifest_sha256": digest, "text": manifest.text},
            "not_recomputed": [REPLIES, *manifest.sentences],
            "made_at": moment(now),
            "valid_until": moment(now + valid),
            "dcq": __version__,
            "wording": WORDING,
            "rule": manifest.rule,
        },
    }


def check_validity(valid: timedelta) -> None:
    """Raise InputError for a time that no passport is valid for."""
    if not timedelta(0) < valid <= LONGEST:
        raise InputError(f"A passport is valid for 1 to {LONGEST.days:,} days; choose a number.")


def moment(at: datetime) -> str:
    """A time in UTC as text, to the second."""
    return at.replace(tzinfo=UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def has_texts(manifest: BundleManifest) -> bool:
    """Whether a bundle has its texts."""
    return manifest.text == WHOLE


def _data_set(
    store: Store, answer: Answer, evidence: Sequence[Evidence], *, with_text: bool
) -> dict[str, Any]:
    """The digest is of the hashes of all instances that were asked about, sorted, in canonical
    JSON."""
    names = sorted({entry.sample for entry in evidence if entry.sample})
    drawn = [samples.load(store, name) for name in names]
    hashes = {
        _sha256(entry.text) if with_text else entry.text.removeprefix(WITHHELD)
        for sample in drawn
        for entry in sample.instances
    }
    key, _, split = answer.partition.rpartition("/")
    return {
        "name": answer.partition,
        "digest": {"sha256": hashlib.sha256(rfc8785.dumps(sorted(hashes))).hexdigest()},
        "annotations": {
            "data_set": key,
            "split": split,
            "place": answer.place,
            "sources": sorted({entry.partition.source for entry in drawn}),
            "samples": names,
            "instances": len(hashes),
        },
    }


def _model(answer: Answer, evidence: Sequence[Evidence]) -> dict[str, Any]:
    """Nobody outside has its weights, so the digest is of its name and of what endpoints said
    answered, in canonical JSON."""
    served = {
        served_model
        for each in evidence
        for models in each.served.values()
        for served_model in models
    }
    description: dict[str, Any] = {
        "model": answer.model,
        "served": [
            {"model": model, "fingerprint": mark, "first": moment(first), "last": moment(last)}
            for model, mark, first, last in sorted(served, key=str)
        ],
    }
    return {
        "name": answer.model,
        "digest": {"sha256": hashlib.sha256(rfc8785.dumps(description)).hexdigest()},
        "annotations": {"served": description["served"]},
    }


def _compared(result: JudgedResult) -> dict[str, Any]:
    """The controls of a result, and what they lead to expect."""
    calibration = result.calibration
    used = {control.run for control in result.used_controls}
    return {
        "run": result.evidence.run,
        "method": result.evidence.method,
        "score": calibration.score if calibration else None,
        "expected": calibration.control_score if calibration else None,
        "expected_low": calibration.control_low if calibration else None,
        "expected_high": calibration.control_high if calibration else None,
        "p_value": result.p_value,
        "controls": [
            {
                "run": control.run,
                "partition": control.partition,
                "set_aside": control.run not in used,
            }
            for control in result.controls
        ],
    }


def _moments(evidence: Iterable[Evidence]) -> Iterable[str]:
    for entry in evidence:
        yield moment(entry.at)
        for models in entry.served.values():
            yield from (moment(at) for served in models for at in _limits(served))


def _limits(served: ServedModel) -> tuple[datetime, datetime]:
    return served.first, served.last


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
