"""The HTML file: its numbers, its safety, its size."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re

import pytest

from dcq import settings
from dcq.documents import html_report
from dcq.documents.deck import build
from dcq.judging import every_method, study
from dcq.judging.answers import answers
from dcq.quiz.results import quiz_row
from dcq.records import PartitionRole
from dcq.store import Store, runs
from dcq.words import kappa_words
from tests.support import hostile
from tests.support.html_page import MOST, HtmlPage
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.runs import answer

pytestmark = pytest.mark.slow


def render(store: Store, *, with_text: bool = True) -> str:
    return html_report.render(build(store, with_text=with_text))


@pytest.fixture(scope="module")
def page(seen: Store) -> HtmlPage:
    """The report of a target that was seen, beside its controls."""
    return HtmlPage(render(seen))


def test_the_numbers_are_those_of_the_store(fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN)
    put(fresh_store, "known", SEEN, PartitionRole.POSITIVE)
    put_controls(fresh_store)
    put(fresh_store, "seen", UNSEEN | {"refused": 0}, model="other@http://127.0.0.1:9/v1")
    page = HtmlPage(render(fresh_store))
    found = study.findings(fresh_store)
    embedded = {one["run"]: one for one in page.data["results"]}
    assert set(embedded) == {one.evidence.run for one in found}
    for one in found:
        stored = json.loads(json.dumps(every_method.document(one)))
        assert embedded[one.evidence.run] == {"run": one.evidence.run, **stored}
    assert page.data["comparisons"] == json.loads(
        json.dumps([one.document() for one in study.comparisons(fresh_store)])
    )
    concluded = {one.pair: one.ruling.word for one in answers(fresh_store)}
    head = next(row for row in page.rows if "95 % interval" in row and "Answer" in row)
    shown = {
        row[-1]: dict(zip(head, row, strict=True)) for row in page.rows if len(row) == len(head)
    }
    for one in found:
        kappa, row = quiz_row(one.evidence).kappa, shown[one.evidence.run]
        assert row["n"] == str(quiz_row(one.evidence).n)
        assert f"{row['κ']} {row['95 % interval']}" == kappa_words(
            kappa.kappa_fixed, kappa.kappa_low, kappa.kappa_high
        )
        assert row["Answer"] == concluded.get((one.evidence.model, one.evidence.partition), "")
    bars = next(chart["data"] for chart in page.charts if chart["kind"] == "bars")
    assert [one["values"][0]["share"] for one in bars["columns"]][:4] == [0.2, 0, 0, 0.8]


def test_only_its_own_script_runs_and_nothing_is_loaded(page: HtmlPage) -> None:
    [policy] = [
        tag["content"]
        for name, tag in page.tags
        if tag.get("http-equiv") == "Content-Security-Policy" and name == "meta"
    ]
    run = [text for kind, text in page.scripts if kind == ""]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run]
    assert len(run) == 1
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    assert f"script-src {allowed};" in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"https?:|\*|unsafe-eval|script-src[^;]*unsafe", policy)
    loads = {"src", "srcset", "action", "data", "poster", "background"}
    assert not [tag for _, tag in page.tags if loads & set(tag)]
    links = [tag["href"] for _, tag in page.tags if "href" in tag]
    assert links
    own = f"{settings.load().url.rstrip('/')}/results?"  # a finding, opened in the app
    assert all(link.startswith(("#", own)) for link in links)
    assert not [name for name, _ in page.tags if name in {"link", "iframe", "object", "base"}]


def test_headings_are_in_order_and_every_chart_is_named(page: HtmlPage) -> None:
    levels = [int(name[1]) for name, _ in page.tags if re.fullmatch(r"h\d", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    plots = [tag for _, tag in page.tags if tag.get("class") == "drawn"]
    assert len(plots) == len(page.charts) > 0
    assert all(chart["words"] for chart in page.charts)
    assert len({tag["id"] for _, tag in page.tags if "id" in tag}) == sum(
        "id" in tag for _, tag in page.tags
    )


def test_a_name_turns_no_sentence_around(fresh_store: Store) -> None:
    hostile.run(fresh_store, "\u202etset\u2067", "\u202eledom@http://127.0.0.1:9/v1")
    turning = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
    assert not turning.search(HtmlPage(render(fresh_store, with_text=False)).text)
    assert len(turning.findall(HtmlPage(render(fresh_store)).text)) == 2 * 4  # in the four options


def test_without_texts_no_instance_is_in_the_file(seen: Store, page: HtmlPage) -> None:
    assert "brook number" in page.text
    without = render(seen, with_text=False)
    assert not [word for word in ("brook number", "beck number") if word in without]
    assert "hash " in HtmlPage(without).text


def test_an_empty_store_makes_a_small_file_without_scripts(fresh_store: Store) -> None:
    source = render(fresh_store)
    page = HtmlPage(source)
    assert len(source) < 20_000
    assert [kind for kind, _ in page.scripts] == ["data"]
    assert "nothing to report" in page.text


def test_one_unfinished_run(fresh_store: Store) -> None:
    run = put(fresh_store, "seen", {"D": 3, "A": 6})
    page = HtmlPage(render(fresh_store))
    head = next(row for row in page.rows if "Unfinished" in row)
    shown = [row for row in page.rows if len(row) == len(head) and row[-1] == run]
    for row in shown:
        assert dict(zip(head, row, strict=True))["Unfinished"] == "9 of 100"
    assert shown
    [row] = page.data["results"]
    assert row["n"] == 9


def test_forty_results_stay_small(fresh_store: Store) -> None:
    for number in range(20):
        role = PartitionRole.CONTROL if number > 15 else PartitionRole.TARGET
        tally = {"D": 3 + number % 3, "A": 9 - number % 3}
        run = put(
            fresh_store, f"set-{number}", tally, role, n=12, model="one@http://127.0.0.1:9/v1"
        )
        quiz = runs.load(fresh_store, run).plan.subject
        answer(fresh_store, quiz, tally, "two@http://127.0.0.1:9/v1")
    source = render(fresh_store)
    page = HtmlPage(source)
    assert len(page.data["results"]) == 40
    assert len(page.charts) < 20
    assert len(source) < MOST
