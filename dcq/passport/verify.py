"""Checks a passport by its signature, and with the bundle by making the statement again.

No store of the person who checks is opened: the bundle's rows are put into a temporary one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from dcq.files import bundle_import
from dcq.files.bundle_import import Bundle
from dcq.files.bundle_outcomes import same, shorten
from dcq.passport import envelope, form, statement
from dcq.passport.form import Claims
from dcq.passport.keys import key_id
from dcq.words import listed

_MOST_NAMED = 4
# Where another release checks, it may say the same in other words.
_WORDS = frozenset(
    {"sentence", "reasons", "limits", "link", "why_not", "not_recomputed", "dcq", "wording"}
)


@dataclass(frozen=True)
class Verified:
    """The result of a check. ``answer`` is None where there is any problem: nothing is said of what
    cannot be believed. It is never in the signer's words: those of the bundle's rows stand where
    they give the same, else those that this release has for the figures. ``recomputed`` says
    whether the rows give the same, None where nothing was computed again."""

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
    claims = form.read_claims(opened.statement)
    if isinstance(claims, str):
        return Verified(signer, None, None, (claims,))
    problems = list(_dates(claims, now))
    recomputed: dict[str, Any] | str | None = None
    if bundle_path is not None:
        recomputed = _recompute(claims, bundle_import.read(bundle_path), bundle_path.name)
    if isinstance(recomputed, str):
        problems.append(recomputed)
    has_answer = isinstance(recomputed, dict)
    answer = recomputed if isinstance(recomputed, dict) else claims.answer
    return Verified(
        signer,
        None if problems else answer,
        None if bundle_path is None else has_answer,
        tuple(problems),
    )


def _dates(claims: Claims, now: datetime) -> Iterator[str]:
    present = statement.moment(now)
    if present > claims.valid_until:
        yield f"It was valid until {claims.valid_until[:10]}; ask its signer for a new one."
    if present < claims.made_at:
        yield f"It is dated {claims.made_at[:10]}, which is still to come; check both clocks."


def _recompute(claims: Claims, bundle: Bundle, name: str) -> dict[str, Any] | str:
    """The answer that the bundle's rows give, or a sentence on what they give otherwise."""
    if bundle.sha256 != claims.manifest:
        return (
            f"{name} is another bundle than the one that it is about: its manifest has the SHA-256 "
            f"{bundle.sha256[:16]}…, not {shorten(claims.manifest)[:16]}…."
        )
    with_text = statement.has_texts(bundle.manifest)
    with bundle_import.unpack(bundle, name) as alone:
        pair = (claims.model, claims.partition)
        within = replace(alone.judged, rule=claims.rule)
        answers = statement.find(alone.store, within, *pair, text_of=alone.text_of)
        stated = [statement.state(alone.store, answer, with_text=with_text) for answer in answers]
    if len(stated) != 1:
        return "The bundle's rows give no answer on this model and partition."
    made_at, valid_until = map(datetime.fromisoformat, (claims.made_at, claims.valid_until))
    recomputed = statement.make(
        stated[0], bundle.manifest, bundle.sha256, now=made_at, valid=valid_until - made_at
    )
    differ = list(_differ(claims.statement, recomputed, "", wording=claims.wording))
    if differ:
        return f"Computed again from {name}, this differs: {listed(differ, _MOST_NAMED)}."
    answer: dict[str, Any] = recomputed["predicate"]["answer"]
    return answer


def _differ(signed: Any, recomputed: Any, path: str, *, wording: bool) -> Iterator[str]:
    """The places where two documents differ. Without ``wording``, the signed one is of an earlier
    wording: its words are not compared, and it lacks what came later."""
    if isinstance(signed, dict) and isinstance(recomputed, dict):
        for name in dict.fromkeys([*recomputed, *signed]):
            if wording or (name not in _WORDS and name in signed):
                inner = f"{path}.{name}" if path else str(name)
                yield from _differ(signed.get(name), recomputed.get(name), inner, wording=wording)
    elif (
        isinstance(signed, list) and isinstance(recomputed, list) and len(signed) == len(recomputed)
    ):
        for place, pair in enumerate(zip(signed, recomputed, strict=True), 1):
            yield from _differ(*pair, f"{path}[{place}]", wording=wording)
    elif not same(signed, recomputed):
        yield shorten(path.removeprefix("predicate."))
