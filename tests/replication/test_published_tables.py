"""The figures of Time Travel in LLMs that come with the product (data/reference): they agree with
each other, but for what data/reference/README.md names, and with the two ways to count the prompt
for first instances."""

from __future__ import annotations

import pandas as pd

from dcq.evidence.power import ALPHA
from dcq.replication.cheat import CheatFinding, lenient, strict
from dcq.settings import DATA

_FOLDER = DATA / "reference"
PEOPLE, JUDGE, CHEAT = "Human", "GPT-4 ICL", "ChatGPT-Cheat?"
_TASKS = {"RTE": "NLI", "WNLI": "NLI", "SAMSum": "summary", "XSum": "summary"}


def table3() -> pd.DataFrame:
    """Table 3 as printed: method, gpt4_success, gpt35_success, settings."""
    return pd.read_csv(_FOLDER / "timetravel_table3.csv")


def overlap() -> pd.DataFrame:
    """Tables 4 and 9, Algorithm 1: model, metric, split, dataset, general_mean, guided_mean,
    starred (Table 4) and p_value (Table 9)."""
    return pd.read_csv(_FOLDER / "timetravel_table4_9_overlap.csv")


def verdicts() -> pd.DataFrame:
    """Table 4, the other methods: model, method, split, dataset and finding, which is exact, near
    (two or more), suspicious or none."""
    return pd.read_csv(_FOLDER / "timetravel_table4_verdicts.csv", keep_default_na=False)


def misprints() -> pd.DataFrame:
    """Rows of ``overlap`` whose star contradicts the printed p-value at 0.05.

    There is one: BLEURT of GPT-4 on RTE validation is starred with p = 0.075. The ten published
    scores give p = 0.004, and only with the star does Table 3 count 11 of 14: the p-value is wrong.
    """
    table = overlap()
    return table[(table["p_value"] <= ALPHA) != (table["starred"] == 1)]


def people(model: str) -> dict[str, bool]:
    """What the annotators say of the 14 settings of a model: True is contaminated."""
    rows = _of(verdicts(), model, "method", PEOPLE)
    return {key: finding != "none" for key, finding in rows.items()}


def success() -> pd.DataFrame:
    """Table 3 computed from Tables 4 and 9: method, model, success and settings.

    "Suspicious" is read alike within a task, which gives the printed figures (see
    ``dcq.replication.cheat.lenient``).
    """
    rows = []
    for model in verdicts()["model"].unique():
        truth = people(model)
        cheat = {
            key: CheatFinding.SUSPICIOUS if finding == "suspicious" else CheatFinding.CLEAN
            for key, finding in _of(verdicts(), model, "method", CHEAT).items()
        }
        tasks = {key: _TASKS.get(key.split(" ", 1)[1], "classification") for key in truth}
        counts = {
            f"Strict Eval.: {CHEAT}": strict(cheat, truth).agreed,
            f"Lenient Eval.: {CHEAT}": lenient(cheat, truth, tasks).agreed,
        }
        for metric in ("BLEURT", "ROUGE-L"):
            starred = _of(overlap(), model, "metric", metric, "starred")
            counts[f"Algorithm 1: {metric}"] = sum(
                (starred[key] == 1) is seen for key, seen in truth.items()
            )
        judged = _of(verdicts(), model, "method", JUDGE)
        counts[f"Algorithm 2: {JUDGE}"] = sum(
            (judged[key] != "none") is seen for key, seen in truth.items()
        )
        rows += [
            {"method": method, "model": model, "success": count, "settings": len(truth)}
            for method, count in counts.items()
        ]
    return pd.DataFrame(rows)


def _of(
    table: pd.DataFrame, model: str, column: str, value: str, result_column: str = "finding"
) -> dict[str, object]:
    rows = table[(table["model"] == model) & (table[column] == value)]
    return {
        f"{split} {dataset}": cell
        for split, dataset, cell in zip(
            rows["split"], rows["dataset"], rows[result_column], strict=True
        )
    }


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
