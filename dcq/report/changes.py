"""What changed a verdict since it was shown before, by what was kept of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dcq import __version__, words
from dcq.errors import StoreError
from dcq.evidence.case import Mark
from dcq.records import Role
from dcq.report.names import TOPICS
from dcq.report.study import Finding
from dcq.store import Store, verdicts
from dcq.store.connect import utc_now
from dcq.store.studies import Study
from dcq.store.verdicts import Shown

_WAIT = 2.0  # seconds for a busy store: nobody must wait long for a record of what they see
_NAMED = 4  # controls named in a sentence


def keep(store: Store, within: Study, found: Sequence[Finding]) -> None:
    """Keep the verdicts on a study's results that differ from what was shown last. ``found`` are
    all that count in it. A store that is busy or cannot be written is left as it is."""
    now = _shown(within, found)
    try:
        known = verdicts.history(store, within.name)
        if any(verdicts.differs(known, one) for one in now):
            verdicts.add(Store(store.path, timeout=_WAIT), within.name, now)
    except StoreError:
        return  # whoever looks next keeps them


def sentences(store: Store, within: Study, found: Sequence[Finding]) -> dict[str, str]:
    """What changed the verdicts that were others before, by run. ``found`` as for ``keep``."""
    known = verdicts.history(store, within.name)
    changed = {}
    for one in _shown(within, found):
        rows = known.get(one.key, [])
        if not rows or not rows[-1].same(one):
            rows = [*rows, one]
        if (pair := _last_change(rows)) is not None:
            changed[one.run_id] = pair
    runs = {run for pair in changed.values() for side in pair for run in side.controls}
    places = verdicts.places(store, sorted(runs)) if runs else {}
    return {run: _sentence(*pair, places) for run, pair in changed.items()}


def _shown(within: Study, found: Sequence[Finding]) -> list[Shown]:
    """The verdicts that will not change by a run that is still going on."""
    targets = [f for f in found if f.result.role == Role.TARGET and f.verdict is not None]
    family = sum(f.verdict is not None and f.verdict.q_value is not None for f in targets)
    return [
        Shown(
            study=within.name,
            model=finding.result.model,
            partition_id=finding.result.partition,
            kind=finding.result.kind.value,
            slot=finding.result.slot,
            prompt=finding.result.prompt,
            ruling=finding.verdict.ruling.value,
            p_value=finding.verdict.p_value,
            q_value=finding.verdict.q_value,
            run_id=finding.result.run,
            n=finding.result.n,
            controls=tuple(sorted(control.run for control in finding.used_controls)),
            family=family,
            bad=tuple(dict.fromkeys(c.topic for c in finding.verdict.checks if c.mark is Mark.BAD)),
            version=__version__,
            made_at=utc_now(),
        )
        for finding in found
        if finding.verdict is not None
        and finding.result.finished
        and all(control.finished for control in finding.controls)
    ]


def _last_change(rows: Sequence[Shown]) -> tuple[Shown, Shown] | None:
    """The last row with another ruling than the newest has, and the one after it."""
    for before, after in zip(reversed(rows[:-1]), reversed(rows), strict=False):
        if before.ruling != rows[-1].ruling:
            return before, after
    return None


def _sentence(before: Shown, after: Shown, places: Mapping[str, tuple[str, str, str]]) -> str:
    found = [
        *_run(before, after),
        *_controls(before, after, places),
        *_family(before, after),
        *_checks(before, after),
    ]
    if before.version != after.version:
        found.append(f"dcq went from {before.version} to {after.version}")
    if not found and (before.p_value, before.q_value) != (after.p_value, after.q_value):
        found.append(f"{_numbers(before)} became {_numbers(after)}, and the rest of it is the same")
    opening = f"Was {before.ruling} until {after.made_at:%d %b %Y, %H:%M} UTC"
    if not found:
        return f"{opening}; nothing that is kept of both says what changed it."
    return f"{opening}: since it was shown on {before.made_at:%d %b %Y}, {words.listed(found, 9)}."


def _run(before: Shown, after: Shown) -> list[str]:
    if before.run_id != after.run_id:
        return [
            f"another run counts ({after.run_id} with n = {after.n:,}, before {before.run_id} with "
            f"n = {before.n:,})"
        ]
    return [f"n went from {before.n:,} to {after.n:,}"] if before.n != after.n else []


def _controls(before: Shown, after: Shown, places: Mapping[str, tuple[str, str, str]]) -> list[str]:
    """Controls that came and went, by partition, and those of which another run counts."""
    old, new = ({_partition(run, places): run for run in one.controls} for one in (before, after))
    names = {
        _partition(run, places): words.place(*places[run][1:]) if run in places else run
        for run in (*before.controls, *after.controls)
    }
    sides = (
        (sorted(new.keys() - old.keys()), "was added", "were added"),
        (sorted(old.keys() - new.keys()), "no longer counts", "no longer count"),
    )
    found = []
    for keys, one, many in sides:
        named = words.listed([names[key] for key in keys], _NAMED)
        if len(keys) == 1:
            found.append(f"a control {one} ({named})")
        elif keys:
            found.append(f"{len(keys)} controls {many} ({named})")
    again = sorted(key for key in old.keys() & new.keys() if old[key] != new[key])
    if again:
        named = words.listed([names[key] for key in again], _NAMED)
        noun = "a control" if len(again) == 1 else f"{len(again)} controls"
        found.append(f"another run of {noun} counts ({named})")
    return found


def _partition(run: str, places: Mapping[str, tuple[str, str, str]]) -> str:
    return places[run][0] if run in places else run


def _family(before: Shown, after: Shown) -> list[str]:
    if before.family == after.family:
        return []
    verb = "grew" if after.family > before.family else "shrank"
    noun = "result" if after.family == 1 else "results"
    return [f"the study {verb} from {before.family} to {after.family} {noun}"]


def _checks(before: Shown, after: Shown) -> list[str]:
    """Checks that became bad and those that are no longer, by their names on the screen."""
    sides = (
        ("failed", [topic for topic in after.bad if topic not in before.bad]),
        ("no longer failed", [topic for topic in before.bad if topic not in after.bad]),
    )
    return [
        f"the check {words.listed([f'“{_topic(one)}”' for one in topics], 9)} {verb}"
        for verb, topics in sides
        if topics
    ]


def _topic(name: str) -> str:
    known = {topic.value: called for topic, called in TOPICS.items()}
    return known.get(name, name)


def _numbers(shown: Shown) -> str:
    number, letter = (shown.p_value, "p") if shown.q_value is None else (shown.q_value, "q")
    return f"no {letter}" if number is None else words.p_words(number, letter)
