from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
import time
from collections.abc import Hashable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from dcq.cli import app as cli
from dcq.documents import answer_document
from dcq.errors import InputError
from dcq.files import export
from dcq.jobs import command
from dcq.jobs.command import CommandState
from dcq.jobs.state import RunState
from dcq.judging.answers import answers
from dcq.quiz import freeze
from dcq.quiz.results import table as results_of
from dcq.records import PartitionRole, QuizKind, Sample
from dcq.replication.replicate import replicate
from dcq.store import Store, runs, samples, studies
from dcq.store.runs import Event
from dcq.ui import live_runs, roles
from tests.conftest import frame_with, letters, small_sample
from tests.support import once, replications, scanned
from tests.support.asked import ask
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.runs import answer

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/results.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def titled(sample: Sample, title: str) -> Sample:
    return replace(sample, partition=replace(sample.partition, title=title))


def _forest(at: AppTest) -> str:
    """What the first chart with a line for each result is drawn from."""
    sent = [json.loads(one.proto.json) for one in at.get("bidi_component")]
    pictures = [one["picture"] for one in sent if "picture" in one]
    drawn = next(
        one
        for one in pictures
        if any(row["name"] and row.get("group") for row in one["data"]["rows"])
    )
    return json.dumps(drawn, ensure_ascii=False)


def _table(at: AppTest) -> pd.DataFrame:
    return frame_with(at, "95 % interval")


@pytest.fixture
def listed(page: AppTest) -> AppTest:
    """The page with the whole table in view."""
    page.query_params["results_view"] = "Table"
    page.session_state["judged_table_whole_quiz"] = True
    return page


@pytest.fixture
def drawn(page: AppTest) -> AppTest:
    """The page with the chart in view."""
    page.query_params["results_view"] = "Chart"
    return page


def test_an_empty_store_leads_to_the_quiz_and_shows_what_the_paper_found(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "No model has answered yet" in _words(at)
    assert at.get("page_link")
    assert "XSum train" in _forest(at)
    assert "printed as 55.33 %" in _words(at)
    assert "gives 53.33 % by the formula" in _words(at)


def test_a_model_newer_than_its_controls_is_warned_of(
    page: AppTest, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(fresh_store, "rivers", SEEN)
    put_controls(fresh_store, published=date(2026, 11, 21))
    at = page.run()
    assert "cut-off" not in _words(at)
    own = tmp_path / "own_cutoffs.toml"
    own.write_text('[models]\n"tester" = "2027-01"\n')
    monkeypatch.setenv("DCQ_CUTOFFS", str(own))
    at = page.run()
    assert not at.exception
    assert "**Dates**" in _words(at)
    assert (
        "Unseen-0 test, Unseen-1 test and Unseen-2 test were published before the model's cut-off "
        "(2027-01), so it may have trained on them; write fresh controls."
    ) in _words(at)
    own.write_text('[models]\n"tester" = "soon"\n')
    at = page.run()
    assert not at.exception
    assert "is not a month of a model" in _words(at)


def test_the_verdict_comes_first_with_the_controls_that_its_sentence_names(
    listed: AppTest, fresh_store: Store
) -> None:
    target = samples.save(fresh_store, small_sample(20))
    control = samples.save(fresh_store, small_sample(20, key="lakes", role=PartitionRole.CONTROL))
    ask(fresh_store, control, QuizKind.STANDARD, "always-d")
    ask(fresh_store, target, QuizKind.MODIFIED, "always-d")
    ask(fresh_store, target, QuizKind.STANDARD, "always-d")
    at = listed.run()
    assert not at.exception
    assert [title.value for title in at.title][1].endswith("Undecided]")
    texts = [str(m.value).replace("\\", "") for m in at.markdown]
    said = "#### always-d picked 100\N{NO-BREAK SPACE}% of the originals of Rivers test (94"
    assert texts[1].startswith(said)
    [own] = [text for text in texts if "always-d picked the original" in text]
    assert "and the score on unseen text leaves no room above it" in own
    assert "(control: Rivers test)" in own
    assert any("Compared with Rivers test" in line for line in texts)
    assert any("it prefers that slot" in line for line in texts)
    table = _table(at)
    assert list(table["Quiz"]) == ["standard, original at D", "modified", "standard, original at D"]
    assert list(table["Answer"].dropna()) == ["undecided"]
    assert table["κ"].isna().tolist() == [False, True, False]


def _verdict(at: AppTest) -> tuple[str, ...]:
    """All that is said of the open run: ruling, sentence and every line of its checklist."""
    sentence = next(str(m.value) for m in at.markdown if str(m.value).startswith("#### "))
    lines = [str(m.value) for column in at.columns for m in column.markdown]
    return (at.title[-1].value, sentence, *lines)


def _rows(at: AppTest) -> dict[Hashable, dict[Hashable, Any]]:
    """What the table says of each run that the filters let through; it has a column ``Unfinished``
    only where one of them is."""
    table = _table(at).set_index("Run").drop(columns="Unfinished", errors="ignore").astype(object)
    return table.where(table.notna(), None).to_dict("index")


@pytest.fixture(scope="module")
def with_many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The file of a store with targets and controls of two models, and its runs by name."""

    def make(folder: Path) -> tuple[Path, dict[str, str]]:
        store, made = Store(folder / "dcq.duckdb"), {}
        for model in ("one", "two"):
            name = f"{model}@http://127.0.0.1:9/v1"
            for number in range(3):
                made[f"{model}-control-{number}"] = put(
                    store, f"unseen-{number}", UNSEEN, PartitionRole.CONTROL, model=name
                )
            made[f"{model}-seen"] = put(store, "rivers", SEEN, model=name)
            made[f"{model}-unsure"] = put(store, "lakes", {"D": 52, "A": 48}, model=name)
            made[f"{model}-rotated"] = put(
                store, "hills", {"D": 100}, kind=QuizKind.ROTATED, slot=None, model=name
            )
        return store.path, made

    return once.made(tmp_path_factory, "results-of-many", make)


@pytest.fixture
def study_of_many(fresh_store: Store, with_many: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """These runs, in the store of the test."""
    shutil.copy(with_many[0], fresh_store.path)
    return with_many[1]


def test_no_filter_and_no_hidden_run_changes_a_verdict(
    listed: AppTest, fresh_store: Store, study_of_many: dict[str, str]
) -> None:
    at = listed.run()
    assert not at.exception
    rows = _rows(at)
    targets = [run for name, run in study_of_many.items() if "control" not in name]
    said = {}
    for run in targets:
        at.selectbox(key="results_run").select(run).run()
        assert not at.exception  # the rotated ones have two checks of controls, both with a fix
        said[run] = _verdict(at)
    seen = said[study_of_many["one-seen"]]
    assert seen[0].endswith("Contaminated]")
    assert any("results compared" in line for line in seen)
    at.selectbox(key="results_run").select(study_of_many["one-unsure"])
    hidden = [study_of_many[name] for name in ("one-control-0", "one-seen")]
    before = None
    for key, value in [
        *(("results_hide", [run]) for run in hidden),
        ("results_model", ["one"]),
        ("results_partition", ["Rivers test"]),
        ("results_quiz", ["standard"]),
        ("results_role", ["target"]),
    ]:
        if before is not None:
            at.multiselect(key=before).set_value([])
        at.multiselect(key=key).set_value(value).run()
        assert not at.exception
        before = key
        shown = _rows(at)
        assert 0 < len(shown) < len(rows)
        assert shown == {run: rows[run] for run in shown}
        assert _verdict(at) == said[str(at.selectbox(key="results_run").value)]


def test_page_export_and_command_give_one_verdict(
    listed: AppTest, fresh_store: Store, study_of_many: dict[str, str]
) -> None:
    exported = export.frame(fresh_store, export.ExportTable.RESULTS).set_index("run")["verdict"]
    listed.query_params["results_role"] = "target"
    listed.query_params["results_partition"] = "Lakes test"
    at = listed.run()
    table = _table(at).set_index("Run")["Answer"]
    assert set(table.index) == {study_of_many["one-unsure"], study_of_many["two-unsure"]}
    assert table.to_dict() == exported[table.index].to_dict()
    command = CliRunner().invoke(cli, ["results", "--partition", "lakes/test", "--json"])
    assert command.exit_code == 0
    assert [row["verdict"] for row in json.loads(command.stdout)] == list(table)


def test_a_report_is_offered_in_each_format(
    page: AppTest, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(fresh_store, "rivers", SEEN)

    def offered(at: AppTest) -> set[str]:
        assert not at.exception
        labels = {button.proto.label for button in at.get("download_button")}
        return {label for label in labels if label.startswith(("Report", "Slides"))}

    every = {f"Report · {name}" for name in ("html", "pdf", "md", "tex")} | {"Slides · pptx"}
    assert offered(page.run()) == every
    monkeypatch.setenv("PATH", str(tmp_path))  # no Chromium there
    assert offered(page.checkbox("results_report_without_text").check().run()) == every - {
        "Report · pdf",
        "Slides · pptx",
    }


def test_the_table_shows_what_there_is_room_for(page: AppTest, fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    page.query_params["results_view"] = "Table"
    at = page.run()
    shown = ["Model", "Partition", "Quiz", "Answer", "n", "κ above controls", "On unseen text"]
    assert list(frame_with(at, "Answer").columns) == [*shown, "q"]
    at.toggle(key="judged_table_whole_quiz").set_value(True).run()
    assert {"κ", "Outcomes", "Run"} < set(frame_with(at, "Answer").columns)


def test_a_link_to_an_older_run_opens_that_run(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    older = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    page.query_params["results_run"] = older
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="results_run").value == older
    assert at.toggle(key="results_every").value


def test_the_page_opens_on_the_strongest_finding_not_on_the_newest(
    page: AppTest, fresh_store: Store
) -> None:
    put_controls(fresh_store)
    seen = put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    at = page.run()
    assert at.selectbox(key="results_run").value == seen
    assert at.title[-1].value.endswith("Contaminated]")


def test_a_model_that_refuses_everything_has_no_value_and_avoids_nothing(
    listed: AppTest, fresh_store: Store
) -> None:
    put(fresh_store, "rivers", {"refused": 100})
    at = listed.run()
    assert not at.exception
    assert "no usable answer, so κ has no value" in _words(at)
    assert "0 answers to 100 questions; 100 refused: 100" in _words(at).lower()
    assert "avoid" not in _words(at)
    assert _table(at)["Unusable"].tolist() == [100]


def test_what_is_no_answer_is_shown_beside_n_and_the_papers_count_in_the_details(
    listed: AppTest, fresh_store: Store
) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 80, "refused": 15, "invalid": 5})
    at = listed.run()
    row = _table(at).iloc[0]
    assert (row["n"], row["Unusable"]) == (80, pytest.approx(20))
    assert "80 answers to 100 questions; 15 refused, 5 invalid: 20" in _words(at)
    [paper] = [box for box in at.expander if box.label == "As the paper counts"]
    assert "n = 100" in paper.markdown[0].value
    assert "κ 0.73" in paper.markdown[0].value.replace("\\", "")


def test_a_check_that_falls_short_has_a_button_with_its_price_that_repairs_it(
    page: AppTest, fresh_store: Store
) -> None:
    sample = samples.save(fresh_store, small_sample(20))
    ask(fresh_store, sample, QuizKind.STANDARD, "always-d")
    at = page.run()
    button = at.button(key="results_answer_repair")
    label = button.label.replace("\\", "")
    assert re.fullmatch(r"Add controls and ask about them: \d+ calls, price unknown", label)
    [words] = {code.value for code in at.code if "investigate" in code.value}
    assert words == f"python -m dcq investigate {sample} --model always-d --yes"
    button.click().run()
    assert not at.exception
    assert any("Working" in bar.proto.text or "Asking" in bar.proto.text for bar in bars(at))
    for _ in range(240):
        state = command.state(fresh_store, shlex.split(words)[3:])
        if state is not None and not state.live:
            break
        time.sleep(0.25)
    assert state is not None
    assert state.code == 0, state.last_line
    [bare] = [r for r in results_of(fresh_store) if r.kind is QuizKind.MODIFIED]
    assert bare.n == 20
    at.run()
    assert any("it prefers that slot" in str(m.value) for m in at.markdown)
    assert not bars(at)


def bars(at: AppTest) -> list[Any]:
    return list(at.get("progress"))


def test_several_checks_that_one_step_repairs_have_one_button(
    page: AppTest, fresh_store: Store
) -> None:
    ask(fresh_store, samples.save(fresh_store, small_sample(20)), QuizKind.STANDARD, "always-d")
    at = page.run()
    assert len([button for button in at.button if "calls" in button.label]) == 1
    assert _words(at).count("The step under the conclusion repairs this too.") == 2


def test_what_cannot_be_started_is_one_sentence(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = samples.save(fresh_store, small_sample(20))
    ask(fresh_store, sample, QuizKind.STANDARD, "always-d")

    def refuse(*_: object, **__: object) -> None:
        raise InputError("always-d is taking **this** quiz already.")

    monkeypatch.setattr(command, "start", refuse)
    at = page.run()
    at.button(key="results_answer_repair").click().run()
    assert not at.exception
    assert at.error[0].value.replace("\\", "") == "always-d is taking **this** quiz already."
    assert "**this**" not in at.error[0].value


def test_a_bcq_is_read_beside_its_bdq(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", {"E": 100}, kind=QuizKind.BDQ, slot=None)
    run = put(fresh_store, "rivers", {"C": 60, "E": 40}, kind=QuizKind.BCQ, slot="C")
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="results_run").value == run
    assert frame_with(at, "compared with")["compared with"].tolist() == [
        "the model's own choices without the original"
    ]


def test_a_viewer_may_not_press_it(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = samples.save(fresh_store, small_sample(20))
    ask(fresh_store, sample, QuizKind.STANDARD, "always-d")
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.ANNOTATOR)
    at = page.run()
    button = at.button(key="results_answer_repair")
    assert button.disabled
    assert "needs the role runner" in button.help


def test_a_hostile_title_is_shown_as_it_is_in_verdict_and_buttons(
    page: AppTest, fresh_store: Store
) -> None:
    title = "**Loud** :red[x] $a$ <b>"
    samples.save(
        fresh_store, titled(small_sample(20, key="lakes", role=PartitionRole.CONTROL), title)
    )
    target = samples.save(fresh_store, titled(small_sample(20), title))
    answer(fresh_store, freeze.freeze(fresh_store, target, QuizKind.ROTATED).quiz, {"D": 80})
    at = page.run()
    assert not at.exception
    button = next(button for button in at.button if str(button.key).endswith("_repair"))
    for shown in (at.markdown[1].value, button.label):
        assert "**Loud**" not in shown
        assert ":red[" not in shown


def test_models_are_compared_on_the_same_instances(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, model="one@http://127.0.0.1:9/v1")
    at = page.run()
    assert "Nothing to compare" in _words(at)
    put(fresh_store, "rivers", UNSEEN, model="two@http://127.0.0.1:9/v1")
    at = page.run()
    table = frame_with(at, "Points [95 % interval]")
    assert table["Points [95 % interval]"].tolist() == ["−54 [−63, −43]"]
    assert table["p (Holm)"].tolist() == ["< 0.001"]
    at.multiselect(key="results_model").set_value(["one"]).run()
    assert "Nothing to compare" in _words(at)


def test_a_run_without_any_reply_has_no_value(
    listed: AppTest, fresh_store: Store, sample_id: str
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"error": 6})
    at = listed.run()
    assert not at.exception
    assert "no usable answer yet, so κ has no value" in _words(at)
    assert _table(at)["Score"].isna().all()
    assert _table(at)["Outcomes"].tolist() == ["6 error"]


def test_older_runs_are_shown_on_request_and_distinguished(
    listed: AppTest, fresh_store: Store, sample_id: str
) -> None:
    older = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    newer = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    at = listed.run()
    assert _table(at)["Run"].tolist() == [newer]
    at.toggle(key="results_every").set_value(True).run()
    assert not at.exception
    assert set(_table(at)["Run"]) == {older, newer}
    at.segmented_control(key="results_view").set_value("Chart").run()
    assert older in _forest(at)
    assert newer in _forest(at)


def test_the_sentence_rests_on_a_finished_run_and_others_are_marked(
    listed: AppTest, fresh_store: Store
) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    whole = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 4}, "always-a")  # a pilot of the same model
    stopped = answer(fresh_store, quiz, {"D": 1}, "stopped")
    at = listed.run()
    assert not at.exception
    assert at.selectbox(key="results_run").value == whole
    assert "always-a picked the original in 0 of 10" in _words(at)
    table = _table(at).set_index("Run")
    assert table["Unfinished"].to_dict() == {whole: "", stopped: "1 of 10"}
    at.segmented_control(key="results_view").set_value("Chart").run()
    assert "1 of 10" in _forest(at)
    at.selectbox(key="results_run").select(stopped).run()
    assert "So far, with 1 of 10 questions answered: stopped picked" in _words(at)
    assert "The run is unfinished: 1 of 10 questions have a reply so far" in _words(at)


def test_a_hidden_run_is_gone_from_chart_and_table(
    listed: AppTest, fresh_store: Store, sample_id: str
) -> None:
    hidden = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-b")
    at = listed.run()
    at.multiselect(key="results_hide").set_value([hidden]).run()
    assert _table(at)["Model"].tolist() == ["always-b"]
    at.segmented_control(key="results_view").set_value("Chart").run()
    assert "always-a" not in _forest(at)
    at.multiselect(key="results_model").set_value(["always-a"]).run()
    assert "No result matches the filters" in _words(at)


def test_the_papers_settings_join_the_same_partition(drawn: AppTest, fresh_store: Store) -> None:
    ours = small_sample()
    sample = Sample(
        **{
            **vars(ours),
            "partition": type(ours.partition)(
                **{**vars(ours.partition), "title": "AG News", "split_title": "train"}
            ),
        }
    )
    ask(fresh_store, samples.save(fresh_store, sample), QuizKind.STANDARD, "always-d")
    at = drawn.run()
    assert "gpt-4-0613" not in _forest(at)
    at.toggle(key="results_paper").set_value(True).run()
    assert "gpt-4-0613" in _forest(at)
    assert "XSum" not in _forest(at)
    assert "printed as 55.33 %" in _words(at)


def test_a_repair_that_goes_on_is_named_by_what_it_asks_and_one_that_failed_says_why(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    runs.note(fresh_store, run, Event.STARTED)
    goes_on = CommandState(True, 0, "3 controls are reworded first.")
    monkeypatch.setattr(command, "state", lambda *_: goes_on)
    monkeypatch.setattr(live_runs, "state_of", lambda *_: RunState.RUNNING)
    page.session_state["repairs_started"] = ("run", "--run", run)
    at = page.run()
    assert not at.exception
    said = [letters(bar.proto.text) for bar in bars(at)]
    assert "Asking: 6 of 6 calls · Rivers test" in said
    assert "3 controls are reworded first." in _words(at)
    ended = CommandState(False, 2, "The budget is used up; raise it.")
    monkeypatch.setattr(command, "state", lambda *_: ended)
    at.run()
    assert not bars(at)
    assert "The repair ended early. The budget is used up; raise it." in _words(at)


def test_a_study_is_made_on_the_page_and_shown(
    page: AppTest, fresh_store: Store, study_of_many: dict[str, str]
) -> None:
    at = page.run()
    at.session_state["study_panel"] = True
    at.run()
    next(one for one in at.text_input if one.label == "Name").set_value("Rivers *only*")
    next(one for one in at.multiselect if one.label == "Partitions").set_value(["rivers/test"])
    next(one for one in at.button if one.label == "Save study").click()
    at.run()
    assert not at.exception
    assert [one.partitions for one in studies.listing(fresh_store)] == [("rivers/test",)]
    at.run()
    assert at.selectbox(key="study").value == "Rivers *only*"
    assert not any("Lakes test" in name for name in at.selectbox(key="results_run").options)
    at.button(key="study_remove").click().run()
    assert not at.exception
    assert studies.listing(fresh_store) == []
    assert any("Lakes test" in name for name in at.selectbox(key="results_run").options)


def test_a_study_without_controls_stays_without_them(
    page: AppTest, fresh_store: Store, study_of_many: dict[str, str]
) -> None:
    studies.save(fresh_store, studies.Study("Bare", None, None, None, (), "Ada"))
    page.query_params["study"] = "Bare"
    page.session_state["study_panel"] = True
    at = page.run()
    next(one for one in at.text_input if one.label == "Name").set_value("Bare 2")
    next(one for one in at.button if one.label == "Save study").click()
    at.run()
    assert not at.exception
    assert studies.load(fresh_store, "Bare 2").controls == ()


def _replicate(store: Store, key: str = "brooks", model: str = "recites") -> str:
    sample_id, _ = replications.save(store, 4, key=key)
    return asyncio.run(replicate(store, sample_id, model)).run


def test_replications_alone_are_named_and_lead_to_the_matrix(
    page: AppTest, fresh_store: Store
) -> None:
    """Before, "No model has answered yet" was said of them."""
    _replicate(fresh_store, "lakes")
    _replicate(fresh_store)
    at = page.run()
    assert not at.exception
    assert "No model has answered yet" not in _words(at)
    assert "No model has taken a quiz yet. Other methods were used: 2 replications." in _words(at)
    links = [link.proto.label for link in at.get("page_link")]
    assert {"Read 2 replications", "All models and benchmarks"} <= set(links)


def test_a_quiz_and_a_replication_of_one_pair_lead_to_each(
    page: AppTest, fresh_store: Store, tmp_path: Path
) -> None:
    sample_id = scanned.save(fresh_store, 4)
    scanned.scan(fresh_store, sample_id, tmp_path / "corpus", [0])
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    other = _replicate(fresh_store, model="always-d")
    at = page.run()
    assert not at.exception
    links = [link.proto.label for link in at.get("page_link")]
    assert "Its replication" not in links  # of the partition that the quiz is of there is none
    assert at.selectbox(key="results_run").value == run
    copied = asyncio.run(replicate(fresh_store, sample_id, "always-d")).run
    at.run()
    [link] = [one for one in at.get("page_link") if one.proto.label == "Its replication"]
    assert copied in link.proto.query_string
    assert other not in link.proto.query_string


def test_the_link_of_a_passport_leads_to_its_finding(app: AppTest, fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    lakes = next(one for one in answers(fresh_store) if one.partition == "lakes/test")
    page, _, query = answer_document.link(lakes).partition("?")
    key, _, run = query.partition("=")
    app.switch_page(f"pages/{page}.py")
    app.query_params[key] = run
    app.session_state["results_answer_what_now"] = True
    app.run()
    assert not app.exception
    assert app.selectbox(key="results_run").value == lakes.methods[0].run
    assert "of the originals of Lakes test" in _words(app)
    [command] = [one.value for one in app.code if "passport make" in one.value]
    assert "--partition lakes/test --from dcq-everything.zip" in command
    assert "Bundle · zip" in [one.proto.label for one in app.get("download_button")]
    assert key not in app.query_params  # from now on the chosen run is in the address
    app.query_params[key] = "../../etc/passwd"
    app.run()
    assert not app.exception


def test_what_now_is_filled_once_it_is_opened(app: AppTest, fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    app.switch_page("pages/results.py")
    app.run()
    assert "Ask what is missing" not in _words(app)
    app.session_state["results_answer_what_now"] = True
    app.run()
    assert not app.exception
    assert "Ask what is missing" in _words(app)
    assert "Score without the instances that look seen" in _words(app)
    assert any("weighted Holm" in block.value for block in app.code)
