from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.overlap.evidence import results
from dcq.overlap.freeze import SearchDesign
from dcq.overlap.method import EXCLUSIVE
from dcq.overlap.outcome import of_run
from dcq.overlap.search.service import Window
from dcq.overlap.searches import search
from dcq.store import Store, overlaps
from dcq.ui import roles
from dcq.ui.overlap import result
from tests.conftest import letters
from tests.support import scanned
from tests.support.replications import save
from tests.support.runs import wait_for, wait_until_ended
from tests.support.search_rules import KEY
from tests.support.search_services import FakeWeb


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ada")
    return app.switch_page("pages/overlap.py")


def _words(at: AppTest) -> str:
    shown = [
        *at.title, *at.markdown, *at.caption, *at.subheader, *at.info, *at.warning, *at.error
    ]  # fmt: skip
    return letters("\n".join(str(element.value) for element in shown)).replace("\u00a0", " ")


def _choose(at: AppTest, source: str) -> AppTest:
    at.segmented_control(key="overlap_source").set_value(source).run()
    assert not at.exception
    return at


def test_an_empty_store_says_what_to_do_next(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "no sample to look for" in _words(at)


@pytest.mark.parametrize("view", ["Result", "Effect", "Together"])
def test_without_a_run_there_is_a_way_to_one(page: AppTest, fresh_store: Store, view: str) -> None:
    save(fresh_store)
    page.session_state["overlap_view"] = view
    at = page.run()
    assert not at.exception
    assert "Nothing has been searched for yet" in _words(at)
    at.button(key="overlap_first").click().run()
    assert not at.exception
    assert at.button(key="overlap_start").label == "Scan for 6 instances"


@pytest.fixture
def scan(fresh_store: Store, tmp_path: Path) -> str:
    """A scan that finds three of six instances, one of them without its label."""
    sample_id = scanned.save(fresh_store, 6)
    return scanned.scan(fresh_store, sample_id, tmp_path / "corpus", [0, 1], [2])


def test_a_run_is_opened_from_its_card(page: AppTest, scan: str) -> None:
    at = page.run()
    at.button(key=f"overlap_read_{scan}").click().run()
    assert not at.exception
    assert "2 of 6 instances stand in the corpus with their answer" in _words(at)
    assert at.selectbox(key="overlap_run").value == scan


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("Result", "2 of 6 instances stand in the corpus with their answer"),
        ("Effect", "Scores of models on instances"),
        ("Together", "No model has taken a quiz of this sample"),
        ("Reference", "How much of each benchmark was found"),
    ],
)
def test_each_view_is_opened_by_its_address(
    page: AppTest, scan: str, view: str, words: str
) -> None:
    page.session_state["overlap_view"] = view
    at = page.run()
    assert not at.exception
    assert words in _words(at)
    if view != "Reference":
        assert at.selectbox(key="overlap_run").value == scan


def test_what_has_one_name_is_told_apart(
    page: AppTest, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two scans in one minute, and two instances that begin alike."""
    sample_id = scanned.save(fresh_store, 2)
    for _ in range(2):
        scanned.scan(fresh_store, sample_id, tmp_path / "corpus", [0, 1])
    monkeypatch.setattr(result, "cut", lambda text, most: text[:5])
    page.session_state["overlap_view"] = "Result"
    at = page.run()
    for key in ("overlap_run", "overlap_instance"):
        chosen = set()
        for place in range(2):
            at.selectbox(key=key).select_index(place).run()
            assert not at.exception
            chosen.add(at.session_state[key])
        assert len(chosen) == 2, key


def test_what_a_search_did_not_count_is_said(
    page: AppTest, fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, texts = save(fresh_store, 2)
    web.pages = {"https://a.org/x": texts[0], "javascript:alert(1)": texts[1]}
    year = Window(date(2023, 1, 1), date(2023, 12, 31))
    run_id = asyncio.run(search(fresh_store, sample_id, "serpapi", SearchDesign(window=year))).run
    assert {hit.crawled for row in of_run(fresh_store, run_id).rows for hit in row.hits} == {
        False,
        None,
    }
    page.session_state["overlap_view"] = "Result"
    at = page.run()
    assert not at.exception
    assert "javascript:" not in {link.proto.url[:11] for link in at.get("link_button")}


def test_a_corpus_comes_first_and_needs_a_path_that_is_there(
    page: AppTest, fresh_store: Store
) -> None:
    save(fresh_store)
    at = page.run()
    assert not at.exception
    assert at.segmented_control(key="overlap_source").value == "Files on this machine"
    assert at.button(key="overlap_start").disabled
    at.text_area(key="overlap_corpus").set_value("/nowhere/at-all\n").run()
    assert "There is no file or folder /nowhere/at-all" in _words(at)
    assert at.button(key="overlap_start").disabled


def test_a_corpus_is_scanned(page: AppTest, fresh_store: Store, tmp_path: Path) -> None:
    _, texts = save(fresh_store, 3)
    (tmp_path / "a.txt").write_text(texts[0])
    at = page.run()
    at.text_area(key="overlap_corpus").set_value(f"{tmp_path / 'a.txt'}").run()
    at.number_input(key="overlap_least").set_value(0.65).run()
    at.button(key="overlap_start").click().run()
    assert not at.exception
    [one] = results(fresh_store)
    assert overlaps.runs_of(fresh_store)[0].threshold == 0.65
    wait_until_ended(fresh_store, [one.run])
    assert of_run(fresh_store, one.run, threshold=0.99).coverage.found == 1
    assert overlaps.load(fresh_store, overlaps.runs_of(fresh_store)[0].overlap).asked.author == (
        "Ada"
    )
    at.run()
    assert "scan" in _words(at)
    assert at.button(key=f"overlap_read_{one.run}").label == "Read the result"
    at.button(key="overlap_again").click().run()
    assert "Latest runs" in _words(at)


def test_a_service_is_asked_within_days_and_its_pages_are_looked_up(
    page: AppTest, fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, texts = save(fresh_store, 3)
    web.pages = {"https://a.org": texts[0]}
    web.crawled = set(web.pages)
    at = _choose(page.run(), "SerpApi (Google)")
    assert "3 instances, 3 queries: at most 3 calls, price unknown" in _words(at)
    at.date_input(key="overlap_from").set_value(date(2023, 1, 1)).run()
    assert "Choose both days, or none" in _words(at)
    at.date_input(key="overlap_to").set_value(date(2023, 12, 31)).run()
    at.number_input(key="overlap_price").set_value(0.01).run()
    assert "at most 3 calls, $0.03" in _words(at)
    at.button(key="overlap_start").click().run()
    assert not at.exception
    [one] = results(fresh_store)
    wait_until_ended(fresh_store, [one.run])
    wait_for(lambda: not EXCLUSIVE.is_held(fresh_store, sample_id, "serpapi"))
    at.run()
    assert not at.exception
    assert "web search" in _words(at)
    assert f"pages of run {one.run} looked up" in _words(at)
    assert "3 calls, $0.03" in _words(at)
    assert len(web.searches) == 3
    assert KEY not in _words(at)


def test_without_a_key_the_page_says_which_one(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(fresh_store)
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY", raising=False)
    at = _choose(page.run(), "Brave Search")
    assert "needs a key; set BRAVE_SEARCH_API_KEY" in _words(at)
    assert at.button(key="overlap_start").disabled
    at = _choose(at, "infini-gram")
    assert "free" in _words(at)
    assert not at.button(key="overlap_start").disabled
    assert not list(at.date_input)


def test_a_stopped_search_is_resumed(page: AppTest, fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 3)
    web.pages = {"https://a.org": texts[0]}
    web.left = 1
    at = _choose(page.run(), "SerpApi (Google)")
    at.button(key="overlap_start").click().run()
    [one] = results(fresh_store)
    wait_until_ended(fresh_store, [one.run])
    # Its process leaves a moment later, and until then nothing is resumed.
    wait_for(lambda: not EXCLUSIVE.is_held(fresh_store, sample_id, "serpapi"))
    at.run()
    assert not at.exception
    assert "no searches left" in "\n".join(text.value for text in at.text)
    web.left = None
    at.button(key=f"runs_resume_{one.run}").click().run()
    assert not at.exception
    wait_until_ended(fresh_store, [one.run])
    assert of_run(fresh_store, one.run).coverage.searched == 3


def test_a_shared_app_looks_through_no_files(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(fresh_store)
    monkeypatch.setattr(roles, "shared", lambda: True)
    monkeypatch.setattr(roles, "admit", lambda: None)
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.ANNOTATOR)
    monkeypatch.setattr(roles, "author", lambda: "Ada")
    at = page.run()
    assert not at.exception
    assert at.segmented_control(key="overlap_source").options == [
        "Brave Search",
        "SerpApi (Google)",
        "infini-gram",
    ]
    assert not at.text_area
    assert at.button(key="overlap_start").disabled
    assert "role runner" in str(at.button(key="overlap_start").help)
