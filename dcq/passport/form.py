"""The form of a passport's statement: which members it has, and what they say of one another.

A signature shows who wrote a statement, not that it is well made. So everything that can be checked
without the bundle is checked here, before anything of the statement is believed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import rfc8785

from dcq.errors import InputError
from dcq.judging import answer_words
from dcq.judging.answer import MethodAnswer, PairAnswer
from dcq.judging.judged import Ruling
from dcq.passport import statement
from dcq.passport.agreement import check_agreement
from dcq.passport.stated_answer import WrongFormError, read_answer
from dcq.store.studies import FIRST_RULE, RULE
from dcq.version import __version__

NO_STATEMENT = "It is signed, but is no statement on an answer."
_UNKNOWN = "Its statement has a part that no passport of this release has; use the file as written."
_LATER = "A later release of dcq wrote it; update dcq to check it."
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RELEASE = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")

# Members with what is inside: a dictionary, a list of such dictionaries, or nothing further. Those
# of an answer are what the answer itself writes.
_Shape = Mapping[str, Any]
_MOMENTS: _Shape = {"first": None, "last": None}
_DATA_SET: _Shape = {
    "name": None,
    "digest": {"sha256": None},
    "annotations": None,
}
_ANNOTATIONS = dict.fromkeys(("data_set", "split", "sources", "samples", "instances"))
_MODEL: _Shape = {
    "name": None,
    "digest": {"sha256": None},
    "annotations": {"served": [{"model": None, "fingerprint": None, **_MOMENTS}]},
}
_CONTROL: _Shape = dict.fromkeys(("run", "partition", "set_aside"))
_COMPARED: _Shape = {
    **dict.fromkeys(("run", "method", "score", "expected", "expected_low", "expected_high")),
    "p_value": None,
    "controls": [_CONTROL],
}
# What every passport has; of an answer, since the first release.
_ANSWER = (
    *("model", "partition", "role", "ruling", "p_value", "q_value", "sentence", "reasons"),
    *("methods", "fixed_at"),
)
_METHOD = (
    *("method", "kind", "run", "n", "estimate", "low", "high", "unit", "p_value", "verdict"),
    *("votes", "weight", "why_not"),
)


@dataclass(frozen=True)
class Claims:
    """What is read of a statement. ``answer`` has its figures, and the words that this release has
    for them. ``wording``: its sentences are those of this release; ``rule`` is the one of its
    conclusion (``dcq.store.studies.RULE``)."""

    statement: dict[str, Any]
    answer: dict[str, Any]
    model: str
    partition: str
    made_at: str
    valid_until: str
    manifest: str
    wording: bool
    rule: int


def read_claims(stated: dict[str, Any]) -> Claims | str:
    """The claims of a statement, or a sentence on why it cannot be a passport's."""
    try:
        return _read(stated)
    except WrongFormError as error:
        return str(error)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return NO_STATEMENT


def _read(stated: dict[str, Any]) -> Claims:
    if (stated["_type"], stated["predicateType"]) != (statement.TYPE, statement.PREDICATE):
        raise ValueError("another type")
    predicate = stated["predicate"]
    answer = predicate["answer"]
    _check_release(predicate["dcq"])
    for place, shape, optional in _places(stated):
        _check_members(place, shape, optional)
    texts = (
        answer["model"],
        answer["partition"],
        _moment(predicate["made_at"]),
        _moment(predicate["valid_until"]),
        predicate["bundle"]["manifest_sha256"],
    )
    if not all(isinstance(text, str) for text in (*texts, answer["sentence"])):
        raise TypeError("no text")
    is_this_wording = _wording(predicate) == statement.WORDING
    claims = Claims(stated, answer, *texts, wording=is_this_wording, rule=_rule(predicate))
    for check in (_check_subjects, _check_validity, _check_ruling):
        check(claims)
    said = read_answer(answer, predicate["controls"], claims.rule)
    check_agreement(stated, said, is_this_wording=claims.wording)
    shown = {**answer, "sentence": said.sentence, "reasons": list(said.reasons)}
    return replace(claims, answer=shown)


def _wording(predicate: Mapping[str, Any]) -> int:
    """The number of a statement's wording. Raises WrongFormError for a later one."""
    if "wording" not in predicate:
        return statement.FIRST_WORDING
    wording = predicate["wording"]
    if type(wording) is not int or wording <= statement.FIRST_WORDING:
        raise ValueError("no wording")
    if wording > statement.WORDING:
        raise WrongFormError(_LATER)
    return wording


def _rule(predicate: Mapping[str, Any]) -> int:
    """The rule of a statement's conclusion. Raises WrongFormError for a later one."""
    rule = predicate.get("rule", FIRST_RULE)
    if type(rule) is not int or rule < FIRST_RULE:
        raise ValueError("no rule")
    if rule > RULE:
        raise WrongFormError(_LATER)
    return rule


def _places(stated: dict[str, Any]) -> Iterator[tuple[Any, _Shape, frozenset[str]]]:
    """Each part of a statement with the members that it has, and those it may have besides."""
    predicate = stated["predicate"]
    answer = predicate["answer"]
    none: frozenset[str] = frozenset()
    yield stated, dict.fromkeys(("_type", "predicateType", "subject", "predicate")), none
    data_set, model = stated["subject"]
    yield data_set, _DATA_SET, none
    yield data_set["annotations"], _ANNOTATIONS, frozenset({"place"})
    yield model, _MODEL, none
    whole: _Shape = {
        **dict.fromkeys(("answer", "limits", "link", "study", "not_recomputed")),
        **dict.fromkeys(("made_at", "valid_until", "dcq")),
        "controls": [_COMPARED],
        "prompts": [{"id": None, "sha256": None}],
        "asked": None if predicate["asked"] is None else _MOMENTS,
        "bundle": {"manifest_sha256": None, "text": None},
    }
    yield predicate, whole, frozenset({"wording", "rule"})
    yield answer, dict.fromkeys(_ANSWER), _members_of(_BLANK)
    for method in answer["methods"]:
        yield method, dict.fromkeys(_METHOD), _members_of(_BLANK_METHOD)


_BLANK = PairAnswer("", "", "", "", Ruling.INCONCLUSIVE, None, None, "", "", "", (), (), ())
_BLANK_METHOD = MethodAnswer("", "", "", "", 0, None, None, None, "", None, None, votes=False)


def _members_of(blank: PairAnswer | MethodAnswer) -> frozenset[str]:
    return frozenset(blank.document()) - {"could_ask"}


def _check_members(part: Any, shape: _Shape, optional: frozenset[str] = frozenset()) -> None:
    """Raise WrongFormError for members that are not of the shape, KeyError where some are
    lacking."""
    if not isinstance(part, dict):
        raise TypeError("no object")
    if part.keys() - shape.keys() - optional:
        raise WrongFormError(_UNKNOWN)
    if shape.keys() - part.keys():
        raise KeyError("lacking")
    for name, inner in shape.items():
        if isinstance(inner, list):
            if not isinstance(part[name], list):
                raise TypeError("no list")
            for entry in part[name]:
                _check_members(entry, inner[0])
        elif inner is not None:
            _check_members(part[name], inner)


def _check_release(release: object) -> None:
    """Raise WrongFormError for a release that made no passports, and for a later one."""
    numbers = _numbers(release)
    if numbers is None or numbers < (_numbers(statement.FIRST_RELEASE) or ()):
        raise WrongFormError("It names a release of dcq that made no passports.")
    if numbers > (_numbers(__version__) or ()):
        raise WrongFormError(_LATER)


def _numbers(release: object) -> tuple[int, ...] | None:
    match = _RELEASE.fullmatch(release) if isinstance(release, str) and release.isascii() else None
    return tuple(map(int, match.groups())) if match else None


def _check_subjects(claims: Claims) -> None:
    """Raise WrongFormError where the subjects are not those of the answer, or a digest cannot be
    one."""
    data_set, model = claims.statement["subject"]
    annotations = data_set["annotations"]
    if (
        data_set["name"] != claims.partition
        or f"{annotations['data_set']}/{annotations['split']}" != claims.partition
        or model["name"] != claims.model
    ):
        raise WrongFormError(
            "Its subject is another model or partition than the one that its answer is about."
        )
    description = {"model": claims.model, "served": model["annotations"]["served"]}
    if model["digest"]["sha256"] != hashlib.sha256(rfc8785.dumps(description)).hexdigest():
        raise WrongFormError("The digest of its model is not that of what it says of the model.")
    prompts = claims.statement["predicate"]["prompts"]
    digests = [data_set["digest"]["sha256"], claims.manifest, *(one["sha256"] for one in prompts)]
    if not all(_SHA256.fullmatch(digest) for digest in digests):
        raise WrongFormError("It has a digest that no SHA-256 can be.")


def _check_validity(claims: Claims) -> None:
    """Raise WrongFormError for a passport that is valid for no time, or for too long."""
    made_at, valid_until = map(datetime.fromisoformat, (claims.made_at, claims.valid_until))
    try:
        statement.check_validity(valid_until - made_at)
    except InputError:
        raise WrongFormError(
            f"It is valid for longer than {statement.LONGEST.days:,} days or for no time at all, "
            "which no passport is."
        ) from None


def _check_ruling(claims: Claims) -> None:
    """Raise WrongFormError where the sentence that was signed says another ruling than is stated
    beside it."""
    ruling = Ruling(claims.answer["ruling"])
    if answer_words.ruling_said(claims.answer["sentence"]) is not ruling:
        raise WrongFormError("Its sentence does not say what its ruling is.")


def _moment(text: str) -> str:
    """The moment as we write it, so that moments compare as texts do."""
    if statement.moment(datetime.fromisoformat(text)) != text:
        raise ValueError("another form")
    return text
