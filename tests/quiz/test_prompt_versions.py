"""Each version of the five-option question is asked, resumed and proved in its own words."""

from __future__ import annotations

import hashlib

import pytest

from dcq.asking import prepare
from dcq.asking.options import Terms
from dcq.errors import InputError
from dcq.quiz import freeze, protocol2
from dcq.quiz.method import QUIZ
from dcq.quiz.preview import recall
from dcq.quiz.prompts import QUIZ_V2
from dcq.records import QuizKind
from dcq.store import Store, quizzes, runs, samples
from tests.support.provider import FakeProvider
from tests.support.runs import answer, go_on, take


def frozen_earlier(store: Store, sample_id: str, kind: QuizKind, slot: int | None = None) -> str:
    """A quiz as it was kept before the release's question was known."""
    sample = samples.load(store, sample_id)
    built = freeze.questions(store, sample, kind, slot)
    return quizzes.save(store, sample_id, kind, slot, QUIZ_V2.id, built.items, {})


def asked(provider: FakeProvider) -> list[str]:
    return [str(body["messages"][0]["content"]) for body in provider.bodies]


async def test_a_quiz_of_the_earlier_wording_is_resumed_and_verified_in_it(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = frozen_earlier(fresh_store, sample_id, QuizKind.BDQ)
    run, _ = await take(fresh_store, quiz, "always-b", Terms(limit=2))
    prepare.amend(fresh_store, QUIZ, run, QUIZ.endpoint("always-b"), Terms())
    await go_on(fresh_store, run)
    assert runs.load(fresh_store, run).plan.prompt == "quiz/v2"
    assert len(asked(provider)) == 6
    for position in range(6):
        sent = recall(fresh_store, run, position)
        assert sent.verified
        assert sent.prompt in asked(provider)
        assert sent.prompt.startswith("Instruction: Your task is to accurately select, from the ")
        assert sent.prompt.endswith("E) None of the provided options.\n\n—\n\nAnswer:")


async def test_a_new_quiz_is_asked_and_verified_in_the_releases_words(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
    run, _ = await take(fresh_store, quiz, "always-b")
    plan = runs.load(fresh_store, run).plan
    assert (plan.prompt, plan.temperature, plan.max_tokens) == ("quiz/v2-release", 0.0, 1)
    items = quizzes.load(fresh_store, quiz).items
    for position, item in enumerate(items):
        sent = recall(fresh_store, run, position)
        assert sent.verified
        assert sent.prompt in asked(provider)
        names = ("dataset_name", "option_a", "option_b", "option_c", "option_d")
        published = sent.prompt.replace("from the test split", "from the {split_name} split")
        for name, value in zip(names, ("Rivers", *item.options), strict=False):
            published = published.replace(value, f"{{{name}}}", 1)
        digest = hashlib.sha256(published.encode()).hexdigest()
        assert digest == "0c7eb7bdb83bf4b7f6ad6bdbdc1fc860185a1a8d7a3b8863d93e4bb1a7ffe27d"


def test_a_bdq_in_other_words_chooses_no_slot(fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, frozen_earlier(fresh_store, sample_id, QuizKind.BDQ), {"A": 6})
    with pytest.raises(InputError, match="No model has taken a bdq"):
        freeze.non_preferred_slots(fresh_store, sample_id)
    answer(fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz, {"B": 6})
    assert freeze.non_preferred_slots(fresh_store, sample_id).letters == ("A", "C", "D")


def test_a_range_is_made_of_one_wording(fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz, {"B": 3, "E": 3})
    for slot in (0, 2, 3):
        answer(fresh_store, frozen_earlier(fresh_store, sample_id, QuizKind.BCQ, slot), {"A": 6})
    [found] = protocol2.estimates(fresh_store)
    assert found.missing == ("A", "C", "D")
