"""What the result says where its verdict was another before."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from dcq.cli import app as commands
from dcq.documents import deck, report_file
from dcq.documents.deck import Part
from dcq.documents.deck.slides import slides
from dcq.judging import changes
from dcq.judging.answers import answers
from dcq.judging.study import findings
from dcq.quiz.results import quiz_row
from dcq.records import PartitionRole
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, conclusions, partitions, studies
from dcq.store.conclusions import Conclusion, KeptResult
from dcq.store.connect import utc_now
from dcq.store.studies import EVERYTHING, Study
from dcq.version import __version__
from tests.conftest import KEY, letters
from tests.support import once, replications
from tests.support.html_page import HtmlPage
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import NOBODY, answer

pytestmark = pytest.mark.slow

OTHER, THIRD = "other@http://127.0.0.1:9/v1", "third@http://127.0.0.1:9/v1"
N = 12  # instances that are completed


def look(store: Store, within: Study = EVERYTHING) -> dict[str, str]:
    """Judge and keep, as a page and ``results`` do; what is said of each run."""
    found = answers(store, within)
    changes.keep(store, within, found)
    return changes.sentences(store, within, found)


def kept(store: Store, study: str = "rivers") -> list[Conclusion]:
    return [row for rows in conclusions.history(store, {study}).values() for row in rows]


def test_an_added_control_is_named_as_what_changed_it(fresh_store: Store) -> None:
    run = put(fresh_store, "rivers", SEEN)
    assert look(fresh_store) == {}
    put_controls(fresh_store, 1)
    said = look(fresh_store)
    today = f"{utc_now():%d %b %Y}"
    assert said[run].startswith(f"Was undecided until {today}, ")
    assert f"since it was shown on {today}, a control was added (Unseen-0 test), " in said[run]
    assert "the study grew from 0 to 1 pair" in said[run]
    assert "the check “Controls” no longer failed" in said[run]
    assert look(fresh_store) == said  # and for as long as nothing else changes
    put_controls(fresh_store, 3)
    again = look(fresh_store)
    assert again == said  # the ruling is the same, so what is told is the last change of it
    assert [row.ruling for row in kept(fresh_store)] == ["inconclusive", *["contaminated"] * 2]


def test_a_larger_study_is_named_as_what_changed_it(fresh_store: Store) -> None:
    put_controls(fresh_store, 3)
    weak = put(fresh_store, "rivers", {"D": 44, "A": 56})
    assert look(fresh_store) == {}
    [first] = kept(fresh_store)
    assert first.ruling == "contaminated"
    for number in range(2):
        put(fresh_store, f"lake-{number}", UNSEEN)
    assert look(fresh_store) == {}  # of other benchmarks
    for model in (OTHER, THIRD):
        put_controls(fresh_store, 3, model=model)
        put(fresh_store, "rivers", UNSEEN, model=model)
    said = look(fresh_store)
    assert set(said) == {weak}
    assert "the study grew from 1 to 3 pairs" in said[weak]
    assert "control" not in said[weak]


def test_a_control_that_became_a_target_no_longer_counts(fresh_store: Store) -> None:
    put_controls(fresh_store, 2)
    run = put(fresh_store, "rivers", SEEN)
    look(fresh_store)
    for number in range(2):
        partitions.set_role(fresh_store, f"unseen-{number}/test", PartitionRole.TARGET, "Ada")
    said = look(fresh_store)[run]
    assert "2 controls no longer count (Unseen-0 test and Unseen-1 test)" in said
    assert f"Ada gave Unseen-0 test the role target on {utc_now():%d %b %Y}" in said
    assert "the study shrank from 1 to 0 pairs" in said


def test_another_run_is_named_as_what_changed_it(fresh_store: Store) -> None:
    put_controls(fresh_store)
    old = put(fresh_store, "rivers", UNSEEN)
    assert look(fresh_store) == {}
    quiz = next(quiz_row(f.evidence).quiz for f in findings(fresh_store) if f.evidence.run == old)
    new = answer(fresh_store, quiz, SEEN)
    said = look(fresh_store)
    assert set(said) == {new}
    assert (
        f"another run of the standard quiz at D counts ({new} with n = 100, before {old} "
        "with n = 100)" in said[new]
    )


def test_the_last_conclusion_of_each_pair_is_that_of_its_own_study(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", UNSEEN)
    look(fresh_store)
    saved = studies.save(fresh_store, Study("mine", partitions=("rivers/test",)))
    look(fresh_store, saved)
    put(fresh_store, "rivers", SEEN)
    look(fresh_store)
    put(fresh_store, "verses", SEEN, PartitionRole.POSITIVE)
    look(fresh_store)
    [now] = conclusions.newest(fresh_store, EVERYTHING)  # one that was surely seen is no target
    assert (now.study, now.ruling) == ("rivers", "contaminated")
    [then] = conclusions.newest(fresh_store, saved)
    assert (then.study, then.ruling) == ("mine", "inconclusive")
    assert conclusions.newest(fresh_store, replace(EVERYTHING, rule=studies.RULE - 1)) == []


def test_only_what_is_kept_is_said(fresh_store: Store) -> None:
    put_controls(fresh_store)
    run = put(fresh_store, "rivers", SEEN)
    look(fresh_store)
    [now] = kept(fresh_store)

    def of_it(**changed: Any) -> tuple[KeptResult, ...]:
        return (replace(now.results[0], **changed),)

    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"version": "0.0.1"}, f"dcq went from 0.0.1 to {__version__}."),
        ({}, "; nothing that is kept of both says what changed it."),
        ({"p_value": 0.5, "q_value": 0.25}, "q = 0.250 became q < 0.001, and the rest"),
        ({"p_value": None, "q_value": None}, "no p became q < 0.001, and the rest"),
        ({"rule": 2}, "conclusions are drawn by a newer rule."),
        ({"results": of_it(bad=("leak",))}, "the check “Text alone” no longer failed."),
        ({"results": of_it(bad=("gone",))}, "the check “gone” no longer failed."),
        ({"results": of_it(controls=("no-run",))}, "a control no longer counts (no-run)"),
        ({"results": of_it(n=7)}, "n of the standard quiz at D went from 7 to 100."),
        ({"results": ()}, "the standard quiz at D was asked (n = 100)."),
    )
    for changed, says in cases:
        before = replace(now, ruling="no evidence", made_at=now.made_at - timedelta(3), **changed)
        with fresh_store.write() as db:
            db.execute("DELETE FROM conclusion")
        conclusions.add(fresh_store, [before])
        said = look(fresh_store)[run]
        assert said.startswith(f"Was no evidence until {utc_now():%d %b %Y}")
        assert says in said


def test_what_did_not_change_is_kept_once(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    for _ in range(3):
        look(fresh_store)
    [row] = kept(fresh_store)
    conclusions.add(fresh_store, [replace(row, p_value=(row.p_value or 0) * (1 + 1e-12))])
    assert len(kept(fresh_store)) == 1
    conclusions.add(fresh_store, [replace(row, pairs=2)])
    assert len(kept(fresh_store)) == 2


def test_each_study_has_a_history_of_its_own(fresh_store: Store) -> None:
    put_controls(fresh_store, 2)
    run = put(fresh_store, "rivers", SEEN)
    look(fresh_store)
    alone = Study("Alone", controls=("unseen-0/test",))
    assert look(fresh_store, alone) == {}
    assert [len(row.results[0].controls) for row in kept(fresh_store, "Alone")] == [1]
    assert run not in look(fresh_store)


def test_a_run_that_goes_on_is_not_kept_at_every_look(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 10})
    look(fresh_store)
    assert kept(fresh_store) == []


def test_a_store_that_others_read_is_left_as_it_is(fresh_store: Store) -> None:
    """A reader of another program keeps writers out."""
    run = put(fresh_store, "rivers", SEEN)
    look(fresh_store)
    put_controls(fresh_store, 1)
    hold = (
        "import duckdb, sys; db = duckdb.connect(sys.argv[1], read_only=True); "
        "print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(fresh_store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        said = look(fresh_store)
        assert "a control was added (Unseen-0 test)" in said[run]
        assert len(kept(fresh_store)) == 1
        holder.communicate(b"\n")
    look(fresh_store)
    assert len(kept(fresh_store)) == 2


def test_the_command_and_the_page_say_it(
    fresh_store: Store, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    run = put(fresh_store, "rivers", SEEN)
    shell = CliRunner()
    assert "Was " not in shell.invoke(commands, ["results"]).stdout
    put(fresh_store, "fresh", UNSEEN, PartitionRole.CONTROL, model=NOBODY)
    at = app.switch_page("pages/results.py").run()
    assert not at.exception
    [told] = [one.value for one in at.info if "Was undecided" in one.value]
    assert "a control was added (Fresh test)" in letters(told)
    printed = shell.invoke(commands, ["results"]).stdout
    assert "  Was undecided until " in printed
    rows = json.loads(shell.invoke(commands, ["results", "--json"]).stdout)
    said = {row["partition"]: row["changed"] for row in rows}
    assert said["fresh/test"] is None
    assert said["rivers/test"] in printed
    assert len(kept(fresh_store)) == 2
    assert kept(fresh_store)[0].results[0].run == run


def _copy(store: Store) -> None:
    target, texts = replications.save(store, N)
    with FakeProvider(key=KEY) as recites, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", recites.base_url)
        recites.seen = tuple(texts)
        asyncio.run(replicate(store, target, "recites", design=Design("judges")))
        assert look(store) == {}
        for key in ("lakes", "ponds", "seas"):
            unseen, _ = replications.save(store, N, key=key, role=PartitionRole.CONTROL)
            asyncio.run(replicate(store, unseen, "recites", design=Design("judges")))
    look(store)


@pytest.fixture
def copied(fresh_store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A model that writes instances on, which was shown alone and then beside three controls; what
    is said of each run. Nothing else is in the store."""
    shutil.copy(once.store(tmp_path_factory, "copied", _copy), fresh_store.path)
    return changes.sentences(fresh_store, EVERYTHING, answers(fresh_store))


def test_what_changed_a_replication_is_said_of_it(
    fresh_store: Store, copied: dict[str, str], app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    [(run, told)] = copied.items()
    assert told.startswith(f"Was undecided until {utc_now():%d %b %Y}, ")
    assert "3 controls were added (Lakes test, Ponds test and Seas test)" in told
    assert [
        (result.run, result.name) for row in kept(fresh_store, "brooks") for result in row.results
    ] == [(run, "replication")] * 2
    shell = CliRunner()
    assert f"  {told}" in shell.invoke(commands, ["results"]).stdout
    rows = json.loads(shell.invoke(commands, ["results", "--json"]).stdout)
    assert {row["partition"]: row["changed"] for row in rows} == {
        "brooks/test": told,
        **dict.fromkeys(("lakes/test", "ponds/test", "seas/test")),
    }
    at = app.switch_page("pages/replication.py")
    at.session_state["replication_view"] = "Result"
    at.run()
    assert not at.exception
    assert told in [letters(one.value) for one in at.info]


def in_documents(store: Store, part: Part) -> tuple[str, str, str]:
    """What slides say of a part, with their notes, and what an HTML and a Markdown report do."""
    made = deck.build(store)
    [section] = [one for one in made.sections if one.part is part]
    said = {line for one in slides(made) for line in (*one.sentences, *one.notes)}
    shown = [line for line in section.sentences if line in said]
    html, text = (report_file.to_bytes(made, suffix).decode() for suffix in (".html", ".md"))
    return " ".join(shown), HtmlPage(html).text, text


def test_slides_and_reports_say_what_changed_a_replication(
    fresh_store: Store, copied: dict[str, str]
) -> None:
    [told] = copied.values()
    for words in in_documents(fresh_store, Part.REPLICATION):
        assert words.count(told) == 1


def test_slides_and_reports_say_what_changed_the_first_quiz(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    look(fresh_store)
    assert not any("Was " in words for words in in_documents(fresh_store, Part.QUIZ))
    put_controls(fresh_store, 1)
    [told] = look(fresh_store).values()
    for words in in_documents(fresh_store, Part.QUIZ):
        assert words.count(told) == 1
