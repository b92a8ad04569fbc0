"""Makes a passport: one answer, the bundle of its study, and the signature over both."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dcq.errors import InputError
from dcq.files import bundle, bundle_write
from dcq.files.bundle import BundleManifest
from dcq.files.bundle_outcomes import plain_answer
from dcq.judging.answer import Answer
from dcq.passport import envelope, statement
from dcq.store import Store
from dcq.store.connect import utc_now
from dcq.store.studies import Study


@dataclass(frozen=True)
class Issued:
    """A ``passport`` and its ``bundle`` as the contents of files, and the statement of the
    passport."""

    passport: bytes = field(repr=False)
    bundle: bytes = field(repr=False)
    statement: dict[str, Any]


def choose(
    store: Store, within: Study, model: str | None = None, partition: str | None = None
) -> Answer:
    """The one answer on this model and partition. Raises InputError where there is none, or more
    than one."""
    found = statement.find(store, within, model, partition)
    if not found:
        raise InputError("There is no such answer; `python -m dcq answer` lists those that are.")
    if len(found) > 1:
        raise InputError(
            f"{len(found)} answers fit; name one with --model '{found[0].model}' --partition "
            f"{found[0].partition}, or another pair that `python -m dcq answer` lists."
        )
    return found[0]


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
    packed, manifest = bundle_write.to_bytes(store, within, with_text=with_text)
    if not _gives(manifest, answer):
        raise InputError(
            "This answer rests on completions, which are scored against texts, so without them "
            "nobody could compute it again; drop --without-text."
        )
    digest = hashlib.sha256(bundle.dump(manifest)).hexdigest()
    made = statement.make(store, answer, manifest, digest, now=utc_now(), valid=valid)
    return Issued(envelope.seal(made, key), packed, made)


def _gives(manifest: BundleManifest, answer: Answer) -> bool:
    """Whether a bundle says of the pair what is signed."""
    said = [
        {name: value for name, value in one.items() if name != "run"}
        for one in manifest.outcomes.answers or []
        if (one["model"], one["partition"]) == answer.pair
    ]
    return said == [json.loads(json.dumps(plain_answer(answer)))]
