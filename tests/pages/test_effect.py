from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.asking.options import Terms
from dcq.effect import matter, stored
from dcq.effect.matter import ScoreContext
from dcq.effect.questions import freeze
from dcq.effect.scores import gather
from dcq.evidence.constat import constat
from dcq.partitions import uploads
from dcq.store import Store, method_runs, score_sets
from dcq.ui import downloads, roles
from tests.conftest import frame_with
from tests.support.accepted_sample import accept, saved
from tests.support.behaviours import MODELS
from tests.support.matter import answers
from tests.support.provider import FakeProvider
from tests.support.result_files import write_csv
from tests.support.runs import wait_until_ended
from tests.support.scoring import accepted, ask, scored
from tests.support.scoring import answers as answering

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matter, "constat", partial(constat, samples=20))


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/effect.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return "\n".join(str(one.value) for one in shown).replace("\\", "").replace("\u00a0", " ")


def test_without_scores_it_says_what_to_do(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "Ask the model and at least three clean ones" in at.info[0].value
    assert "No sample has an accepted rewording yet" in _words(at)


def test_a_finding_with_its_chart_table_and_references(page: AppTest, fresh_store: Store) -> None:
    seen = {f"i{k}": k % 2 == 0 for k in range(300)}
    known = ScoreContext({}, {"target": seen}, 0.25)
    stored.keep(fresh_store, "rivers/test", gather(answers(n=300, gain=0.3, seen=seen)), known)
    at = page.run()
    assert not at.exception
    assert "inflation" in _words(at)
    assert "recognised" in _words(at)
    assert "recognised" in "".join(one.proto.json for one in at.get("bidi_component"))
    assert list(at.dataframe[0].value["Role"]) == ["target"] + ["reference"] * 6
    assert set(at.dataframe[1].value["Own answer"]) == {"not asked"}


def test_two_files_of_one_name_can_be_chosen_both(page: AppTest, fresh_store: Store) -> None:
    kept = [
        uploads.keep(downloads.folder(fresh_store), "s.csv", content, part="effect")
        for content in (b"model\n1\n", b"model\n2\n")
    ]
    at = page.run()
    for path in kept:
        at.multiselect(key="effect_files_chosen").set_value([path.name]).run()
        assert not at.exception
        assert at.session_state["effect_files_chosen"] == [path.name]


def test_scores_are_brought_and_read(
    page: AppTest, fresh_store: Store, sample_id: str, tmp_path: Path
) -> None:
    rows = [
        {
            "model": one.model,
            "role": one.role,
            "instance_id": one.instance_id,
            "version": one.version,
            "correct": int(one.correct),
        }
        for one in answers(n=60)
    ]
    content = write_csv(tmp_path / "s.csv", rows).read_bytes()
    name = uploads.keep(
        downloads.folder(fresh_store), "s.csv", content, part="effect", kinds=("csv",)
    ).name
    page.run()
    page.multiselect(key="effect_files_chosen").set_value([name]).run()
    assert "References by the files: ref-0" in _words(page)
    page.selectbox(key="effect_name").set_value("rivers/test").run()
    page.button(key="effect_keep").click().run()
    assert not page.exception
    assert [one.benchmark for one in score_sets.current(fresh_store)] == ["rivers/test"]
    assert next(iter(page.dataframe[0].value["Effect"])) == "not enough"


def test_what_a_strangers_copy_holds_is_no_traceback(page: AppTest, fresh_store: Store) -> None:
    score_sets.keep(fresh_store, "rivers/test", {"models": "x"})
    at = page.run()
    assert not at.exception


def test_dates_show_what_falls_at_the_cutoff(
    page: AppTest, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutoffs = tmp_path / "cutoffs.toml"
    cutoffs.write_text('[models]\n"target" = "2023-12"\n')
    monkeypatch.setenv("DCQ_CUTOFFS", str(cutoffs))
    days = {f"i{k}": date(2023, 1, 1) + timedelta(days=2 * k) for k in range(300)}
    seen = {one: day <= date(2023, 12, 31) for one, day in days.items()}
    scores = gather(answers(n=300, gain=0.3, seen=seen))
    stored.keep(fresh_store, "rivers/test", scores, ScoreContext({}, {"target": seen}, dates=days))
    at = page.run()
    assert not at.exception
    assert "target over time" in [one.value for one in at.subheader]
    assert "the end of its training data" in _words(at)
    assert "old facts" in _words(at)
    assert "end of training data" in at.get("plotly_chart")[0].proto.spec
    early = dict.fromkeys(days, date(2023, 1, 1))
    stored.keep(fresh_store, "rivers/test", scores, ScoreContext({}, {}, dates=early))
    assert "Dates say nothing here" in _words(at.run())


@pytest.mark.usefixtures("forked")
def test_models_are_asked_here_and_the_result_appears(
    page: AppTest, fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "gpt-4o", answering(rewordings=0.5))
    saved(fresh_store, 4, ("x" * 100,))  # without an accepted rewording it is not offered
    sample_id = accepted(fresh_store)
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="effect_sample").value == sample_id
    assert len(at.selectbox(key="effect_sample").options) == 1
    assert "6 instances, each in two wordings." in _words(at)
    assert at.multiselect(key="effect_clean").value == []
    at.multiselect(key="effect_models").set_value(["gpt-4o"])
    at.multiselect(key="effect_clean").set_value(["gpt-4o", "always-b"]).run()
    assert "gpt-4o is named as a model and as a reference; give it one role." in _words(at)
    assert at.button(key="effect_start").disabled
    at.multiselect(key="effect_clean").set_value(["always-b"]).run()
    assert list(frame_with(at, "calls")["calls"]) == [12, 12]
    assert frame_with(at, "cost")["cost"][0] == "under $0.01"
    assert "Refused and unusable replies count as wrong" in _words(at)
    at.button(key="effect_start").click().run()
    assert not at.exception
    runs = {run.model: run.run for run in method_runs.runs_of(fresh_store, ["score"])}
    wait_until_ended(fresh_store, list(runs.values()))
    at.run()
    assert "12 of 12 answered" in _words(at)
    assert "12 without an answer" in _words(at)
    at.button(key=f"effect_read_{runs['gpt-4o']}").click().run()
    assert not at.exception
    assert list(frame_with(at, "Role")["Role"]) == ["target", "reference"]
    assert "100.0 → 50.0 on rewordings" in _words(at)


@pytest.mark.usefixtures("forked")
def test_a_budget_reached_is_said_and_the_rest_is_asked_from_its_card(
    page: AppTest, fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "gpt-4o-mini", answering())
    subject = freeze(fresh_store, accepted(fresh_store, 40))
    run_id, _ = ask(fresh_store, subject, "gpt-4o-mini", Terms(budget_usd=0.0002))
    at = page.run()
    assert not at.exception
    assert "budget" in "\n".join(one.value for one in at.text)
    at.number_input(key=f"runs_budget_{run_id}").set_value(1.0).run()
    at.button(key=f"runs_resume_{run_id}").click().run()
    wait_until_ended(fresh_store, [run_id])
    at.run()
    assert not at.exception
    assert provider.counts["gpt-4o-mini"] == 80
    assert "80 of 80 answered" in _words(at)
    [effect] = stored.all_stored(fresh_store)
    assert effect.findings[0].drop.n == 40


def test_a_sample_that_cannot_be_asked_says_why(page: AppTest, fresh_store: Store) -> None:
    accept(fresh_store, saved(fresh_store, 4, (None,)))
    at = page.run()
    assert not at.exception
    assert "4 without a short answer" in _words(at)
    assert not [one for one in at.button if one.key == "effect_start"]


def test_a_viewer_sees_the_price_and_may_not_start(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted(fresh_store)
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.VIEWER)
    at = page.run()
    at.multiselect(key="effect_models").set_value(["gpt-4o"]).run()
    assert list(frame_with(at, "calls")["calls"]) == [12]
    assert at.button(key="effect_start").disabled


def test_other_pages_are_drawn_with_such_runs(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    scored(fresh_store, "always-b")
    for name in ("overview", "results", "answers", "investigate", "quiz", "settings"):
        assert not page.switch_page(f"pages/{name}.py").run().exception, name
