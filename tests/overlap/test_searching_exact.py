"""Searches with infini-gram, which finds only what stands there to the letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.asking.options import Options, Terms
from dcq.documents.overlap_document import document, sentence
from dcq.overlap import searches
from dcq.overlap.freeze import SearchDesign
from dcq.overlap.match import Category
from dcq.overlap.outcome import of_run
from dcq.overlap.search.exact import PIECE, TOO_SHORT, UNSEEN, strings_of
from dcq.overlap.searches import search
from dcq.overlap.tokens import split
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample
from dcq.store import Store, samples
from dcq.store.runs import Event
from tests.support.search_rules import InfiniIndex
from tests.support.search_services import FakeWeb

QUESTIONS = {
    "What did several critics of Anderson's ACT theory later say about its rules?": "untestable",
    "Which brook below those northern hills runs all winter to an old mill?": "none",
    "Who sold the brown mare at Telford fair, and how much did her buyer give?": "Ann",
    "How many apples fell in our orchard before heavy rain came on 1 September?": "forty",
}


def quizzed(store: Store, questions: dict[str, str], language: str = "en") -> str:
    """The id of a sample of these questions and answers."""
    asked = Partition(
        "exam",
        "test",
        "Exam",
        "test",
        PartitionRole.TARGET,
        DatasetTask.QUESTION_ANSWERING,
        language,
    )
    instances = tuple(
        Instance(f"Question: {text}\nAnswer: {said}", {"question": text}, said)
        for text, said in questions.items()
    )
    count = len(instances)
    return samples.save(store, Sample(asked, instances, count, count, 0, stratified=False))


def asks(web: FakeWeb, index: InfiniIndex) -> None:
    web.before = lambda request: index.answer(request.body)


@pytest.mark.parametrize(
    "layout",
    [
        "So {question} {answer}",
        "Q: {question}\nA: {answer}",
        "1.\n{question}\nA. something else\nB. {answer}\n",
        "They asked ({question}) and heard {answer}.",
        "{question}",
    ],
)
async def test_a_question_is_found_however_its_answer_stands(
    fresh_store: Store, web: FakeWeb, layout: str
) -> None:
    """Only runs of the same tokens are found, and a word after a line break is another token than
    after a space: https://infini-gram.readthedocs.io/en/latest/api.html, *query*, and Llama-2's
    tokenizer, which its indexes have."""
    sample_id = quizzed(fresh_store, QUESTIONS)
    planted = [layout.format(question=one, answer=said) for one, said in QUESTIONS.items()]
    asks(web, InfiniIndex(["something else entirely, of other words", *planted]))
    estimate = searches.estimate(fresh_store, sample_id, "infini-gram", SearchDesign())
    done = await search(fresh_store, sample_id, "infini-gram", SearchDesign())
    found = of_run(fresh_store, done.run)
    with_label = "answer" in layout
    wanted = Category.INPUT_AND_LABEL if with_label else Category.INPUT_ONLY
    assert [row.category for row in found.rows] == [wanted] * 4
    assert all(row.score > 0.9 for row in found.rows)
    assert len(web.server.requests) <= estimate.calls == 4 * estimate.requests
    assert {row.queries for row in found.rows} <= {3, 4, 5}
    written = document(fresh_store, done)
    assert sum(row["queries"] for row in written["rows"]) == estimate.requests
    assert f"{estimate.requests} queries about 4 instances" in sentence(fresh_store, done)


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("kk", "Солтүстік төбелердің астындағы өзен қыс бойы ескі диірменге қалай ағады?", "баяу"),
        (
            "ja",
            "北の丘の下を流れる小川は、冬の間どのようにして古い水車小屋まで流れますか。",
            "静かに",
        ),
        ("ar", "كيف يجري الجدول تحت التلال الشمالية طوال الشتاء إلى الطاحونة القديمة؟", "ببطء"),
    ],
)
async def test_other_scripts_are_found_too(
    fresh_store: Store, web: FakeWeb, language: str, question: str, answer: str
) -> None:
    sample_id = quizzed(fresh_store, {question: answer}, language)
    index = InfiniIndex([f"1.\n{question}\nA. {answer}\n"])
    asks(web, index)
    done = await search(fresh_store, sample_id, "infini-gram", SearchDesign())
    assert of_run(fresh_store, done.run).coverage.found == 1


async def test_clean_is_only_what_pieces_can_tell(fresh_store: Store, web: FakeWeb) -> None:
    common = "Which of the following is the most appropriate next step in the management of this?"
    questions = {
        next(iter(QUESTIONS)): "untestable",
        common: "rest",
        "What is it?": "rain",
        "Say whether the first premise is true AND so is the second one of the two": "yes",
    }
    sample_id = quizzed(fresh_store, questions)
    inside = " ".join(common.split()[1:-1])
    asks(web, InfiniIndex([f"about other things. One {inside} nothing" for _ in range(3)]))
    done = await search(fresh_store, sample_id, "infini-gram", SearchDesign())
    assert done.ended.event is Event.FINISHED
    found = of_run(fresh_store, done.run)
    assert [row.category for row in found.rows] == [
        Category.CLEAN,
        Category.INPUT_ONLY,
        None,
        Category.CLEAN,
    ]
    assert found.rows[2].skipped == TOO_SHORT
    assert all(row.queries for row in found.rows)
    assert len(found.labels()) == 3


async def test_documents_that_nobody_saw_leave_it_open(fresh_store: Store, web: FakeWeb) -> None:
    """A document may be ``blocked`` (pkg/infini_gram/engine.py of
    https://github.com/liujch1998/infini-gram), or be one of more than are fetched."""
    question = next(iter(QUESTIONS))
    sample_id = quizzed(fresh_store, {question: "untestable"})

    async def first(index: InfiniIndex) -> tuple[Category | None, str]:
        asks(web, index)
        done = await search(fresh_store, sample_id, "infini-gram", SearchDesign())
        row = of_run(fresh_store, done.run).rows[0]
        return row.category, row.skipped

    withheld = InfiniIndex([f"It was asked: {question}"])
    assert await first(withheld) == (Category.INPUT_ONLY, "")
    withheld.withheld = {0}
    assert await first(withheld) == (None, UNSEEN)
    parts = [one for _, one in strings_of("x", question, 500)][2:]
    assert len(parts) == 2
    for times, wanted in ((2, (Category.CLEAN, "")), (9, (None, UNSEEN))):
        index = InfiniIndex([f"so {part}, {n}" for n in range(times) for part in parts])
        assert await first(index) == wanted
    index = InfiniIndex([f"so {parts[0]}, {n}" for n in range(9)])
    assert await first(index) == (Category.CLEAN, "")  # the other piece is in no document


async def test_a_string_without_a_reply_leaves_it_open(fresh_store: Store, web: FakeWeb) -> None:
    sample_id = quizzed(fresh_store, QUESTIONS)
    index = InfiniIndex(["nothing"])

    web.before = lambda request: (
        (200, {"error": "no"}) if "brook" in request.body["query"] else index.answer(request.body)
    )
    done = await search(fresh_store, sample_id, "infini-gram", SearchDesign())
    row = of_run(fresh_store, done.run).rows[1]
    assert row.category is None
    assert "could not answer" in row.skipped
    assert len(of_run(fresh_store, done.run).labels()) == 3


async def test_limit_and_cap_hold_for_all_strings(fresh_store: Store, web: FakeWeb) -> None:
    sample_id = quizzed(fresh_store, QUESTIONS)
    asks(web, InfiniIndex(["nothing"]))
    estimate = searches.estimate(fresh_store, sample_id, "infini-gram", SearchDesign(), limit=1)
    first = await search(
        fresh_store, sample_id, "infini-gram", SearchDesign(), Options(Terms(limit=1))
    )
    assert first.ended.event is Event.FINISHED
    assert len(web.server.requests) == estimate.requests
    assert of_run(fresh_store, first.run).coverage.searched == 1
    capped = await search(
        fresh_store, sample_id, "infini-gram", SearchDesign(), Options(Terms(max_calls=2))
    )
    assert capped.ended.event is Event.STOPPED
    assert len(web.server.requests) == estimate.requests + 2
    assert of_run(fresh_store, capped.run).labels() == {}


def test_the_strings_of_an_instance() -> None:
    long = " ".join(f"word{n}" for n in range(900))
    strings = [one for _, one in strings_of(f"{long} yes", long, 500)]
    assert len(strings) == 9  # one for each hundred words
    assert strings[-1].endswith("word896")
    assert [len(split(one)) for one in strings] == [PIECE] * 9
    assert strings[0].startswith("word1 ")
    [whole, alone, piece] = [one for _, one in strings_of("a b c d e f", "a b c d e", 500)]
    assert (whole, alone, piece) == ("a b c d e f", "a b c d e", "b c d")
    assert strings_of("a b", "a b", 500) == [(False, "a b")]
    assert all("AND" not in one for _, one in strings_of("a b c d AND e f g h", "a", 500))
    assert strings_of("x" * 2000, "x" * 2000, 500)


@given(st.text(), st.text())
def test_every_string_can_be_asked_and_stands_in_the_instance(alone: str, answer: str) -> None:
    text = f"{alone} {answer}"
    strings = strings_of(text, alone, 500)
    assert strings == strings_of(text, alone, 500)
    for _, one in strings:
        assert len(one.encode()) <= 500
        assert one in text
        assert " AND " not in one
        assert " OR " not in one
    assert len({one for _, one in strings}) == len(strings)
