"""The cost of an investigation, as one sentence and step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from dcq.asking.options import Terms
from dcq.investigation import price
from dcq.investigation.price import Need
from dcq.investigation.state import is_quiz, silent
from dcq.models import embedded
from dcq.models.presets import EMBEDDED
from dcq.quiz import choice as choosing
from dcq.quiz import preview
from dcq.quiz.build import PLACED, WITHOUT_ORIGINAL
from dcq.quiz.choice import QuizChoice
from dcq.records import PartitionRole
from dcq.store import Store, results, samples
from dcq.store.investigations import Place
from dcq.store.samples import ListedSample
from dcq.ui import notice, page, sample_picker, start_button
from dcq.ui.result_names import kind_name, listed_partitions, sample_names
from dcq.variants.method import REWORDING
from dcq.words import usd_words


@dataclass(frozen=True)
class StartConditions:
    """The needs of all models, and why the investigation cannot start: a sentence for each sample
    without variants, and sentences on models that cannot be asked, or gave no answer so far."""

    needs: tuple[Need, ...]
    obstacles: Mapping[str, str]
    unusable: tuple[str, ...]

    @property
    def unready(self) -> str:
        """All reasons; empty if it can start."""
        return " ".join((*self.obstacles.values(), *self.unusable))


def of(store: Store, choice: QuizChoice, models: Sequence[str], terms: Terms) -> StartConditions:
    """The start conditions of an investigation; computed again after a relevant write, or once a
    model can be asked."""
    state = (*results.state(store), *samples.state(store))
    usable = tuple(preview.readiness(model, 0.0, terms) == preview.READY for model in models)
    needs, obstacles = _of(str(store.path), state, usable, choice, tuple(models), terms)
    reasons: dict[str, list[str]] = {}
    for model in models:
        usd = _usd([need for need in needs if need.model == model])
        ready = preview.readiness(model, usd, terms)
        for need in needs:
            if need.model == model and need.run and not need.calls:
                ready = silent(store, need.kind, need.run) or ready
        if ready != preview.READY:
            reasons.setdefault(ready, []).append(model)
    named = (f"{', '.join(who)}: {reason}" for reason, who in reasons.items())
    return StartConditions(needs, obstacles, tuple(named))


@st.cache_data(max_entries=16, show_spinner="Counting the questions…")
def _of(
    path: str,
    state: tuple[int, ...],
    usable: tuple[bool, ...],
    choice: QuizChoice,
    models: tuple[str, ...],
    terms: Terms,
) -> tuple[tuple[Need, ...], dict[str, str]]:
    """The needs, and why samples make no question. ``state`` and ``usable`` are only part of the
    cache key."""
    store = Store(Path(path))
    return (
        tuple(price.needs(store, choice, models, terms)),
        choosing.questions_lack(store, choice),
    )


def warn(start_conditions: StartConditions) -> None:
    """The reasons why an investigation cannot start, each with a link to the page that fixes it."""
    for sample_id, sentence in start_conditions.obstacles.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            notice.warning(sentence, icon=":material/edit_note:")
            page.link("variants", "Write the variants", variants_sample=sample_id)
    start_button.warn(start_conditions.unusable)


def sentence(needs: Sequence[Need]) -> str:
    """The whole cost: ``2 models, 4 quizzes each: 320 calls, at most about 40,000 tokens,
    $0.02.``"""
    models = len({need.model for need in needs})
    steps = len({(need.kind, need.sample) for need in needs})
    noun = "quizzes" if all(is_quiz((need.kind, need.sample)) for need in needs) else "steps"
    calls, had = sum(need.calls for need in needs), sum(need.had for need in needs)
    who = f"{models} models, {steps} {noun} each" if models > 1 else f"{steps} {noun}"
    reuse_words = f" {had:,} answers are there already." if had else ""
    if not calls:
        return f"{who}: nothing is left to ask.{reuse_words}"
    tokens = sum(need.tokens_in + need.tokens_out for need in needs)
    cost = "free of charge" if _usd(needs) == 0 else _cost(needs)
    slow = sum(need.tokens_in for need in needs if need.model == EMBEDDED)
    wait = f" {embedded.time_words(slow)}" if slow else ""
    return f"{who}: {calls:,} calls, at most about {tokens:,} tokens, {cost}.{reuse_words}{wait}"


def show_steps(store: Store, needs: Sequence[Need]) -> None:
    """A table with a row for each quiz; nothing where nothing is left to ask."""
    if not any(need.calls for need in needs):
        return
    had = any(need.had for need in needs)
    rows: dict[Place, list[Need]] = {}
    for need in needs:
        rows.setdefault((need.kind, need.sample), []).append(need)
    words = step_words(store, list(rows))
    start_button.show_price(
        pd.DataFrame(
            [
                {
                    "step": words[place],
                    "slot": _at(of_step),
                    "calls": sum(need.calls for need in of_step),
                    **({"had": sum(need.had for need in of_step)} if had else {}),
                    "cost": _cost(of_step),
                }
                for place, of_step in rows.items()
            ]
        ),
        {
            "step": st.column_config.TextColumn("Step", width=380),
            "slot": st.column_config.TextColumn("Original at", width=130),
            "calls": st.column_config.NumberColumn("Calls", width=80, format="localized"),
            "had": st.column_config.NumberColumn("Answers there", width=110, format="localized"),
        },
        key="investigate_steps",
        alt="What is asked, in its order, with calls and cost of all models.",
        models=list(dict.fromkeys(need.model for need in needs)),
    )


def _usd(needs: Sequence[Need]) -> float | None:
    """None if a price is not known of something that is still to be asked."""
    costs = [need.usd for need in needs if need.calls]
    known_costs = [usd for usd in costs if usd is not None]
    return sum(known_costs) if len(known_costs) == len(costs) else None


def _cost(needs: Sequence[Need]) -> str:
    """``$0.02``, or ``$0.02 and an unknown price`` where only some models have a known one."""
    wanted_needs = [need for need in needs if need.calls]
    known_needs = [need for need in wanted_needs if need.usd is not None]
    if not known_needs or len(known_needs) == len(wanted_needs):
        return usd_words(_usd(wanted_needs))
    return f"{usd_words(_usd(known_needs))} and an unknown price"


def _at(needs: Sequence[Need]) -> str:
    if not is_quiz((needs[0].kind, needs[0].sample)):
        return ""
    if needs[0].kind in WITHOUT_ORIGINAL:
        return "absent"
    if needs[0].kind not in PLACED:
        return "each slot"
    return ", ".join(dict.fromkeys(need.slot or "chosen least" for need in needs))


def step_words(store: Store, places: Iterable[Place]) -> dict[Place, str]:
    """``Modified on AG News test``, ``Standard on control Lakes test``."""
    listed_samples = {sample.id: sample for sample in sample_picker.list_samples(store)}
    named = listed_partitions(listed_samples.values())
    words_by_place = {}
    for kind, sample_id in places:
        listed_sample = listed_samples[sample_id]
        name = named[listed_sample.partition]
        is_evident = "control" in name.casefold() or listed_sample.role is not PartitionRole.CONTROL
        what = "Rewordings of" if kind == REWORDING.name else f"{kind_name(kind)} on"
        words_by_place[kind, sample_id] = f"{what} {name if is_evident else f'control {name}'}"
    return words_by_place


def control_names(listed_samples: Sequence[ListedSample]) -> dict[str, str]:
    """The names of samples, by id: their partition, and more only where a partition has several."""
    partitions, full_names = listed_partitions(listed_samples), sample_names(listed_samples)
    count = Counter(sample.partition for sample in listed_samples)
    return {
        listed_sample.id: full_names[listed_sample.id]
        if count[listed_sample.partition] > 1
        else partitions[listed_sample.partition]
        for listed_sample in listed_samples
    }
