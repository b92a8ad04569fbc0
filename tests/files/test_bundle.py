"""A study leaves a store as one file, and says the same in another."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

from dcq.errors import InputError
from dcq.files import bundle_import, bundle_write
from dcq.files.bundle import BundleManifest
from dcq.files.bundle_import import Imported
from dcq.judging import every_method, replication, study
from dcq.overlap import evidence, outcome
from dcq.quiz import freeze, protocol2
from dcq.records import PartitionRole, QuizKind
from dcq.replication.evidence import replication_row
from dcq.store import (
    Store,
    partitions,
    replications,
    reviews,
    runs,
    samples,
    sets,
    studies,
    variants,
)
from dcq.store.bundle_tables import LEFT_OUT, TABLES
from dcq.store.bundle_take import columns_by_table
from dcq.store.runs import Event
from dcq.store.studies import EVERYTHING, Study
from dcq.store.variants import Decision
from tests.conftest import KEY, small_sample
from tests.support import studied
from tests.support.runs import NOBODY, answer
from tests.support.studied import NARROW, OTHER

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]

QUIZ_ANSWER = "position = 0 AND run_id IN (SELECT id FROM run WHERE method = 'quiz')"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    return Path(shutil.copy(studied.filled(tmp_path_factory), folder / "dcq.duckdb"))


@pytest.fixture(scope="module")
def whole(filled: Path) -> tuple[Path, BundleManifest]:
    """Everything in that store, as a bundle."""
    data, manifest = bundle_write.to_bytes(Store(filled))
    path = filled.with_name("whole.zip")
    path.write_bytes(data)
    return path, manifest


@pytest.fixture(scope="module")
def copied(filled: Path, whole: tuple[Path, BundleManifest]) -> tuple[Path, Imported]:
    """A store that was empty before that bundle was imported."""
    path = filled.with_name("copied.duckdb")
    return path, bundle_import.load(Store(path), whole[0])


@pytest.fixture(scope="module")
def all_shown(filled: Path) -> Any:
    """What ``results --json`` prints of that store."""
    return shown(Store(filled))


class Small(NamedTuple):
    """A store with one run, its bundle, and a store that this was imported into: for what is the
    same however much there is."""

    store: Store
    bundle: Path
    copy: Store


@pytest.fixture(scope="module")
def made_small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    folder = tmp_path_factory.mktemp("small")
    store, there = Store(folder / "dcq.duckdb"), Store(folder / "copied.duckdb")
    quiz = freeze.freeze(store, samples.save(store, small_sample(8)), QuizKind.STANDARD, slot="D")
    runs.note(store, answer(store, quiz.quiz, {"D": 6, "A": 2}), Event.FINISHED)
    studies.save(store, Study("Rivers", partitions=("rivers/test",)))
    bundle = folder / "small.zip"
    bundle.write_bytes(bundle_write.to_bytes(store)[0])
    bundle_import.load(there, bundle)
    return Small(store, bundle, there)


@pytest.fixture
def small(made_small: Small, tmp_path: Path) -> Small:
    store, copy = (
        Store(shutil.copy(one.path, tmp_path / f"{name}.duckdb"))
        for name, one in (("small", made_small.store), ("small-copy", made_small.copy))
    )
    return Small(store, made_small.bundle, copy)


@pytest.fixture
def full(filled: Path, tmp_path: Path) -> Store:
    (tmp_path / "full").mkdir()
    return Store(shutil.copy(filled, tmp_path / "full" / "dcq.duckdb"))


@pytest.fixture
def copy(copied: tuple[Path, Imported], tmp_path: Path) -> Store:
    (tmp_path / "copy").mkdir()
    return Store(shutil.copy(copied[0], tmp_path / "copy" / "dcq.duckdb"))


def shown(store: Store, within: Study = EVERYTHING) -> Any:
    """What ``results --json`` prints."""
    ranges = protocol2.by_run(protocol2.estimates(store))
    found = study.findings(store, within, every_run=True)
    return json.loads(
        json.dumps([every_method.document(one, ranges.get(one.evidence.run)) for one in found])
    )


def carry(
    source: Store, target: Store, folder: Path, within: Study = EVERYTHING, **options: bool
) -> tuple[BundleManifest, Imported]:
    data, manifest = bundle_write.to_bytes(source, within, **options)
    path = folder / "study.zip"
    path.write_bytes(data)
    return manifest, bundle_import.load(target, path)


def test_each_table_of_the_store_is_bundled_or_left_out_on_purpose(fresh_store: Store) -> None:
    with fresh_store.read() as db:
        rows = db.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
        columns = columns_by_table(db)
        known = {table.name: set(columns[table.name]) for table in TABLES}
    assert {name for (name,) in rows} == {*known, *LEFT_OUT}
    for table in TABLES:
        named = {
            *table.key,
            *table.notes,
            *table.texts,
            *(column for column, *_ in table.foreign_keys),
        }
        named |= {column for column, _ in (*table.allowed_values, *table.json_columns)}
        named |= {table.owner} if table.owner else set()
        assert named <= known[table.name]


def test_everything_is_the_same_in_an_empty_store(
    full: Store,
    copy: Store,
    copied: tuple[Path, Imported],
    whole: tuple[Path, BundleManifest],
    all_shown: Any,
) -> None:
    manifest, done = whole[1], copied[1]
    assert done.differences == ()
    assert done.here == ()
    assert shown(copy) == all_shown
    assert len(manifest.outcomes.results) == len(study.findings(full))
    kinds = {row["kind"] for row in manifest.outcomes.results}
    assert kinds == {"standard", "modified", "rotated", "bdq", "bcq"}
    assert {row["verdict"] for row in manifest.outcomes.results} >= {"contaminated", "inconclusive"}
    [replicated] = replication.results(copy)
    assert replication_row(replicated.evidence).people.counts
    looked_for = evidence.results(full)
    assert {one.method for one in looked_for} == {"search", "scan"}
    for one in looked_for:
        assert repr(outcome.of_run(copy, one.run)) == repr(outcome.of_run(full, one.run))
    assert sets.members(copy) == sets.members(full)
    assert studies.load(copy, "Rivers") == studies.load(full, "Rivers")
    assert [one.role for one in partitions.role_history(copy, "lakes/test")] == [
        PartitionRole.TARGET,
        PartitionRole.POSITIVE,
        PartitionRole.TARGET,
    ]
    said = {prompt.id for prompt in manifest.prompts}
    assert {"quiz/v1", "quiz/v2-release"} & said
    assert {seed.of for seed in manifest.seeds} == {"sample", "rewording", "replication"}


def test_each_row_of_each_table_comes_through(
    full: Store, copy: Store, copied: tuple[Path, Imported]
) -> None:
    """But for how a store numbers its histories: there nothing but the order is a fact."""

    def rows(store: Store) -> dict[str, Any]:
        with store.read() as db:
            return {
                table.name: db.execute(
                    f'SELECT * EXCLUDE (seq) FROM "{table.name}" ORDER BY {table.owner}, seq'  # noqa: S608
                    if table.name == "review"
                    else f'SELECT * FROM "{table.name}" ORDER BY ALL'  # noqa: S608
                ).fetchall()
                for table in TABLES
            }

    before, after = rows(full), rows(copy)
    for name, found in before.items():
        assert after[name] == found, name
        assert copied[1].added.get(name, 0) == len(found)
    empty = {name for name, found in before.items() if not found}  # those would pass unseen
    # No method of ours uses these: tests/test_new_method.py. Nothing of others: test_others.py.
    assert empty == {
        *("frozen", "frozen_request", "run_value"),
        *("source", "taking", "imported_run"),
    }


def test_what_refers_to_a_numbered_row_refers_to_the_same_one_elsewhere(
    full: Store, whole: tuple[Path, BundleManifest], fresh_store: Store
) -> None:
    """A store that has rows of its own numbers those of a bundle after them."""
    own = samples.save(fresh_store, small_sample(3, key="ours"))
    seen = [slots[0] for slots in variants.current(fresh_store, own).values()]
    reviews.decide(fresh_store, own, seen, Decision.ACCEPTED, "Ben")
    bundle_import.load(fresh_store, whole[0])

    def texts(store: Store) -> Any:
        with store.read() as db:
            return db.execute(
                "SELECT v.text, r.decision, r.author, r.undone_by FROM review r "
                "JOIN variant v ON v.seq = r.variant_seq JOIN sample s ON s.id = r.sample_id "
                "WHERE s.partition_id <> 'ours/test' ORDER BY r.seq"
            ).fetchall(), db.execute(
                "SELECT w.slot, v.text, w.seen_review FROM rewording_slot w "
                "LEFT JOIN variant v ON v.seq = w.seen_variant ORDER BY w.slot"
            ).fetchall()

    decided, rewording = texts(fresh_store)
    was_decided, was_rewording = texts(full)
    assert decided == was_decided
    assert [row[:2] for row in rewording] == [row[:2] for row in was_rewording]
    assert [bool(row[2]) for row in rewording] == [bool(row[2]) for row in was_rewording]
    with fresh_store.read() as db:
        [(top,)] = db.execute("SELECT max(seq) FROM variant").fetchall()
    variants.add(fresh_store, own, [variants.NewVariant(seen[0].instance_id, 0, "new", "person")])
    newest = variants.current(fresh_store, own)[seen[0].instance_id][0]
    assert (newest.text, newest.seq > top) == ("new", True)


def test_a_study_takes_along_what_its_verdicts_rest_on_and_no_more(
    full: Store, fresh_store: Store, tmp_path: Path
) -> None:
    manifest, done = carry(full, fresh_store, tmp_path, studies.load(full, "Rivers"))
    assert done.differences == ()
    within = studies.load(fresh_store, "Rivers")
    assert shown(fresh_store, within) == shown(full, NARROW)
    assert {sample.partition for sample in samples.listing(fresh_store)} == {
        "rivers/test",
        "unseen-0/test",
    }
    plans = [runs.load(fresh_store, run).plan for run in runs.listing(fresh_store)]
    assert {plan.model for plan in plans if plan.method == "quiz"} == {NOBODY}
    assert {plan.method for plan in plans} == {"quiz", "rewording"}  # who wrote the variants
    assert manifest.study == "Rivers"
    assert manifest.outcomes.overlaps == []


def test_looks_take_their_controls_along(full: Store, fresh_store: Store, tmp_path: Path) -> None:
    within = studies.save(full, Study("Lakes", partitions=("lakes/test",), controls=()))
    _, done = carry(full, fresh_store, tmp_path, within)
    assert done.differences == ()
    assert shown(fresh_store, within) == shown(full, within)
    there = {sample.partition for sample in samples.listing(fresh_store)}
    assert there == {"lakes/test", "unseen-0/test", "unseen-1/test", "unseen-2/test"}


def test_the_first_run_beside_a_set_that_stands_is_taken_along(
    full: Store, fresh_store: Store, tmp_path: Path
) -> None:
    """Whether the set was named after answers were there, the checklist says."""
    within = studies.save(full, Study("Other", partitions=("rivers/test",), models=(OTHER,)))
    _, done = carry(full, fresh_store, tmp_path, within)
    assert done.differences == ()
    others = [runs.load(fresh_store, run).plan for run in runs.listing(fresh_store)]
    assert [plan.model for plan in others].count(NOBODY) == 1
    assert shown(fresh_store, within) == shown(full, within)


def test_a_second_import_adds_nothing(
    full: Store, copy: Store, whole: tuple[Path, BundleManifest]
) -> None:
    for store in (full, copy):
        again = bundle_import.load(store, whole[0])
        assert set(again.added.values()) == {0}
        assert again.here == ()


def test_a_store_with_other_things_keeps_them_and_says_where_verdicts_differ(
    full: Store, whole: tuple[Path, BundleManifest], fresh_store: Store, tmp_path: Path
) -> None:
    own = samples.save(fresh_store, small_sample(100, key="ours", role=PartitionRole.CONTROL))
    quiz = freeze.freeze(fresh_store, own, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 45, "A": 55})
    done = bundle_import.load(fresh_store, whole[0])
    assert done.differences == ()
    assert any("q_control" in sentence for sentence in done.here)
    # A study that says which controls it takes has the same verdicts beside whatever else.
    narrow = studies.load(full, "Rivers")
    _, narrowed = carry(full, fresh_store, tmp_path, narrow)
    assert narrowed.here == ()
    assert shown(fresh_store, narrow) == shown(full, narrow)


def test_controls_that_both_stores_drew_by_themselves_are_the_same(
    all_shown: Any, whole: tuple[Path, BundleManifest], fresh_store: Store
) -> None:
    for number in range(3):
        drawn = small_sample(100, key=f"unseen-{number}", role=PartitionRole.CONTROL)
        samples.save(fresh_store, drawn, author="Someone else")
    done = bundle_import.load(fresh_store, whole[0])
    assert done.differences == ()
    assert done.here == ()
    assert shown(fresh_store) == all_shown


def test_a_run_that_went_on_elsewhere_goes_on_here(small: Small, tmp_path: Path) -> None:
    [run] = runs.listing(small.store)
    runs.note(small.store, run, Event.STARTED)
    runs.note(small.store, run, Event.FINISHED, "later")
    _, done = carry(small.store, small.copy, tmp_path)
    assert done.added["run_event"] == 2
    assert runs.events(small.copy, run) == runs.events(small.store, run)
    assert set(bundle_import.load(small.store, small.bundle).added.values()) == {0}


def test_a_run_that_goes_further_elsewhere_is_refused_and_one_that_may_spend_more_is_not(
    small: Small,
) -> None:
    [run] = runs.listing(small.store)
    items = runs.load(small.store, run).plan.items
    runs.replan(small.store, run, items=items, budget_usd=5.0, max_calls=9, concurrency=2)
    assert set(bundle_import.load(small.store, small.bundle).added.values()) == {0}
    runs.replan(small.store, run, items=items + 1, budget_usd=5.0, max_calls=9, concurrency=2)
    with pytest.raises(InputError, match=f"another run of id {run}"):
        bundle_import.load(small.store, small.bundle)


@pytest.mark.parametrize("change", ["variant", "role", "label", "study"])
def test_a_history_that_went_another_way_is_refused_as_a_whole(
    small: Small, tmp_path: Path, change: str
) -> None:
    here, there = small.store, small.copy
    [run] = runs.listing(here)
    if change == "variant":
        sample = runs.load(here, run).plan.sample_id
        instance = samples.load(here, sample).instances[0].id
        for store, text in ((here, "one"), (there, "another")):
            variants.add(store, sample, [variants.NewVariant(instance, 0, text, "person")])
    elif change == "role":
        partitions.set_role(here, "rivers/test", PartitionRole.POSITIVE, "")
        partitions.set_role(there, "rivers/test", PartitionRole.CONTROL, "")
    elif change == "label":
        replications.add(here, run, 0, "Ada", "exact")
        replications.add(there, run, 0, "Ben", "exact")
    else:
        studies.save(here, Study("Rivers", controls=()))
        studies.save(there, Study("Rivers", models=("b",)))
    # Something that is new, and must not come along.
    lakes = samples.save(here, small_sample(4, key="lakes"))
    answer(here, freeze.freeze(here, lakes, QuizKind.STANDARD, slot="D").quiz, {"D": 4})
    (tmp_path / "study.zip").write_bytes(bundle_write.to_bytes(here)[0])
    with pytest.raises(InputError, match="went another way"):
        bundle_import.load(there, tmp_path / "study.zip")
    assert runs.listing(there) == [run]


def test_without_text_verdicts_that_rest_on_letters_are_checked(
    full: Store, fresh_store: Store, tmp_path: Path
) -> None:
    manifest, done = carry(full, fresh_store, tmp_path, with_text=False)
    assert done.differences == ()
    assert not done.stored
    assert runs.listing(fresh_store) == []
    said = manifest.outcomes
    assert len(said.replications) == 1
    assert f"all {len(said.results) + len(said.overlaps)} results agree" in done.sentence()
    assert any("figures" in sentence for sentence in done.document()["carried"])
    data = (tmp_path / "study.zip").read_bytes()
    unpacked = b"".join(tables_of(data, raw=True).values()) + zipfile.ZipFile(
        io.BytesIO(data)
    ).read("manifest.json")
    frames = tables_of(data)
    cells = " ".join(str(frame.to_dict()) for frame in frames.values()) + unpacked.decode(
        "utf-8", "replace"
    )
    assert "number 1 of" not in cells  # of the instances
    assert "northern hills" not in cells  # of the pieces and the completions
    assert "stands here" not in cells
    assert frames["instance"]["text"].str.startswith("sha256:").all()
    assert set(frames["answer"].loc[frames["answer"]["value"].notna(), "value"]) >= set("ABCDE")


def tables_of(data: bytes, *, raw: bool = False) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = {
            Path(name).stem: archive.read(name)
            for name in archive.namelist()
            if name.endswith(".parquet")
        }
    if raw:
        return found
    return {name: pq.read_table(io.BytesIO(table)).to_pandas() for name, table in found.items()}


def test_keys_and_passwords_never_leave(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "brave-very-secret")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    [run] = runs.listing(small.store)
    runs.note(small.store, run, Event.STOPPED, f"Wrong key {KEY}, and brave-very-secret")
    with duckdb.connect(str(small.store.path)) as db:
        db.execute(f"UPDATE answer SET reply = ? WHERE {QUIZ_ANSWER}", [f"my key is {KEY}"])  # noqa: S608
        db.execute(
            "UPDATE run SET base_url = 'https://ada:hunter2@host.org/v1' WHERE id = ?", [run]
        )
    data, _ = bundle_write.to_bytes(small.store, csv=True)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        texts = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    texts += [str(frame.to_dict()) for frame in tables_of(data).values()]
    for secret in (KEY, "brave-very-secret", "hunter2"):
        assert not any(secret in text for text in texts), secret
    assert any("[key left out]" in text for text in texts)


def test_csv_runs_in_no_spreadsheet(full: Store, tmp_path: Path) -> None:
    with duckdb.connect(str(full.path)) as db:
        db.execute(f"UPDATE answer SET reply = '=HYPERLINK(1)' WHERE {QUIZ_ANSWER}")  # noqa: S608
        db.execute("UPDATE run_event SET detail = '@SUM(1)'")
    data, manifest = bundle_write.to_bytes(full, csv=True)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = {name for name in archive.namelist() if name.startswith("csv/")}
        frames = {name: pd.read_csv(io.BytesIO(archive.read(name)), dtype=str) for name in names}
    assert {Path(name).stem for name in names} == set(tables_of(data))
    assert "'=HYPERLINK(1)" in set(frames["csv/answer.csv"]["reply"])
    assert set(frames["csv/run_event.csv"]["detail"]) == {"'@SUM(1)"}
    for name, frame in frames.items():
        assert len(frame) == manifest.files[name].rows
        cells = [str(cell) for column in frame for cell in frame[column].dropna()]
        # A date or a negative number is one, and no formula.
        assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-\D", cell)], name


def test_nothing_makes_no_bundle(fresh_store: Store) -> None:
    with pytest.raises(InputError, match="nothing to bundle"):
        bundle_write.to_bytes(fresh_store)
