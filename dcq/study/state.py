"""What a store knows of a study: a conclusion for each of its pairs, what is missing, and which
versions of the models replied. Nothing is asked and nothing is written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dcq.errors import InputError
from dcq.evidence.record import HERE
from dcq.judging.answer import Answer, Pair
from dcq.judging.answers import answers
from dcq.models import cutoffs
from dcq.models.endpoints import model_itself, stored_name
from dcq.naming import with_plain_address
from dcq.partitions import catalog
from dcq.store import Store, investigations, studies
from dcq.store.studies import EVERYTHING, Study
from dcq.study.spec import StudySpec, TargetSpec


@dataclass(frozen=True)
class ServedVersion:
    """What an endpoint said that it served: the model's name and its system fingerprint; None where
    it said neither."""

    served_model: str | None
    fingerprint: str | None

    def document(self) -> dict[str, str | None]:
        """The version with the keys documented for the command line."""
        return {"served_model": self.served_model, "fingerprint": self.fingerprint}


@dataclass(frozen=True)
class MissingPair:
    """A pair without a conclusion, or whose ``methods`` have no finished run; they are empty where
    nothing was asked."""

    model: str
    partition: str
    methods: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The pair with the keys documented for the command line."""
        return {
            "model": self.model,
            "partition": self.partition,
            "methods": list(self.methods),
        }


@dataclass(frozen=True)
class StudyState:
    """A study in a store: its ``answers`` in the file's order, the pairs that are ``missing``, and
    the ``versions`` that replied, by model. ``notes`` are sentences on studies of this name that
    are others."""

    name: str
    answers: tuple[Answer, ...]
    missing: tuple[MissingPair, ...]
    versions: Mapping[str, tuple[ServedVersion, ...]]
    notes: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """What ``study run`` and ``study check`` print of it."""
        return {
            "study": self.name,
            "answers": [answer.document() for answer in self.answers],
            "versions": versions_document(self.versions),
        }


def versions_document(versions: Mapping[str, Sequence[ServedVersion]]) -> dict[str, Any]:
    """Versions by model, as JSON."""
    return {model: [each.document() for each in each_of] for model, each_of in versions.items()}


def partition_of(target: TargetSpec) -> str:
    """The partition (``key/split``) that a target draws from. Nothing is opened."""
    entry = catalog.find(target.dataset)
    return f"{target.dataset if entry is None else entry.key}/{target.split}"


def models_of(spec: StudySpec) -> tuple[str, ...]:
    """The study's models by the names that conclusions have, each once."""
    return tuple(dict.fromkeys(model_itself(stored_name(model.name)) for model in spec.models))


def pairs_of(spec: StudySpec, among: Collection[str] = ()) -> list[Pair]:
    """Each model with each target that may have been seen or surely was, in the file's order. Of a
    file whose rows have changed that edition is meant which is ``among`` these partitions."""
    places = [
        _edition(partition_of(target), among) for target in spec.targets if target.role != "control"
    ]
    return [(model, place) for place in places for model in models_of(spec)]


def _edition(place: str, among: Collection[str]) -> str:
    """The partition of a target, or the only one there is under its key with a number, which other
    rows of the same name get (``dcq.store.samples.save``)."""
    key, _, split = place.rpartition("/")
    numbered = re.compile(rf"{re.escape(key)}-\d+/{re.escape(split)}")
    editions = [other for other in among if numbered.fullmatch(other)]
    return editions[0] if place not in among and len(editions) == 1 else place


def read_state(store: Store, spec: StudySpec) -> StudyState:
    """What ``store`` knows of the study ``spec``. Raises InputError where the study of its name is
    of other partitions."""
    within, notes = _within(store, spec)
    with cutoffs.stated(spec.cutoffs):
        by_pair = {pair_key(each.pair): each for each in answers(store, within)}
    found: list[Answer] = []
    missing: list[MissingPair] = []
    with store.hold():
        for pair in pairs_of(spec, within.partitions or ()):
            answer = by_pair.get(pair_key(pair))
            if answer is None:
                missing.append(MissingPair(*pair))
                continue
            found.append(answer)
            if without := _without_run(store, answer, spec.weights):
                missing.append(MissingPair(*pair, without))
    return StudyState(spec.name, tuple(found), tuple(missing), _versions(found), tuple(notes))


def pair_key(pair: Pair) -> Pair:
    """A pair by which it is found again, however an address in it is spelt."""
    model, partition = pair
    return with_plain_address(model).rstrip("/"), partition


def _within(store: Store, spec: StudySpec) -> tuple[Study, list[str]]:
    """The saved study that a file stands for, all there is where none was saved yet; and what is
    to be said of it."""
    saved = {study.name: study for study in studies.listing(store)}
    study = saved.get(spec.name)
    known = (study.partitions if study else None) or ()
    wanted = {partition for _, partition in pairs_of(spec, known)}
    if study is None:
        same = [other.name for other in saved.values() if set(other.partitions or ()) == wanted]
        notes = [
            f"“{spec.name}” was not run yet; the study “{name}” has the same partitions. If you "
            "renamed it, its replies are used again, and it stays until you remove it."
            for name in same[:1]
        ]
        return EVERYTHING, notes
    had = set(study.partitions or wanted)
    if had.isdisjoint(wanted):
        raise InputError(
            f"“{spec.name}” is already a study of {_some(had)}; give this file another name, or "
            "remove that study."
        )
    gone = had - wanted
    note = f"{_some(gone)} left the study since it ran; its replies and earlier revisions are kept."
    return study, [note] if gone else []


def _some(partitions: Iterable[str]) -> str:
    named = sorted(partitions)
    more = len(named) - 3
    return ", ".join(named[:3]) + (f" and {more} more" if more > 0 else "")


def _without_run(store: Store, answer: Answer, weights: Mapping[str, float]) -> tuple[str, ...]:
    """The methods of a pair that were to be asked and have no finished run: of its investigation,
    which leaves out what its model cannot be asked by and what a clear answer need not be, or those
    that were begun. A method that got its weight after the first reply was to be asked as well."""
    results = [method for method in answer.methods if method.judged is not None]
    finished = {each.method for each in results if each.judged and each.judged.evidence.finished}
    expected = dict.fromkeys(each.method for each in results if not each.aside)
    for name in {each.judged.evidence.asked_name for each in results if each.judged}:
        record = investigations.newest(store, answer.sample, name)
        expected |= dict.fromkeys(record.methods if record else ())
    planned = {each.method for each in answer.plan.methods} if answer.plan else set()
    expected |= dict.fromkeys(name for name in weights if name not in planned)
    return tuple(name for name in expected if name not in finished)


def _versions(found: Iterable[Answer]) -> dict[str, tuple[ServedVersion, ...]]:
    """The versions that replied, by model, the latest first."""
    seen: dict[str, dict[ServedVersion, Any]] = {}
    for answer in found:
        for method in answer.methods:
            served = method.judged.evidence.served.get(HERE, ()) if method.judged else ()
            for each in served:
                version = ServedVersion(each.model, each.fingerprint)
                last = seen.setdefault(answer.model, {})
                last[version] = max(last.get(version, each.last), each.last)
    return {
        model: tuple(sorted(last, key=lambda version: last[version], reverse=True))
        for model, last in seen.items()
    }
