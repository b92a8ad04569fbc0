from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.effect import matter, stored
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import gather
from dcq.evidence.constat import constat
from dcq.partitions import uploads
from dcq.store import Store, score_sets
from dcq.ui import downloads
from tests.support.matter import answers
from tests.support.result_files import write_csv

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matter, "constat", partial(constat, samples=20))


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/effect.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.error]
    return "\n".join(str(one.value) for one in shown).replace("\\", "").replace("\u00a0", " ")


def test_without_scores_it_says_what_to_do(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "Export originals and accepted rewordings" in at.info[0].value


def test_a_finding_with_its_chart_table_and_references(page: AppTest, fresh_store: Store) -> None:
    seen = {f"i{k}": k % 2 == 0 for k in range(300)}
    known = ScoreContext({}, {"target": seen}, 0.25)
    stored.keep(fresh_store, "rivers/test", gather(answers(n=300, gain=0.3, seen=seen)), known)
    at = page.run()
    assert not at.exception
    assert "inflation" in _words(at)
    assert "recognised" in _words(at)
    assert "recognised" in at.get("plotly_chart")[0].proto.spec
    assert list(at.dataframe[0].value["Role"]) == ["target"] + ["reference"] * 6
    assert set(at.dataframe[1].value["Own answer"]) == {"not asked"}


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
    assert "end of training data" in at.get("plotly_chart")[1].proto.spec
    early = dict.fromkeys(days, date(2023, 1, 1))
    stored.keep(fresh_store, "rivers/test", scores, ScoreContext({}, {}, dates=early))
    assert "Dates say nothing here" in _words(at.run())
