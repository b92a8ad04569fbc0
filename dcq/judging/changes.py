"""The reasons why a conclusion differs from the last one that was kept, from the facts of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from dcq import words
from dcq.errors import StoreError
from dcq.evidence.check import Mark
from dcq.judging.answer import Answer, MethodAnswer, word_of
from dcq.judging.judged import Ruling
from dcq.judging.wording import TOPICS
from dcq.store import Store, conclusions, partitions, readings
from dcq.store.conclusions import Conclusion, KeptResult
from dcq.store.connect import utc_now
from dcq.store.partitions import GivenRole
from dcq.store.studies import Study, benchmark_of
from dcq.version import __version__

_WAIT = 2.0  # seconds for a busy store: nobody must wait long for a record of what they see
_NAMED = 4  # controls named in a sentence
_Places = Mapping[str, tuple[str, str, str]]
_Readings = Mapping[str, Sequence[tuple[datetime, int]]]


def keep(store: Store, within: Study, answers: Iterable[Answer]) -> None:
    """Store the conclusions of a study, its ``answers``, that differ from those kept last. Nothing
    happens if the store is busy or cannot be written."""
    now = [_kept(answer, within.rule) for answer in answers if _is_final(answer)]
    try:
        before = conclusions.history(store, {entry.study for entry in now})
        if any(conclusions.differs(before, entry) for entry in now):
            conclusions.add(store.waiting(_WAIT), now)
    except StoreError:
        return  # whoever looks next keeps them


def sentences(store: Store, within: Study, answers: Iterable[Answer]) -> dict[str, str]:
    """Why conclusions of a study, its ``answers``, have changed, by each run that they rest on."""
    now = [_kept(answer, within.rule) for answer in answers if _is_final(answer)]
    history = conclusions.history(store, {entry.study for entry in now})
    changed = []
    for conclusion in now:
        kept = history.get(conclusion.subject, [])
        if not kept or not kept[-1].same(conclusion):
            kept = [*kept, conclusion]
        if (pair := _last_change(kept)) is not None:
            changed.append((conclusion, pair))
    runs = sorted({run for _, pair in changed for run in _runs(*pair)})
    places = conclusions.places(store, runs) if runs else {}
    read = readings.changes(store, runs)
    given = {place: partitions.role_history(store, place[0]) for place in set(places.values())}
    return {
        result.run: _sentence(*pair, places, read, _roles(*pair, places, given))
        for conclusion, pair in changed
        for result in conclusion.results
    }


def since(
    store: Store, answers: Iterable[Answer], moment: datetime
) -> list[tuple[Answer, Ruling | None]]:
    """The answers of a study that a ``moment`` (UTC) did not have yet or had another ruling for,
    each with that ruling; what was concluded last comes first."""
    final = [answer for answer in answers if _is_final(answer)]
    history = conclusions.history(store, {answer.study for answer in final})
    new = []
    for answer in final:
        kept = history.get((answer.study, answer.model, answer.partition), [])
        after = [entry for entry in kept if entry.made_at > moment]
        before = [entry for entry in kept if entry.made_at <= moment]
        was = Ruling(before[-1].ruling) if before else None
        if after and was is not answer.ruling:
            new.append((after[-1].made_at, answer, was))
    new.sort(key=lambda entry: entry[0], reverse=True)
    return [(answer, was) for _, answer, was in new]


def _is_final(answer: Answer) -> bool:
    """Whether a conclusion will not change by a run that is still going on."""
    results = [method.judged for method in answer.methods if method.judged]
    return bool(results) and all(
        result.evidence.finished and all(control.finished for control in result.controls)
        for result in results
    )


def _kept(answer: Answer, rule: int) -> Conclusion:
    return Conclusion(
        study=answer.study,
        revision=answer.revision,
        model=answer.model,
        partition_id=answer.partition,
        rule=rule,
        version=__version__,
        ruling=answer.ruling.value,
        p_value=answer.p_value,
        q_value=answer.q_value,
        sentence=answer.sentence,
        pairs=answer.pairs,
        results=tuple(_results(answer.methods)),
        made_at=utc_now(),
    )


def _results(methods: Sequence[MethodAnswer]) -> Iterator[KeptResult]:
    for method in methods:
        result = method.judged
        if result is None or result.verdict is None:
            continue
        aside = result.calibration.aside if result.calibration else ()
        used = [control.run for i, control in enumerate(result.controls) if i not in aside]
        bad = [check.topic.value for check in result.verdict.checks if check.mark is Mark.BAD]
        slot = dict(result.evidence.setting).get("slot", "")
        yield KeptResult(
            name=f"{method.name} at {slot}" if slot else method.name,
            run=method.run,
            n=result.evidence.usable,
            controls=tuple(sorted(used)),
            bad=tuple(dict.fromkeys(bad)),
            p_value=method.p_value,
            votes=method.votes,
        )


def _last_change(kept: Sequence[Conclusion]) -> tuple[Conclusion, Conclusion] | None:
    """The last conclusion with another ruling than the newest has, and the one after it."""
    for before, after in zip(reversed(kept[:-1]), reversed(kept), strict=False):
        if before.ruling != kept[-1].ruling:
            return before, after
    return None


def _runs(*sides: Conclusion) -> set[str]:
    """The runs that conclusions rest on, controls included."""
    return {
        run for side in sides for result in side.results for run in (result.run, *result.controls)
    }


def _roles(
    before: Conclusion,
    after: Conclusion,
    places: _Places,
    given: Mapping[tuple[str, str, str], Sequence[GivenRole]],
) -> list[str]:
    """Who gave a partition that it rests on another role meanwhile, and when."""
    return [
        f"{role.author or 'somebody'} gave {words.place(*place[1:])} the role {role.role} on "
        f"{role.at:%d %b %Y}"
        for place in sorted({places[run] for run in _runs(before, after) if run in places})
        for role in given[place][:-1]  # the first one is that which it was drawn with
        if before.made_at <= role.at <= after.made_at
    ]


def _sentence(
    before: Conclusion,
    after: Conclusion,
    places: _Places,
    read: _Readings,
    roles: Sequence[str],
) -> str:
    changes = [
        *_asked(before, after),
        *roles,
        *_readings(before, after, read),
        *_of_each(before, after, places),
        *_study(before, after),
    ]
    if before.rule != after.rule:
        changes.append("conclusions are drawn by a newer rule")
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


def _asked(before: Conclusion, after: Conclusion) -> list[str]:
    """Methods that were asked since, that no longer count, and of which another run counts."""
    old, new = ({result.name: result for result in side.results} for side in (before, after))
    changes = [f"the {name} was asked (n = {new[name].n:,})" for name in new if name not in old]
    changes += [f"the {name} is no longer part of it" for name in old if name not in new]
    for name in (name for name in new if name in old):
        was, now = old[name], new[name]
        if was.run != now.run:
            changes.append(
                f"another run of the {name} counts ({now.run} with n = {now.n:,}, before {was.run} "
                f"with n = {was.n:,})"
            )
        elif was.n != now.n:
            changes.append(f"n of the {name} went from {was.n:,} to {now.n:,}")
    return changes


def _readings(before: Conclusion, after: Conclusion, read: _Readings) -> list[str]:
    """How many stored replies of the runs and their controls a newer release reads otherwise."""
    runs = dict.fromkeys(run for result in after.results for run in (result.run, *result.controls))
    count = sum(
        changed
        for run in runs
        for at, changed in read.get(run, ())
        if before.made_at <= at <= after.made_at
    )
    if not count:
        return []
    noun = "stored reply" if count == 1 else "stored replies"
    return [f"a newer release reads {count:,} {noun} otherwise"]


def _of_each(before: Conclusion, after: Conclusion, places: _Places) -> list[str]:
    """What changed in the controls and checks of results that both rest on, said once."""
    old = {result.name: result for result in before.results}
    several = len(after.results) > 1
    changes = []
    for now in after.results:
        if (was := old.get(now.name)) is not None:
            changes += _controls(was, now, places)
            changes += _checks(was, now, f" of the {now.name}" if several else "")
    return list(dict.fromkeys(changes))


def _controls(was: KeptResult, now: KeptResult, places: _Places) -> list[str]:
    """Controls that came and went, by partition, and those of which another run counts."""
    old, new = ({_partition(run, places): run for run in side.controls} for side in (was, now))
    names = {
        _partition(run, places): words.place(*places[run][1:]) if run in places else run
        for run in (*was.controls, *now.controls)
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


def _partition(run: str, places: _Places) -> str:
    return places[run][0] if run in places else run


def _study(before: Conclusion, after: Conclusion) -> list[str]:
    """How the study changed: its pairs, or a saved one's revision."""
    changes = []
    if before.pairs != after.pairs:
        verb = "grew" if after.pairs > before.pairs else "shrank"
        noun = "pair" if after.pairs == 1 else "pairs"
        changes.append(f"the study {verb} from {before.pairs} to {after.pairs} {noun}")
    saved = after.study != benchmark_of(after.partition_id)
    if saved and before.revision != after.revision:
        changes.append(f"the study was saved again as revision {after.revision}")
    return changes


def _checks(was: KeptResult, now: KeptResult, of: str) -> list[str]:
    """Checks that became bad and those that are no longer, by their names on the screen."""
    sides = (
        ("failed", [topic for topic in now.bad if topic not in was.bad]),
        ("no longer failed", [topic for topic in was.bad if topic not in now.bad]),
    )
    return [
        f"the check {words.listed([f'“{_topic(name)}”' for name in topics], 9)}{of} {verb}"
        for verb, topics in sides
        if topics
    ]


def _topic(name: str) -> str:
    titles = {topic.value: called for topic, called in TOPICS.items()}
    return titles.get(name, name)


def _numbers(conclusion: Conclusion) -> str:
    number, letter = (
        (conclusion.p_value, "p") if conclusion.q_value is None else (conclusion.q_value, "q")
    )
    return f"no {letter}" if number is None else words.p_words(number, letter)
