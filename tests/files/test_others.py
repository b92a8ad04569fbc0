"""What others answered is theirs: nothing that they send decides a pair of one's own."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dcq.asking.plan import pick_up
from dcq.asking.reuse import reuse_answers
from dcq.cli import COMMANDS
from dcq.errors import InputError
from dcq.files import bundle_write, others
from dcq.jobs.restore import restore
from dcq.judging import every_method
from dcq.judging.answers import answers
from dcq.judging.study import findings
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.quiz.preview import preview
from dcq.quiz.results import quiz_row
from dcq.records import Item, PartitionRole, QuizKind
from dcq.settings import DATA, ROOT
from dcq.store import (
    Store,
    copies,
    runs,
    samples,
    sets,
    sittings,
    sources,
    studies,
    variants,
)
from dcq.store.answer_plans import PlannedMethod
from dcq.store.answer_plans import add as add_plan
from dcq.store.bundle_tables import REBUILT
from dcq.store.runs import Event
from dcq.store.studies import Study
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support import commands, once
from tests.support.judged import SEEN, UNSEEN, N, put, put_controls
from tests.support.runs import NOBODY, answer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]

PAIR = "rivers/test"
_OF_OTHERS = {"source", "source_part", "source_outcome", "source_run", "taking", "imported_run"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that has a finished result, and a bundle of a stranger who has a copy
    of it and made up everything that could turn its conclusion."""
    return Path(once.made(tmp_path_factory, "others-hostile", _make))


def _make(folder: Path) -> str:
    own = Store(folder / "own.duckdb")
    put_controls(own, 3)
    run = put(own, "rivers", SEEN)
    for each in runs.listing(own):
        runs.note(own, each, Event.FINISHED)
    studies.save(own, Study("Mine", partitions=(PAIR,), author="Bob"))
    copies.take(own, folder / "theirs.duckdb")
    theirs = Store(folder / "theirs.duckdb")
    invent(theirs, run)
    (folder / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    return str(folder)


def invent(theirs: Store, run: str) -> None:
    """Newer runs with invented replies of the target and its controls, weights from before all
    replies, other roles, a set that counts, rejected rewordings, and a study of the same name."""
    target = runs.load(theirs, run).plan
    newest = [answer(theirs, target.subject, UNSEEN)]
    for other in runs.listing(theirs):
        plan = runs.load(theirs, other).plan
        if plan.subject != target.subject:
            newest.append(answer(theirs, plan.subject, SEEN))
    for other in newest:
        runs.note(theirs, other, Event.FINISHED)
    sets.choose_counting_set(theirs, sets.add(theirs, target.sample_id, "better"))
    add_plan(theirs, NOBODY, PAIR, [PlannedMethod("replication", "", 1.0)])
    studies.save(theirs, Study("Mine", partitions=("unseen-0/test",), author="Mallory"))
    with theirs.write() as db:
        db.execute("UPDATE answer_plan SET made_at = TIMESTAMP '2001-01-01'")
        db.execute(
            "INSERT INTO partition_role (partition_id, role, author, made_at) SELECT partition_id, "
            "CASE role WHEN 'control' THEN 'target' ELSE 'control' END, 'Mallory', made_at "
            "FROM partition_role"
        )
        db.execute(
            "INSERT INTO review (variant_seq, sample_id, decision, author, made_at) "
            "SELECT seq, sample_id, 'rejected', 'Mallory', made_at FROM variant"
        )
        # A second attempt at each question of the run that is not theirs.
        db.execute(
            "INSERT INTO answer BY NAME SELECT * REPLACE (2 AS attempt, 'A' AS value) FROM answer "
            "WHERE run_id = ?",
            [run],
        )


@pytest.fixture
def own(made: Path, fresh_store: Store) -> Store:
    shutil.copy(made / "own.duckdb", fresh_store.path)
    return fresh_store


@pytest.fixture
def bundle(made: Path) -> Path:
    return made / "b.zip"


def rows(store: Store) -> dict[str, list[str]]:
    """All rows of one's own."""
    with store.read() as db:
        names = db.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
        return {
            name: sorted(map(repr, db.execute(f'SELECT * FROM "{name}"').fetchall()))  # noqa: S608  (the store's tables)
            for (name,) in names
            if name not in {*REBUILT, *_OF_OTHERS}
        }


def judged(store: Store) -> str:
    """What is said of one's own pair, in the study of everything and in one's own."""
    said: list[Any] = []
    for within in (studies.EVERYTHING, studies.load(store, "Mine")):
        said += [entry.document() for entry in answers(store, within, partition=PAIR)]
        said += [
            every_method.of_judged(found)
            for found in every_method.quizzes(store, within, partition=PAIR)
        ]
    return json.dumps(said, default=str, sort_keys=True)


def test_a_bundle_adds_nothing_to_rows_of_one_s_own(own: Store, bundle: Path) -> None:
    before, said = rows(own), judged(own)
    done = others.keep(own, bundle, sender="Mallory", author="Bob")
    assert done.source is not None
    assert rows(own) == before
    assert judged(own) == said
    [kept] = sources.listing(own)
    assert (kept.who, kept.author, kept.taken) == ("Mallory", "Bob", False)
    # It stands beside: judged as the sender's study, in which nothing speaks against the model.
    assert sources.outcomes(own, kept.id)


def test_other_answers_to_a_run_of_one_s_own_are_said_and_not_kept(
    own: Store, bundle: Path, made: Path, tmp_path: Path
) -> None:
    run = runs.listing(own)[0]
    assert others.keep(own, bundle).altered is not None  # it brings runs of its own beside
    changed = tmp_path / "changed.zip"
    theirs = Store(tmp_path / "theirs.duckdb")
    shutil.copy(made / "own.duckdb", theirs.path)
    changed.write_bytes(bundle_write.to_bytes(theirs)[0])
    assert others.keep(own, changed).altered is None
    with theirs.write() as db:  # read again there, by another reader
        db.execute(
            "INSERT INTO answer BY NAME SELECT * REPLACE (attempt + 1 AS attempt, "
            "'invalid' AS outcome, NULL AS value) FROM answer WHERE run_id = ? AND position = 0",
            [run],
        )
    changed.write_bytes(bundle_write.to_bytes(theirs)[0])
    assert others.keep(own, changed).altered is None
    with theirs.write() as db:
        db.execute("UPDATE answer SET value = 'A', reply = 'A' WHERE run_id = ?", [run])
    changed.write_bytes(bundle_write.to_bytes(theirs)[0])
    before = judged(own)
    done = others.keep(own, changed)
    assert (done.altered, done.source) == (run, None)
    assert f"Run {run} is one of your own, and the bundle has other answers" in done.sentence()
    assert "as your own" not in done.sentence()
    assert judged(own) == before


def test_taken_in_one_s_own_run_still_decides_and_taken_back_nothing_is_left(
    own: Store, bundle: Path
) -> None:
    said, before = judged(own), rows(own)
    source = others.keep(own, bundle, sender="Mallory").source
    assert source is not None
    others.take_in(own, source.id, "Bob")
    assert len(runs.listing(own)) > len(before["run"])
    assert judged(own) == said
    same = ("partition_role", "review", "standing_set", "study", "answer_plan", "variant", "sample")
    assert {name: rows(own)[name] for name in same} == {name: before[name] for name in same}
    assert sources.load(own, source.id).taken
    others.take_back(own, source.id, "Bob")
    assert judged(own) == said
    with pytest.raises(InputError, match="is not taken in"):
        others.take_back(own, source.id)


def test_what_rests_on_others_says_so_first_and_everywhere(
    fresh_store: Store, tmp_path: Path
) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    put_controls(theirs, 3)
    put(theirs, "lakes", SEEN)
    put(theirs, "lakes", SEEN, kind=QuizKind.MODIFIED, slot=None)
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    run = put(fresh_store, "rivers", SEEN)
    source = others.keep(fresh_store, tmp_path / "b.zip", sender="Ada").source
    assert source is not None
    assert [entry.partition for entry in answers(fresh_store)] == [PAIR]
    assert answers(fresh_store)[0].senders == ()
    others.take_in(fresh_store, source.id, "Bob")
    found = {entry.partition: entry for entry in answers(fresh_store)}
    # Its own pair now has their controls, and theirs is all theirs.
    for partition in (PAIR, "lakes/test"):
        assert found[partition].senders == ("Ada",)
        assert found[partition].sentence.startswith("Rests on replies from Ada that were not asked")
    assert found[PAIR].methods[0].run == run
    here = {"DCQ_STORE": str(fresh_store.path)}
    for words in (("answer",), ("answer", "--json"), ("results",), ("results", "--json")):
        assert "Ada" in commands.run(*words, environment=here).stdout, words
    for name in ("report.md", "report.html", "results.csv", "slides.html"):
        what = name.partition(".")[0]
        done = commands.run("export", what, "--to", str(tmp_path / name), environment=here)
        if done.returncode == 0:
            assert "Ada" in (tmp_path / name).read_text(), name
        else:
            assert what == "slides", done.stderr
    [theirs_here] = [
        sample.id for sample in samples.listing(fresh_store) if sample.partition == "lakes/test"
    ]
    for line in (("report", "--to", "card.yaml"), ("clean", theirs_here, "--to", "clean.csv")):
        file = tmp_path / line[-1]
        done = commands.run("export", *line[:-1], str(file), environment=here)
        assert done.returncode == 0, done.stderr
        assert "Ada" in file.read_text(), line
    rows = [entry for entry in findings(fresh_store) if quiz_row(entry.evidence).imported]
    assert rows
    assert all(entry.evidence.sender == "Ada" for entry in rows)
    key = tmp_path / "mine.key"
    assert commands.run("passport", "key", "--out", str(key), environment=here).returncode == 0
    signing = ("--out", str(tmp_path / "p.json"), "--key", str(key), "--partition", PAIR)
    done = commands.run("passport", "make", *signing, environment=here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "rests on replies from Ada, which were not asked here" in done.stderr
    # And whoever gets a bundle of it is told, too.
    data, manifest = bundle_write.to_bytes(fresh_store)
    (tmp_path / "again.zip").write_bytes(data)
    assert all("Ada" in entry["sentence"] for entry in manifest.outcomes.answers or [])
    third = Store(tmp_path / "third.duckdb")
    assert others.keep(third, tmp_path / "again.zip").differences == ()


def test_a_store_with_nothing_of_one_s_own_names_the_sender_everywhere(
    fresh_store: Store, tmp_path: Path
) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    put_controls(theirs, 3)
    put(theirs, "lakes", SEEN)
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    for name in ("Evil\nName", "\u0410nna", "x" * 500):
        with pytest.raises(InputError, match="Name the sender"):
            others.keep(fresh_store, tmp_path / "b.zip", sender=name)
    others.keep(fresh_store, tmp_path / "b.zip", sender="Mallory")
    here = {"DCQ_STORE": str(fresh_store.path)}
    for words in (("answer",), ("answer", "--json"), ("results",), ("results", "--json")):
        done = commands.run(*words, environment=here)
        assert "Mallory" in done.stdout, words
        assert "ontaminated" in done.stdout
    reports = [f"report.{end}" for end in ("md", "html", "tex", "yaml")]
    for name in (*reports, "results.csv", "pairs.csv"):
        file = tmp_path / name
        done = commands.run("export", file.stem, "--to", str(file), environment=here)
        assert done.returncode == 0, done.stderr
        assert "Mallory" in file.read_text("utf-8-sig"), name


@pytest.mark.parametrize("named", [False, True])
def test_the_bundled_example_is_nobody_s_unless_a_sender_is_named(
    fresh_store: Store, named: bool
) -> None:
    others.keep(fresh_store, DATA / "example.zip", sender="Mallory" if named else "")
    said = commands.run("answer", environment={"DCQ_STORE": str(fresh_store.path)}).stdout
    assert said.startswith("Contaminated. ")
    assert ("Rests on replies from Mallory" in said) == named
    assert ("Rests on" in said) == named


def test_replies_of_others_are_never_reused_and_their_runs_never_continued(
    own: Store, bundle: Path
) -> None:
    source = others.keep(own, bundle, sender="Mallory").source
    assert source is not None
    with own.read() as db:
        [(theirs,)] = db.execute(
            "SELECT s.run_id FROM source_run s JOIN sample p ON p.id = s.sample_id "
            "WHERE p.partition_id = ? AND s.run_id NOT IN (SELECT id FROM run)", [PAIR],
        ).fetchall()  # fmt: skip
    refusal = f"Run {theirs} was asked by Mallory, not by you.*ask-again {theirs}"
    with pytest.raises(InputError, match=refusal):
        pick_up(own, QUIZ, [theirs], _terms())
    done = commands.run("run", "--run", theirs, environment={"DCQ_STORE": str(own.path)})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert re.search(refusal, done.stderr)
    others.take_in(own, source.id)
    with pytest.raises(InputError, match=refusal):
        pick_up(own, QUIZ, [theirs], _terms())
    plan = runs.load(own, theirs).plan
    assert runs.newest_run(own, "quiz", plan.model, subject=plan.subject) != theirs
    with own.write() as db:  # so that all that could be reused is theirs
        db.execute("DELETE FROM answer WHERE run_id IN (SELECT id FROM own_run)")
    new = runs.create(own, plan)
    assert reuse_answers(own, QUIZ, new) == 0


def _terms() -> Any:
    from dcq.asking.options import NO_TERMS

    return NO_TERMS


def test_their_questions_are_asked_again_as_one_s_own(fresh_store: Store, tmp_path: Path) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    put_controls(theirs, 1)
    run = put(theirs, "lakes", SEEN)
    plan = runs.load(theirs, run).plan
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    assert others.keep(fresh_store, tmp_path / "b.zip").source is not None
    question = others.copy_questions(fresh_store, run)
    assert (question.quiz, question.sample) == (plan.subject, plan.sample_id)
    assert runs.listing(fresh_store) == []
    assert [entry.id for entry in samples.listing(fresh_store)] == [plan.sample_id]  # no more
    assert answer(fresh_store, plan.subject, SEEN) in dict.fromkeys(runs.listing(fresh_store))


@pytest.mark.parametrize("how", ["taken in", "asked again"])
def test_what_only_they_have_comes_without_their_roles_and_decisions(
    how: str, fresh_store: Store, tmp_path: Path
) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    put_controls(theirs, 1)
    run = put(theirs, "control-news", SEEN)  # of the catalog, and called a target here
    for each in runs.listing(theirs):
        runs.note(theirs, each, Event.FINISHED)
    invent(theirs, run)
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    source = others.keep(fresh_store, tmp_path / "b.zip").source
    assert source is not None
    if how == "taken in":
        others.take_in(fresh_store, source.id)
    else:
        others.copy_questions(fresh_store, run)
    brought = [each for each in samples.listing(fresh_store) if "control-news" in each.partition]
    assert {each.role for each in brought} == {PartitionRole.CONTROL}
    assert {each.reviewed for each in brought} == {0}
    kept = rows(fresh_store)
    for table in ("review", "standing_set", "study", "answer_plan"):
        assert kept[table] == [], table


def test_rewordings_that_only_the_sender_had_are_told_as_theirs(
    fresh_store: Store, tmp_path: Path
) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    run = put(theirs, "lakes", SEEN)
    sample = runs.load(theirs, run).plan.sample_id
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    source = others.keep(fresh_store, tmp_path / "b.zip", sender="Ada").source
    assert source is not None
    others.take_in(fresh_store, source.id, "Bob")
    others.take_back(fresh_store, source.id, "Bob")
    told = f"400 of 400 rewordings of this sample were sent by Ada. .*perturb {sample} --again"
    assert re.match(told, sources.whose_rewordings(fresh_store, sample))
    assert re.search(told, " ".join(freeze.freeze(fresh_store, sample, QuizKind.MODIFIED).notes))
    assert re.search(told, " ".join(preview(fresh_store, sample, QuizKind.MODIFIED).notes))
    here = {"DCQ_STORE": str(fresh_store.path)}
    assert re.search(told, commands.run("perturb", sample, environment=here).stderr)
    own = samples.save(fresh_store, small_sample(6))
    assert sources.whose_rewordings(fresh_store, own) == ""
    # One's own take their place, and say nothing of others.
    first = samples.load(fresh_store, sample).instances[0].id
    variants.add(fresh_store, sample, [NewVariant(first, 0, "Mine.", "person", "Bob")])
    assert sources.whose_rewordings(fresh_store, sample).startswith("399 of 400 rewordings")
    every = [
        NewVariant(instance.id, slot, f"Mine {slot}.", "person", "Bob")
        for instance in samples.load(fresh_store, sample).instances
        for slot in range(4)
    ]
    variants.add(fresh_store, sample, every)
    assert sources.whose_rewordings(fresh_store, sample) == ""


def test_a_person_whom_a_sender_names_is_nobody_here(fresh_store: Store, tmp_path: Path) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    run = put(theirs, "lakes", SEEN)
    sample = runs.load(theirs, run).plan.sample_id
    first = samples.load(theirs, sample).instances[0].id
    variants.add(theirs, sample, [NewVariant(first, 0, "Hers.", "person", "Bob")])
    items = [Item(first, ("a", "b", "c", "d"), 0)]
    sitting = sittings.begin(theirs, sample, "Bob", lambda *_: items)
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    source = others.keep(fresh_store, tmp_path / "b.zip", sender="Ada").source
    assert source is not None
    others.take_in(fresh_store, source.id)
    assert not sittings.curated_by(fresh_store, sample, "Bob")
    assert sittings.curated_by(fresh_store, sample, "Bob (sent by Ada)")
    # Bob does not go on with the sitting of the other Bob, who also wrote a rewording.
    assert [entry.person for entry in sittings.every(fresh_store)] == ["Bob (sent by Ada)"]
    assert sittings.begin(fresh_store, sample, "Bob", lambda *_: items) != sitting


CATALOG = "ag_news/test"


@pytest.mark.parametrize("has_sample", [True, False], ids=["same sample", "only the sender's"])
def test_choices_of_a_sender_stay_out_taken_in_taken_back_and_asked_again(
    fresh_store: Store, tmp_path: Path, has_sample: bool
) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    run = put(theirs, "ag_news", SEEN)
    put(theirs, "lakes", SEEN)
    if has_sample:
        copies.take(theirs, tmp_path / "own.duckdb")
        shutil.copy(tmp_path / "own.duckdb", fresh_store.path)
    sample = runs.load(theirs, run).plan.sample_id
    newer = answer(theirs, runs.load(theirs, run).plan.subject, UNSEEN)
    sets.choose_counting_set(theirs, sets.add(theirs, sample, "better"))
    add_plan(theirs, NOBODY, CATALOG, [PlannedMethod("replication", "", 1.0)])
    studies.save(theirs, Study("Theirs", partitions=(CATALOG,), author="Mallory"))
    with theirs.write() as db:
        db.execute(
            "INSERT INTO review (variant_seq, sample_id, decision, author, made_at) "
            "SELECT seq, sample_id, 'rejected', 'Mallory', made_at FROM variant"
        )
        db.execute("UPDATE partition SET role = 'control'")
        db.execute(
            "INSERT INTO partition_role (partition_id, role, author, made_at) "
            "SELECT id, 'control', 'Mallory', made_at FROM partition"
        )
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    chosen: tuple[str, ...] = ("review", "standing_set", "study", "answer_plan")
    before = rows(fresh_store)
    if has_sample:
        chosen += ("partition", "partition_role", "sample", "variant")
    source = others.keep(fresh_store, tmp_path / "b.zip", sender="Mallory").source
    assert source is not None

    def check() -> None:
        after = rows(fresh_store)
        assert {name: after[name] for name in chosen} == {name: before[name] for name in chosen}
        with fresh_store.read() as db:
            roles = db.execute(
                "SELECT role FROM partition WHERE id = $1 "
                "UNION SELECT role FROM partition_role WHERE partition_id = $1",
                [CATALOG],
            ).fetchall()
        assert roles == [("target",)]  # as the catalog says
        usable = variants.usable_texts(fresh_store, sample)
        assert sum(map(len, usable.values())) == 4 * N  # none is rejected

    for step in (
        lambda: others.take_in(fresh_store, source.id, "Bob"),
        lambda: others.take_back(fresh_store, source.id, "Bob"),
        lambda: others.copy_questions(fresh_store, newer),
    ):
        step()
        check()
    # Where nothing was taken in before, too.
    alone = Store(tmp_path / "alone.duckdb")
    if has_sample:
        shutil.copy(tmp_path / "own.duckdb", alone.path)
    others.keep(alone, tmp_path / "b.zip", sender="Mallory")
    fresh_store = alone
    others.copy_questions(alone, newer)
    check()


# What each command that shows anything of a store is asked; the rest shows nothing of results.
SHOWN: dict[str, list[tuple[str, ...]]] = {
    "answer": [("answer",), ("answer", "--study", "Mine")],
    "results": [("results",), ("results", "--study", "Mine"), ("results", "--compare")],
    "study": [("study",)],
    "status": [("status",)],
    "consistency": [("consistency", "{sample}")],
    "people": [("people", "{sample}")],
    "datasets": [("datasets",)],
}
_OTHER = {
    *("app", "sample", "perturb", "balance", "quiz", "run", "v2", "ask", "investigate", "kappa"),
    *("agreement", "audit", "replicate", "likelihood", "overlap", "score", "matter", "protect"),
    *("passport", "import", "imported", "export", "backup", "restore", "doctor"),
}


def test_every_command_says_of_one_s_own_what_it_said_before(own: Store, bundle: Path) -> None:
    assert {*SHOWN, *_OTHER} == {*COMMANDS}  # a new command is named here
    [sample] = [entry.id for entry in samples.listing(own) if entry.partition == PAIR]
    here = {"DCQ_STORE": str(own.path)}

    def shown() -> dict[tuple[str, ...], tuple[int, str]]:
        asked = [
            tuple(word.format(sample=sample) for word in words)
            for several in SHOWN.values()
            for words in several
        ]
        done = {words: commands.run(*words, "--json", environment=here) for words in asked}
        return {words: (one.returncode, one.stdout) for words, one in done.items()}

    before = shown()
    assert before["answer",][0] == 0
    assert PAIR in before["answer",][1]
    done = commands.run("import", str(bundle), "--from", "Mallory", "--json", environment=here)
    assert done.returncode in {0, 1}, done.stderr
    assert json.loads(done.stdout)["sender"] == "Mallory"
    assert shown() == before
    listed = json.loads(commands.run("imported", "list", "--json", environment=here).stdout)
    assert [(entry["sender"], entry["taken_in"]) for entry in listed] == [("Mallory", False)]


# Who reads the table of all runs, and why those of others may be among them.
READS_ALL_RUNS = {
    "answers.py", "earlier_prices.py", "prompt_tokens.py",
    "balancings.py", "batches.py", "bundle_put.py", "bundle_take.py", "choices.py",
    "method_runs.py", "overlap_hits.py", "overlaps.py", "overview.py", "partitions.py",
    "quizzes.py", "results.py", "rewordings.py", "run_progress.py", "runs.py", "sets.py",
    "sittings.py", "sources.py", "conclusions.py",
}  # fmt: skip


def test_what_is_judged_or_continued_is_read_from_the_views_of_whose_it_is() -> None:
    """The readers of evidence name ``judged_run``, and whoever seeks a run to go on with or a reply
    to reuse names ``own_run``."""
    judged_by: dict[str, tuple[str, ...]] = {
        "results.py": ("_COUNTS",),
        "method_runs.py": ("def runs_of",),
        "overlaps.py": ("def runs_of",),
        "bundle_take.py": ("_CHOOSE",),
    }
    own_by = {
        "runs.py": ("def _by_asker", "def followers"),
        "answers.py": ("def find", "def stored_prompts"),
    }
    for readers, view in ((judged_by, "judged_run"), (own_by, "own_run")):
        for file, names in readers.items():
            text = (ROOT / "dcq" / "store" / file).read_text("utf-8")
            for name in names:
                body = re.split(r"\n(?=def |class |@|_[A-Z]+ = )", text[text.index(name) :])[0]
                assert view in body, (file, name)
    reading = {
        path.name
        for path in (ROOT / "dcq" / "store").glob("*.py")
        if re.search(r"\b(FROM|JOIN) run\b", path.read_text("utf-8"))
    }
    assert reading <= READS_ALL_RUNS


@pytest.mark.parametrize("mine", [False, True])
def test_a_backup_of_another_is_theirs_unless_a_person_calls_it_their_own(
    made: Path, fresh_store: Store, tmp_path: Path, mine: bool
) -> None:
    copies.take(Store(made / "own.duckdb"), tmp_path / "copy.duckdb")
    put(fresh_store, "lakes", SEEN)
    restore(fresh_store, tmp_path / "copy.duckdb", mine=mine)
    assert bool(answers(fresh_store)) is mine
    assert bool(sources.own_runs(fresh_store)) is mine
    if mine:
        return
    [source] = sources.listing(fresh_store)
    [theirs] = [run for run in runs.listing(fresh_store) if _about(fresh_store, run) == PAIR]
    with pytest.raises(InputError, match="neither continued nor reused"):
        pick_up(fresh_store, QUIZ, [theirs], _terms())
    others.take_in(fresh_store, source.id, "Bob")
    [entry] = answers(fresh_store)
    assert entry.sentence.startswith("Rests on replies from whoever made the backup")


def _about(store: Store, run: str) -> str:
    return samples.partition_of(store, runs.load(store, run).plan.sample_id).id


def test_a_backup_of_one_s_own_stays_one_s_own(own: Store, tmp_path: Path) -> None:
    said = judged(own)
    copies.take(own, tmp_path / "copy.duckdb")
    for spoil in (lambda: None, own.path.unlink, lambda: own.path.write_bytes(b"broken" * 999)):
        spoil()
        restore(own, tmp_path / "copy.duckdb")
        assert sources.listing(own) == []
        assert judged(own) == said


def test_marks_of_an_earlier_release_count_for_nothing_until_they_are_taken_in(
    own: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dcq.store import migrations, steps

    target = next(run for run in runs.listing(own) if _about(own, run) == PAIR)
    older = own.path.with_name("older.duckdb")
    at = [step.__name__ for step in steps.STEPS].index("m041_what_others_answered")
    with monkeypatch.context() as before:
        before.setattr(migrations, "STEPS", steps.STEPS[:at])
        with Store(older).write():
            pass
    with duckdb.connect(str(older)) as db:
        db.execute(f"ATTACH '{own.path}' AS own (READ_ONLY)")
        # What a store of today has, in the tables and columns of that release.
        shared = db.execute(
            "SELECT table_name, string_agg(format('\"{}\"', column_name), ', ') "
            "FROM duckdb_columns() c JOIN duckdb_columns() t USING (table_name, column_name) "
            "JOIN duckdb_tables() d USING (table_name) WHERE c.database_name = 'older' "
            "AND t.database_name = 'own' AND d.database_name = 'older' "
            "AND table_name NOT IN ('migration', 'imported_run') GROUP BY table_name"
        ).fetchall()
        for name, columns in shared:
            db.execute(f'INSERT INTO "{name}" ({columns}) SELECT {columns} FROM own."{name}"')  # noqa: S608  (the store's tables)
        db.execute("INSERT INTO imported_run VALUES (?, TIMESTAMP '2026-01-01')", [target])
    store = Store(older)
    assert answers(store) == []
    [source] = sources.listing(store)
    assert (source.id, source.taken) == ("earlier", False)
    others.take_in(store, "earlier", "Bob")
    [entry] = answers(store)
    assert entry.sentence.startswith("Rests on replies from a sender whom an earlier release")
    assert sources.identity(store)
