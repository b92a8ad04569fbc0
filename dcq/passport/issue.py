"""Makes a passport: one answer, the bundle of its study, and the signature over both.

Keys stay where their owner is: the app gives away bundles, and a bundle is signed on one's own
machine, without the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dcq.errors import InputError
from dcq.files import bundle, bundle_import, bundle_write
from dcq.files.bundle import BundleManifest
from dcq.files.bundle_outcomes import plain_answer
from dcq.judging import known
from dcq.judging.answer import Answer
from dcq.passport import envelope, form, statement
from dcq.store import Store
from dcq.store.connect import utc_now
from dcq.store.studies import Study
from dcq.words import listed


@dataclass(frozen=True)
class Issued:
    """A ``passport`` and its ``bundle`` as the contents of files, and the statement of the
    passport. The bundle is None where it was there before."""

    passport: bytes = field(repr=False)
    bundle: bytes | None = field(repr=False)
    statement: dict[str, Any]


def choose(
    store: Store, within: Study, model: str | None = None, partition: str | None = None
) -> Answer:
    """The one answer on this model and partition. Raises InputError where there is none, or more
    than one, and for an unknown name with the nearest ones."""
    known.check(store, model=model, partition=partition)
    return _only(statement.find(store, within, model, partition))


def _only(answers: Sequence[Answer]) -> Answer:
    if not answers:
        raise InputError("There is no such answer; `python -m dcq answer` lists those that are.")
    if len(answers) > 1:
        raise InputError(
            f"{len(answers)} answers fit; name one with --model '{answers[0].model}' --partition "
            f"{answers[0].partition}, or another pair that `python -m dcq answer` lists."
        )
    return answers[0]


def sign(
    store: Store,
    within: Study,
    answer: Answer,
    key: Ed25519PrivateKey,
    *,
    with_text: bool = True,
    valid: timedelta = statement.VALID,
) -> Issued:
    """Sign an answer together with the bundle of its study. Raises InputError where the answer
    rests on texts that the bundle would not have."""
    if answer.senders:
        raise InputError(
            f"This answer rests on replies from {listed(list(answer.senders))}, which were not "
            "asked here, and a passport states what its signer asked. Let the sender sign it, or "
            "take the import back with: python -m dcq imported take-back ID"
        )
    packed, manifest = bundle_write.to_bytes(store, within, with_text=with_text)
    if not _gives(manifest, answer):
        raise InputError(
            "This answer rests on completions, which are scored against texts, so without them "
            "nobody could compute it again; drop --without-text."
        )
    digest = hashlib.sha256(bundle.dump(manifest)).hexdigest()
    stated = statement.state(store, answer)
    document = statement.make(stated, manifest, digest, now=utc_now(), valid=valid)
    return Issued(_seal(document, key), packed, document)


def from_bundle(
    path: Path,
    key: Ed25519PrivateKey,
    model: str | None = None,
    partition: str | None = None,
    *,
    valid: timedelta = statement.VALID,
) -> Issued:
    """Sign one answer of a bundle, such as the app gives away, as its rows give it: nobody signs
    what another machine merely says. Raises InputError where the manifest says otherwise."""
    source_bundle = bundle_import.read(path)
    with bundle_import.unpack(source_bundle, path.name) as alone:
        known.check(alone.store, model=model, partition=partition)
        answers = statement.find(alone.store, alone.judged, model, partition, text_of=alone.text_of)
        with_text = statement.has_texts(source_bundle.manifest)
        stated = [
            statement.state(alone.store, candidate, with_text=with_text)
            for candidate in answers[:1]
        ]
    answer = _only(answers)
    if not _gives(source_bundle.manifest, answer):
        raise InputError(
            f"What the rows of {path.name} give of this answer is not what its manifest says; "
            "`python -m dcq import` names each difference."
        )
    document = statement.make(
        stated[0], source_bundle.manifest, source_bundle.sha256, now=utc_now(), valid=valid
    )
    return Issued(_seal(document, key), None, document)


def _seal(document: dict[str, Any], key: Ed25519PrivateKey) -> bytes:
    """The signed statement. Raises InputError for one that no check would take for valid."""
    claims = form.read_claims(document)
    if isinstance(claims, str):
        raise InputError(f"Nobody could check this passport, so it is not signed. {claims}")
    return envelope.seal(document, key)


def _gives(manifest: BundleManifest, answer: Answer) -> bool:
    """Whether a bundle says of the pair what is signed."""
    manifest_answers = [
        {name: value for name, value in entry.items() if name != "run"}
        for entry in manifest.outcomes.answers or []
        if (entry["model"], entry["partition"]) == answer.pair
    ]
    return manifest_answers == [json.loads(json.dumps(plain_answer(answer)))]
