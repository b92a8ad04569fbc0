from __future__ import annotations

from datetime import datetime

from dcq.documents.names import caption_lines
from dcq.quiz import freeze, results
from dcq.records import DatasetTask, PartitionRole, QuizKind
from dcq.store import Store, samples
from dcq.store.samples import ListedSample
from dcq.ui import result_names
from tests.conftest import small_sample
from tests.support.runs import answer


def _listed(*rows: tuple[str, str, str, str, int, int]) -> list[ListedSample]:
    return [
        ListedSample(
            id=sample,
            partition=partition,
            title=title,
            split_title=split_title,
            role=PartitionRole.TARGET,
            language="en",
            placebo_of=None,
            task=DatasetTask.CLASSIFICATION,
            source="",
            n=n,
            requested=n,
            seed=seed,
            stratified=False,
            notes=(),
            layout=None,
            made_at=datetime(2026, 1, 1),
            with_variants=0,
            reviewed=0,
        )
        for sample, partition, title, split_title, n, seed in rows
    ]


def test_a_partition_is_its_title_and_split() -> None:
    listed = _listed(("1", "ag_news/train", "AG News", "train", 10, 0))
    assert result_names.listed_partitions(listed) == {"ag_news/train": "AG News train"}


def test_an_id_is_added_only_where_two_share_a_name() -> None:
    listed = _listed(
        ("s1", "ag_news/train", "AG News", "train", 5, 0),
        ("s2", "my-file/train", "AG News", "train", 5, 0),
        ("s3", "imdb/test", "IMDB", "test", 5, 0),
    )
    assert result_names.listed_partitions(listed) == {
        "ag_news/train": "AG News train (ag_news/train)",
        "my-file/train": "AG News train (my-file/train)",
        "imdb/test": "IMDB test",
    }


def test_sample_names_say_as_much_as_distinguishes_them() -> None:
    listed = _listed(
        ("s1", "imdb/test", "IMDB", "test", 1000, 0),
        ("s2", "imdb/test", "IMDB", "test", 5, 0),
        ("s3", "imdb/test", "IMDB", "test", 5, 1),
        ("s4", "imdb/test", "IMDB", "test", 9, 1),
        ("s5", "imdb/test", "IMDB", "test", 9, 1),
    )
    assert list(result_names.sample_names(listed).values()) == [
        "IMDB test · 1,000 instances",
        "IMDB test · 5 instances, seed 0",
        "IMDB test · 5 instances, seed 1",
        "IMDB test · 9 instances · s4",
        "IMDB test · 9 instances · s5",
    ]


def test_a_picture_says_what_it_is_about(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample())
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 6}, "m@http://127.0.0.1:9/v1")
    [found] = results.table(fresh_store)
    line, made = caption_lines([found])
    for part in ("m · Rivers test", "original at D", "n = 6", f"{found.at:%d %b %Y}"):
        assert part in line
    assert "http" not in line  # the table beside it names the address and the run
    assert made.startswith("Made with dcq ")
    many = caption_lines([found] * 100)
    assert many[-2] == "and 60 more runs, listed in the table"
