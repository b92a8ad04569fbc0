from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.replicate import replicate
from dcq.store import Store, samples, studies
from dcq.store.studies import Study
from tests.conftest import letters, small_sample
from tests.support import replications, scanned
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import take


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/overview.py")


def test_a_first_visit_says_how_to_begin(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "Nothing has been asked yet" in at.info[0].value
    assert not at.metric
    assert "No: **B** is the original" not in str([one.value for one in at.markdown])
    at.button(key="first_item_C").click().run()
    assert not at.exception
    assert "No: **B** is the original" in str([one.value for one in at.markdown])


async def test_the_strongest_finding_comes_first(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    for key, role in (("rivers", PartitionRole.TARGET), ("unseen", PartitionRole.CONTROL)):
        sample_id = samples.save(fresh_store, small_sample(key=key, role=role))
        quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
        await take(fresh_store, quiz, "always-d")
    at = page.run()
    assert not at.exception
    assert "Undecided" in at.title[1].value
    texts = [str(m.value).replace("\\", "") for m in at.caption]
    assert any("always-d picked the original in 6 of 6 instances of Rivers" in m for m in texts)
    assert len(at.get("bidi_component")) == 1  # its ruler


def test_models_on_one_partition_stand_below_one_another(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", UNSEEN, model="other@http://127.0.0.1:9/v1")
    at = page.switch_page("pages/case.py").run()
    assert not at.exception
    rows = json.loads(at.get("bidi_component")[-1].proto.json)["picture"]["data"]["rows"]
    assert [(row["name"], row["value"]) for row in rows] == [
        ("tester", "80 % of 100"),
        ("other", "26 % of 100"),
    ]


def test_steps_are_counted_in_the_study_that_is_shown(page: AppTest, fresh_store: Store) -> None:
    """Samples and quizzes were those of the store beside results of the study."""
    for key in ("rivers", "lakes"):
        put(fresh_store, key, SEEN)
    put_controls(fresh_store, 2)
    studies.save(fresh_store, Study("One", ("rivers/test",), controls=("unseen-0/test",)))
    at = page.run()
    assert [metric.value for metric in at.metric] == ["4", "4", "4", "4"]
    at.selectbox(key="study").set_value("One").run()
    assert not at.exception
    assert [metric.value for metric in at.metric] == ["2", "2", "2", "2"]
    assert "Steps of “One”" in [heading.value for heading in at.subheader]


def test_a_target_that_nobody_was_asked_about_leads_to_investigating_it(
    page: AppTest, fresh_store: Store
) -> None:
    samples.save(fresh_store, small_sample(role=PartitionRole.CONTROL))
    at = page.run()
    assert "There is a control" in at.info[0].value
    samples.save(fresh_store, small_sample(key="lakes"))
    at = page.run()
    assert not at.exception
    assert at.button(key="overview_investigate").label == "Investigate"


def test_the_short_list_holds_what_falls_short(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    at = page.run()
    lines = [str(m.value).replace("\\", "") for column in at.columns for m in column.markdown]
    assert any("There is no control partition" in line for line in lines)
    [rest] = [panel for panel in at.expander if panel.label.endswith("passed")]
    good = [str(m.value).replace("\\", "") for m in rest.markdown]
    assert any("All replies are usable" in line for line in good)
    assert not any("There is no control partition" in line for line in good)
    [offered] = [button for button in at.button if button.key == "case_repair"]
    assert offered.label.startswith("Add controls and ask about them")


def test_a_quiz_without_originals_alone_asks_for_one_with_them(
    page: AppTest, fresh_store: Store
) -> None:
    put(fresh_store, "rivers", {"A": 100}, kind=QuizKind.MODIFIED, slot=None)
    at = page.run()
    assert not at.exception
    assert "A quiz without originals has been asked" in at.info[0].value


def test_refusals_alone_have_no_value(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", {"refused": 100})
    at = page.run()
    assert not at.exception
    assert any("no usable answer" in str(m.value) for m in at.markdown)


def test_a_store_that_cannot_be_read_is_one_sentence(page: AppTest, fresh_store: Store) -> None:
    fresh_store.path.write_bytes(b"not a store" * 500)
    at = page.run()
    assert not at.exception
    assert "not a readable store" in at.error[0].value


def test_a_store_is_made_where_there_is_none(page: AppTest, fresh_store: Store) -> None:
    fresh_store.path.unlink()
    at = page.run()
    assert not at.exception
    assert not at.error
    assert fresh_store.path.exists()


def _links(at: AppTest) -> dict[str, str]:
    """The words of each link and what it hands to its page."""
    return {link.proto.label: link.proto.query_string for link in at.get("page_link")}


def test_a_replication_alone_is_the_result(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    """Before, "nothing has been asked yet" was said of it."""
    sample_id, texts = replications.save(fresh_store, 4)
    provider.seen = tuple(texts)
    run = asyncio.run(replicate(fresh_store, sample_id, "recites")).run
    at = page.run()
    assert not at.exception
    assert not at.info
    assert "Undecided" in at.title[1].value
    said = letters("\n".join(str(m.value) for m in at.caption)).replace("\u00a0", " ")
    assert "recites on Brooks test: 100.0 % of the instances were completed exactly" in said
    assert run in _links(at)["Read the replication"]
    results = next(one for one in at.metric if one.label == "Results")
    assert results.value == "1"
    put(fresh_store, "rivers", SEEN)
    at = page.run()
    assert "2 benchmarks" in "\n".join(str(m.value) for m in at.markdown)
    assert run in _links(at)["Read the replication"]
    assert next(one for one in at.metric if one.label == "Results").value == "2"


def _slides(at: AppTest) -> str:
    """What the slides are drawn from; empty on another page."""
    return "".join(one.proto.json for one in at.get("bidi_component"))


def test_a_search_alone_is_no_answer_of_a_model_and_can_be_read(
    page: AppTest, fresh_store: Store, tmp_path: Path
) -> None:
    run = scanned.scan(fresh_store, scanned.save(fresh_store, 4), tmp_path / "corpus", [0])
    at = page.run()
    assert not at.exception
    assert "no model has been asked yet" in at.info[0].value
    assert run in _links(at)["Read the search or scan"]
    for name in ("results", "answers", "ablation", "present"):
        at = page.switch_page(f"pages/{name}.py").run()
        assert not at.exception
        if name == "present":
            assert "No model has answered yet" not in _slides(at)
        else:
            assert run in _links(at)["Read the search or scan"], name


@pytest.mark.parametrize("name", ["answers", "ablation", "present"])
def test_pages_of_quizzes_lead_to_replications_where_there_is_nothing_else(
    page: AppTest, fresh_store: Store, provider: FakeProvider, name: str
) -> None:
    sample_id, _ = replications.save(fresh_store, 4)
    run = asyncio.run(replicate(fresh_store, sample_id, "recites")).run
    at = page.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    said = "\n".join(str(one.value) for one in (*at.info, *at.markdown)) + _slides(at)
    assert "No model has answered yet" not in said
    if name == "present":
        assert "recites was asked about" in said
    else:
        assert run in _links(at)["Read the replication"]
