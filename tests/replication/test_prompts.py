from __future__ import annotations

import pytest

from dcq.asking.prompt import fill
from dcq.errors import InputError
from dcq.replication.pieces import PieceForm, Pieces
from dcq.replication.prompts import (
    PROMPTS,
    SWAPPED_DATASET,
    Instruction,
    Version,
    is_published,
    prompt_for,
    prompt_text,
    wrong_label,
)

# Table 5 of the paper, its hyphens at line ends undone, and Table 11 for the question. White space
# is folded, because a table's cell has no line breaks to go by.
TABLE_5 = {
    (Instruction.GUIDED, PieceForm.CLASSIFICATION): (
        "Instruction: You are provided with the first piece of an instance from the {split_name} "
        "split of the {dataset_name} dataset. Finish the second piece of the instance as exactly "
        "appeared in the dataset. Only rely on the original form of the instance in the dataset to "
        "finish the second piece. Label: {label} First Piece: {first_piece} Second Piece:"
    ),
    (Instruction.GENERAL, PieceForm.CLASSIFICATION): (
        "Instruction: Finish the second piece based on the first piece, such that these two pieces "
        "become a single instance with the following label. Label: {label} First Piece: "
        "{first_piece} Second Piece:"
    ),
    (Instruction.GUIDED, PieceForm.NLI): (
        "Instruction: You are provided with Sentence 1 from the {split_name} split of the "
        "{dataset_name} dataset. Finish Sentence 2 as appeared in the dataset. Sentence 2 must "
        "exactly match the instance in the dataset. Sentence 1: {first_piece} Label: {label} "
        "Sentence 2:"
    ),
    (Instruction.GENERAL, PieceForm.NLI): (
        "Instruction: Finish Sentence 2 based on Sentence 1, such that the following label shows "
        "the logical relationship between Sentence 1 and Sentence 2. Sentence 1: {first_piece} "
        "Label: {label} Sentence 2:"
    ),
    (Instruction.GUIDED, PieceForm.SUMMARY): (
        "Instruction: You are provided with the first piece of a summary from the {split_name} "
        "split of the {dataset_name} dataset. Finish the second piece of the summary as exactly "
        "appeared in the dataset. Only rely on the original form of the summary in the dataset to "
        "finish the second piece. First Piece: {first_piece} Second Piece:"
    ),
    (Instruction.GENERAL, PieceForm.SUMMARY): (
        "Instruction: Finish the second piece based on the first piece, such that these two pieces "
        "become a single summary. First Piece: {first_piece} Second Piece:"
    ),
    (Instruction.GUIDED, PieceForm.ONE_SENTENCE_SUMMARY): (
        "Instruction: You are provided with the first piece of a one-sentence summary from the "
        "{split_name} split of the {dataset_name} dataset. Finish the second piece of the summary "
        "as exactly appeared in the dataset. Only rely on the original form of the summary in the "
        "dataset to finish the second piece. First Piece: {first_piece} Second Piece:"
    ),
    (Instruction.GENERAL, PieceForm.ONE_SENTENCE_SUMMARY): (
        "Instruction: Finish the second piece based on the first piece, such that these two pieces "
        "become a single one-sentence summary. First Piece: {first_piece} Second Piece:"
    ),
    (Instruction.GUIDED, PieceForm.QUESTION): (
        "Instruction: You are provided with the first piece of a question from the {split_name} "
        "split of the {dataset_name} dataset. Finish the second piece of the question as exactly "
        "appeared in the dataset. Only rely on the original form of the question in the dataset to "
        "finish the second piece. First Piece: {first_piece} Second Piece:"
    ),
}

_SINGLE_END = "FIRST PIECE:\n{first_piece}\n\nSECOND PIECE:\n"
_PAIR_END = "SENTENCE 1:\n{first_piece}\n\nLABEL: {label}\n\nSENTENCE 2:\n"

# The files of the release, first to last character.
RELEASE = {
    (Instruction.GUIDED, PieceForm.CLASSIFICATION): (
        "INSTRUCTION:\n"
        "You are provided with the FIRST PIECE of an instance from the {split_name} split of the "
        "{dataset_name} dataset.\n"
        "Finish the SECOND PIECE of the instance as EXACTLY appeared in the dataset.\n"
        "ONLY rely on the original form of the instance in the dataset to finish the SECOND "
        "PIECE.\n\nLABEL: {label}\n\n" + _SINGLE_END
    ),
    (Instruction.GUIDED, PieceForm.NLI): (
        "INSTRUCTION:\n"
        "You are provided with SENTENCE 1 from the {split_name} split of the {dataset_name} "
        "dataset.\nFinish SENTENCE 2 as appeared in the dataset.\n"
        "SENTENCE 2 MUST EXACTLY match the instance in the dataset.\n\n" + _PAIR_END
    ),
    (Instruction.GUIDED, PieceForm.SUMMARY): (
        "INSTRUCTION:\n"
        "You are provided with the FIRST PIECE of a summary from the {split_name} split of the "
        "{dataset_name} dataset.\n"
        "Finish the SECOND PIECE of the summary as EXACTLY appeared in the dataset.\n"
        "ONLY rely on the original form of the summary in the dataset to finish the SECOND "
        "PIECE.\n\n" + _SINGLE_END
    ),
    (Instruction.GUIDED, PieceForm.ONE_SENTENCE_SUMMARY): (
        "INSTRUCTION:\n"
        "You are provided with the FIRST PIECE of a one-sentence summary from the {split_name} "
        "split of the {dataset_name} dataset.\n"
        "Finish the SECOND PIECE of the summary as EXACTLY appeared in the dataset.\n"
        "ONLY rely on the original form of the summary in the dataset to finish the SECOND "
        "PIECE.\n\n" + _SINGLE_END
    ),
    (Instruction.GENERAL, PieceForm.CLASSIFICATION): (
        "INSTRUCTION:\n"
        "Finish the SECOND PIECE based on the FIRST PIECE, such that these two pieces become a "
        "single instance with the following LABEL.\n\nLABEL: {label}\n\n" + _SINGLE_END
    ),
    (Instruction.GENERAL, PieceForm.NLI): (
        "INSTRUCTION:\n"
        "Finish SENTENCE 2 based on SENTENCE 1, such that the following LABEL shows the logical "
        "relationship between SENTENCE 1 and SENTENCE 2.\n\n" + _PAIR_END
    ),
    (Instruction.GENERAL, PieceForm.SUMMARY): (
        "INSTRUCTION:\n"
        "Finish the SECOND PIECE based on the FIRST PIECE, such that these two pieces become a "
        "single summary.\n\n" + _SINGLE_END
    ),
    (Instruction.GENERAL, PieceForm.ONE_SENTENCE_SUMMARY): (
        "INSTRUCTION:\n"
        "Finish the SECOND PIECE based on the FIRST PIECE, such that these two pieces become a "
        "single one-sentence summary.\n\n" + _SINGLE_END
    ),
}


def folded(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("instruction", "form"), TABLE_5)
def test_the_words_of_the_paper(instruction: Instruction, form: PieceForm) -> None:
    found = prompt_for(Version.PAPER, instruction, form)
    assert folded(found.wording) == TABLE_5[instruction, form]
    assert is_published(Version.PAPER, instruction, form)


@pytest.mark.parametrize(("instruction", "form"), RELEASE)
def test_the_files_of_the_release(instruction: Instruction, form: PieceForm) -> None:
    assert prompt_for(Version.RELEASE, instruction, form).wording == RELEASE[instruction, form]
    assert is_published(Version.RELEASE, instruction, form)


def test_the_lines_of_figure_1() -> None:
    pieces = Pieces(PieceForm.NLI, "The dog ran.", "It barked.", "1 (entailment)", gap="")
    prompt = prompt_for(Version.PAPER, Instruction.GENERAL, PieceForm.NLI)
    assert prompt_text(prompt, pieces, "WNLI", "validation").splitlines()[1:] == [
        "Sentence 1: The dog ran.",
        "Label: 1 (entailment)",
        "Sentence 2:",
    ]


def test_what_is_ours_is_not_called_published() -> None:
    ours = {
        (version, instruction, form)
        for version in Version
        for instruction in (Instruction.GUIDED, Instruction.GENERAL)
        for form in PieceForm
        if not is_published(version, instruction, form)
    }
    assert ours == {
        (version, instruction, form)
        for version in Version
        for instruction in (Instruction.GUIDED, Instruction.GENERAL)
        for form in (PieceForm.QUESTION, PieceForm.TEXT)
    } - {(Version.PAPER, Instruction.GUIDED, PieceForm.QUESTION)}
    assert not is_published(Version.PAPER, Instruction.SWAPPED, PieceForm.NLI)
    for version in Version:
        text = prompt_for(version, Instruction.GENERAL, PieceForm.TEXT).wording
        assert "label" not in text.casefold()


def test_settings_and_names() -> None:
    assert len(PROMPTS) == len(Version) * len(Instruction) * len(PieceForm)
    assert {(one.temperature, one.max_tokens) for one in PROMPTS.values()} == {(0.0, 500)}
    assert "replicate-guided-nli/release" in PROMPTS


def test_the_general_instruction_names_neither_dataset_nor_split() -> None:
    for prompt in PROMPTS.values():
        named = "{dataset_name}" in prompt.wording and "{split_name}" in prompt.wording
        assert named is ("-general-" not in prompt.name)


def test_the_name_swapped_control_differs_in_the_name_alone() -> None:
    pieces = Pieces(PieceForm.SUMMARY, "One.", "Two.")
    guided, swapped = (
        prompt_text(prompt_for(Version.RELEASE, how, PieceForm.SUMMARY), pieces, "XSum", "test")
        for how in (Instruction.GUIDED, Instruction.SWAPPED)
    )
    assert "XSum" not in swapped
    assert swapped.replace(SWAPPED_DATASET, "XSum") == guided


def test_the_wrong_label_is_another_one() -> None:
    labels = ["0 (World)", "1 (Sports)", "2 (Business)"]
    drawn = {wrong_label(labels[1], labels, seed=seed, instance_id="a") for seed in range(30)}
    assert drawn == {labels[0], labels[2]}
    again = [wrong_label(labels[1], reversed_, seed=3, instance_id="a")
             for reversed_ in (labels, labels[::-1])]  # fmt: skip
    assert again[0] == again[1]
    with pytest.raises(InputError, match="second label"):
        wrong_label("x", ["x", " "], seed=0, instance_id="a")
    pieces = Pieces(PieceForm.CLASSIFICATION, "One.", "Two.", "1 (Sports)")
    prompt = prompt_for(Version.PAPER, Instruction.WRONG_LABEL, PieceForm.CLASSIFICATION)
    text = prompt_text(prompt, pieces, "AG News", "train", label="2 (Business)")
    assert "Label: 2 (Business)\n" in text
    assert "Sports" not in text


def test_braces_in_a_text_are_text() -> None:
    pieces = Pieces(PieceForm.TEXT, "{label} {0} {dataset_name}", "x y z")
    prompt = prompt_for(Version.PAPER, Instruction.GUIDED, PieceForm.TEXT)
    text = prompt_text(prompt, pieces, "{first_piece}", "t{")
    assert "First Piece: {label} {0} {dataset_name}\n" in text
    assert "the {first_piece} dataset" in text
    assert fill("{a}", {"{a}": "{a}"}) == "{a}"
