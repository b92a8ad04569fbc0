"""The front door: names, columns, previews and samples, for files as for the catalog."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dcq.errors import InputError, PartitionError
from dcq.partitions import draw_sample, open_partition, text_alone
from dcq.partitions.source import LONGEST
from dcq.records import DatasetTask, PartitionRole, TextLayout
from tests.support.languages import TEXTS


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.csv"
    rows = ["title,body,topic"]
    rows += [f"t{index},body {index % 9},{'ab'[index % 3 == 0]}" for index in range(12)]
    path.write_text("\n".join([*rows, "t13,,a", "t14,body x,"]) + "\n", encoding="utf-8")
    return path


def test_a_file_with_text_and_label(news: Path) -> None:
    opened = open_partition("My News", "train", file=news, text="body", label="topic")
    assert opened.columns == ("title", "body", "topic")
    assert opened.row_count == 14
    assert opened.preview(1)[0].text == "Text: body 0\nLabel: b"
    assert opened.label_balance() == {"a": 9, "b": 4}
    partition = opened.partition
    assert (partition.id, partition.title, partition.split_title) == (
        "My News/train",
        "My News",
        "train",
    )
    assert (partition.task, partition.role) == (DatasetTask.CLASSIFICATION, PartitionRole.TARGET)
    assert partition.source == "file:news.csv"
    sample = draw_sample(opened, 100, stratified=True)
    assert sample.n == 9
    assert sample.notes == (
        "3 duplicates of My News train were left out.",
        "My News train has 9 instances; all are used.",
        "2 rows were left out because a text or label is missing.",
    )


PROBLEM = {
    "task_id": "HumanEval/2",
    "prompt": '\n\ndef half(number: float) -> float:\n    """ Half of it: \\d.\n    >>> half(3.0)\n'
    '    1.5\n    """\n',
    "canonical_solution": "    return number / 2\n",
    "test": "def check(candidate):\n    assert candidate(1) == 0.5\n",
    "entry_point": "half",
}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("layout", list(TextLayout))
def test_a_local_file_of_human_eval_is_laid_out_as_the_catalog_says(
    tmp_path: Path, suffix: str, layout: TextLayout
) -> None:
    path = tmp_path / f"problems.{suffix}"
    table = pd.DataFrame([PROBLEM])
    if suffix == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_json(path, orient="records", lines=True)
    [instance] = draw_sample(
        open_partition("humaneval", "test", file=path, layout=layout), 1
    ).instances
    prompt, solution = PROBLEM["prompt"].strip(), PROBLEM["canonical_solution"].rstrip()
    signature, examples = "def half(number: float) -> float:", ("    >>> half(3.0)", "    1.5")
    if layout is TextLayout.PAPER:
        assert instance.text == f"{prompt}\n{solution}"
        assert instance.protected == (signature, *examples, solution)
    else:
        assert instance.text == f"prompt: \n{prompt}"
        assert instance.protected == (signature, *examples)


@pytest.mark.parametrize(
    "broken",
    [{"prompt": "def half(:"}, {"entry_point": "third"}, {"prompt": "a\0b"}, {"prompt": None}],
)
def test_a_row_that_is_no_code_is_named(tmp_path: Path, broken: dict[str, str]) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (PROBLEM, PROBLEM | broken)))
    with pytest.raises(
        PartitionError, match=r"Row 2 of problems\.jsonl is no problem of HumanEval"
    ):
        open_partition("humaneval", "test", file=path)


def test_a_file_without_the_columns_of_human_eval_says_which(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps({"question": "?"}))
    with pytest.raises(PartitionError, match='has no column "prompt"'):
        open_partition("humaneval", "test", file=path)


def test_a_file_with_text_alone(news: Path) -> None:
    opened = open_partition("news", "dev", file=news, text="title", role=PartitionRole.CONTROL)
    assert opened.preview(2)[1].text == "t1"
    assert opened.preview(1)[0].label is None
    assert opened.label_balance() == {}
    assert opened.partition.role is PartitionRole.CONTROL
    assert draw_sample(opened, 14).notes == ()


def test_a_file_may_have_a_column_called_variants(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,variants\nx,y\n", encoding="utf-8")
    opened = open_partition("Part 1: a/b", "test", file=path, text="text")
    assert opened.partition.title == "Part 1: a/b"
    assert draw_sample(opened, 1).variants == {}


def test_a_file_with_a_template(news: Path) -> None:
    opened = open_partition(
        "news", "dev", file=news, template="{title} / {body}\nTopic: {topic}", label="topic"
    )
    first = opened.preview(1)[0]
    assert first.text == "t0 / body 0\nTopic: b"
    assert first.protected == ("Topic: b",)
    assert sum(opened.label_balance().values()) == 13


def test_a_file_may_stand_in_for_a_dataset_of_the_catalog(news: Path) -> None:
    opened = open_partition(
        "ag_news", "train", file=news, text="body", label="topic", language="fr"
    )
    assert opened.preview(1)[0].text == "Article: body 0\nLabel: b"
    assert opened.partition.title == "AG News"
    assert opened.partition.language == "fr"


def test_a_local_copy_of_a_nested_dataset_needs_no_columns(tmp_path: Path) -> None:
    row = {"question": "q", "choices": {"text": ["x", "y"], "label": ["A", "B"]}, "answerKey": "B"}
    path = tmp_path / "csqa.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    opened = open_partition("commonsense_qa", "train", file=path)
    assert opened.preview()[0].text == "Question: q\nA. x\nB. y\nAnswer: B"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Choose the column.*title, body, topic"),
        ({"text": "Body"}, r'news\.csv has no column "Body"; choose from: title, body, topic'),
        ({"text": "body", "label": "y"}, 'no column "y"'),
        ({"template": "{titel}"}, 'no column "titel"'),
        ({"template": "constant"}, "names no column"),
    ],
)
def test_the_error_for_a_wrong_column_lists_those_there_are(
    news: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(PartitionError, match=message):
        open_partition("news", "train", file=news, **options)  # type: ignore[arg-type]  # strings


def test_a_message_lists_some_of_very_many_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(f"{','.join(f'c{n}' for n in range(5000))}\n{','.join('1' * 5000)}\n", "utf-8")
    with pytest.raises(PartitionError, match=r"c39 and 4,960 more\.$") as error:
        open_partition("wide", "test", file=path, text="text")
    assert len(str(error.value)) < 400


def test_a_text_too_long_for_a_question_is_left_out_and_said(tmp_path: Path) -> None:
    path = _file(tmp_path / "a.jsonl", ("short", "x" * (LONGEST + 1), "y" * (LONGEST - 20)))
    sample = draw_sample(open_partition("x", "test", file=path, text="text"), 3)
    assert sorted(instance.text[0] for instance in sample.instances) == ["s", "y"]
    [note] = [note for note in sample.notes if "left out" in note]
    assert note == (
        "1 row was left out because a question cannot hold four wordings of more than 200,000 "
        "characters."
    )


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_a_name_that_stands_twice_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text('{"text": "a", "n": 1}\n{"text": "b", "text": "c", "n": 2}\n', "utf-8")
    with pytest.raises(PartitionError, match='"text" twice in one object; keep one'):
        open_partition("x", "test", file=path, text="text")


def test_two_sentences_cannot_be_one_column(news: Path) -> None:
    with pytest.raises(PartitionError, match="give a template"):
        open_partition("wnli", "train", file=news, text="body")


@pytest.mark.parametrize(
    ("name", "split", "message"),
    [
        ("control-new", "test", "control-news"),
        ("control-news", "train", "no split train; choose from: test"),
        ("imdb", "unsupervised", "choose from: train, test"),
        ("", "test", "name both"),
        ("control-news", " ", "name both"),
    ],
)
def test_an_unknown_name_or_split_is_an_error_that_names_it(
    name: str, split: str, message: str
) -> None:
    with pytest.raises(PartitionError, match=message):
        open_partition(name, split)


def test_only_empty_rows_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('a,b\n"",1\n" ",2\n', encoding="utf-8")
    opened = open_partition("x", "test", file=path, text="a")
    assert opened.preview() == []
    with pytest.raises(PartitionError, match="no instance"):
        draw_sample(opened, 1)


def _file(path: Path, texts: tuple[str, ...], **others: str) -> Path:
    rows = (json.dumps({"label": "1", "text": text, **others}) for text in texts)
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_file_is_guessed_by_its_script(language: str, tmp_path: Path) -> None:
    note = "A long remark in English that stands beside each of the texts. " * 5
    file = _file(tmp_path / "a.jsonl", TEXTS[language], note=note)
    opened = open_partition("mine", "test", file=file, text="text", label="label")
    assert opened.partition.language == language
    assert opened.guessed is not None
    assert opened.guessed.reason.endswith(f"so their language was taken as {language}")
    in_template = open_partition("mine", "test", file=file, template="Q: {text} ({label})")
    assert in_template.partition.language == language
    english = open_partition("mine", "test", file=file, text="note")
    assert (english.partition.language, english.guessed) == ("en", None)


def test_a_language_that_is_given_is_not_guessed(tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", TEXTS["kk"])
    for given, kept in (("ky", "ky"), ("EN", "en"), ("pt_br", "pt-BR")):
        opened = open_partition("mine", "test", file=file, text="text", language=given)
        assert (opened.partition.language, opened.guessed) == (kept, None)
    for code in ("", "../x", "kazakh", "kk\n"[:1]):
        with pytest.raises(InputError, match="no code of a language"):
            open_partition("mine", "test", file=file, text="text", language=code)


def test_what_the_catalog_says_is_kept_while_the_file_fits(tmp_path: Path) -> None:
    spanish = _file(tmp_path / "es.jsonl", ("Ayer nevó en el pueblo.",))
    opened = open_partition("control-spanish", "test", file=spanish, template="{text}")
    assert (opened.partition.language, opened.guessed) == ("es", None)
    kazakh = _file(tmp_path / "kk.jsonl", TEXTS["kk"])
    opened = open_partition("control-spanish", "test", file=kazakh, template="{text}")
    assert opened.partition.language == "kk"


@pytest.mark.parametrize("text", ["42", "…", "ⴰⵣⵓⵍ", "\u202e"])
def test_what_tells_nothing_is_left_at_english(text: str, tmp_path: Path) -> None:
    file = _file(tmp_path / "a.jsonl", (text,))
    opened = open_partition("mine", "test", file=file, text="text")
    assert (opened.partition.language, opened.guessed) == ("en", None)


def test_texts_alone_are_a_partition_of_their_own() -> None:
    opened = open_partition("control-harbour", "test")
    alone = text_alone(opened)
    assert alone.partition.id == "control-harbour-text/test"
    assert alone.partition.task is DatasetTask.TEXT
    rows = [row["text"] for row in opened.rows(["text"])]
    drawn = draw_sample(alone, len(rows)).instances
    assert sorted(one.text for one in drawn) == sorted(map(str, rows))
    assert {one.label for one in drawn} == {None}
