"""What the parts of a statement say of one another: its answer, its subjects, what was compared,
and its dates. Each check raises ``WrongFormError`` with a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from dcq.documents.answer_document import link_of
from dcq.documents.deck.limits import ALWAYS
from dcq.files.bundle import WHOLE, WITHHELD
from dcq.files.bundle_outcomes import same
from dcq.judging.answer import PairAnswer
from dcq.passport.stated_answer import WrongFormError, is_interval, number, sentences, text

_CLOCKS = timedelta(days=1)  # how far the clocks of those who asked may be ahead of the signer's


def check_agreement(
    stated: Mapping[str, Any], answer: PairAnswer, *, is_this_wording: bool
) -> None:
    """Raise WrongFormError where parts of a statement contradict its ``answer`` or one another,
    TypeError or ValueError where a part cannot be what it should be. ``is_this_wording``: its words
    are those of this release, so they are compared too."""
    predicate, (data_set, model) = stated["predicate"], stated["subject"]
    _check_compared(predicate["controls"], answer)
    _check_dates(predicate, model["annotations"]["served"])
    _check_data_set(data_set["annotations"], answer)
    _check_texts(predicate, answer)
    if is_this_wording:
        _check_words(stated, answer)


def _check_compared(compared: list[Mapping[str, Any]], answer: PairAnswer) -> None:
    """What was compared is what the methods of the answer found, in their order."""
    judged = [each for each in answer.methods if each.verdict is not None]
    if [(one["run"], one["method"]) for one in compared] != [
        (each.run, each.method) for each in judged
    ]:
        raise WrongFormError("What it compares with controls is not what its methods found.")
    for one, each in zip(compared, judged, strict=True):
        if not same(one["p_value"], each.p_value):
            raise WrongFormError("What it compares has another p-value than its methods.")
        number(one["score"], -1.0)
        low, expected, high = (
            number(one[key], -1.0) for key in ("expected_low", "expected", "expected_high")
        )
        if low is not None and high is not None and not is_interval(low, low, high):
            raise WrongFormError("It expects an interval that ends before it begins.")
        if expected is None and (low, high) != (None, None):
            raise WrongFormError("It expects an interval without its middle.")
        controls = one["controls"]
        used = [control["run"] for control in controls if not control["set_aside"]]
        if answer.partition in {control["partition"] for control in controls}:
            raise WrongFormError("It compares the partition with itself.")
        if len({control["run"] for control in controls}) < len(controls):
            raise WrongFormError("It compares with one run twice.")
        if controls and not used and expected is not None:
            raise WrongFormError("It sets all controls aside, and compares with them.")
        for control in controls:
            text(control["run"], "run")
            text(control["partition"], "partition")
            if not isinstance(control["set_aside"], bool):
                raise TypeError("neither true nor false")


def _check_dates(predicate: Mapping[str, Any], served: list[Mapping[str, Any]]) -> None:
    """Nothing was asked after the statement was made, nor fixed after it was asked."""
    made_at = _parse(predicate["made_at"])
    asked = predicate["asked"]
    if (asked is None) != (not predicate["controls"]):
        raise WrongFormError("It says when it was asked, or what was found, and not both.")
    first, last = (_parse(asked["first"]), _parse(asked["last"])) if asked else (made_at, made_at)
    moments = [first, *((_parse(one[key])) for one in served for key in ("first", "last")), last]
    backwards = any(_parse(one["first"]) > _parse(one["last"]) for one in served)
    if backwards or not all(first <= at <= last for at in moments) or last > made_at + _CLOCKS:
        raise WrongFormError("Its dates contradict one another.")
    fixed_at = predicate["answer"]["fixed_at"]
    if fixed_at is not None and _parse(fixed_at) > last:
        raise WrongFormError("Its weights were fixed after it was asked.")
    for one in served:
        for key in ("model", "fingerprint"):
            if one[key] is not None and not isinstance(one[key], str):
                raise TypeError("no text")


def _parse(moment: str) -> datetime:
    at = datetime.fromisoformat(moment)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _check_data_set(annotations: Mapping[str, Any], answer: PairAnswer) -> None:
    """No method rests on more instances than there are."""
    instances = annotations["instances"]
    if type(instances) is not int or instances < 0:
        raise WrongFormError("It has a number of instances that is impossible.")
    judged = [each.n for each in answer.methods if each.verdict is not None]
    if annotations["samples"] and max(judged, default=0) > instances:
        raise WrongFormError("A method rests on more instances than its subject has.")
    for key, what in (("sources", "source"), ("samples", "sample")):
        if not isinstance(annotations[key], list):
            raise TypeError("no list")
        for one in annotations[key]:
            _check_inactive(text(one, what, most=2_000) if one != "" else "")
    if "place" in annotations:
        text(annotations["place"], "place")


def _check_texts(predicate: Mapping[str, Any], answer: PairAnswer) -> None:
    judged = [each.run for each in answer.methods if each.verdict is not None]
    if predicate["link"] != (link_of(judged[0]) if judged else "results"):
        raise WrongFormError("Its link is not that of its answer in the app.")
    if predicate["bundle"]["text"] not in {WHOLE, WITHHELD}:
        raise WrongFormError("Its bundle has its texts in a way that no bundle has.")
    if predicate["study"] is not None:
        text(predicate["study"], "study")
    for prompt in predicate["prompts"]:
        text(prompt["id"], "prompt")
    for key in ("limits", "not_recomputed"):
        if not isinstance(predicate[key], list):
            raise TypeError("no list")
        for sentence in predicate[key]:
            text(sentence, "sentence", most=2_000)


def _check_inactive(address: str) -> None:
    """Refuse an address that runs something where it is followed."""
    if address.lstrip().casefold().startswith(("javascript:", "vbscript:", "data:text")):
        raise WrongFormError("It has an address that runs something where it is followed.")


def _check_words(stated: Mapping[str, Any], answer: PairAnswer) -> None:
    """The words of this release are those that its figures give."""
    predicate = stated["predicate"]
    place = stated["subject"][0]["annotations"]["place"]
    signed = predicate["answer"]
    if signed["sentence"] not in sentences(answer, place):
        raise WrongFormError("Its sentence does not say what its figures say.")
    if not set(answer.reasons) <= set(signed["reasons"]):
        raise WrongFormError("Its reasons are not those that its figures give.")
    if predicate["limits"] != list(ALWAYS):
        raise WrongFormError("Its limits are not those of every answer.")
