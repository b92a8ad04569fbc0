"""Every address that the app has had leads to what it showed, and what was on the pages of results
is still in one place each."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dcq.judging.answers import answers
from dcq.records import QuizKind
from dcq.settings import ROOT
from dcq.store import Store, samples, studies
from dcq.store.studies import EVERYTHING, Study
from dcq.ui import page
from dcq.ui.overview import view
from tests.conftest import letters
from tests.support import once
from tests.support.judged import SEEN, UNSEEN, put, put_controls

# Address, a parameter that links have named (with what it named), and the entry of the sidebar.
ADDRESSES: tuple[tuple[str, dict[str, str], str], ...] = (
    ("overview", {}, "Matrix"),
    ("case", {"case": "{case}"}, "Matrix"),
    ("results", {"results_run": "{run}"}, "Matrix"),
    ("explorer", {"explorer_first": "{run}"}, "Matrix"),
    ("answers", {"answers_run": "{run}"}, "Matrix"),
    ("ablation", {"ablation_model": "{model}"}, "Matrix"),
    ("new_check", {}, "New check"),
    ("investigate", {"investigate_sample": "{sample}"}, "New check"),
    ("quiz", {"quiz_sample": "{sample}"}, "New check"),
    ("replication", {"replication_sample": "{sample}"}, "New check"),
    ("likelihood", {"likelihood_sample": "{sample}"}, "New check"),
    ("variants", {"variants_sample": "{sample}"}, "Annotate"),
    ("take", {"take_sample": "{sample}"}, "Take the quiz"),
    ("present", {}, "Present"),
    ("dataset", {"dataset_from": "Your file"}, "Library"),
    ("audit", {}, "Library"),
    ("protect", {"protect_view": "What it will find"}, "Library"),
    ("overlap", {"overlap_view": "Effect"}, "Library"),
    ("effect", {}, "Library"),
    ("settings", {}, "Settings"),
    ("method", {}, "Method"),
)
# What the pages of results show: what it is, the address where it is, and words or a key there.
CONTENTS: tuple[tuple[str, str, dict[str, str], str], ...] = (
    ("conclusion of a pair", "case", {"case": "{case}"}, "### "),
    ("checks with repairs", "case", {"case": "{case}"}, "What else could explain it?"),
    ("methods side by side", "case", {"case": "{case}"}, "Methods side by side"),
    ("instances of all models", "case", {"case_view": "Instances"}, "explorer_partition"),
    ("prompt and reply", "case", {"case_view": "Questions and replies"}, "exactly as sent"),
    ("list of replies", "case", {"case_view": "Questions and replies"}, "case_replies_question"),
    ("modified against standard", "case", {"case_view": "Position preference"}, "McNemar"),
    ("option distribution", "case", {"case_view": "Position preference"}, "case_positions_bars_"),
    ("when and for how much", "case", {"case_view": "What was asked"}, "All of it:"),
    ("κ of all pairs", "results", {"results_view": "Table"}, "All results"),
    ("the paper's Table 1", "results", {"results_paper": "true"}, "results_paper"),
    ("one run's verdict", "results", {"results_run": "{run}"}, "The chosen run"),
    ("comparing models and splits", "results", {}, "Comparing models and splits"),
    ("all instances", "explorer", {"explorer_first": "{run}"}, "explorer_first"),
    ("option distribution of a run", "answers", {"answers_run": "{run}"}, "answers_bars_"),
    ("all pairs of quizzes", "ablation", {}, "ablation_sample"),
    ("the paper's Figure 3", "ablation", {"ablation_paper": "true"}, "ablation_paper"),
)


def _fill(store: Store) -> None:
    put_controls(store)
    put(store, "rivers", SEEN)
    put(store, "rivers", UNSEEN, kind=QuizKind.MODIFIED, slot=None)
    put(store, "lakes", UNSEEN)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once.store(tmp_path_factory, "addresses", _fill)


@pytest.fixture
def many(fresh_store: Store, filled: Path) -> Store:
    shutil.copy(filled, fresh_store.path)
    return fresh_store


def _names(store: Store) -> dict[str, str]:
    answer = next(one for one in answers(store) if "rivers" in one.partition)
    run = next(method.run for method in answer.methods if method.judged is not None)
    return {"case": answer.id, "run": run, "sample": answer.sample, "model": answer.model}


def _open(app: AppTest, store: Store, name: str, parameters: dict[str, str]) -> AppTest:
    at = app.switch_page(f"pages/{name}.py")
    names = _names(store)
    of_case = {"case": "{case}"} if name == "case" else {}
    for key, value in (of_case | parameters).items():
        at.query_params[key] = value.format(**names)
    at.run()
    assert not at.exception
    return at


def test_every_page_is_in_the_table() -> None:
    named = {name for name, _, _ in ADDRESSES}
    assert named == {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert named == {one.name for one in page._PAGES}
    entries = list(dict.fromkeys(one.entry for one in page._PAGES))
    assert entries == list(dict.fromkeys(entry for _, _, entry in ADDRESSES))
    assert {one.name: one.entry for one in page._PAGES} == {
        name: entry for name, _, entry in ADDRESSES
    }


@pytest.mark.parametrize(("name", "parameters", "entry"), ADDRESSES, ids=[a[0] for a in ADDRESSES])
def test_an_address_leads_to_what_it_named(
    app: AppTest, many: Store, name: str, parameters: dict[str, str], entry: str
) -> None:
    at = _open(app, many, name, parameters)
    assert at.title or at.get("bidi_component")  # slides have their heading on them
    assert not [one.value for one in at.info if "this link names" in one.value]
    for key, value in parameters.items():
        shown = at.query_params[key]
        assert value.format(**_names(many)) in (shown if isinstance(shown, list) else [shown])


@pytest.mark.parametrize(
    ("name", "parameters", "found"), [one[1:] for one in CONTENTS], ids=[one[0] for one in CONTENTS]
)
def test_what_the_pages_of_results_show_has_its_place(
    app: AppTest, many: Store, name: str, parameters: dict[str, str], found: str
) -> None:
    at = _open(app, many, name, parameters)
    assert found in _shown(at)


def _shown(at: AppTest) -> str:
    """The words of a page, and the keys of its widgets."""
    words: list[Any] = [*at.markdown, *at.caption, *at.subheader, *at.title, *at.expander]
    said = letters("\n".join(str(getattr(one, "value", "") or one.label) for one in words))
    widgets = [*at.selectbox, *at.toggle, *at.number_input, *at.segmented_control]
    charts = [str(one.proto.id) for one in at.get("plotly_chart")]
    return "\n".join([said, *(str(one.key) for one in widgets), *charts])


def test_a_sample_that_was_chosen_stays_when_the_page_changes(app: AppTest, many: Store) -> None:
    listed = [one.id for one in samples.listing(many)]
    at = app.switch_page("pages/quiz.py").run()
    first = at.selectbox(key="quiz_sample").value
    chosen = next(one for one in listed if one != first)
    at.selectbox(key="quiz_sample").set_value(chosen).run()
    at.query_params.clear()
    at.switch_page("pages/variants.py").run()
    assert not at.exception
    assert at.selectbox(key="variants_sample").value == chosen
    at.query_params.clear()
    at.query_params["take_sample"] = first
    at.switch_page("pages/take.py").run()
    assert at.selectbox(key="take_sample").value == first
    at.query_params.clear()
    at.switch_page("pages/variants.py").run()
    assert at.selectbox(key="variants_sample").value == first


def test_the_cost_of_a_study_leaves_out_what_others_of_the_store_cost(
    app: AppTest, many: Store
) -> None:
    usd = {"rivers": 2.0, "lakes": 0.5}
    with many.write() as db:
        for key, cost in usd.items():
            db.execute(
                "UPDATE run SET price_in = 0, price_out = 0, lost_usd = ? WHERE sample_id IN "
                "(SELECT s.id FROM sample s WHERE s.partition_id LIKE ?) AND method = 'quiz' "
                "AND made_at = (SELECT max(r.made_at) FROM run r "
                "JOIN sample s ON s.id = r.sample_id WHERE s.partition_id LIKE ?)",
                [cost, f"%{key}%", f"%{key}%"],
            )
        assert db.execute("SELECT sum(lost_usd) FROM run").fetchone() == (2.5,)
    rivers = next(one.partition for one in answers(many) if "rivers" in one.partition)
    of_rivers = studies.save(many, Study("Rivers", partitions=(rivers,)))
    words = {one.name: view._spent(many, one) for one in (EVERYTHING, of_rivers)}
    assert "2.50" in words[EVERYTHING.name]
    assert "2.00" in words[of_rivers.name]
