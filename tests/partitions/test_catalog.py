"""The catalog is complete, and a mistake in it or in a name is an error of one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcq.errors import PartitionError
from dcq.partitions import entries, find
from dcq.partitions.catalog import read_catalog, require
from dcq.records import DatasetTask, PartitionRole

PAPER = {
    "imdb": {"train", "test"},
    "ag_news": {"train", "test"},
    "yelp": {"train", "test"},
    "wnli": {"train", "validation"},
    "rte": {"train", "validation"},
    "samsum": {"train", "test"},
    "xsum": {"train", "test"},
}


def test_the_paper_is_covered_with_both_splits() -> None:
    for key, splits in PAPER.items():
        entry = require(key)
        assert splits <= set(entry.splits)
        assert entry.hub.count("/") == 1
        assert entry.published is not None
        assert entry.licence != "unknown"


def test_every_entry_can_be_loaded_from_somewhere() -> None:
    for entry in entries():
        assert entry.origin in {"hub", "bundled", "wheel"}
        assert entry.layout.columns
        needs_label = entry.layout.task in {DatasetTask.CLASSIFICATION, DatasetTask.NLI}
        assert bool(entry.layout.label_names) >= needs_label


def test_roles_are_as_known() -> None:
    roles = {entry.key: entry.role for entry in entries()}
    controls = {key for key, role in roles.items() if role is PartitionRole.CONTROL}
    assert controls == {key for key in roles if key.startswith("control-")}
    assert len(controls) >= 17
    assert roles["kjv"] is PartitionRole.POSITIVE
    assert roles["humaneval"] is PartitionRole.TARGET


@pytest.mark.parametrize("name", ["ag_news", "AG News", "ag news", " AG_NEWS ", "fancyzhx/ag_news"])
def test_a_dataset_is_found_by_key_title_and_hub_name(name: str) -> None:
    entry = find(name)
    assert entry is not None
    assert entry.key == "ag_news"


def test_a_configuration_can_be_chosen() -> None:
    law = require("ceval:law")
    assert (law.key, law.config, law.title) == ("ceval:law", "law", "C-Eval")
    assert require("nyu-mll/glue:rte").key == "rte"
    assert find("ag_news:other") is None


def test_an_unknown_name_is_answered_with_the_closest() -> None:
    with pytest.raises(PartitionError, match=r'"ag-newz".*ag_news.*owner/name'):
        require("ag-newz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[x\n", "cannot be read"),
        ('[x]\ntitle = "X"\n', r"wrong at x\.layout"),
        (
            '[x]\ntitle = "X"\nhub = "a/b"\nsplits = {}\nlayout.task = "nli"\ncolour = 1\n',
            r"wrong at x\.colour",
        ),
        ('[x]\ntitle = "X"\nsplits = {}\nhub = "a/b"\nlayout.task = "nli"\n', "needs splits"),
    ],
)
def test_a_mistake_in_a_catalog_is_located(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PartitionError, match=message):
        read_catalog(path)
