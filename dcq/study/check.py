"""What a pipeline fails on: a study as it stands, against what it was and what it should not be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from dcq.judging.answer import Answer
from dcq.judging.judged import Ruling
from dcq.study.earlier import EarlierState
from dcq.study.state import MissingPair, ServedVersion, StudyState, pair_key


class Exit(IntEnum):
    """Why a check fails, as the exit code of its process; the lowest wins."""

    CONCLUSION = 3
    VERSION = 4
    MISSING = 5


@dataclass(frozen=True)
class ChangedPair:
    """A pair whose conclusion was another one; ``after`` is None where there is none any more."""

    model: str
    partition: str
    before: Ruling
    after: Ruling | None

    def document(self) -> dict[str, Any]:
        """The change with the keys documented for the command line."""
        return {
            "model": self.model,
            "partition": self.partition,
            "before": self.before.value,
            "after": None if self.after is None else self.after.value,
        }


@dataclass(frozen=True)
class OtherVersion:
    """A model of which another version replies: ``now``, which is none of ``before``."""

    model: str
    before: tuple[ServedVersion, ...]
    now: ServedVersion

    def document(self) -> dict[str, Any]:
        """The versions with the keys documented for the command line."""
        return {
            "model": self.model,
            "before": [version.document() for version in self.before],
            "now": self.now.document(),
        }


@dataclass(frozen=True)
class Failure:
    """A reason to fail: on a model and a partition, which is empty where it is about the model
    alone. ``why`` is a sentence."""

    exit: Exit
    model: str
    partition: str
    why: str

    @property
    def where(self) -> str:
        """What it is about, for people."""
        return f"{self.model} on {self.partition}" if self.partition else self.model

    def document(self) -> dict[str, Any]:
        """The failure with the keys documented for the command line."""
        return {
            "exit": int(self.exit),
            "model": self.model,
            "partition": self.partition or None,
            "why": self.why,
        }


@dataclass(frozen=True)
class StudyCheck:
    """A study that was checked: its ``state``, what ``changed``, which models are ``served``
    otherwise, and everything that fails, by exit code. ``notes`` are for people."""

    state: StudyState
    changed: tuple[ChangedPair, ...]
    served: tuple[OtherVersion, ...]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The code to end with; 0 where nothing fails."""
        return min((int(failure.exit) for failure in self.failures), default=0)

    def document(self) -> dict[str, Any]:
        """The check with the keys documented for the command line. It can be compared with
        later."""
        return {
            **self.state.document(),
            "changed": [each.document() for each in self.changed],
            "missing": [each.document() for each in self.state.missing],
            "served": [each.document() for each in self.served],
            "failed": [each.document() for each in self.failures],
        }


def check_study(
    state: StudyState,
    *,
    against: EarlierState | None = None,
    fail_on: Collection[Ruling] = (),
    probed: Mapping[str, ServedVersion] | None = None,
) -> StudyCheck:
    """Compare a study with what it was: ``against`` an earlier state, the rulings to ``fail_on``,
    and the versions that were ``probed``, by model."""
    changed = _changed(state, against) if against else ()
    served = _served(state, against, probed or {})
    found: dict[tuple[Exit, str, str], Failure] = {}  # one reason of a kind for a pair
    for failure in (
        *_refused(state.answers, fail_on),
        *map(_changed_failure, changed),
        *map(_served_failure, served),
        *map(_missing_failure, state.missing),
    ):
        found.setdefault((failure.exit, failure.model, failure.partition), failure)
    failures = sorted(found.values(), key=lambda failure: failure.exit)
    return StudyCheck(state, changed, served, tuple(failures), _notes(state, against))


def _changed(state: StudyState, against: EarlierState) -> tuple[ChangedPair, ...]:
    """The pairs of the study whose conclusion is another than it was, or is gone."""
    now = {pair_key(answer.pair): answer.ruling for answer in state.answers}
    gone = {pair_key((pair.model, pair.partition)) for pair in state.missing} - now.keys()
    return tuple(
        ChangedPair(*pair, before, now.get(key))
        for key, (pair, before) in against.rulings.items()
        if key in gone or (key in now and now[key] is not before)
    )


def _served(
    state: StudyState, against: EarlierState | None, probed: Mapping[str, ServedVersion]
) -> tuple[OtherVersion, ...]:
    """The models of which a version replied last, or when it was probed, that none of the replies
    before had."""
    found: list[OtherVersion] = []
    for model in dict.fromkeys([*state.versions, *probed]):
        stored = state.versions.get(model, ())
        earlier = against.versions.get(model, ()) if against else ()
        before = earlier or stored
        now = probed.get(model) or next(iter(stored), None)
        if before and now is not None and not any(_is_same(now, each) for each in before):
            found.append(OtherVersion(model, before, now))
    return tuple(found)


def _is_same(now: ServedVersion, before: ServedVersion) -> bool:
    """Whether a version is another one's as far as both say; one that says nothing is any."""
    return all(
        None in pair or pair[0] == pair[1]
        for pair in (
            (now.served_model, before.served_model),
            (now.fingerprint, before.fingerprint),
        )
    )


def _refused(answers: Sequence[Answer], fail_on: Collection[Ruling]) -> list[Failure]:
    return [
        Failure(
            Exit.CONCLUSION,
            answer.model,
            answer.partition,
            f"The conclusion is {answer.ruling.word}.",
        )
        for answer in answers
        if answer.ruling in fail_on
    ]


def _changed_failure(changed: ChangedPair) -> Failure:
    now = "it has none any more" if changed.after is None else f"it is {changed.after.word}"
    why = f"The conclusion was {changed.before.word}, and now {now}."
    return Failure(Exit.CONCLUSION, changed.model, changed.partition, why)


def _served_failure(served: OtherVersion) -> Failure:
    before = " or ".join(map(version_words, served.before[:3]))
    why = f"The endpoint now serves {version_words(served.now)}; before, it served {before}."
    return Failure(Exit.VERSION, served.model, "", why)


def _missing_failure(missing: MissingPair) -> Failure:
    what = f"no finished run by {', '.join(missing.methods)}" if missing.methods else "no reply yet"
    why = f"There is {what}; ask with: python -m dcq study run."
    return Failure(Exit.MISSING, missing.model, missing.partition, why)


def version_words(version: ServedVersion) -> str:
    """A version for people."""
    name = version.served_model or "an unnamed model"
    return name + (f" ({version.fingerprint})" if version.fingerprint else "")


def _notes(state: StudyState, against: EarlierState | None) -> tuple[str, ...]:
    if against is None:
        return state.notes
    notes = list(state.notes)
    if against.study != state.name:
        notes.append(f"The earlier JSON is of the study “{against.study}”, not “{state.name}”.")
    known = {pair_key(answer.pair) for answer in state.answers}
    known |= {pair_key((pair.model, pair.partition)) for pair in state.missing}
    left = [pair for key, (pair, _) in against.rulings.items() if key not in known]
    if left:
        model, partition = left[0]
        more = f" and {len(left) - 1} more pairs" if len(left) > 1 else ""
        notes.append(f"{model} on {partition}{more} left the file since, and cannot fail.")
    return tuple(notes)
