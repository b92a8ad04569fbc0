"""One pair of runs, without and with the original: choosing it, its numbers, and what is
missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from dcq.documents.names import partition_names
from dcq.evidence.ablation import Ablation
from dcq.quiz import ablation
from dcq.quiz.ablation import AblationPair
from dcq.quiz.results import Result
from dcq.records import LETTERS, QuizKind
from dcq.ui import glossary, links, notice, page
from dcq.ui.result_names import kind_name
from dcq.ui.text import plain
from dcq.words import model_title, model_titles, p_number, percent, points


def choose(pairs: Sequence[AblationPair], *, prefix: str) -> AblationPair:
    """Pick a model and then one of its samples; the address keeps both under ``prefix``."""
    left, right = st.columns([2, 3])
    models = model_titles(pair.main_run.model for pair in pairs)
    model = links.choose("Model", models, key=f"{prefix}_model", what="model", where=left)
    own_ablation_pairs = {_key(pair): pair for pair in pairs if pair.main_run.model == model}
    names = _names(own_ablation_pairs)
    return own_ablation_pairs[links.choose("Partition", names, key=f"{prefix}_sample", where=right)]


def _key(pair: AblationPair) -> str:
    """The id of a pair in a link, unique among those of its model."""
    key = f"{pair.main_run.sample}-{pair.letter or ''}"
    without, _ = pair.kinds
    return key if without is QuizKind.MODIFIED else f"{key}-{without}-{pair.main_run.prompt}"


def _names(pairs: Mapping[str, AblationPair]) -> dict[str, str]:
    """A name for each pair, with its sample only where two would otherwise share it."""
    partitions = partition_names([pair.main_run for pair in pairs.values()])
    names = {
        key: f"{partitions[pair.main_run.partition]} · {_quizzes(pair)}"
        for key, pair in pairs.items()
    }
    shared = Counter(names.values())
    return {
        key: name if shared[name] == 1 else f"{name} · sample {pairs[key].main_run.sample}"
        for key, name in names.items()
    }


def _quizzes(pair: AblationPair) -> str:
    without, having = pair.kinds
    slot = f"{having} at {pair.letter}" if pair.letter else f"no {having} quiz yet"
    return slot if pair.without else f"{slot} · no {without} quiz yet"


def answer(pair: AblationPair, comparison: Ablation) -> None:
    """The comparison in a sentence, and the three numbers behind it."""
    st.markdown(f"#### {plain(ablation.describe(pair, comparison))}")
    st.markdown(plain(ablation.explain(pair, comparison)))
    if (
        comparison.modified_share is None
        or comparison.standard_share is None
        or comparison.difference is None
        or comparison.low is None
        or comparison.high is None
        or comparison.p_value is None
    ):
        return  # n is 0
    numbers = (
        (
            "Without the original",
            "Without the original",
            percent(comparison.modified_share),
            f"n = {comparison.n:,}",
        ),
        (
            "With the original",
            "With the original",
            percent(comparison.standard_share),
            f"n = {comparison.n:,}",
        ),
        (
            "Difference, points",
            "Difference by the original",
            points(comparison.difference),
            f"95 % interval {points(comparison.low)} to {points(comparison.high)}",
        ),
        (
            "McNemar's p",
            "McNemar's p",
            p_number(comparison.p_value),
            f"{comparison.gained:,} gained, {comparison.lost:,} lost",
        ),
    )
    for column, (label, term, value, note) in zip(st.columns(4), numbers, strict=True):
        with column:
            st.metric(label, value, help=glossary.tip(term))
            notice.caption(note)


def ask_for_the_other(pair: AblationPair) -> None:
    """A message on which of the two quizzes is missing, with a link to make it."""
    result = pair.main_run
    without, having = pair.kinds
    kind = having if pair.having is None else without
    model = plain(model_title(result.model))
    st.markdown(f"#### {model} has not taken the {kind} quiz of {plain(result.place)} yet.")
    if kind is QuizKind.STANDARD and pair.without is not None:
        least = min(pair.without.chosen)
        slots = [
            letter
            for letter, count in zip(LETTERS, pair.without.chosen, strict=False)
            if count == least
        ]
        st.markdown(
            f"Without the original it chose {' and '.join(slots)} least; the standard quiz puts "
            "the original there."
        )
    page.link(
        "quiz",
        f"Make the {kind} quiz",
        icon=":material/quiz:",
        quiz_sample=result.sample,
        quiz_kind=kind_name(kind),
    )


def choose_run(pair: AblationPair, *, prefix: str) -> Result:
    """Which of the two runs has its answers listed."""
    runs = [run for run in (pair.having, pair.without) if run is not None]
    words = dict(zip(pair.kinds, ("Without the original", "With the original"), strict=True))
    kinds = {str(run.kind): run for run in runs}
    kind = links.choose_segment(
        "Answers of the run",
        kinds,
        key=f"{prefix}_kind",
        format_func=lambda kind: words[QuizKind(kind)],
    )
    return kinds[kind]
