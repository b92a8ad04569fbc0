"""Files in other scripts on the command line, from the file to each method's result."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dcq.store import Store, samples
from tests.support.languages import TEXTS
from tests.support.provider import FakeProvider
from tests.support.shell import Shell

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


def save_csv(path: Path, texts: tuple[str, ...]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "text"])
        writer.writerows(enumerate(texts))
    return str(path)


@pytest.mark.parametrize("language", TEXTS)
def test_a_csv_is_sampled_reworded_quizzed_replicated_and_found(
    language: str, shell: Shell, provider: FakeProvider, tmp_path: Path
) -> None:
    texts = TEXTS[language]
    provider.seen = texts
    file = save_csv(tmp_path / "snow.csv", texts)
    words = ("sample", "snow", "test", "--file", file, "--text", "text")
    drawn = shell.json(*words)
    assert list(drawn) == [
        *("sample", "partition", "n", "requested", "language"),
        *("task", "source", "revision", "rows"),
    ]
    assert (drawn["n"], drawn["language"]) == (len(texts), language)
    # Nothing is guessed of what is said, and the same draw is the same sample.
    said = shell.run(*words, "--language", language)
    assert drawn["sample"] in said.stdout
    assert "was taken as" not in said.stderr

    reword = ("perturb", drawn["sample"], "--model", "reword", "--prompt", "v2")
    written = shell.json(*reword)
    assert (written["instances"], written["variants"], written["failed"]) == (6, 24, 0)
    quiz = shell.json("quiz", drawn["sample"], "--kind", "standard", "--slot", "D")
    knows = shell.json("run", quiz["quiz"], "--model", "knows-original")
    assert (knows["correct"], knows["n"]) == (6, 6)

    completed = shell.json("replicate", drawn["sample"], "--model", "recites", "--judge", "judges")
    assert (completed["n"], completed["exact"]) == (6, 6)
    # Verbatim where it is told the dataset, and English words where it is not.
    assert completed["rouge_l"]["guided"] == 1
    assert completed["rouge_l"]["general"] == 0
    assert completed["meaning"] is None

    corpus = tmp_path / "corpus.jsonl"
    joint = "" if language == "ja" else " "
    page = joint.join((texts[1], texts[0], *texts[3:]))
    corpus.write_text(json.dumps({"text": page}, ensure_ascii=False) + "\n", encoding="utf-8")
    found = shell.json("overlap", "scan", drawn["sample"], str(corpus))
    loaded = samples.load(Store(Path(shell.environment["DCQ_STORE"])), drawn["sample"])
    planted = {one.id for one in loaded.instances if one.text != texts[2]}
    assert {row["instance_id"] for row in found["rows"] if row["category"] != "clean"} == planted
    assert all(row["score"] > 0.99 for row in found["rows"] if row["instance_id"] in planted)


def test_a_guess_is_said_each_time_with_how_to_set_it(shell: Shell, tmp_path: Path) -> None:
    file = save_csv(tmp_path / "snow.csv", TEXTS["kk"])
    for _ in range(2):
        done = shell.run("sample", "snow", "test", "--file", file, "--text", "text")
        assert done.stderr.count("taken as kk; if they are in another, give its code with") == 1
        assert done.stderr.count("--language") == 1


def test_a_replication_of_a_text_left_at_english_scores_what_it_completes(
    shell: Shell, provider: FakeProvider, tmp_path: Path
) -> None:
    provider.seen = TEXTS["kk"]
    words = ("--file", save_csv(tmp_path / "snow.csv", TEXTS["kk"]), "--text", "text")
    drawn = shell.json("sample", "snow", "test", *words, "--language", "en")
    assert drawn["language"] == "en"
    found = shell.json("replicate", drawn["sample"], "--model", "recites")
    assert (found["exact"], found["rouge_l"]["guided"]) == (6, 1)


def test_the_same_file_in_another_language_is_another_partition(
    shell: Shell, tmp_path: Path
) -> None:
    file = save_csv(tmp_path / "snow.csv", TEXTS["kk"])
    words = ("sample", "snow", "test", "--file", file, "--text", "text")
    first = shell.json(*words, "--language", "en")
    done = shell.run(*words, "--json")
    second = json.loads(done.stdout)
    assert (first["partition"], first["language"]) == ("snow/test", "en")
    assert (second["partition"], second["language"]) == ("snow-2/test", "kk")
    assert "another partition is called snow/test, and its language differs" in done.stderr
    assert shell.json(*words, "--language", "en")["sample"] == first["sample"]
    assert shell.json(*words, "--language", "KK")["sample"] == second["sample"]


@pytest.mark.parametrize("code", ["", "../x", "e\nn", "\x1b[31men", "xx", "kazakh", "a" * 5000])
def test_what_is_no_code_is_refused(code: str, shell: Shell, tmp_path: Path) -> None:
    file = save_csv(tmp_path / "snow.csv", TEXTS["kk"])
    returned, said = shell.fails(
        "sample", "snow", "test", "--file", file, "--text", "text", "--language", code
    )
    assert returned == 2
    no_code = "is no code of a language; write one of BCP 47, such as en, kk, ja"
    assert ("has a control character" if "\x1b" in code else no_code) in said
    assert "\x1b" not in said
    assert len(said) < 300


def test_an_investigation_without_a_control_of_the_language_makes_a_placebo(
    shell: Shell, tmp_path: Path
) -> None:
    shell.json("sample", "control-news", "test", "--n", "6")
    file = save_csv(tmp_path / "snow.csv", TEXTS["kk"])
    drawn = shell.json("sample", "snow", "test", "--file", file, "--text", "text")
    shell.json("perturb", drawn["sample"], "--model", "reword")
    [done] = shell.json("investigate", drawn["sample"], "--model", "guess")
    asked = {step["sample"] for step in done["steps"]} - {drawn["sample"]}
    listed = {one["sample"]: one["partition"] for one in shell.json("status")["samples"]}
    assert {listed[sample] for sample in asked} == {"snow-placebo/test"}
    english = shell.json("sample", "control-news", "test", "--n", "6")["sample"]
    _, said = shell.fails("investigate", drawn["sample"], "--model", "guess", "--control", english)
    assert "cannot be compared" in said
