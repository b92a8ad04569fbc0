"""The section that explains the quiz by one real question."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.asking.prompt import fill
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.judging.judged import JudgedResult
from dcq.quiz import tables
from dcq.quiz.prompts import NONE_OF_THESE, QUIZ_PROMPTS
from dcq.quiz.results import quiz_row
from dcq.records import LETTERS, Item, QuizKind, fingerprint
from dcq.sections import Example, Section
from dcq.store import Store, quizzes, runs
from dcq.store.private_wordings import private_texts
from dcq.words import model_title

EASY_TO_READ = 1_600  # characters of all options of a question
LONGEST = 2_000  # characters of one option that are shown


def section(store: Store, scored: Sequence[JudgedResult], *, with_text: bool) -> Section | None:
    """The section with its question: one that the model of the first finding answered rightly, if
    any, and that is short. None if there is no question."""
    example = next(
        (
            new_example
            for finding in scored
            if (new_example := _example(store, finding, with_text=with_text))
        ),
        None,
    )
    if example is None:
        return None
    sentences = [
        "The model gets one instance of the benchmark among rewordings of it, which change words "
        "and keep the meaning, and names the one that it takes for the original.",
        "Only the wording tells the original from the others: a model that has not read it can do "
        "no better than its preference for some letters or for some style.",
    ]
    if example.hidden:
        sentences.append(
            "The texts of the data set are left out; a hash stands in the place of each."
        )
    return Section(Part.METHOD, "How the quiz works", tuple(sentences), example=example)


def _example(store: Store, finding: JudgedResult, *, with_text: bool) -> Example | None:
    result = quiz_row(finding.evidence)
    answers = tables.of_runs(store, [result.run]).get(result.run)
    if answers is None:
        return None
    quiz, plan = quizzes.load(store, result.quiz), runs.load(store, result.run).plan
    asked = [
        (item, str(letter))
        for item, letter in zip(quiz.items, answers["letter"], strict=False)
        if item.correct is not None and not pd.isna(letter)
    ]
    if not asked:
        return None
    recognised = [pair for pair in asked if LETTERS[pair[0].correct or 0] == pair[1]]
    item, letter = next(
        (pair for pair in (*recognised, *asked) if _size(pair[0]) <= EASY_TO_READ),
        (*recognised, *asked)[0],
    )
    texts = [*item.options, *([NONE_OF_THESE] if quiz.kind is QuizKind.BCQ else [])]
    with_text = with_text and not any(map(private_texts(store).found_in, texts))
    visible_texts = [_shown(text, with_text=with_text or text == NONE_OF_THESE) for text in texts]
    return Example(
        model=model_title(result.model),
        instruction=_instruction(quiz.prompt, plan.dataset, plan.split),
        options=tuple(zip(LETTERS, visible_texts, strict=False)),
        original=LETTERS[item.correct or 0],
        chosen=letter,
        hidden=not with_text,
        share=f"{len(recognised):,} of {len(asked):,}",
        caption=captions.of([result]),
    )


def _size(item: Item) -> int:
    return sum(map(len, item.options))


def _shown(text: str, *, with_text: bool) -> str:
    if not with_text:
        return f"hash {fingerprint(text)}"
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… ({len(text) - LONGEST:,} more characters)"


def _instruction(prompt: str, dataset: str, split: str) -> str:
    """What the model is told before the options; empty for a wording that this release lacks."""
    known_prompt = QUIZ_PROMPTS.get(prompt)
    if known_prompt is None:
        return ""
    names = {"{dataset}": dataset, "{dataset_name}": dataset}
    return fill(known_prompt.wording, names | {"{split}": split, "{split_name}": split})
