"""What a pipeline fails on: conclusions, served versions, missing runs."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from dcq.errors import InputError, StoreReadOnlyError
from dcq.judging.judged import Ruling
from dcq.records import PartitionRole
from dcq.store import Store, studies
from dcq.store.studies import Study
from dcq.study.check import Exit, StudyCheck, check_study
from dcq.study.earlier import EarlierState, read_earlier
from dcq.study.report import to_junit, to_markdown
from dcq.study.spec import ModelSpec, StudySpec, TargetSpec
from dcq.study.state import ServedVersion, StudyState, partition_of, read_state
from tests.support import once
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.runs import NOBODY
from tests.support.shell import Shell

OTHER = "other@http://127.0.0.1:9/v1"
SPEC = StudySpec(
    "nightly",
    (TargetSpec("rivers"), TargetSpec("lakes")),
    (ModelSpec(NOBODY),),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which one of two targets was seen."""
    return Path(once.made(tmp_path_factory, "study-check", _make))


def _make(folder: Path) -> str:
    store = Store(folder / "dcq.duckdb")
    put_controls(store)
    put(store, "rivers", SEEN)
    put(store, "lakes", UNSEEN)
    return str(store.path)


@pytest.fixture
def store(made: Path, fresh_store: Store) -> Store:
    shutil.copy(made, fresh_store.path)
    return fresh_store


def earlier(checked: StudyCheck, folder: Path) -> EarlierState:
    """As it is read back from what a check prints."""
    path = folder / "earlier.json"
    path.write_text(json.dumps(checked.document()), "utf-8")
    return read_earlier(path)


def test_nothing_fails_where_nothing_changed(store: Store, tmp_path: Path) -> None:
    state = read_state(store, SPEC)
    first = check_study(state)
    assert first.exit_code == 0
    assert [answer.ruling for answer in state.answers] == [
        Ruling.CONTAMINATED,
        state.answers[1].ruling,
    ]
    again = check_study(state, against=earlier(first, tmp_path))
    assert (again.exit_code, again.changed, again.notes) == (0, (), ())


def test_a_conclusion_that_is_refused_fails_with_3(store: Store) -> None:
    checked = check_study(read_state(store, SPEC), fail_on=[Ruling.CONTAMINATED])
    assert checked.exit_code == 3
    assert [(each.partition, each.exit) for each in checked.failures] == [
        ("rivers/test", Exit.CONCLUSION)
    ]


def test_a_conclusion_that_changed_fails_with_3(store: Store, tmp_path: Path) -> None:
    state = read_state(store, SPEC)
    before = earlier(check_study(state), tmp_path)
    [seen, *rest] = state.answers
    turned = replace(state, answers=(replace(seen, ruling=Ruling.INCONCLUSIVE), *rest))
    checked = check_study(turned, against=before)
    [changed] = checked.document()["changed"]
    assert changed == {
        "model": NOBODY,
        "partition": "rivers/test",
        "before": "contaminated",
        "after": "inconclusive",
    }
    assert checked.exit_code == 3
    assert "was contaminated, and now it is undecided" in checked.failures[0].why


def test_a_pair_without_a_run_fails_with_5(store: Store, tmp_path: Path) -> None:
    wider = replace(SPEC, models=(*SPEC.models, ModelSpec(OTHER)))
    checked = check_study(read_state(store, wider))
    assert checked.exit_code == 5
    assert [each.model for each in checked.state.missing] == [OTHER, OTHER]
    weighted = replace(SPEC, weights={"quiz": 0.5, "replication": 0.5})
    checked = check_study(read_state(store, weighted))
    assert [each.methods for each in checked.state.missing] == [("replication",)] * 2
    # A conclusion that was there and is gone is a change, and the lowest code wins.
    full = earlier(check_study(read_state(store, SPEC)), tmp_path)
    lost = StudyState("nightly", (), check_study(read_state(store, wider)).state.missing, {})
    there = replace(lost, missing=tuple(replace(each, model=NOBODY) for each in lost.missing))
    checked = check_study(replace(there, missing=(*there.missing[:1],)), against=full)
    assert [each.after for each in checked.changed] == [None]
    assert checked.exit_code == 3
    assert {each.exit for each in checked.failures} == {Exit.CONCLUSION, Exit.MISSING}


def test_an_unfinished_run_is_missing(store: Store) -> None:
    put(store, "ponds", {"D": 40})
    spec = replace(SPEC, targets=(TargetSpec("ponds"),))
    [missing] = read_state(store, spec).missing
    assert missing.methods == ("quiz",)


SERVED = [
    # before, now, whether another version is served
    ([("gpt-4o-0806", "fp_1")], ("gpt-4o-0806", "fp_1"), False),
    ([("gpt-4o-0806", "fp_1")], ("gpt-4o-1120", "fp_1"), True),
    ([("gpt-4o-0806", "fp_1")], ("gpt-4o-0806", "fp_2"), True),
    ([("gpt-4o-0806", "fp_1"), ("gpt-4o-0806", "fp_2")], ("gpt-4o-0806", "fp_2"), False),
    ([("gpt-4o-0806", None)], ("gpt-4o-0806", "fp_2"), False),
    ([("gpt-4o-0806", "fp_1")], ("gpt-4o-0806", None), False),
    ([(None, None)], ("x", "y"), False),
    ([], ("x", "y"), False),
]


@pytest.mark.parametrize(("before", "now", "differs"), SERVED)
def test_another_served_version_fails_with_4(
    tmp_path: Path, before: list[tuple[Any, Any]], now: tuple[Any, Any], differs: bool
) -> None:
    known = tuple(ServedVersion(*each) for each in before)
    probed = {NOBODY: ServedVersion(*now)}
    state = StudyState("nightly", (), (), {NOBODY: known} if known else {})
    checked = check_study(state, probed=probed)
    assert checked.exit_code == (4 if differs else 0)
    # Of an earlier night, without a call: the newest reply is compared with what replied then.
    then = earlier(check_study(state), tmp_path)
    newer = replace(state, versions={NOBODY: (ServedVersion(*now), *known)})
    assert check_study(newer, against=then).exit_code == (4 if differs else 0)


def test_what_left_the_file_is_said_and_fails_nothing(store: Store, tmp_path: Path) -> None:
    before = earlier(check_study(read_state(store, SPEC)), tmp_path)
    fewer = replace(SPEC, targets=SPEC.targets[:1])
    checked = check_study(read_state(store, fewer), against=before)
    assert checked.exit_code == 0
    assert any("lakes/test left the file" in note for note in checked.notes)
    renamed = check_study(read_state(store, replace(SPEC, name="daily")), against=before)
    assert any("is of the study “nightly”" in note for note in renamed.notes)


def test_removed_targets_and_renamed_studies_are_said_and_nothing_is_lost(store: Store) -> None:
    studies.save(store, Study("nightly", partitions=("lakes/test", "rivers/test")))
    assert read_state(store, SPEC).notes == ()
    fewer = read_state(store, replace(SPEC, targets=SPEC.targets[:1]))
    assert "lakes/test left the study" in fewer.notes[0]
    renamed = read_state(store, replace(SPEC, name="daily"))
    assert "“nightly” has the same partitions" in renamed.notes[0]
    assert len(renamed.answers) == 2
    assert [study.name for study in studies.listing(store)] == ["nightly"]


def test_two_files_with_one_name_are_told_apart(store: Store) -> None:
    studies.save(store, Study("nightly", partitions=("ponds/test",)))
    with pytest.raises(InputError, match="already a study of ponds/test"):
        read_state(store, SPEC)


def test_a_check_writes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise StoreReadOnlyError("it is read-only")

    monkeypatch.setattr(Store, "write", refuse)
    assert check_study(read_state(store, SPEC)).exit_code == 0


def test_what_it_prints_names_repairs_and_can_be_read_back(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    targets = "".join(f'[[target]]\ndataset = "{name}"\n' for name in ("rivers", "lakes"))
    file.write_text(f'[study]\nname = "nightly"\n{targets}[[model]]\nname = "{NOBODY}"\n', "utf-8")
    printed = Shell(store.path).json("study", "check", str(file))
    repairs = {answer["ruling"]: answer["repair"] for answer in printed["answers"]}
    assert set(repairs) > {"contaminated"}
    assert repairs["contaminated"] is None
    (tmp_path / "earlier.json").write_text(json.dumps(printed), "utf-8")
    assert read_earlier(tmp_path / "earlier.json").rulings


def test_targets_are_found_as_they_were_drawn() -> None:
    assert partition_of(TargetSpec("AG News", "train")) == "ag_news/train"
    assert partition_of(TargetSpec("owner/name:config", "test")) == "owner/name:config/test"
    assert partition_of(TargetSpec("mine", file=Path("a.csv"))) == "mine/test"


def test_controls_among_the_targets_have_no_conclusion(store: Store) -> None:
    control = TargetSpec("control-news", role=PartitionRole.CONTROL)
    state = read_state(store, replace(SPEC, targets=(control,)))
    assert (state.answers, state.missing) == ((), ())


WRONG = [
    "",
    "[]",
    "{}",
    "null",
    "{" * 50_000,
    '{"study": "a", "answers": [{}]}',
    '{"study": "a", "answers": [{"model": "m", "partition": "p/t", "ruling": "guilty"}]}',
    '{"study": "a", "answers": [{"model": 1, "partition": "p/t", "ruling": "contaminated"}]}',
    '{"study": "a", "answers": [], "versions": {"m": [{"served_model": []}]}}',
    '{"study": "a", "study": "b", "answers": []}',
    '{"study": NaN, "answers": []}',
    "\ufeff{",
]


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:20])
def test_what_is_no_earlier_state_is_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="is no JSON of an earlier study run"):
        read_earlier(path)


NASTY = "a|b`<b>*x*</b>\n# @all [l](http://evil) ]]> & \x07 \ufffe ::error::x"


def test_reports_hold_names_that_would_turn_them(store: Store) -> None:
    state = read_state(store, SPEC)
    [seen, *rest] = state.answers
    named = replace(seen, model=NASTY, place=NASTY, sentence=NASTY)
    checked = check_study(
        replace(state, name=NASTY, answers=(named, *rest)), fail_on=[Ruling.CONTAMINATED]
    )
    text = to_markdown(checked)
    assert text.startswith("# a\\|b")
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert "[l](" not in text.replace("\\[l\\](", "")
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in table} == {6}
    root = Xml.fromstring(to_junit(checked))  # noqa: S314  (our own)
    cases = root.findall(".//testcase")
    assert len(cases) == 2
    assert [len(case.findall("failure")) for case in cases] == [1, 0]
    assert root.get("failures") == "1"
    assert cases[0].get("name", "").startswith("a|b`<b>")


def test_reports_have_each_pair_and_each_reason(store: Store) -> None:
    wider = replace(SPEC, models=(*SPEC.models, ModelSpec(OTHER)))
    probed = {NOBODY: ServedVersion("b", None)}
    state = replace(read_state(store, wider), versions={NOBODY: (ServedVersion("a", None),)})
    checked = check_study(state, probed=probed)
    root = Xml.fromstring(to_junit(checked))  # noqa: S314  (our own)
    kinds = sorted(each.get("type", "") for each in root.iter("failure"))
    assert kinds == ["a missing run", "a missing run", "another served version"]
    assert root.get("tests") == "5"
    assert "failed by another served version" in to_markdown(checked)
    assert "it served a." in to_markdown(checked)
