from __future__ import annotations

from dcq.audit.published_replication import misprints, overlap, people, success, table3, verdicts


def test_the_success_rates_of_table_3() -> None:
    rows = success().to_dict("records")
    found = {(row["method"], row["model"]): row["success"] for row in rows}
    printed = table3().to_dict("records")
    assert len(printed) == 5
    for row in printed:
        assert found[row["method"], "gpt-4-0613"] == row["gpt4_success"]
        assert found[row["method"], "gpt-3.5-turbo-0613"] == row["gpt35_success"]
    assert set(success()["settings"]) == {14}


def test_the_28_verdicts_of_people() -> None:
    """§5 (4): what the annotators found in words."""
    seen = {
        (model, key)
        for model in verdicts()["model"].unique()
        for key, contaminated in people(model).items()
        if contaminated
    }
    assert seen == {
        *(("gpt-4-0613", f"train {name}") for name in ("IMDB", "AG News", "RTE", "WNLI")),
        *(("gpt-4-0613", f"test/valid {name}") for name in ("AG News", "WNLI", "XSum")),
        ("gpt-3.5-turbo-0613", "test/valid XSum"),
    }
    assert len(overlap()) == 56


def test_the_one_misprint() -> None:
    [row] = misprints().to_dict("records")
    assert (row["model"], row["metric"], row["split"], row["dataset"]) == (
        "gpt-4-0613",
        "BLEURT",
        "test/valid",
        "RTE",
    )
    assert (row["starred"], row["p_value"]) == (1, 0.075)
