"""Targets from before a moment and controls from after it, of one file."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from dcq.columns import DATE
from dcq.errors import PartitionError
from dcq.partitions import DateWindow, Days, draw_sample, open_partition, read_days

OCTOBER = Days(date(2023, 10, 1), date(2023, 10, 31))


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2023-10", date(2023, 10, 1), date(2023, 10, 31)),
        ("2024/2", date(2024, 2, 1), date(2024, 2, 29)),
        (2023, date(2023, 1, 1), date(2023, 12, 31)),
        (" 2023-10-04T12:00:00.5+02:00 ", date(2023, 10, 4), date(2023, 10, 4)),
        (datetime(2023, 10, 4, 23), date(2023, 10, 4), date(2023, 10, 4)),
        (date(1999, 1, 2), date(1999, 1, 2), date(1999, 1, 2)),
    ],
)
def test_a_date_is_what_it_can_mean(value: object, first: date, last: date) -> None:
    assert read_days(value) == Days(first, last)


@pytest.mark.parametrize(
    "value",
    [None, "", "yesterday", "2023-13", "2023-02-30", "2023-10-044", "04.10.2023", 1696420800, True,
     ["2023"], "9999-01-01", "20231004", "2023-10-04" + "9" * 10_000],
)  # fmt: skip
def test_anything_else_is_none(value: object) -> None:
    assert read_days(value) is None


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.csv"
    rows = [f"old {index},2023-{index + 1:02d}-15" for index in range(10)]
    rows += [f"new {index},2024-{index + 1:02d}-15" for index in range(10)]
    # A text that comes again, one of a whole year, and one without a date that comes again.
    rows += ["old 3,2024-06-01", "vague,2023", "unsure,", "unsure,2024-03-03"]
    path.write_text("\n".join(["text,day", *rows]) + "\n")
    return path


def test_controls_are_later_than_targets(news: Path) -> None:
    opened = open_partition("news", "test", file=news, text="text")
    target = draw_sample(opened, 100, window=DateWindow("day", until=OCTOBER))
    control = draw_sample(opened, 100, window=DateWindow("day", after=OCTOBER))
    assert {one.text for one in target.instances} == {f"old {index}" for index in range(10)}
    assert {one.text for one in control.instances} == {f"new {index}" for index in range(10)}
    assert target.partition.id == "news/test-until-2023-10-31"
    assert control.partition.id == "news/test-after-2023-10-31"
    assert (target.partition.published, control.partition.published) == (
        date(2023, 1, 15),
        date(2024, 1, 15),
    )
    assert target.partition.split_title == control.partition.split_title == "test"
    assert {one.fields[DATE] for one in control.instances} == {
        f"2024-{index + 1:02d}-15" for index in range(10)
    }
    assert control.notes[-3:] == (
        "1 row was left out because it has no date that can be read.",
        "11 rows were left out because each is outside the dates.",
        "2 rows were left out because each has a text that was there before.",
    )


def test_all_that_have_a_date_keep_their_name(news: Path) -> None:
    opened = open_partition("news", "test", file=news, text="text")
    drawn = draw_sample(opened, 100, window=DateWindow("day"))
    assert (drawn.partition.id, drawn.n) == ("news/test", 22)
    assert draw_sample(opened, 5).instances[0].fields.get(DATE) is None


def test_mistakes_are_one_sentence(news: Path) -> None:
    opened = open_partition("news", "test", file=news, text="text")
    with pytest.raises(PartitionError, match='no column "when"; choose from: text, day'):
        draw_sample(opened, window=DateWindow("when"))
    with pytest.raises(PartitionError, match="no instance to sample"):
        draw_sample(
            opened, window=DateWindow("day", after=Days(date(2030, 1, 1), date(2030, 1, 1)))
        )
