"""The checks of a result that need the store: how far its run got, which slot the original was in,
and who wrote the variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dcq.evidence import checklist
from dcq.evidence.case import Check, Mark, Topic
from dcq.quiz.looks import StoredLooks
from dcq.quiz.results import OPTIONS, Result
from dcq.records import IMPORTED, LETTERS, Kind, Mode, Outcome
from dcq.words import percent


def bare_of(result: Result, every: Sequence[Result]) -> Result | None:
    """The same model's quiz of the same sample without originals, for a result with one slot."""
    if result.slot is None or result.mode is Mode.LIKELIHOOD:
        return None
    if result.kind is Kind.BCQ:
        return next((r for r in every if r.run == result.without), None)
    fitting = (
        r
        for r in every
        if r.kind is Kind.MODIFIED
        and r.n
        and (r.model, r.sample, r.prompt) == (result.model, result.sample, result.prompt)
    )
    return max(fitting, key=lambda r: (r.finished, r.at), default=None)


def complete(result: Result, looked: StoredLooks | None, bare: Result | None) -> Check | None:
    """Did the run end as planned? Stopping one because of its first answers would bias it."""
    if looked is not None:
        return looked.check()
    for run, words in ((result, "The run"), (bare if result.kind is Kind.BCQ else None, "The bdq")):
        if run is not None and not run.finished:
            return Check(
                Topic.COMPLETE,
                Mark.BAD,
                run.progress,
                f"{words} is unfinished: {run.progress} questions have a reply so far.",
            )
    return None


def slot(result: Result, bare: Result | None) -> Check:
    """Does a preference for the slot explain the score? Controls at the same slot correct for it,
    so this is never bad."""
    if result.mode is Mode.LIKELIHOOD:
        return Check(Topic.SLOT, Mark.GOOD, "none", "Each option was scored separately.")
    if result.slot is None:
        return Check(Topic.SLOT, Mark.GOOD, "all", "The original was in every slot in turn.")
    letter = LETTERS[result.slot]
    if bare is None:
        without = Kind.BDQ if result.kind is Kind.BCQ else Kind.MODIFIED
        return Check(
            Topic.SLOT,
            Mark.CAUTION,
            letter,
            f"The {without} quiz, which has no original, was not asked, so it is not known how "
            f"often the model chooses slot {letter} anyway.",
        )
    share = bare.chosen[result.slot] / bare.n
    sentence = f"Without the original, the model chose slot {letter} in {percent(share)}"
    if share > 1 / OPTIONS:
        return Check(
            Topic.SLOT,
            Mark.CAUTION,
            f"{letter}: {percent(share)}",
            f"{sentence}: it prefers that slot, which leaves little room for memory to show.",
        )
    return Check(Topic.SLOT, Mark.GOOD, f"{letter}: {percent(share)}", f"{sentence}.")


def none_of_these(result: Result, controls: Sequence[Result]) -> Check | None:
    """Does "none of these" (protocol v2) take as many answers here as on the controls?"""
    if result.kind is not Kind.BCQ:
        return None
    sides = [
        [one.outcomes.get(outcome, 0) for outcome in (Outcome.NONE, Outcome.ANSWERED)]
        for one in (result, *controls)
    ]
    (mine, letters), rest = sides[0], sides[1:]
    theirs, others = (sum(side[i] for side in rest) for i in (0, 1))
    return checklist.none_of_these(mine, mine + letters, theirs, theirs + others)


def writer(result: Result, controls: Sequence[Result], writers: Mapping[str, str]) -> Check | None:
    """Were the variants of target and controls written by the same writer? A model may prefer one
    writer's wording or avoid another's, seen or unseen, which would bias the comparison."""
    if not controls:
        return None
    mine = writer_words(writers.get(result.sample, ""))
    others = sorted({writer_words(writers.get(c.sample, "")) for c in controls} - {mine})
    if not others:
        return Check(
            Topic.WRITER, Mark.GOOD, "same", f"The variants of target and controls are {mine}."
        )
    return Check(
        Topic.WRITER,
        Mark.BAD,
        "differ",
        f"The variants here are {mine}, those of a control {', '.join(others)}: a preference for "
        "one writer's wording looks like memory.",
    )


def writer_words(origin: str) -> str:
    """A writer, as ``variants.writers`` returns it, in words."""
    words = {
        "bundled": "those that came with the data",
        "offline": "by the offline generator",
        "offline-character": "misspelt by the offline generator",
        "offline-order": "put in another order by the offline generator",
        "": "of unknown origin",
        "person": "by hand",
    }
    if origin.startswith(IMPORTED):
        return f"imported from {origin.removeprefix(IMPORTED)}"
    return words.get(origin, f"by {origin.removeprefix('model:')}")


def named(found: Sequence[Result], most: int = 4) -> str:
    """Their partitions, at most ``most`` of them by name."""
    names = [result.place for result in found]
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"
