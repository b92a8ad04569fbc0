"""The reasons why a verdict differs from the one last shown, from the stored facts of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from dcq import words
from dcq.errors import StoreError
from dcq.evidence.check import Mark
from dcq.judging.answer import word_of
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.study import JudgedStudy, judged
from dcq.judging.wording import TOPICS
from dcq.records import LETTERS
from dcq.store import Store, readings, verdicts
from dcq.store.connect import utc_now
from dcq.store.studies import Study
from dcq.store.verdicts import ShownVerdict
from dcq.version import __version__

_WAIT = 2.0  # seconds for a busy store: nobody must wait long for a record of what they see
_NAMED = 4  # controls named in a sentence


def keep(store: Store, within: Study) -> None:
    """Store the verdicts on a study's results that differ from those shown last. Nothing happens if
    the store is busy or cannot be written."""
    now = _shown(within, judged(store, within))
    try:
        history = verdicts.history(store, within.name)
        if any(verdicts.differs(history, verdict) for verdict in now):
            verdicts.add(store.waiting(_WAIT), within.name, now)
    except StoreError:
        return  # whoever looks next keeps them


def sentences(store: Store, within: Study) -> dict[str, str]:
    """Why verdicts of a study have changed since they were last shown, by run."""
    history = verdicts.history(store, within.name)
    changed = {}
    for verdict in _shown(within, judged(store, within)):
        rows = history.get(verdict.key, [])
        if not rows or not rows[-1].same(verdict):
            rows = [*rows, verdict]
        if (pair := _last_change(rows)) is not None:
            changed[verdict.run_id] = pair
    runs = {run for pair in changed.values() for side in pair for run in side.controls}
    places = verdicts.places(store, sorted(runs)) if runs else {}
    read = readings.changes(store, sorted({*runs, *changed}))
    return {run: _sentence(*pair, places, read) for run, pair in changed.items()}


def _shown(within: Study, judged_study: JudgedStudy) -> list[ShownVerdict]:
    """The verdicts that will not change by a run that is still going on."""
    counted = judged_study.snapshot.family
    standing = {run: member for run, member in judged_study.verdicts.items() if run in counted}
    family = sum(member.q_value is not None for member in standing.values())
    return [
        _row(within, result, verdict, family)
        for run, verdict in standing.items()
        if (result := judged_study.results[run]).evidence.finished
        and all(control.finished for control in result.controls)
    ]


def _row(within: Study, result: JudgedResult, verdict: Verdict, family: int) -> ShownVerdict:
    evidence, calibration = result.evidence, result.calibration
    asked, aside = dict(evidence.setting), calibration.aside if calibration else ()
    used = [control.run for place, control in enumerate(result.controls) if place not in aside]
    slot, kind = asked.get("slot", ""), asked.get("kind", evidence.method)
    prompt = asked.get("prompt") or "; ".join(value for _, value in evidence.setting)
    return ShownVerdict(
        study=within.name,
        model=evidence.asked_name,
        partition_id=evidence.partition,
        kind=kind,
        slot=LETTERS.index(slot) if slot else None,
        prompt=prompt,
        ruling=verdict.ruling.value,
        p_value=verdict.p_value,
        q_value=verdict.q_value,
        run_id=evidence.run,
        n=evidence.usable,
        controls=tuple(sorted(used)),
        family=family,
        bad=tuple(dict.fromkeys(check.topic for check in verdict.checks if check.mark is Mark.BAD)),
        version=__version__,
        made_at=utc_now(),
    )


def _last_change(rows: Sequence[ShownVerdict]) -> tuple[ShownVerdict, ShownVerdict] | None:
    """The last row with another ruling than the newest has, and the one after it."""
    for before, after in zip(reversed(rows[:-1]), reversed(rows), strict=False):
        if before.ruling != rows[-1].ruling:
            return before, after
    return None


def _sentence(
    before: ShownVerdict,
    after: ShownVerdict,
    places: Mapping[str, tuple[str, str, str]],
    read: Mapping[str, Sequence[tuple[datetime, int]]],
) -> str:
    changes = [
        *_run(before, after),
        *_readings(before, after, read),
        *_controls(before, after, places),
        *_family(before, after),
        *_checks(before, after),
    ]
    if before.version != after.version:
        changes.append(f"dcq went from {before.version} to {after.version}")
    if not changes and (before.p_value, before.q_value) != (after.p_value, after.q_value):
        changes.append(
            f"{_numbers(before)} became {_numbers(after)}, and the rest of it is the same"
        )
    opening = f"Was {word_of(before.ruling)} until {after.made_at:%d %b %Y, %H:%M} UTC"
    if not changes:
        return f"{opening}; nothing that is kept of both says what changed it."
    return (
        f"{opening}: since it was shown on {before.made_at:%d %b %Y}, {words.listed(changes, 9)}."
    )


def _run(before: ShownVerdict, after: ShownVerdict) -> list[str]:
    if before.run_id != after.run_id:
        return [
            f"another run counts ({after.run_id} with n = {after.n:,}, before {before.run_id} with "
            f"n = {before.n:,})"
        ]
    return [f"n went from {before.n:,} to {after.n:,}"] if before.n != after.n else []


def _readings(
    before: ShownVerdict,
    after: ShownVerdict,
    read: Mapping[str, Sequence[tuple[datetime, int]]],
) -> list[str]:
    """How many stored replies of the run and its controls a newer release reads otherwise."""
    counts = [
        sum(count for at, count in read.get(run, ()) if before.made_at <= at <= after.made_at)
        for run in dict.fromkeys((after.run_id, *after.controls))
    ]
    if not sum(counts):
        return []
    noun = "stored reply" if sum(counts) == 1 else "stored replies"
    return [f"a newer release reads {sum(counts):,} {noun} otherwise"]


def _controls(
    before: ShownVerdict, after: ShownVerdict, places: Mapping[str, tuple[str, str, str]]
) -> list[str]:
    """Controls that came and went, by partition, and those of which another run counts."""
    old, new = (
        {_partition(run, places): run for run in verdict.controls} for verdict in (before, after)
    )
    names = {
        _partition(run, places): words.place(*places[run][1:]) if run in places else run
        for run in (*before.controls, *after.controls)
    }
    sides = (
        (sorted(new.keys() - old.keys()), "was added", "were added"),
        (sorted(old.keys() - new.keys()), "no longer counts", "no longer count"),
    )
    changes = []
    for keys, singular, many in sides:
        named = words.listed([names[key] for key in keys], _NAMED)
        if len(keys) == 1:
            changes.append(f"a control {singular} ({named})")
        elif keys:
            changes.append(f"{len(keys)} controls {many} ({named})")
    again = sorted(key for key in old.keys() & new.keys() if old[key] != new[key])
    if again:
        named = words.listed([names[key] for key in again], _NAMED)
        noun = "a control" if len(again) == 1 else f"{len(again)} controls"
        changes.append(f"another run of {noun} counts ({named})")
    return changes


def _partition(run: str, places: Mapping[str, tuple[str, str, str]]) -> str:
    return places[run][0] if run in places else run


def _family(before: ShownVerdict, after: ShownVerdict) -> list[str]:
    if before.family == after.family:
        return []
    verb = "grew" if after.family > before.family else "shrank"
    noun = "result" if after.family == 1 else "results"
    return [f"the study {verb} from {before.family} to {after.family} {noun}"]


def _checks(before: ShownVerdict, after: ShownVerdict) -> list[str]:
    """Checks that became bad and those that are no longer, by their names on the screen."""
    sides = (
        ("failed", [topic for topic in after.bad if topic not in before.bad]),
        ("no longer failed", [topic for topic in before.bad if topic not in after.bad]),
    )
    return [
        f"the check {words.listed([f'“{_topic(name)}”' for name in topics], 9)} {verb}"
        for verb, topics in sides
        if topics
    ]


def _topic(name: str) -> str:
    titles = {topic.value: called for topic, called in TOPICS.items()}
    return titles.get(name, name)


def _numbers(verdict: ShownVerdict) -> str:
    number, letter = (verdict.p_value, "p") if verdict.q_value is None else (verdict.q_value, "q")
    return f"no {letter}" if number is None else words.p_words(number, letter)
