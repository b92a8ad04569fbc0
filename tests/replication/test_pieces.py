from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.partitions import draw_sample, open_partition
from dcq.records import DatasetTask, Instance
from dcq.replication.pieces import (
    EARLIEST,
    LATEST,
    PieceForm,
    Pieces,
    Unfit,
    cut_at,
    sentence_ends,
    split,
)
from tests.support.languages import TEXTS

QUESTION = (
    "John writes 20 pages a day. How long will it take him to write 3 books that are 400 pages "
    "each?"
)


def plain(text: str) -> Instance:
    return Instance(text, {"text": text})


def cut(text: str, task: DatasetTask = DatasetTask.CLASSIFICATION, **options: object) -> Pieces:
    found = split(plain(text), task, **options)  # type: ignore[arg-type]  # language and seed
    assert isinstance(found, Pieces)
    return found


def test_a_pair_gives_its_first_sentence_and_its_label() -> None:
    instance = Instance(
        "Sentence 1: The dog ran. It barked.\nSentence 2: The dog barked.\nLabel: 1 (entailment)",
        {"sentence1": "The dog ran. It barked.", "sentence2": "The dog barked.", "label": "1"},
        "1 (entailment)",
        ("Label: 1 (entailment)",),
    )
    found = split(instance, DatasetTask.NLI)
    assert found == Pieces(
        PieceForm.NLI, "The dog ran. It barked.", "The dog barked.", "1 (entailment)", gap=""
    )
    # The same without its columns, as a published quiz brings it.
    assert split(replace(instance, fields={}), DatasetTask.NLI) == found
    # A column that happens to be part of a sentence is no piece of it.
    assert (
        split(replace(instance, fields={**instance.fields, "idx": "1"}), DatasetTask.NLI) == found
    )


def test_several_sentences_are_cut_at_the_end_of_one() -> None:
    text = "Dr. Smith went home. He had tea. Then he slept. It rained all night."
    for seed in range(20):
        found = cut(text, seed=seed)
        assert found.first in {
            "Dr. Smith went home.",
            "Dr. Smith went home. He had tea.",
            "Dr. Smith went home. He had tea. Then he slept.",
        }
        assert not found.inside_sentence
        assert found.text == text


def test_one_sentence_is_cut_between_words_within_the_share() -> None:
    text = "Astronomers have found evidence for a planet being devoured by its star " * 3
    cuts = set()
    for seed in range(50):
        found = cut(text.strip(), DatasetTask.SUMMARISATION, seed=seed)
        assert found.form is PieceForm.ONE_SENTENCE_SUMMARY
        assert found.inside_sentence
        assert EARLIEST - 0.05 <= len(found.first) / len(text) <= LATEST + 0.05
        cuts.add(found.first)
    assert len(cuts) > 5


def test_a_question_is_cut_inside_a_sentence_and_without_its_answer() -> None:
    """The paper's example (Table 11) is the first of these cuts that is in its second sentence."""
    instance = Instance(
        f"Question: {QUESTION}\nAnswer: 60 days\n#### 60",
        {"question": QUESTION, "answer": "60 days\n#### 60"},
    )
    cuts = {split(instance, DatasetTask.QUESTION_ANSWERING, seed=seed) for seed in range(60)}
    firsts = {found.first for found in cuts if isinstance(found, Pieces)}
    assert any(first.endswith("How long will it take him to write 3") for first in firsts)
    for found in cuts:
        assert isinstance(found, Pieces)
        assert (found.form, found.text) == (PieceForm.QUESTION, QUESTION)


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("zh", "今天天气很好，我们去公园。下午我们回家了。晚上一起吃饭。", 3),
        ("zh", "研究人员发现了一颗正在被其恒星吞噬的行星", 1),
        ("es", "Reabre el puente de Calzada Honda. Los camiones volvieron. ¿Y ahora?", 3),
    ],
)
def test_other_languages(language: str, text: str, sentences: int) -> None:
    found = cut(text, DatasetTask.SUMMARISATION, language=language)
    assert len(sentence_ends(text, language)) == sentences
    assert found.inside_sentence is (sentences == 1)
    assert found.text == text
    assert found.gap == ("" if language == "zh" else " ")


@pytest.mark.parametrize("declared", ["its own", "en"])
@pytest.mark.parametrize("language", TEXTS)
def test_other_scripts_are_cut_at_the_end_of_a_sentence(language: str, declared: str) -> None:
    for text in TEXTS[language]:
        code = language if declared == "its own" else declared
        first, end = sentence_ends(text, code)  # each has two; an Arabic comma ends none
        assert (text[first - 1], end) == ("。" if language == "ja" else ".", len(text))
        found = cut(text, language=code)
        assert found.first == text[:first]
        assert not found.inside_sentence
        assert found.gap == ("" if language == "ja" else " ")


def test_an_arabic_question_ends_and_its_colon_does_not() -> None:
    text = "قال المعلم: هل وصلتم متأخرين؟ لم يجب أحد."
    assert [text[end - 1] for end in sentence_ends(text, "en")] == ["؟", "."]


def test_pieces_without_spaces_are_cut_between_signs_whatever_the_language_is_said_to_be() -> None:
    text = "医師は患者に毎日の散歩を勧めて一か月後には心臓の鼓動が穏やかになった"
    found = cut(text, DatasetTask.SUMMARISATION, language="en")
    assert EARLIEST - 0.1 <= len(found.first) / len(text) <= LATEST + 0.1
    assert found.gap == ""
    english = cut("one two three four five six seven eight", language="ja")
    assert english.gap == " "


@pytest.mark.parametrize(
    ("instance", "task", "why"),
    [
        (plain("   "), DatasetTask.CLASSIFICATION, Unfit.EMPTY),
        (plain("only three words"), DatasetTask.SUMMARISATION, Unfit.TOO_SHORT),
        (plain("x" * 5_000), DatasetTask.CLASSIFICATION, Unfit.TOO_SHORT),
        (Instance("Sentence 1: a b", {"a": "a b"}, "1"), DatasetTask.NLI, Unfit.NO_SECOND),
        (Instance("A: a\nB: b", {"a": "a", "b": "b"}), DatasetTask.NLI, Unfit.NO_LABEL),
        (Instance("", {}), DatasetTask.NLI, Unfit.EMPTY),
        (
            Instance("x", {"first_piece": "a", "second_piece": " "}),
            DatasetTask.TEMPLATE,
            Unfit.NO_SECOND,
        ),
        (
            Instance("x", {"first_piece": "", "second_piece": "b"}),
            DatasetTask.TEMPLATE,
            Unfit.NO_FIRST,
        ),
    ],
)
def test_what_has_no_pieces_has_a_reason(instance: Instance, task: DatasetTask, why: Unfit) -> None:
    assert split(instance, task) is why


def test_pieces_that_are_given_are_kept() -> None:
    fields = {"first_piece": "One sentence. Another that", "second_piece": "goes on."}
    found = split(Instance("x", fields, "2 (Business)"), DatasetTask.CLASSIFICATION)
    assert isinstance(found, Pieces)
    assert (found.first, found.second) == tuple(fields.values())
    assert found.label == "2 (Business)"
    assert found.inside_sentence


@given(
    st.text(max_size=300),
    st.integers(0, 5),
    st.sampled_from(["en", "zh", "es", "xx"]),
    st.sampled_from(
        [DatasetTask.CLASSIFICATION, DatasetTask.SUMMARISATION, DatasetTask.QUESTION_ANSWERING]
    ),
)
def test_no_sign_is_lost_and_none_is_added(
    text: str, seed: int, language: str, task: DatasetTask
) -> None:
    found = split(plain(text), task, language=language, seed=seed)
    if isinstance(found, Pieces):
        assert found.text == text.strip()
        assert found.first.strip()
        assert found.second.strip()
        assert not found.gap.strip()


def test_the_cut_depends_on_seed_and_instance_alone() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve thirteen"
    assert cut(text, seed=1) == cut(text, seed=1)
    assert len({cut(text, seed=seed).first for seed in range(30)}) > 1


def test_a_person_can_move_the_cut() -> None:
    found = cut("One is here. Two is there. Three is gone.")
    moved = cut_at(found, len("One is here. Two"))
    assert (moved.first, moved.second) == ("One is here. Two", "is there. Three is gone.")
    assert moved.inside_sentence
    assert not cut_at(moved, len("One is here. ")).inside_sentence
    for offset in (0, -1, len(found.text), 10_000):
        with pytest.raises(InputError, match="leaves a piece empty"):
            cut_at(found, offset)
    with pytest.raises(InputError, match="pair"):
        cut_at(Pieces(PieceForm.NLI, "a", "b", "1", gap=""), 1)


def test_a_long_text_is_cut_in_its_middle() -> None:
    found = cut("All work and no play makes dull. " * 5_000)
    assert EARLIEST - 0.01 <= len(found.first) / len(found.text) <= LATEST + 0.01


@pytest.mark.parametrize(
    ("key", "split_name", "form"),
    [
        ("control-news", "test", PieceForm.CLASSIFICATION),
        ("control-nli", "test", PieceForm.NLI),
        ("control-summaries", "test", PieceForm.SUMMARY),
        ("control-spanish", "test", PieceForm.CLASSIFICATION),
    ],
)
def test_every_bundled_control_can_be_cut(key: str, split_name: str, form: PieceForm) -> None:
    sample = draw_sample(open_partition(key, split_name), n=100, seed=0)
    assert sample.n >= 20
    for instance in sample.instances:
        found = split(instance, sample.partition.task, language=sample.partition.language)
        assert isinstance(found, Pieces)
        assert found.form in {form, PieceForm.ONE_SENTENCE_SUMMARY}
        assert found.label == instance.label
        assert found.first in instance.text
        assert found.second in instance.text
        assert not instance.label or instance.label not in found.text
