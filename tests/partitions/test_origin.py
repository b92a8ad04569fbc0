from __future__ import annotations

import pytest

from dcq.partitions.origin import Origin, find_origin

REVISION = "eb185aade064a813bc0b7f42de02595523103ca4"


@pytest.mark.parametrize(
    ("partition", "source", "origin"),
    [
        (
            "ag_news/test",
            f"hub:fancyzhx/ag_news@{REVISION}",
            Origin("AG News", "fancyzhx/ag_news", None, REVISION),
        ),
        ("ag_news/test", "hub:fancyzhx/ag_news@main", Origin("AG News", "fancyzhx/ag_news")),
        ("control-news/test", "bundled:control-news", Origin("Control News")),
        ("ag_news/test", "bundled:control-news", Origin("ag_news (own data)")),
        ("ag_news/test", "file:fancyzhx.csv", Origin("ag_news (own data)")),
        ("AG News/test", "file:x.csv", Origin("AG News (own data)")),
        ("fancyzhx/ag_news/test", "file:x.csv", Origin("fancyzhx/ag_news (own data)")),
        ("ada/mine:small/test", "hub:ada/mine@main", Origin("ada/mine:small", "ada/mine", "small")),
        ("rivers/test", "file:rivers.csv", Origin("rivers")),
        ("rivers/test", "", Origin("rivers")),
    ],
)
def test_the_source_tells_which_dataset_it_is(partition: str, source: str, origin: Origin) -> None:
    assert find_origin(partition, source) == origin
