from __future__ import annotations

import pytest

from dcq.overlap import published


def test_table_1_adds_up_and_gives_the_printed_shares() -> None:
    table = published.contamination().set_index("dataset")
    assert (table["input_only"] + table["input_and_label"] == table["contaminated"]).all()
    shares = {name: round(100 * share, 1) for name, share in table["share"].items()}
    assert shares == {
        "ARC-Challenge": 28.7,
        "CommonsenseQA": 1.6,
        "Winogrande": 1.1,
        "C-Eval": 45.8,
        "HellaSwag": 12.4,
        "MMLU": 29.1,
    }


def test_table_2_averages_its_three_benchmarks() -> None:
    table = published.accuracy()
    assert table["model"].nunique() == 15
    clean = table[table["subset"] == "clean"].pivot(
        index="model", columns="dataset", values="value"
    )
    means = clean[["mmlu", "hellaswag", "arc"]].mean(axis=1)
    assert (means - clean["average"]).abs().max() < 0.0002
    [unread] = table[table["value"].isna()].to_dict("records")
    assert (unread["model"], unread["dataset"]) == ("Llama-2 Chat 7B", "mmlu")


def test_table_3_shows_14_points_for_yi() -> None:
    rows = published.accuracy_ceval().to_dict("records")
    [yi] = [row for row in rows if row["model"] == "Yi 6B"]
    assert yi["input_and_label"] - yi["clean"] == pytest.approx(0.14, abs=0.001)


def test_table_4_has_the_report_beside_the_ground_truth() -> None:
    table = published.ground_truth()
    chosen = (table["dataset"] == "HellaSwag") & (table["method"] == "web overlap")
    [ours] = table[chosen].to_dict("records")
    assert (ours["contaminated"], ours["inflation"]) == pytest.approx((0.083, 0.0729))
    assert table["contaminated"].isna().sum() == 2


def test_table_5_agrees_with_table_2() -> None:
    table = published.by_subject()
    assert table["model"].nunique() == 7
    whole = table[table["subjects"] == "mmlu"].pivot(
        index="model", columns="subset", values="accuracy"
    )
    printed = published.accuracy().query("dataset == 'mmlu'")
    printed = printed.pivot(index="model", columns="subset", values="value").loc[whole.index]
    assert (whole["clean"] - printed["clean"]).abs().max() < 1e-9
    for subset in ("input_only", "input_and_label"):
        gap = whole[subset] - whole["clean"] - printed[subset]
        assert gap.abs().max() < 0.00011
    humanities = table.query("subjects == 'humanities' and subset == 'input_and_label'")
    assert humanities["accuracy"].max() == pytest.approx(0.7928)  # of Llama-2 70B
