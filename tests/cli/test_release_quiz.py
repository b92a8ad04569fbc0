"""A published quiz taken by another model, as a script would do it."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from dcq.settings import DATA
from dcq.store import Store, results, variants
from tests.support.provider import FakeProvider
from tests.support.shell import Shell

pytestmark = pytest.mark.slow

# SHA-256 of the release's question, with its own placeholders in it.
RELEASED_QUESTION = "0c7eb7bdb83bf4b7f6ad6bdbdc1fc860185a1a8d7a3b8863d93e4bb1a7ffe27d"
HEADER = ("question", "instance", "option_a", "option_b", "option_c", "option_d", "bdq_results")
ROWS: list[tuple[str, ...]] = [
    (
        f"How many {{option_b}} are {n}?",
        f"Question: How many {{option_b}} are {n}?\r\n",
        *(f"Question: {word} many\n\nD)\n{{x}} are {n}?" for word in ("So", "Too", "As", "Yea")),
        "E",
    )
    for n in range(4)
]


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


def write(path: Path, rows: list[tuple[str, ...]], header: tuple[str, ...] = HEADER) -> str:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return str(path)


def test_a_published_quiz_is_asked_in_the_releases_words(
    shell: Shell, provider: FakeProvider, tmp_path: Path
) -> None:
    file = write(tmp_path / "sums.csv", ROWS)
    taken = shell.json("import", file, "--dataset", "GSM8K", "--split", "train")
    assert {k: taken[k] for k in ("partition", "n", "left_out")} == {
        "partition": "gsm8k/train", "n": 4, "left_out": 0,
    }  # fmt: skip
    quiz = shell.json("quiz", taken["sample"], "--kind", "bdq")
    assert (quiz["items"], quiz["slot"]) == (4, None)
    shell.json("run", quiz["quiz"], "--model", "always-b")
    bcq = shell.json("quiz", taken["sample"], "--kind", "bcq")
    assert bcq["slot"] == "A"
    shell.json("run", bcq["quiz"], "--model", "always-b")

    sent = [str(body["messages"][0]["content"]) for body in provider.bodies]
    assert {(len(b["messages"]), b["temperature"], b["max_tokens"]) for b in provider.bodies} == {
        (1, 0, 1)
    }
    head, _, rest = published_question().partition("{split_name}")
    head = f"{head}train{rest}".replace("{dataset_name}", "GSM8K").partition("A)\n")[0]
    tail = "\n\nE)\nNone of the provided options.\n---\nANSWER:\n"
    expected = []
    for _, instance, *options, _ in ROWS:
        for shown in (options, [instance, *options[1:]]):
            lettered = [f"{x})\n{text}" for x, text in zip("ABCD", shown, strict=True)]
            expected.append(head + "\n\n".join(lettered) + tail)
    assert sorted(sent) == sorted(expected)


def test_a_published_quiz_under_v2_in_one_command(
    shell: Shell, provider: FakeProvider, tmp_path: Path, fresh_store: Store
) -> None:
    rows = [
        (
            f"Question: how many {n}?",
            *(f"Question: {w} many {n}?" for w in ("so", "too", "as", "ah")),
        )
        for n in range(10)
    ]
    file = write(tmp_path / "sums.csv", rows, HEADER[1:6])
    sample = shell.json("import", file, "--dataset", "Sums")["sample"]
    provider.seen = tuple(row[0] for row in rows[:6])  # it guesses the other four
    found = shell.json("v2", sample, "--model", "knows-original")

    bdq, *bcqs = found["runs"]
    letters = {run: results.answers(fresh_store, run)["letter"] for run in found["runs"]}
    assert all(len(taken) == 10 for taken in letters.values())
    chosen = {slot: int((letters[bdq] == slot).sum()) for slot in "ABCD"}
    rare = [slot for slot in "ABCD" if chosen[slot] < 2] or list("ABCD")  # ceil(10 / 5)
    assert found["non_preferred"] == rare
    hits = {}
    for run in bcqs:
        [slot] = set(results.answers(fresh_store, run)["correct_letter"])
        hits[slot] = int((letters[run] == slot).sum())
    assert sorted(hits) == rare
    assert min(hits.values()) >= 6
    best, *others = sorted(rare, key=lambda slot: (-hits[slot], chosen[slot]))
    kappa = (hits[best] - chosen[best]) / (10 - chosen[best])
    assert found["max"] == pytest.approx(hits[best] / 10)
    assert found["kappa"] == pytest.approx(kappa)
    assert found["min"] == pytest.approx(max([kappa, *(hits[slot] / 10 for slot in others[:1])]))


def published_question() -> str:
    """The release's question, taken apart in the test above; proved by its hash."""
    text = (
        "You are provided with a five-choice quiz. Your task is to CORRECTLY select the option "
        "that EXACTLY corresponds to an instance from the {split_name} split of the "
        "{dataset_name} dataset.\n\nWhen selecting the option, you MUST ensure that you follow "
        "the following rules:\n(1) You MUST ensure that you ONLY generate a single option letter "
        "as your answer.\n(2) If you do not know the dataset or the correct answer, you MUST "
        'select option "E) None of the provided options."\n\nHint: While all the following '
        "options seem similar in terms of meaning, there is ONLY one option that reflects the "
        "EXACT WORDING with respect to the original instance.\n---\nA)\n{option_a}\n\nB)\n"
        "{option_b}\n\nC)\n{option_c}\n\nD)\n{option_d}\n\nE)\nNone of the provided options.\n"
        "---\nANSWER:\n"
    )
    assert hashlib.sha256(text.encode()).hexdigest() == RELEASED_QUESTION
    return text


def test_with_the_original_at_d_there_is_a_bcq_at_d(
    shell: Shell, provider: FakeProvider, tmp_path: Path
) -> None:
    rows = [(*row[:5], row[1].strip(), row[6]) for row in ROWS]  # published options are stripped
    made = shell.run("import", write(tmp_path / "wild.csv", rows), "--json")
    assert made.returncode == 0, made.stderr
    assert "Option D is the original itself in 4 rows (1–4)." in made.stderr
    assert "there is no bdq" in made.stderr
    assert "the test split of the wild dataset" in made.stderr
    sample = shell.json("status")["samples"][0]["sample"]
    provider.seen = tuple(row[1] for row in rows)
    quiz = shell.run("quiz", sample, "--kind", "bcq", "--json")
    frozen = json.loads(quiz.stdout)
    assert (frozen["slot"], frozen["items"]) == ("D", 4)
    assert "there is no bdq to compare this bcq with" in quiz.stderr
    assert shell.json("run", frozen["quiz"], "--model", "knows-original")["correct"] == 4
    [result] = shell.json("results")
    assert (result["kind"], result["score"]) == ("bcq", 1.0)
    code, said = shell.fails("quiz", sample, "--kind", "bdq")
    assert (code, "3 of 4 variants usable" in said) == (2, True)


def test_a_corrected_file_of_another_name_adds_its_variants(
    shell: Shell, tmp_path: Path, fresh_store: Store
) -> None:
    named = ("--dataset", "Sums", "--split", "train")
    first = shell.json("import", write(tmp_path / "sums.csv", ROWS), *named)
    assert (first["variants_added"], first["variants_left"]) == (0, 0)
    rows = [(*ROWS[0][:2], "Question: corrected?", *ROWS[0][3:]), *ROWS[1:]]
    file = write(tmp_path / "sums-corrected.csv", rows)
    again = shell.json("import", file, *named)
    assert (again["partition"], again["sample"]) == ("Sums/train", first["sample"])
    assert (again["variants_added"], again["variants_left"]) == (0, 1)
    added = shell.json("import", file, *named, "--add-variants")
    assert (added["variants_added"], added["variants_left"]) == (1, 0)
    now = variants.current(fresh_store, first["sample"])
    assert "Question: corrected?" in {slots[0].text for slots in now.values()}


def test_what_is_wrong_is_named_and_leaves_the_store_alone(shell: Shell, tmp_path: Path) -> None:
    file = write(tmp_path / "sums.csv", ROWS, ("question", "text", *HEADER[2:]))
    code, said = shell.fails("import", file)
    assert code == 2
    assert "--map instance=COLUMN" in said
    for wrong in ("instance", "instance=", "=text", "instance=nosuch", "option_q=text"):
        assert shell.fails("import", file, "--map", wrong)[0] == 2
    twice = ("--map", "instance=text", "--map", "instance=question")
    for words in (twice, ("--map", "instance=text", "--split", "a\nb")):
        assert shell.fails("import", file, *words)[0] == 2
    assert shell.fails("import", str(DATA / "control" / "nli.jsonl"))[0] == 2
    assert shell.json("status")["samples"] == []
    mapped = shell.json("import", file, "--map", "instance=text", "--role", "control")
    assert mapped["n"] == 4
    saved = tmp_path / "sample.json"
    shell.json("export", "sample", mapped["sample"], "--to", str(saved))
    code, said = shell.fails("import", str(saved), "--role", "target")
    assert (code, "sample file" in said) == (2, True)
    assert shell.json("import", str(saved))["sample"] == mapped["sample"]
