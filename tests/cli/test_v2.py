"""A published quiz taken by another model under protocol v2, and its answers published again."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from dcq.store import Store, choices, quizzes, runs
from tests.support.provider import FakeProvider
from tests.support.shell import Shell

pytestmark = pytest.mark.slow

N = 30
WORDS = ("stream", "beck", "creek", "river")


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


@pytest.fixture
def published(tmp_path: Path, provider: FakeProvider) -> Path:
    """A file in the authors' shape; the provider has seen half of it."""
    texts = [f"text: the brook number {i} of the hills is long\nlabel: wet" for i in range(N)]
    provider.seen = tuple(texts[::2])
    path = tmp_path / "published.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["instance", *(f"option_{slot}" for slot in "abcd"), "bdq_results"])
        writer.writerows(
            [text, *(text.replace("brook", word) for word in WORDS), "E"] for text in texts
        )
    return path


def test_a_published_quiz_is_imported_and_taken_in_one_command_and_its_range_is_that_by_hand(
    shell: Shell, store_path: Path, published: Path, provider: FakeProvider, tmp_path: Path
) -> None:
    sample = shell.json("import", str(published), "--dataset", "brooks", "--split", "train")
    assert sample["n"] == N
    found = shell.json("v2", sample["sample"], "--model", "knows-original")

    store = Store(store_path)
    bdq, *bcqs = found["runs"]
    chosen = Counter(choices.calls(store, [bdq])["letter"])
    rare = [slot for slot in "ABCD" if chosen[slot] < 6] or list("ABCD")  # ceil(30 / 5)
    assert found["non_preferred"] == rare
    correct = {}
    for run in bcqs:
        slot = "ABCD"[quizzes.load(store, runs.load(store, run).plan.subject).slot or 0]
        correct[slot] = Counter(choices.calls(store, [run])["letter"])[slot]
    assert list(correct) == rare
    first, *others = sorted(rare, key=lambda slot: (-correct[slot], chosen[slot]))
    kappa = (correct[first] - chosen[first]) / (N - chosen[first])
    low = max(kappa, correct[others[0]] / N) if others else kappa
    assert (found["min"], found["max"]) == pytest.approx((low, correct[first] / N))
    assert found["kappa"] == pytest.approx(kappa)
    assert found["max"] >= 0.5
    prompts = {str(body["messages"][0]["content"]) for body in provider.bodies}
    assert all(text.startswith("You are provided with a five-choice quiz.") for text in prompts)

    rows = {row["kind"] + (row["slot"] or ""): row for row in shell.json("results")}
    assert set(rows) == {"bdq", *(f"bcq{slot}" for slot in rare)}
    for row in rows.values():
        assert {key: row[key] for key in ("min", "max", "kappa")} == {
            key: found[key] for key in ("min", "max", "kappa")
        }

    released, report = tmp_path / "released.csv", tmp_path / "released.txt"
    for to in (released, report):
        shell.json("export", "release", sample["sample"], "--to", str(to))
    audited = shell.json("audit", str(released), "--format", "dcq")
    assert (audited["min"], audited["max"]) == (found["min"], found["max"])
    text = report.read_bytes().decode()
    ends = f"[{100 * found['min']:.2f}%, {100 * found['max']:.2f}%]"
    assert text.endswith(f"Detected Contamination Level: {ends}")
    again = shell.json("import", str(released), "--dataset", "brooks", "--split", "train")
    assert again["n"] == N


def test_a_quiz_without_four_variants_has_no_bdq(
    shell: Shell, published: Path, tmp_path: Path
) -> None:
    with published.open(newline="", encoding="utf-8") as file:
        rows = [row | {"option_d": row["instance"]} for row in csv.DictReader(file)]
    path = tmp_path / "at_d.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    imported = shell.run("import", str(path), "--dataset", "brooks", "--json")
    sample = json.loads(imported.stdout)["sample"]
    code, said = shell.fails("v2", sample, "--model", "always-a")
    assert code == 2
    assert "of 4 variants usable" in said
