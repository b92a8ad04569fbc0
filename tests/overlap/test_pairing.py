from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.overlap.effect_report import Paired, pair
from dcq.overlap.harness.graded import HarnessAnswer

TEXTS = {
    "a": "Question: Who sold the brown mare at Telford?\nLabel: 0 (Ann)",
    "b": "Premise: It rained in Ely all week.\nHypothesis: It was dry in Ely.\nLabel: 1 (no)",
    "c": "Premise: It rained in Ely all week.\nHypothesis: Ely had some rain.\nLabel: 0 (yes)",
}


def _found(*answers: HarnessAnswer, texts: dict[str, str] = TEXTS) -> dict[str, float]:
    return {one.instance_id: one.correct for one in pair(answers, TEXTS, texts).answers}


def test_ids_match_where_there_are_no_texts() -> None:
    found = pair([HarnessAnswer("m", "a", 1), HarnessAnswer("m", "x", 0)], TEXTS, {})
    assert found == Paired((HarnessAnswer("m", "a", 1),), 0, 1, 1)


def test_texts_match_whatever_the_layout_and_the_id() -> None:
    assert _found(
        HarnessAnswer("m", "0", 1, texts=("who sold the brown mare, at Telford", "Ann")),
        HarnessAnswer("m", "1", 0, texts=("It rained in Ely all week.", "Ely had some rain.")),
    ) == {"a": 1, "c": 0}


def test_a_line_that_several_instances_have_says_nothing() -> None:
    with pytest.raises(InputError, match="none of their texts"):
        _found(HarnessAnswer("m", "1", 0, texts=("It rained in Ely all week.",)))


def test_the_question_stands_after_the_worked_examples() -> None:
    prompt = f"{TEXTS['b']}\n\n{TEXTS['a']}\nAnswer yes or no:"
    assert _found(HarnessAnswer("m", "7", 1, texts=(prompt,))) == {"a": 1}


def test_the_text_counts_where_the_id_says_otherwise() -> None:
    answer = HarnessAnswer("m", "b", 1, texts=("Who sold the brown mare at Telford?",))
    assert _found(answer) == {"a": 1}
    assert _found(answer, texts={}) == {"b": 1}


def test_several_answers_to_one_instance_are_averaged() -> None:
    line = ("Who sold the brown mare at Telford?",)
    answers = [HarnessAnswer("m", "0", 1, texts=line), HarnessAnswer("m", "a", 0)]
    assert _found(*answers) == {"a": 0.5}


def test_two_instances_of_one_number_are_not_mixed() -> None:
    answers = [HarnessAnswer("m", "a", 1, texts=("x",)), HarnessAnswer("m", "a", 0, texts=("y",))]
    with pytest.raises(InputError, match="two instances with the id 'a'; match them by text"):
        _found(*answers, texts={})
    other = HarnessAnswer("n", "a", 0, texts=("z",))
    assert len(pair([answers[0], other], TEXTS, {}).answers) == 2


@pytest.mark.parametrize(
    ("texts", "known", "message"),
    [
        (("Who?",), {}, "their ids differ, such as 'x' and 'a'; use the same ids in both, or"),
        ((), TEXTS, "have no texts to match by; add a column text"),
        (("Something else entirely.",), TEXTS, "of the same benchmark and split"),
    ],
)
def test_that_nothing_matches_is_one_sentence(
    texts: tuple[str, ...], known: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        pair([HarnessAnswer("m", "x", 1, texts=texts)], TEXTS, known)


@given(st.lists(st.text(), max_size=4), st.dictionaries(st.text(), st.text(), max_size=4))
def test_any_texts_can_be_compared(said: list[str], known: dict[str, str]) -> None:
    answer = HarnessAnswer("m", "x", 1, texts=tuple(said))
    found = pair([answer], {*known, "x"}, known)
    assert len(found.answers) == 1
    assert found.by_text + found.by_id == 1


def test_results_without_an_answer_match_nothing() -> None:
    with pytest.raises(InputError, match="no scored answer"):
        pair([], ["1"], {})
