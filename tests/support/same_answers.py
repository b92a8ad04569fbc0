"""Whether two commits answer the same: all commands with ``--json`` on three prepared stores.

    python -m tests.support.same_answers prepare STORES
    python -m tests.support.same_answers ask STORES OUT [--checkout FOLDER]
    python -m tests.support.same_answers diff OUT OUT

Stores are prepared once, by the older commit, and copied before anything is asked of them. The
checkout whose commands are asked is the working folder or another one; this Python runs both. What
a command prints, and each file that it writes as text, becomes a file of the folder ``OUT``.
``diff`` ends with 1 where a file is in one folder alone or where two files differ; what is
arbitrary (``ARBITRARY``) is replaced first.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from unittest import mock

from dcq.files import bundle_import
from dcq.judging.answers import answers
from dcq.settings import DATA, ROOT
from dcq.store import Store, runs
from tests.conftest import KEY
from tests.support import command_calls, every_method, matter, mixed, rendered, result_files
from tests.support.provider import FakeProvider

STORE, FACTS = "dcq.duckdb", "facts.json"
LONGEST = 300  # seconds of a call

# What differs between two runs of one commit, and what takes its place. Ids are numbered in the
# order in which a store's files have them, so that one for another still shows.
ARBITRARY: Mapping[str, tuple[str, str]] = {
    "a moment, to the minute or finer": (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?",
        "TIME",
    ),
    "a day": (r"\d{4}-\d\d-\d\d|\b\d{1,2} [A-Z][a-z]{2,8} \d{4}(, \d\d:\d\d)?", "DAY"),
    "seconds since 1970": (r"(?<=\")1[789]\d{8}(?=\")|/1[789]\d{8}(?=\")", "TIME"),
    "a port of this machine": (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    "how long it took, how fast it was, how much memory": (
        r"\"(\w*seconds|latency\w*|\w+_per_second|rss\w*)\": [\d.e+-]+",
        r'"\1": SECONDS',
    ),
    "a process": (r"\bPID \d+|\"pid\": \d+", "PID"),
    "a signature, or the name of a key": (r"[A-Za-z0-9+/]{50,}={0,2}|\b[0-9a-f]{64}\b", "SIGNED"),
    "when a store was put aside": (r"before-\d{8}-\d{6}", "before-TIME"),
    "a canary": (r"GUID [0-9a-f-]{36}", "GUID"),
}
# Of a run and whatever else is numbered by its day; of what was protected, by what was drawn.
_ID = re.compile(
    r"\b[a-z]?\d{6}-[0-9a-f]{8}\b|(?<!\d\.)\b[0-9a-f]{16}\b|(?<=protected-)[0-9a-f]{8}\b"
)


def prepare(folder: Path) -> None:
    """Make the three stores in ``folder``, each with the facts that calls are made of."""
    for name, fill in STORES.items():
        place = folder / name
        place.mkdir(parents=True)
        with FakeProvider(key=KEY) as provider, mock.patch.dict(os.environ, _served(provider)):
            store = Store(place / STORE)
            facts = fill(store, provider, place)
        (place / FACTS).write_text(json.dumps(facts | _facts(store), indent=1), "utf-8")


def _served(provider: FakeProvider) -> dict[str, str]:
    return {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": KEY}


def _example(store: Store, _provider: FakeProvider, _folder: Path) -> dict[str, str]:
    bundle_import.load(store, DATA / "example.zip")
    return {}


def _every(store: Store, provider: FakeProvider, folder: Path) -> dict[str, str]:
    every_method.fill(store, provider, folder)
    mixed.fill(store, provider)
    return {}


def _strange(store: Store, _provider: FakeProvider, folder: Path) -> dict[str, str]:
    """A store with nothing of its own, beside files of others."""
    with store.write():
        return _files(folder)


def _files(folder: Path) -> dict[str, str]:
    """Files as others publish them, by the names that calls have for them."""
    kinds = {"gsm8k": result_files.GSM8K, "wnli": result_files.WNLI}
    found = {
        name: result_files.write_csv(folder / f"{name}.csv", result_files.release_rows(counts))
        for name, counts in kinds.items()
    }
    tallies = (("seen", "target", 40), ("one", "control", 14), ("two", "control", 12))
    answers = [
        row
        for model in ("tester", "other")
        for partition, role, right in tallies
        for row in result_files.answers(model, partition, role, right, 50, "ABCD")
    ]
    found["answers"] = result_files.write_csv(folder / "answers.csv", answers)
    versions = [asdict(answer) for answer in matter.answers(100, gain=0.3)]
    found["versions"] = result_files.write_csv(
        folder / "versions.csv",
        [{**row, "version": str(row["version"]), "role": str(row["role"])} for row in versions],
    )
    texts = {
        "pairs.jsonl": '{"query": "a big cat sat", "text": "yes: A big cat sat there"}\n',
        "queries.jsonl": '{"id": 1, "query": "a big cat sat"}\n',
        "labels.csv": "instance_id,category,score\n1,clean,0.1\n2,input-only,0.8\n",
        "graded.csv": "model,instance_id,correct\nm,1,0\nm,2,1\n",
        "lots.csv": "item,wording,published,score\n"
        + "".join(
            f"{n},{w},{int(w == 'a')},{int(w == 'abcd'[n % 3])}\n"
            for n in range(12)
            for w in "abcd"
        ),
        "completions.csv": _COMPLETIONS,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
        found[name.partition(".")[0]] = folder / name
    old = ROOT / "tests" / "fixtures" / "passport_0_1_0"
    for name, source in (
        ("passport", old / "rivers.json"),
        ("passport_key", old / "key.pub"),
        ("example", DATA / "example.zip"),
    ):
        found[name] = Path(shutil.copy(source, folder / f"{name}{source.suffix}"))
    return {name: f"{{stores}}/strange/{path.name}" for name, path in found.items()} | {
        "release": "{stores}/strange/gsm8k.csv",
        "released": "{stores}/strange/wnli.csv",
    }


_COMPLETIONS = (
    "sentence1,sentence2,label,generated_guided_completion,generated_general_completion,"
    "rouge_score_for_general_completion,rouge_score_for_guided_completion,"
    "bleurt_score_for_general_completion,bleurt_score_for_guided_completion,"
    "gpt4_icl_evaluation,annotator1_evaluation,annotator2_evaluation\n"
) + "".join(
    f"Person {n} gave the book away.,The book of person {n} was heavy.,1 (entailment),"
    f"{words} person {n} was heavy.,It rained.,0,0.{4 + n % 5},0.3,0.5,{match},{match},No\n"
    for n in range(12)
    for words, match in [("The book of", "Yes (exact match)") if n % 3 else ("A book by", "No")]
)

STORES = {"example": _example, "every": _every, "strange": _strange}


def _facts(store: Store) -> dict[str, str]:
    """What calls name of a store: the first answer that rests on a quiz, and the first run of each
    other method."""
    facts: dict[str, str] = {}
    for answer in answers(store):
        for method in answer.methods:
            facts.setdefault(method.method, method.run)
            if method.kind and "run" not in facts:
                facts |= {"run": method.run, "quiz": runs.load(store, method.run).plan.subject}
                facts |= {"model": answer.model, "partition": answer.partition}
                facts["sample"] = answer.sample
    return facts


def ask(stores: Path, to: Path, checkout: Path) -> None:
    """Call all commands of a checkout on copies of the stores, and write what they print and make
    into the folder ``to``."""
    if missing := command_calls.unknown() | command_calls.gone():
        raise SystemExit(f"tests/support/command_calls.py does not match: {sorted(missing)}")
    to.mkdir(parents=True)
    for name in STORES:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "stores")
            shutil.copytree(stores, copy)
            _ask_store(copy, name, to / name, checkout)


def _ask_store(stores: Path, name: str, to: Path, checkout: Path) -> None:
    """Call the commands on the store ``name``, one after the other."""
    made, facts = to / "made", json.loads((stores / name / FACTS).read_text("utf-8"))
    made.mkdir(parents=True)
    places = {"stores": str(stores), "out": str(made)}
    with FakeProvider(key=KEY) as provider:
        environment = _environment(stores / name / STORE) | _served(provider)
        for command, calls in command_calls.CALLS.items():
            for number, call in enumerate(calls, 1):
                if "{source}" in call:
                    facts |= _source(environment, checkout)
                if any(word not in facts | places for word in _FACT.findall(" ".join(call))):
                    continue
                words = [word.format_map(facts).format_map(places) for word in _twice(call)]
                done = _call([*command.split(), *words, "--json"], environment, checkout)
                shown = f"{done.returncode}\n{done.stdout}\n{done.stderr}"
                for path, word in ((str(made), "OUT"), (str(stores), "STORES")):
                    shown = shown.replace(path, word)
                shown = shown.replace(str(checkout), "CHECKOUT")
                (to / f"{command.replace(' ', '-')}-{number}.txt").write_text(shown, "utf-8")
    _as_text(made)


_FACT = re.compile(r"\{(\w+)\}")


def _twice(call: Sequence[str]) -> Iterator[str]:
    """Facts may name places themselves, so places are filled in after them."""
    return (re.sub(r"\{(stores|out)\}", r"{{\1}}", word) for word in call)


def _environment(store: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {
        **{"DCQ_STORE": str(store), "DCQ_AUTHOR": "Ada", "HF_HUB_OFFLINE": "1"},
        **{"COLUMNS": "200", "PYTHONHASHSEED": "0"},
    }


def _call(
    words: Sequence[str], environment: Mapping[str, str], checkout: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dcq", *words],
        check=False,
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )


def _source(environment: Mapping[str, str], checkout: Path) -> dict[str, str]:
    """The id of what was imported last, as the store itself names it."""
    listed = json.loads(_call(["imported", "list", "--json"], environment, checkout).stdout)
    return {"source": listed[0]["id"]} if listed else {}


def _as_text(folder: Path) -> None:
    """Turn what only its own program reads into text beside it, and take it away."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".pptx":
            text = "\n".join(rendered.powerpoint_lines(path.read_bytes()))
        elif path.suffix == ".pdf":
            text = "\n".join(rendered.pdf_lines(path.read_bytes()))
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                text = "\n".join(sorted(archive.namelist()))
        elif path.suffix == ".duckdb":
            text = "a store"
        else:
            continue
        path.with_name(f"{path.name}.txt").write_text(text, "utf-8")
        path.unlink()


def differences(first: Path, second: Path) -> list[str]:
    """The lines in which two folders differ after what is arbitrary was replaced; empty where they
    say the same."""
    sides = [_files_of(first), _files_of(second)]
    found = [f"only in {first}: {name}" for name in sorted(set(sides[0]) - set(sides[1]))]
    found += [f"only in {second}: {name}" for name in sorted(set(sides[1]) - set(sides[0]))]
    for name in sorted(set(sides[0]) & set(sides[1])):
        left, right = (side[name].splitlines() for side in sides)
        found += difflib.unified_diff(left, right, f"a/{name}", f"b/{name}", n=0, lineterm="")
    return found


def _files_of(folder: Path) -> dict[str, str]:
    """The files of a folder as they are compared; ids are numbered within each store."""
    texts: dict[str, str] = {}
    numbers: dict[str, dict[str, str]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        text = path.read_text("utf-8", errors="replace")
        for pattern, instead in ARBITRARY.values():
            text = re.sub(pattern, instead, text)
        texts[name] = _number_ids(text, numbers.setdefault(name.split("/")[0], {}))
    return texts


def _number_ids(text: str, known: dict[str, str]) -> str:
    """Ids by the order in which they come; ``known`` are those of the store so far."""
    return _ID.sub(lambda found: known.setdefault(found[0], f"ID{len(known)}"), text)


def main() -> None:
    """Prepare, ask or compare."""
    parser = argparse.ArgumentParser(description="Whether two commits answer the same.")
    actions = parser.add_subparsers(dest="action", required=True)
    preparing = actions.add_parser("prepare")
    preparing.add_argument("stores", type=Path)
    asking = actions.add_parser("ask")
    asking.add_argument("stores", type=Path)
    asking.add_argument("out", type=Path)
    asking.add_argument("--checkout", type=Path, default=ROOT)
    comparing = actions.add_parser("diff")
    comparing.add_argument("first", type=Path)
    comparing.add_argument("second", type=Path)
    given = parser.parse_args()
    if given.action == "prepare":
        prepare(given.stores)
    elif given.action == "ask":
        ask(given.stores.absolute(), given.out.absolute(), given.checkout.absolute())
    else:
        found = differences(given.first, given.second)
        print("\n".join(found) or "No difference.")
        sys.exit(bool(found))


if __name__ == "__main__":
    main()
