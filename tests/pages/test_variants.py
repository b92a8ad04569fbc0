from __future__ import annotations

import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.runs import rewording
from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, NewVariant
from tests.conftest import small_sample
from tests.support.provider import Provider


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ana")
    return app.switch_page("pages/variants.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def _first(store: Store, sample_id: str) -> dict[int, variants.StoredVariant]:
    instance = samples.load(store, sample_id).instances[0]
    return variants.current(store, sample_id)[instance.id]


def test_an_empty_store_says_what_to_do_next(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "no sample" in at.info[0].value


def test_the_first_fact_is_how_much_is_ready(page: AppTest, sample_id: str) -> None:
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="variants_sample").value == sample_id
    assert "6 of 6 instances are ready for a quiz" in _words(at)
    assert "24 open" in _words(at)


def test_changed_words_are_marked(page: AppTest, sample_id: str) -> None:
    assert sample_id
    assert ":gray-background[**river**]" in _words(page.run())


def test_a_decision_is_kept_with_its_author_and_can_be_undone(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    seq = _first(fresh_store, sample_id)[1].seq
    at.button(key=f"variants_Reject_{seq}").click().run()
    rejected = _first(fresh_store, sample_id)[1]
    assert (rejected.decision, rejected.reviewer) == (Decision.REJECTED, "Ana")
    at.button(key="variants_undo_last").click().run()
    assert not at.exception
    assert _first(fresh_store, sample_id)[1].decision is Decision.OPEN
    assert at.button(key="variants_undo_last").disabled


def test_accepting_the_rest_goes_on_to_the_next(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    at.button(key="variants_accept").click().run()
    assert not at.exception
    assert at.number_input(key="variants_at").value == 2
    assert {v.decision for v in _first(fresh_store, sample_id).values()} == {Decision.ACCEPTED}
    at.segmented_control(key="variants_show").set_value("open").run()
    at.button(key="variants_accept").click().run()
    assert at.number_input(key="variants_at").value == 1  # the next has taken its place
    assert "number 2" in _words(at)


def test_all_that_is_shown_is_accepted_but_what_has_an_error(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    variant = _first(fresh_store, sample_id)[0]
    at = page.run()
    box = at.text_area(key=f"variants_text_{variant.seq}")
    box.set_value(variant.text.replace("number 0", "number 9")).run()
    at.button(key="variants_bulk").click().run()
    assert not at.exception
    left = [
        v for slots in variants.current(fresh_store, sample_id).values() for v in slots.values()
        if v.decision is Decision.OPEN
    ]  # fmt: skip
    assert len(left) == 1
    assert [f.check for f in left[0].findings] == ["number-changed"]
    assert "A number was changed" in _words(at)


def test_an_edit_is_kept_checked_and_can_be_taken_back(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    before = _first(fresh_store, sample_id)[2]
    text = before.text.replace("is long", "is <i>{long}</i> :red[A)]")
    at = page.run()
    at.text_area(key=f"variants_text_{before.seq}").set_value(text).run()
    assert not at.exception
    edited = _first(fresh_store, sample_id)[2]
    assert (edited.text, edited.origin, edited.author) == (text, "person", "Ana")
    assert edited.findings
    assert "saved" in at.toast[0].value
    at.button(key=f"variants_back_{edited.seq}").click().run()
    assert _first(fresh_store, sample_id)[2].text == before.text
    history = at.dataframe[0].value
    assert history["who"].tolist()[:2] == ["Ana", "Ana"]
    assert len(history) == 6


def test_an_empty_edit_is_refused(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    before = _first(fresh_store, sample_id)[0]
    at = page.run()
    at.text_area(key=f"variants_text_{before.seq}").set_value("  ").run()
    assert "cannot be empty" in at.toast[0].value
    assert _first(fresh_store, sample_id)[0] == before


def test_lists_and_search_narrow_what_is_shown(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    at.text_input(key="variants_find").set_value("NUMBER 4").run()
    assert at.number_input(key="variants_at").max == 1
    assert "number 4" in _words(at)
    at.segmented_control(key="variants_show").set_value("missing").run()
    assert not at.exception
    assert "No instance is in this list" in at.info[0].value


def test_a_link_opens_the_same_instance(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    samples.save(fresh_store, small_sample(key="newer"))
    page.query_params.update(
        {"variants_sample": sample_id, "variants_show": "open", "variants_at": "5"}
    )
    at = page.run()
    assert at.selectbox(key="variants_sample").value == sample_id
    assert at.segmented_control(key="variants_show").value == "open"
    assert "number 4 of rivers" in _words(at)


def test_the_table_has_every_variant(page: AppTest, sample_id: str) -> None:
    assert sample_id
    page.query_params.update({"variants_view": "Table"})
    at = page.run()
    assert len(at.dataframe[0].value) == 24


def test_missing_variants_are_written_in_the_background(
    page: AppTest, fresh_store: Store, provider: Provider
) -> None:
    assert provider.base_url
    sample_id = samples.save(fresh_store, replace(small_sample(2), variants={}))
    at = page.run()
    assert "0 of 2 instances are ready" in _words(at)
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    at.button(key="variants_write").click().run()
    assert not at.exception
    deadline = time.monotonic() + 60
    while (now := rewording.state(fresh_store, sample_id)) and now.state == "running":
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert now is not None
    assert (now.state, now.done, now.planned) == ("finished", 8, 8), now.notes
    assert "2 of 2 instances are ready" in _words(at.run())


def test_one_variant_is_written_anew(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    before = _first(fresh_store, sample_id)[0]
    at = page.run()
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    at.button(key=f"variants_regenerate_{before.seq}").click().run()
    assert not at.exception
    now = _first(fresh_store, sample_id)[0]
    assert now.origin == "model:reword"
    assert provider.counts["reword"] >= 1


def test_a_model_without_a_key_is_one_sentence(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
    at = page.run()
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("gpt-4o").run()
    at.checkbox(key="variants_anew").set_value(True).run()
    at.button(key="variants_write").click().run()
    assert "set OPENAI_API_KEY" in at.error[0].value
    assert rewording.state(fresh_store, sample_id) is None


def test_foreign_text_stays_text(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    instance = samples.load(fresh_store, sample_id).instances[0]
    text = "<script>alert(1)</script> $x$ :smile: [a](http://b) " * 400
    variants.add(fresh_store, sample_id, [NewVariant(instance.id, 0, text, "person", "<b>Eve</b>")])
    at = page.run()
    assert not at.exception
    assert "\\<script\\>" in "".join(m.value for m in at.markdown)
    assert not any("<script>" in m.value or "<b>Eve" in m.value for m in at.markdown)
    assert not any(m.allow_html for m in at.markdown)


def test_a_placebo_is_made_and_opened(app: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, small_sample(3))
    page = app.switch_page("pages/variants.py").run()
    page.button(key="variants_placebo").click().run()
    assert not page.exception
    made = samples.listing(fresh_store).set_index("partition")
    assert made.at["rivers-placebo/test", "role"] == "control"
    assert page.selectbox(key="variants_sample").value == made.at["rivers-placebo/test", "sample"]
