"""What a store takes in, every copy gives back: names go all the way round.

An accepted name goes into a store, a bundle and another store, a backup and what is restored of it,
a sample file, tables and back, an address and a page. A refused one gets a sentence at the door. A
store from before the rule holds names that it refuses, and goes the same way.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dcq import naming
from dcq.audit.release_rows import unescape_formula
from dcq.errors import InputError
from dcq.files import bundle_import, bundle_write, export, sample_file
from dcq.files.export import ExportTable
from dcq.jobs.restore import restore
from dcq.judging.answers import answers
from dcq.quiz import freeze, people
from dcq.records import QuizKind
from dcq.store import Store, copies, runs, samples, sets, studies
from dcq.store.studies import EVERYTHING, Study
from dcq.words import visible
from tests.conftest import small_sample
from tests.support.any_name import any_name
from tests.support.runs import answer
from tests.support.shell import Shell
from tests.test_naming import NOT, REAL

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]

# The tables and columns in which names are kept.
_KEPT = {
    "partition": "id, key, split, title, split_title, licence",
    "sample": "partition_id, set_name",
    "run": "model",
    "study": "name, models, partitions",
    "sitting": "person",
}


@dataclass(frozen=True)
class Names:
    """A name for each sort of thing that has one."""

    dataset: str
    split: str
    model: str
    study: str
    set_of_variants: str
    person: str


def _all(name: str) -> Names:
    short = name[:60].strip() or "x"
    model, study = f"{name}@http://127.0.0.1:9/v1", f"{short} again"  # a benchmark's is taken
    return Names(name, name, model, study, short, name[:120].strip())


def take_in(store: Store, names: Names) -> str:
    """A sample, a further set, a run, a study and a sitting by these names; returns the sample."""
    drawn = small_sample(6)
    partition = replace(
        drawn.partition,
        key=names.dataset,
        title=names.dataset,
        split=names.split,
        split_title=names.split,
    )
    sample = samples.save(store, replace(drawn, partition=partition))
    quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot="D").quiz
    answer(store, quiz, {"D": 6}, names.model)
    sets.add(store, sample, names.set_of_variants)
    of = f"{names.dataset}/{names.split}"
    studies.save(store, Study(names.study, partitions=(of,), models=(names.model,)))
    people.begin_sitting(store, sample, names.person, 2)
    return sample


def kept(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.read() as db:
        return {
            table: db.execute(f"SELECT DISTINCT {columns} FROM {table} ORDER BY ALL").fetchall()  # noqa: S608  (our own names)
            for table, columns in _KEPT.items()
        }


def go_round(store: Store, sample: str, folder: Path, *, by_file: bool = True) -> None:
    """Send a store through everything that copies it or a part of it, and compare."""
    before = kept(store)
    run = runs.load(store, next(iter(runs.listing(store))))
    partition = samples.load(store, sample).partition

    packed = folder / "study.zip"
    packed.write_bytes(bundle_write.to_bytes(store, EVERYTHING, csv=True)[0])
    imported = bundle_import.load(Store(folder / "imported.duckdb"), packed)
    assert imported.stored
    assert imported.differences == ()
    assert kept(Store(folder / "imported.duckdb")) == before

    copies.take(store, folder / "copy.duckdb")
    restore(Store(folder / "restored.duckdb"), folder / "copy.duckdb")
    assert kept(Store(folder / "restored.duckdb")) == before

    results = export.frame(store, ExportTable.RESULTS)
    for suffix, read in _READERS.items():
        [row] = read(export.to_bytes(results, suffix)).to_dict("records")
        model, of = (unescape_formula(row[name]) for name in ("model", "partition"))
        assert (model, of) == (run.plan.model, partition.id), suffix

    if by_file:
        document = sample_file.dump(store, sample)
        assert json.loads(document)["partition"]["key"] == partition.key
        file = folder / "sample.json"
        file.write_text(document, "utf-8")
        other = Store(folder / "sample.duckdb")
        again = samples.load(other, samples.save(other, sample_file.read(file)))
        assert again.partition == partition

    address = urlencode({"model": run.plan.model, "partition": partition.id})
    assert parse_qs(address, strict_parsing=True) == {
        "model": [run.plan.model],
        "partition": [partition.id],
    }
    for name in (run.plan.model, visible(run.plan.model)):
        [found] = answers(store, model=name, partition=visible(partition.id))
        assert (found.model, found.partition) == (run.plan.model, partition.id)
        assert visible(found.sentence) == found.sentence


def _csv(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), keep_default_na=False, dtype=str)


_READERS: dict[str, Callable[[bytes], pd.DataFrame]] = {
    ".csv": _csv,
    ".jsonl": lambda content: pd.DataFrame(map(json.loads, content.decode().split("\n")[:-1])),
    ".parquet": lambda content: pd.read_parquet(io.BytesIO(content)),
}


@pytest.fixture
def empty(empty_store: Path) -> Callable[[Path], Store]:
    def made(folder: Path) -> Store:
        path = folder / "dcq.duckdb"
        path.write_bytes(empty_store.read_bytes())
        return Store(path)

    return made


_signs = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from("aZ0 -_./:@'\"\\`,;=+<>&%#?[]{}|~*$!()éжΩ中あ한ع\u200d\ufe0f\t\n\u202e"),
)
_text = st.text(_signs, min_size=1, max_size=40)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(names=st.builds(Names, _text, _text, _text, _text, _text, _text))
def test_accepted_names_go_all_the_way_round_and_others_get_a_sentence(
    names: Names, empty: Callable[[Path], Store]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        store = empty(folder)
        try:
            given_names = Names(
                naming.read_name(names.dataset, "dataset"),
                naming.read_name(names.split, "split"),
                f"{naming.read_name(names.model, 'model')}@http://127.0.0.1:9/v1",
                *(getattr(names, kind) for kind in ("study", "set_of_variants", "person")),
            )
            sample = take_in(store, given_names)
        except InputError as refusal:
            sentence = str(refusal)
        else:
            go_round(store, sample, folder)
            return
        assert sentence.endswith(".")
        assert visible(sentence) == sentence


@pytest.mark.parametrize(
    "name", [REAL[0], "中文数据集 – “q” & <b>", "می\u200cخواهم", "=1+1", "a'b\"c\\d"]
)
def test_real_names_go_all_the_way_round(
    name: str, tmp_path: Path, empty: Callable[[Path], Store]
) -> None:
    store = empty(tmp_path)
    go_round(store, take_in(store, _all(name)), tmp_path)


OLD = [
    "a\tb",
    "a\nb",
    "a\r\nb",
    "a\u202eb\u2066c",
    "a\u200bb",
    "gpt-4\u043e",
    "x" * 600,
    "a\x07b\x1b[31m",
]


@pytest.mark.parametrize("name", OLD, ids=ascii)
def test_a_store_from_before_the_rule_goes_all_the_way_round(
    name: str, tmp_path: Path, empty: Callable[[Path], Store]
) -> None:
    store = empty(tmp_path)
    names = _all(name)
    plain = Names(names.dataset, names.split, names.model, "study", "set", "Ada")
    with any_name():
        sample = take_in(store, plain)
    go_round(store, sample, tmp_path, by_file=False)


@pytest.mark.parametrize("name", OLD, ids=ascii)
def test_commands_and_pages_show_such_names_escaped(
    name: str,
    app: AppTest,
    fresh_store: Store,
) -> None:
    names = _all(name)
    with any_name():
        take_in(fresh_store, replace(names, study="study", set_of_variants="set", person="Ada"))
    shell = Shell(fresh_store.path)
    shown = visible(names.model)
    for words in (["status"], ["results"], ["answer"], ["study"]):
        done = shell.run(*words)
        assert done.returncode == 0, done.stderr
        assert visible(done.stdout, lines=True) == done.stdout
    [row] = shell.json("answer", "--model", shown)
    assert (row["model"], row["partition"]) == (names.model, f"{names.dataset}/{names.split}")
    [row] = shell.json("results", "--model", shown, "--partition", visible(row["partition"]))
    assert row["model"] == names.model
    for page in ("overview", "results", "answers"):
        at = app.switch_page(f"pages/{page}.py").run()
        assert not at.exception, page


@pytest.mark.parametrize("name", [entry for entry in NOT if entry.strip()], ids=ascii)
def test_every_door_refuses_what_no_name_may_have(
    name: str, tmp_path: Path, empty: Callable[[Path], Store]
) -> None:
    """The store is the last door: whatever came to it, nothing of it is kept."""
    store = empty(tmp_path)
    good = Names("d", "test", "m@http://127.0.0.1:9/v1", "study", "set", "Ada")
    sample = take_in(store, good)
    before = kept(store)
    quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot="D").quiz
    drawn = small_sample(6, key="other")
    doors: list[Callable[[], object]] = [
        lambda: answer(store, quiz, {"D": 6}, f"{name}@http://127.0.0.1:9/v1"),
        *(
            partial(samples.save, store, replace(drawn, partition=partition))
            for partition in (
                replace(drawn.partition, key=name * 2),
                replace(drawn.partition, split=name * 2),
                replace(drawn.partition, title=name * 2),
                replace(drawn.partition, split_title=name * 2),
            )
        ),
    ]
    if name.split() == [name]:  # where spaces are put right, so are tabs and line ends
        doors += [
            lambda: studies.save(store, Study(name)),
            lambda: sets.add(store, sample, name),
            lambda: people.begin_sitting(store, sample, name, 2),
        ]
    for door in doors:
        if len(name) > 200 and door is doors[0]:
            continue  # a model's name may be longer
        with pytest.raises(InputError, match=r"^Name the "):
            door()
    assert kept(store) == before


@pytest.mark.parametrize("field", ["key", "split", "title", "split_title"])
def test_a_sample_file_is_a_door(field: str, fresh_store: Store, tmp_path: Path) -> None:
    sample = samples.save(fresh_store, small_sample())
    document = json.loads(sample_file.dump(fresh_store, sample))
    document["partition"][field] = "gpt\u202e"
    file = tmp_path / "sample.json"
    file.write_text(json.dumps(document), "utf-8")
    with pytest.raises(InputError, match=r"U\+202E"):
        samples.save(fresh_store, sample_file.read(file))
