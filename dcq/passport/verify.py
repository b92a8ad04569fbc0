"""Checks a passport by its signature, and with the bundle by making the statement again.

No store of the person who checks is opened: the bundle's rows are put into a temporary one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from dcq.files import bundle_import
from dcq.files.bundle_import import Bundle
from dcq.files.bundle_outcomes import same, shorten
from dcq.passport import envelope, statement
from dcq.passport.keys import key_id
from dcq.version import __version__
from dcq.words import listed

_MOST_NAMED = 4
# Where another release checks, it may say the same in other words.
_WORDS = frozenset({"sentence", "reasons", "limits", "link", "why_not", "not_recomputed", "dcq"})


@dataclass(frozen=True)
class Verified:
    """The result of a check. ``answer`` is None where the signature is not by the key, and in the
    words of the bundle's rows where they give the same; ``recomputed`` says whether they do, None
    without a bundle."""

    signed_by: str | None
    answer: dict[str, Any] | None
    recomputed: bool | None
    problems: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def document(self) -> dict[str, Any]:
        """The result with the keys documented for the command line."""
        return {
            "valid": self.valid,
            "signed_by": self.signed_by,
            "answer": self.answer,
            "recomputed": self.recomputed,
            "problems": list(self.problems),
        }


def verify(
    path: Path, key: Ed25519PublicKey, bundle_path: Path | None = None, *, now: datetime
) -> Verified:
    """Check the passport in a file; ``now`` is UTC. Raises InputError for a file that is no
    passport or no bundle."""
    opened = envelope.open_(envelope.read(path), key)
    if opened.statement is None:
        return Verified(None, None, None, opened.problems)
    signer = key_id(key)
    try:
        claims = _Said.of(opened.statement)
    except (KeyError, TypeError, ValueError, AttributeError):
        return Verified(signer, None, None, ("It is signed, but is no statement on an answer.",))
    problems = list(_dates(claims, now))
    if bundle_path is None:
        return Verified(signer, claims.answer, None, tuple(problems))
    recomputed = _recompute(claims, bundle_import.read(bundle_path), bundle_path.name)
    if isinstance(recomputed, str):
        return Verified(signer, claims.answer, False, (*problems, recomputed))
    # Not in the signer's words: those of another release are not compared.
    return Verified(signer, recomputed, True, tuple(problems))


@dataclass(frozen=True)
class _Said:
    """What is read of a statement."""

    statement: dict[str, Any]
    answer: dict[str, Any]
    model: str
    partition: str
    made_at: str
    valid_until: str
    manifest: str
    version: str

    @classmethod
    def of(cls, stated: dict[str, Any]) -> _Said:
        if (stated["_type"], stated["predicateType"]) != (statement.TYPE, statement.PREDICATE):
            raise ValueError("another type")
        predicate = stated["predicate"]
        answer = predicate["answer"]
        texts = (
            answer["model"],
            answer["partition"],
            _moment(predicate["made_at"]),
            _moment(predicate["valid_until"]),
            predicate["bundle"]["manifest_sha256"],
            predicate["dcq"],
        )
        if not all(isinstance(text, str) for text in (*texts, answer["sentence"])):
            raise TypeError("no text")
        return cls(stated, answer, *texts)


def _moment(text: str) -> str:
    """The moment as we write it, so that moments compare as texts do."""
    if statement.moment(datetime.fromisoformat(text)) != text:
        raise ValueError("another form")
    return text


def _dates(claims: _Said, now: datetime) -> Iterator[str]:
    present = statement.moment(now)
    if present > claims.valid_until:
        yield f"It was valid until {claims.valid_until[:10]}; ask its signer for a new one."
    if present < claims.made_at:
        yield f"It is dated {claims.made_at[:10]}, which is still to come; check both clocks."


def _recompute(claims: _Said, bundle: Bundle, name: str) -> dict[str, Any] | str:
    """The answer that the bundle's rows give, or a sentence on what they give otherwise."""
    if bundle.sha256 != claims.manifest:
        return (
            f"{name} is another bundle than the one that it is about: its manifest has the SHA-256 "
            f"{bundle.sha256[:16]}…, not {shorten(claims.manifest)[:16]}…."
        )
    with_text = statement.has_texts(bundle.manifest)
    with bundle_import.unpack(bundle, name) as alone:
        pair = (claims.model, claims.partition)
        answers = statement.find(alone.store, alone.judged, *pair, text_of=alone.text_of)
        stated = [statement.state(alone.store, answer, with_text=with_text) for answer in answers]
    if len(stated) != 1:
        return "The bundle's rows give no answer on this model and partition."
    made_at, valid_until = map(datetime.fromisoformat, (claims.made_at, claims.valid_until))
    recomputed = statement.make(
        stated[0], bundle.manifest, bundle.sha256, now=made_at, valid=valid_until - made_at
    )
    wording = claims.version == __version__
    differ = list(_differ(claims.statement, recomputed, "", wording=wording))
    if differ:
        return f"Computed again from {name}, this differs: {listed(differ, _MOST_NAMED)}."
    answer: dict[str, Any] = recomputed["predicate"]["answer"]
    return answer


def _differ(signed: Any, recomputed: Any, path: str, *, wording: bool) -> Iterator[str]:
    """The places where two documents differ."""
    if isinstance(signed, dict) and isinstance(recomputed, dict):
        for name in dict.fromkeys([*recomputed, *signed]):
            if wording or name not in _WORDS:
                inner = f"{path}.{name}" if path else str(name)
                yield from _differ(signed.get(name), recomputed.get(name), inner, wording=wording)
    elif (
        isinstance(signed, list) and isinstance(recomputed, list) and len(signed) == len(recomputed)
    ):
        for place, pair in enumerate(zip(signed, recomputed, strict=True), 1):
            yield from _differ(*pair, f"{path}[{place}]", wording=wording)
    elif not same(signed, recomputed):
        yield shorten(path.removeprefix("predicate."))
