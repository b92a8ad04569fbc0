"""Variants to and from Label Studio, in its JSON of tasks: a task for each variant, with one
choice.

Exported tasks have texts and decisions. A decision is a prediction whose ``model_version`` says who
decided and when, because annotations belong to users of a Label Studio, which ours are not. In an
imported file each annotation becomes a decision by the person and at the time that it names; the
file is a stranger's. https://labelstud.io/guide/task_format
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.evidence.pace import AnnotatorPace, pace
from dcq.incoming.plain_file import open_plain, read_text
from dcq.incoming.strict_json import read_strictly
from dcq.naming import LONGEST_PERSON, read_name
from dcq.records import slot_letter
from dcq.store import Store, opinions, reviews, samples, variants
from dcq.store.connect import utc_now
from dcq.store.private_wordings import refuse_private
from dcq.store.reviews import DatedDecision
from dcq.store.variants import Decision, StoredVariant
from dcq.variants.annotators import describe_pace
from dcq.words import counted

MOST_BYTES = 200_000_000
_CHOICE, _TEXT = "decision", "variant"  # the tags of the labelling interface
_LONGEST = 1e9  # seconds; a number in JSON may have any size
INTERFACE = f"""<View>
  <Header value="The original"/>
  <Text name="original" value="$original"/>
  <Header value="Its rewording: does it say the same, and read as well?"/>
  <Text name="{_TEXT}" value="$variant"/>
  <Choices name="{_CHOICE}" toName="{_TEXT}" choice="single" showInline="true">
    <Choice value="{Decision.ACCEPTED}"/>
    <Choice value="{Decision.REJECTED}"/>
  </Choices>
</View>
"""


def dump(store: Store, sample_id: str) -> str:
    """The variants of a sample as tasks."""
    sample = samples.load(store, sample_id)
    current = variants.current(store, sample.id)
    tasks = [
        _task(sample.id, instance.text, variant)
        for instance in sample.instances
        for _, variant in sorted(current.get(instance.id, {}).items())
    ]
    refuse_private(store, lambda: (task["data"][_TEXT] for task in tasks), "These tasks")
    return json.dumps(tasks, ensure_ascii=False, indent=1)


def _task(sample_id: str, original: str, variant: StoredVariant) -> dict[str, Any]:
    result = {
        "from_name": _CHOICE,
        "to_name": _TEXT,
        "type": "choices",
        "value": {"choices": [variant.decision.value]},
    }
    prediction = {"model_version": f"dcq: {variant.reviewer or 'unnamed'}", "result": [result]}
    return {
        "data": {
            "sample": sample_id,
            "instance": variant.instance_id,
            "slot": str(slot_letter(variant.slot)),
            "seq": variant.seq,
            "original": original,
            _TEXT: variant.text,
        },
        "predictions": [] if variant.decision is Decision.OPEN else [prediction],
    }


@dataclass(frozen=True)
class ImportedDecisions:
    """The outcome of an import: how many decisions are ``new``, were ``present`` already, and were
    ``outdated`` because the variant has changed since; and how fast each annotator decided, by
    name."""

    sample: str
    new: int
    present: int
    outdated: int
    paces: tuple[tuple[str, AnnotatorPace], ...]

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line."""
        counts = {"sample": self.sample, "new": self.new}
        paces = [
            {"annotator": name, **asdict(annotator_pace)} for name, annotator_pace in self.paces
        ]
        return {**counts, "there": self.present, "left": self.outdated, "pace": paces}

    def sentence(self) -> str:
        """The outcome as a sentence for people."""
        summary = f"{counted(self.new, 'decision')} taken over for sample {self.sample}"
        details = [
            f"{count:,} {why}"
            for count, why in (
                (self.present, "there already"),
                (self.outdated, "left out, as the text has changed since"),
            )
            if count
        ]
        paces = [describe_pace(name, annotator_pace) for name, annotator_pace in self.paces]
        return "\n".join(["; ".join([summary, *details]) + ".", *filter(None, paces)])


@dataclass(frozen=True)
class _Decided:
    """A decision in a file about a text, and the seconds that it took where the file says so."""

    instance: str
    slot: str
    text: str
    dated_decision: DatedDecision
    seconds: float | None


def is_tasks(path: Path) -> bool:
    """Whether a file begins as an export of Label Studio does, and not as a sample."""
    try:
        with open_plain(path) as file:
            return file.read(100).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    except OSError:
        return False


def take(store: Store, path: Path) -> ImportedDecisions:
    """Store the decisions in a file that Label Studio exported. Raises InputError for any other
    file, and where two annotators are assigned, who must decide in the app."""
    tasks = _read(path)
    names = {task["data"].get("sample") for task in tasks}
    if len(names) != 1 or not isinstance(name := names.pop(), str):
        raise InputError(f"{path.name} must be about one sample; export each project by itself.")
    sample = samples.load(store, name).id
    pair, _ = opinions.since(store, sample)
    if pair is not None and pair.instances:
        raise InputError(
            "Two annotators are assigned to this sample and decide blind on the page Variants; end "
            "that assignment first."
        )
    decided = sorted(
        (entry for task in tasks for entry in _decisions(task)),
        key=lambda entry: entry.dated_decision.at,
    )
    current = variants.current(store, sample)
    slots = {
        (instance, str(slot_letter(slot))): entry
        for instance, by_slot in current.items()
        for slot, entry in by_slot.items()
    }
    matched = [
        (slots[entry.instance, entry.slot], entry.dated_decision)
        for entry in decided
        if (entry.instance, entry.slot) in slots
        and slots[entry.instance, entry.slot].text == entry.text
    ]
    new = reviews.take_over(store, sample, matched)
    outdated = len(decided) - len(matched)
    return ImportedDecisions(sample, new, len(matched) - new, outdated, _paces(decided))


def _paces(decided: Sequence[_Decided]) -> tuple[tuple[str, AnnotatorPace], ...]:
    """How fast each annotator decided, by what Label Studio measured; moments alone tell little
    there, as an annotation that was changed keeps its first."""
    people: dict[str, list[_Decided]] = {}
    for decision in decided:
        people.setdefault(decision.dated_decision.author, []).append(decision)
    return tuple(
        (
            name,
            pace(
                [
                    decision.dated_decision.at.replace(tzinfo=UTC).timestamp()
                    for decision in person_decisions
                ],
                [
                    decision.dated_decision.decision is Decision.ACCEPTED
                    for decision in person_decisions
                ],
                [decision.instance for decision in person_decisions],
                [decision.seconds for decision in person_decisions],
            ),
        )
        for name, person_decisions in sorted(people.items())
    )


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        tasks = read_strictly(read_text(path, MOST_BYTES), path.name)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    except (ValueError, RecursionError):
        tasks = None
    if (
        not isinstance(tasks, list)
        or not tasks
        or not all(isinstance(task, dict) and isinstance(task.get("data"), dict) for task in tasks)
    ):
        raise InputError(
            f"{path.name} is no list of tasks; export the project from Label Studio as JSON."
        )
    return tasks


def _decisions(task: dict[str, Any]) -> Iterator[_Decided]:
    data, annotations = task["data"], task.get("annotations")
    place = [data.get(name) for name in ("instance", "slot", _TEXT)]
    if not all(isinstance(text, str) for text in place) or not isinstance(annotations, list):
        return
    for annotation in annotations:
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        decision = _decision(annotation.get("result"))
        if decision is not None:
            dated_decision = DatedDecision(
                decision, _person(annotation.get("completed_by")), _moment(annotation)
            )
            yield _Decided(
                place[0], place[1], place[2], dated_decision, _seconds(annotation.get("lead_time"))
            )


def _decision(results: object) -> Decision | None:
    """What an annotation chose; None where it is no single choice of ours."""
    for result in results if isinstance(results, list) else []:
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict) and result.get("from_name") == _CHOICE:
            chosen = value.get("choices")
            if chosen in ([Decision.ACCEPTED.value], [Decision.REJECTED.value]):
                return Decision(chosen[0])
    return None


def _person(named: object) -> str:
    """Who annotated: an export names a user by number, or by address."""
    if isinstance(named, dict):
        named = named.get("email") or named.get("id")
    name = named if isinstance(named, str) else f"Label Studio user {named}"
    return read_name(name, "annotator", LONGEST_PERSON)


def _seconds(lead_time: object) -> float | None:
    if isinstance(lead_time, bool) or not isinstance(lead_time, int | float):
        return None
    return min(lead_time, _LONGEST)


def _moment(annotation: dict[str, Any]) -> datetime:
    """When (UTC), as the export says; now where it does not, or names a time to come."""
    now = utc_now()
    for name in ("created_at", "updated_at"):
        try:
            at = datetime.fromisoformat(str(annotation.get(name)))
            at = at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at
        except (ValueError, OverflowError):
            continue
        return min(at, now)
    return now
