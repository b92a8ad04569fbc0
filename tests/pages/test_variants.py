from __future__ import annotations

import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.files import export
from dcq.records import PartitionRole
from dcq.settings import ROOT
from dcq.store import Store, reviews, samples, variants
from dcq.store.variants import Decision, Flag, NewVariant
from dcq.ui import leakage
from dcq.ui.variants import rewriting, sample, writing
from dcq.variants import reword
from dcq.variants.curation import Queue
from tests.conftest import button_called, frame_with, letters, small_sample
from tests.support.provider import FakeProvider

ACCEPT = "Accept the rest, next"


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ana")
    return app.switch_page("pages/variants.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def _open_panel(at: AppTest) -> AppTest:
    """What is done to the whole sample lies in a popover, which is filled once it is open."""
    at.session_state[sample.PANEL] = True
    return at.run()


def _edit(at: AppTest, slot: int) -> AppTest:
    return at.button(key=f"variants_edit_{slot}").click().run()


def _first(store: Store, sample_id: str) -> dict[int, variants.StoredVariant]:
    instance = samples.load(store, sample_id).instances[0]
    return variants.current(store, sample_id)[instance.id]


def test_an_empty_store_says_what_to_do_next(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "no sample" in at.info[0].value


def test_how_many_are_given_away_is_shown_only_once_it_is_worked_out(
    page: AppTest, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leakage, "AT_ONCE", 0)
    at = page.run()
    assert "Given away" in at.selectbox(key="variants_show").options
    at.selectbox(key="variants_show").set_value(Queue.LEAKY).run()
    assert "Given away 0" in at.selectbox(key="variants_show").options


def test_the_first_fact_is_how_much_is_ready(page: AppTest, sample_id: str) -> None:
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="variants_sample").value == sample_id
    assert not any("ready for a quiz" in m.value for m in at.markdown)
    assert "6 of 6 instances are ready for a quiz" in _words(_open_panel(at))
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
    before = button_called(at, ACCEPT).key
    button_called(at, ACCEPT).click().run()
    assert not at.exception
    assert button_called(at, ACCEPT).key != before  # a second press would be for this one
    assert at.number_input(key="variants_at").value == 2
    assert {v.decision for v in _first(fresh_store, sample_id).values()} == {Decision.ACCEPTED}
    at.selectbox(key="variants_show").set_value("open").run()
    button_called(at, ACCEPT).click().run()
    assert at.number_input(key="variants_at").value == 1  # the next has taken its place
    assert "number 2" in _words(at)


def test_all_that_is_shown_is_accepted_but_what_has_an_error(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    variant = _first(fresh_store, sample_id)[0]
    at = _edit(page.run(), 0)
    box = at.text_area(key=f"variants_text_{variant.seq}")
    box.set_value(variant.text.replace("number 0", "number 9")).run()
    at.button(key=f"variants_text_{variant.seq}_save").click().run()
    at.session_state["variants_all"] = True
    at.segmented_control(key="variants_view").set_value("Table").run()
    assert at.button(key="variants_all_accepted").label == "Accept 23 variants"
    at.button(key="variants_all_accepted").click().run()
    assert not at.exception
    left = [
        v for slots in variants.current(fresh_store, sample_id).values() for v in slots.values()
        if v.decision is Decision.OPEN
    ]  # fmt: skip
    assert len(left) == 1
    assert [f.check for f in left[0].findings] == ["number-changed"]
    at.segmented_control(key="variants_view").set_value("One by one").run()
    assert "A number was changed" in _words(at)


def test_an_edit_is_kept_checked_and_can_be_taken_back(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    before = _first(fresh_store, sample_id)[2]
    text = before.text.replace("is long", "is <i>{long}</i> :red[A)]")
    at = _edit(page.run(), 2)
    at.text_area(key=f"variants_text_{before.seq}").set_value(text).run()
    assert _first(fresh_store, sample_id)[2] == before
    assert "Draft saved" in _words(at)
    at.button(key=f"variants_text_{before.seq}_save").click().run()
    assert not at.exception
    assert "Draft saved" not in _words(at)
    edited = _first(fresh_store, sample_id)[2]
    assert (edited.text, edited.origin, edited.author) == (text, "person", "Ana")
    assert edited.findings
    assert "saved" in at.toast[0].value
    at.session_state["variants_past"] = True
    at.run().button(key=f"variants_back_{edited.seq}").click().run()
    assert _first(fresh_store, sample_id)[2].text == before.text
    history = at.dataframe[0].value
    assert history["who"].tolist()[:2] == ["Ana", "Ana"]
    assert len(history) == 6


def test_what_is_typed_outlives_the_session_and_is_its_writers_alone(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _first(fresh_store, sample_id)[1]
    key = f"variants_text_{before.seq}"
    _edit(page.run(), 1).text_area(key=key).set_value(before.text + " now").run()

    def visit(name: str) -> AppTest:
        monkeypatch.setenv("DCQ_AUTHOR", name)
        return AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page(
            "pages/variants.py"
        )

    assert _edit(visit("Ben").run(), 1).text_area(key=key).value == before.text
    at = visit("Ana").run()
    assert at.text_area(key=key).value == before.text + " now"
    assert "Draft saved" in _words(at)
    at.button(key=f"{key}_discard").click().run()
    assert at.text_area(key=key).value == before.text
    assert "Draft saved" not in _words(at)
    assert not visit("Ana").run().text_area


@pytest.mark.parametrize("use", [True, False])
def test_a_draft_of_another_tab_is_not_lost_without_a_word(
    page: AppTest, fresh_store: Store, sample_id: str, use: bool
) -> None:
    before = _first(fresh_store, sample_id)[1]
    key = f"variants_text_{before.seq}"
    at = _edit(page.run(), 1)
    place = (sample_id, before.instance_id, 1, "Ana")
    reviews.keep(fresh_store, *place, "Typed in the other tab")
    at.text_area(key=key).set_value("Typed here").run()
    assert "The other was: “Typed in the other tab”" in _words(at)
    at.text_area(key=key).set_value("Typed here again").run()
    assert "The other was: “Typed in the other tab”" in _words(at)
    at.button(key=f"{key}_{'use_other' if use else 'keep_this'}").click().run()
    kept = "Typed in the other tab" if use else "Typed here again"
    assert reviews.of(fresh_store, sample_id, before.instance_id, "Ana") == {1: kept}
    assert at.text_area(key=key).value == kept
    assert "The other was" not in _words(at)


def test_nobody_decides_or_edits_without_a_name_of_their_own(
    app: AppTest, fresh_store: Store, sample_id: str
) -> None:
    variant = _first(fresh_store, sample_id)[0]
    reviews.decide(fresh_store, sample_id, [variant], Decision.REJECTED, "Ben")
    at = app.switch_page("pages/variants.py").run()
    assert at.text_input(key="people_author").value == ""
    assert "Enter your name first" in _words(at)
    other = _first(fresh_store, sample_id)[1].seq
    keys = (f"variants_Accept_{other}", f"variants_reopen_{variant.seq}")
    for closed in (button_called(at, ACCEPT), *(at.button(key=key) for key in keys)):
        assert closed.disabled
        assert "Enter your name" in closed.help
    assert not at.text_area
    at.text_input(key="people_author").set_value(" Ana ").run()
    at.button(key=f"variants_Accept_{other}").click().run()
    assert not at.exception
    assert _first(fresh_store, sample_id)[1].reviewer == "Ana"


def test_a_decision_does_not_replace_one_made_at_the_same_time(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    seen = _first(fresh_store, sample_id)
    reviews.decide(fresh_store, sample_id, [seen[0]], Decision.REJECTED, "Ben")
    at.button(key=f"variants_Accept_{seen[0].seq}").click().run()
    assert not at.exception
    assert "Instance 1: Ben rejected variant A in the meantime." in _words(at)
    assert _first(fresh_store, sample_id)[0].reviewer == "Ben"
    assert at.button(key=f"variants_reopen_{seen[0].seq}")
    reviews.decide(fresh_store, sample_id, [seen[1]], Decision.REJECTED, "Ben")
    button_called(at, ACCEPT).click().run()
    assert "Ben rejected variant B in the meantime." in _words(at)
    assert [v.reviewer for v in _first(fresh_store, sample_id).values()] == [
        "Ben", "Ben", "Ana", "Ana",
    ]  # fmt: skip
    assert "in the meantime" not in _words(at.run())


def test_an_edit_does_not_replace_one_made_at_the_same_time(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    before = _first(fresh_store, sample_id)[0]
    key = f"variants_text_{before.seq}"
    at = _edit(page.run(), 0)
    at.text_area(key=key).set_value(before.text + " now").run()
    theirs = NewVariant(before.instance_id, 0, before.text + " then", "person", "Ben")
    variants.add(fresh_store, sample_id, [theirs])
    at.button(key=f"{key}_save").click().run()
    assert not at.exception
    assert "Ben rewrote variant A in the meantime." in _words(at)
    now = _first(fresh_store, sample_id)[0]
    assert now.author == "Ben"
    assert at.text_area(key=f"variants_text_{now.seq}").value == before.text + " now"


def test_undoing_a_reopening_restores_who_decided_what(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    seen = _first(fresh_store, sample_id)[0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.REJECTED, "Ben")
    at = page.run()
    at.button(key=f"variants_reopen_{seen.seq}").click().run()
    assert _first(fresh_store, sample_id)[0].decision is Decision.OPEN
    at.button(key="variants_undo_last").click().run()
    assert not at.exception
    now = _first(fresh_store, sample_id)[0]
    assert (now.decision, now.reviewer) == (Decision.REJECTED, "Ben")
    at.session_state["variants_past"] = True
    assert frame_with(at.run(), "what")["what"].tolist()[0] == "rejected, restored by Ana"


def test_the_record_and_the_list_are_there_after_a_visit_to_another_page(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    samples.save(fresh_store, small_sample(key="newer"))
    at = page.run()
    at.selectbox(key="variants_sample").set_value(sample_id).run()
    at.selectbox(key="variants_show").set_value("open").run()
    at.number_input(key="variants_at").set_value(5).run()
    at.switch_page("pages/quiz.py").run()
    at.query_params.clear()
    at.switch_page("pages/variants.py").run()
    assert not at.exception
    assert at.selectbox(key="variants_sample").value == sample_id
    assert at.selectbox(key="variants_show").value == "open"
    assert at.number_input(key="variants_at").value == 5


def test_an_empty_edit_is_refused(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    before = _first(fresh_store, sample_id)[0]
    at = _edit(page.run(), 0)
    at.text_area(key=f"variants_text_{before.seq}").set_value("  ").run()
    at.button(key=f"variants_text_{before.seq}_save").click().run()
    assert "cannot be empty" in at.toast[0].value
    assert _first(fresh_store, sample_id)[0] == before


def test_a_synonym_is_chosen_into_the_draft(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    before = _first(fresh_store, sample_id)[0]
    key = f"variants_text_{before.seq}"
    text = before.text.replace("is long", "passes a large house")
    at = _edit(page.run(), 0)
    at.text_area(key=key).set_value(text).run()
    at.session_state[f"{key}_synonyms"] = True
    at.run()
    assert not at.exception
    words = at.selectbox(key=f"{key}_word")
    at = words.select_index(next(i for i, o in enumerate(words.options) if "large" in o)).run()
    [pills] = [p for p in at.pills if str(p.key).startswith(f"{key}_")]
    at = pills.set_value(0).run()
    assert not at.exception
    assert "Draft saved" in _words(at)
    chosen = at.text_area(key=key).value or ""
    assert "large" not in chosen
    assert chosen.endswith(text.partition("house")[2])
    assert _first(fresh_store, sample_id)[0] == before


def test_synonyms_of_another_language_than_english_are_not_offered(
    page: AppTest, fresh_store: Store
) -> None:
    spanish = replace(small_sample(2).partition, language="es")
    sample_id = samples.save(fresh_store, replace(small_sample(2), partition=spanish))
    key = f"variants_text_{_first(fresh_store, sample_id)[0].seq}"
    page.session_state[f"{key}_synonyms"] = True
    assert "Synonyms are known for English only" in _words(_edit(page.run(), 0))


def test_a_variant_is_flagged_found_and_unflagged(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    variant = _first(fresh_store, sample_id)[0]
    at = page.run()
    at.button(key="variants_flag").click().run()
    note = f"variants_flag_note_{variant.instance_id}"
    at.text_input(key=note).set_value("<i>odd</i> :red[x]")
    at.button(key=f"variants_flag_it_{variant.instance_id}").click().run()
    assert not at.exception
    assert _first(fresh_store, sample_id)[0].flag == Flag("<i>odd</i> :red[x]", "Ana")
    assert "**Flagged** by Ana: <i>odd</i> :red[x]" in _words(at)
    assert not any("<i>" in m.value or ":red[x]" in m.value for m in at.markdown)
    at.selectbox(key="variants_show").set_value("flagged").run()
    assert at.number_input(key="variants_at").max == 1
    at.segmented_control(key="variants_view").set_value("Table").run()
    assert at.dataframe[0].value["flag"].tolist()[0] == "Ana: <i>odd</i> :red[x]"
    at.segmented_control(key="variants_view").set_value("One by one").run()
    at.button(key="variants_flag").click().run()
    at.button(key=f"variants_unflag_{variant.seq}").click().run()
    assert not at.exception
    assert _first(fresh_store, sample_id)[0].flag is None
    assert "You are done with this list" in at.success[0].value


def test_lists_and_search_narrow_what_is_shown(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    at.text_input(key="variants_find").set_value("NUMBER 4").run()
    assert at.number_input(key="variants_at").max == 1
    assert "number 4" in _words(at)
    at.selectbox(key="variants_show").set_value("missing").run()
    assert not at.exception
    assert "There is no instance in this list" in at.info[0].value


def test_a_link_opens_the_same_instance(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    samples.save(fresh_store, small_sample(key="newer"))
    page.query_params.update(
        {"variants_sample": sample_id, "variants_show": "open", "variants_at": "5"}
    )
    at = page.run()
    assert at.selectbox(key="variants_sample").value == sample_id
    assert at.selectbox(key="variants_show").value == "open"
    assert "number 4 of rivers" in _words(at)


def test_the_table_has_every_variant(page: AppTest, sample_id: str) -> None:
    assert sample_id
    page.query_params.update({"variants_view": "Table"})
    at = page.run()
    assert len(at.dataframe[0].value) == 24


def test_missing_variants_are_written_in_the_background(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    sample_id = samples.save(fresh_store, replace(small_sample(2), variants={}))
    at = page.run()
    assert "8 variants are missing" in [box.label for box in at.expander]
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    at.button(key="variants_write").click().run()
    assert not at.exception
    deadline = time.monotonic() + 120
    while (now := reword.state(fresh_store, sample_id)) and now.state.live:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert now is not None
    assert (now.state, now.done, now.planned) == ("finished", 8, 8), now.notes
    assert "2 of 2 instances are ready" in _words(_open_panel(at.run()))


def test_for_another_language_than_english_a_model_is_offered(
    page: AppTest, fresh_store: Store
) -> None:
    sample = small_sample(2)
    spanish = replace(sample.partition, language="es")
    samples.save(fresh_store, replace(sample, partition=spanish, variants={}))
    at = page.run()
    choice = at.segmented_control(key="variants_by")
    assert choice.value == "A model"
    choice.set_value(writing.OFFLINE).run()
    assert not at.exception
    assert "English only, not for 'es': choose a model" in _words(at)
    assert at.button(key="variants_write").disabled


def test_the_prompt_is_chosen_saved_and_shown(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    before = _first(fresh_store, sample_id)[0]
    at = _open_panel(page.run())
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    at.checkbox(key="variants_again").set_value(True).run()
    assert any(letters(caption.value).startswith("About 12 calls, ") for caption in at.caption)
    at.segmented_control(key="variants_prompt").set_value("v2").run()
    assert any(letters(caption.value).startswith("About 6 calls, ") for caption in at.caption)
    _edit(at, 0)
    at.button(key=f"variants_regenerate_{before.seq}").click().run()
    assert not at.exception
    assert _first(fresh_store, sample_id)[0].prompt == "perturb/v2"
    [body] = provider.bodies
    assert "\nINPUT TEXT:\n" in str(body["messages"][0]["content"])
    assert "prompt perturb/v2" in _words(at)


def test_the_typed_name_of_a_model_is_no_markdown(page: AppTest, sample_id: str) -> None:
    at = _open_panel(page.run())
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("![x](https://evil.example/a) :red[m]").run()
    _edit(at, 0)
    label = next(b.label for b in at.button if str(b.key).startswith("variants_regenerate_"))
    assert "![x](" not in label
    assert ":red[" not in label
    assert ":red[m]" in letters(label)


def test_one_variant_is_written_again(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    before = _first(fresh_store, sample_id)[0]
    at = _open_panel(page.run())
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    _edit(at, 0)
    at.button(key=f"variants_regenerate_{before.seq}").click().run()
    assert not at.exception
    now = _first(fresh_store, sample_id)[0]
    assert now.origin == "model:reword"
    assert provider.counts["reword"] >= 1


def test_a_whole_instance_is_written_again_with_an_instruction(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    instance = samples.load(fresh_store, sample_id).instances[0].id
    at = _open_panel(page.run())
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    at.session_state[rewriting.PANEL] = True
    at.run()
    assert any(letters(c.value).startswith("About 2 calls, ") for c in at.caption)
    at.text_input(key=f"variants_instruction_{instance}").set_value(" Keep it *short*. ").run()
    at.button(key=f"variants_regenerate_{instance}").click().run()
    assert not at.exception
    now = _first(fresh_store, sample_id)
    assert {v.instruction for v in now.values()} == {"Keep it *short*."}
    sent = {str(body["messages"][0]["content"]) for body in provider.bodies}
    assert all(text.endswith("\n\nKeep it *short*.") for text in sent)
    assert "+instruction “Keep it *short*.”" in _words(at)
    assert not any("Keep it *short*" in m.value for m in at.markdown)  # it is escaped


def test_a_model_without_a_key_is_one_sentence(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
    at = _open_panel(page.run())
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("gpt-4o").run()
    at.checkbox(key="variants_again").set_value(True).run()
    at.button(key="variants_write").click().run()
    assert "set OPENAI_API_KEY" in letters(at.error[0].value)
    assert reword.state(fresh_store, sample_id) is None


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
    page = _open_panel(app.switch_page("pages/variants.py").run())
    page.button(key="variants_placebo").click().run()
    assert not page.exception
    made = {sample.partition: sample for sample in samples.listing(fresh_store)}
    placebo = made["rivers-placebo/test"]
    assert placebo.role is PartitionRole.CONTROL
    assert page.selectbox(key="variants_sample").value == placebo.id


def test_a_link_opens_the_instances_that_text_gives_away(page: AppTest, fresh_store: Store) -> None:
    sample = small_sample(40)
    longer = {
        instance: tuple(f"{text} and cold" for text in texts) if number < 30 else texts
        for number, (instance, texts) in enumerate(sample.variants.items())
    }
    sample_id = samples.save(fresh_store, replace(sample, variants=longer))
    page.query_params["variants_sample"] = sample_id
    page.query_params["variants_show"] = "leaky"
    at = page.run()
    assert not at.exception
    assert at.number_input(key="variants_at").label == "Instance, of 30"
    first = at.number_input(key="variants_at").value
    button_called(at, ACCEPT).click().run()
    assert first == 1
    assert at.number_input(key="variants_at").value == 2  # it leaks still, and is passed


def test_the_table_is_taken_away_without_formulas(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    instance = samples.load(fresh_store, sample_id).instances[0].id
    formula = '=HYPERLINK("http://127.0.0.1:1/","x")'
    variants.add(fresh_store, sample_id, [variants.NewVariant(instance, 0, formula, "person")])
    page.query_params["variants_view"] = "Table"
    at = page.run()
    assert not at.exception
    labels = [button.proto.label for button in at.get("download_button")]
    assert any("All variants" in label and "csv" in label for label in labels)
    made = export.to_bytes(
        export.frame(fresh_store, export.ExportTable.VARIANTS, sample_id), ".csv"
    )
    assert b"'=HYPERLINK" in made
    assert b'"=HYPERLINK' not in made


def _table(page: AppTest) -> AppTest:
    page.query_params["variants_view"] = "Table"
    return page.run()


def test_selected_rows_are_decided_together(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = _table(page)
    key = str(at.dataframe[0].key)
    at.session_state[key] = {"selection": {"rows": [0, 5], "columns": [], "cells": []}}
    at.run()
    assert at.button(key="variants_chosen_rejected").label == "Reject 2 selected"
    at.button(key="variants_chosen_rejected").click().run()
    assert not at.exception
    now = variants.current(fresh_store, sample_id)
    rejected = [
        (number, v.slot)
        for number, one in enumerate(samples.load(fresh_store, sample_id).instances)
        for v in now[one.id].values()
        if v.decision is Decision.REJECTED
    ]
    assert rejected == [(0, 0), (1, 1)]
    assert not any(b.key == "variants_chosen_rejected" for b in at.button)  # nothing is selected


def _decisions(store: Store, sample_id: str) -> set[Decision]:
    current = variants.current(store, sample_id)
    return {v.decision for slots in current.values() for v in slots.values()}


def test_all_that_is_filtered_is_rejected_and_undone_as_one(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    page.session_state["variants_all"] = True
    page.query_params["variants_find"] = "number 3"
    at = _table(page)
    assert at.button(key="variants_all_rejected").label == "Reject 4 variants"
    at.button(key="variants_all_rejected").click().run()
    instance = samples.load(fresh_store, sample_id).instances[3].id
    now = variants.current(fresh_store, sample_id)
    assert {v.decision for v in now[instance].values()} == {Decision.REJECTED}
    at.text_input(key="variants_find").set_value("").run()
    at.button(key="variants_all_rejected").click().run()
    assert _decisions(fresh_store, sample_id) == {Decision.REJECTED}
    at.button(key="variants_undo_table").click().run()
    assert not at.exception
    assert variants.current(fresh_store, sample_id)[instance][0].decision is Decision.REJECTED
    at.button(key="variants_undo_table").click().run()
    assert _decisions(fresh_store, sample_id) == {Decision.OPEN}
    assert at.button(key="variants_undo_table").disabled


def _wait(store: Store, sample_id: str) -> None:
    deadline = time.monotonic() + 120
    while (now := reword.state(store, sample_id)) is None or now.state.live:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_selected_rows_are_written_anew(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = _open_panel(_table(page))
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    [key] = [str(one.key) for one in at.dataframe if one.key]
    at.session_state[key] = {"selection": {"rows": [0, 5], "columns": [], "cells": []}}
    at.session_state["variants_write_chosen"] = True
    at.run()
    assert any(letters(c.value).startswith("About 2 calls, ") for c in at.caption)
    at.text_input(key="variants_instruction_chosen").set_value("Be brief.").run()
    at.button(key="variants_write_now_chosen").click().run()
    assert not at.exception
    _wait(fresh_store, sample_id)
    assert provider.counts["reword"] >= 2
    written = [
        (number, v.slot, v.instruction)
        for number, one in enumerate(samples.load(fresh_store, sample_id).instances)
        for v in variants.current(fresh_store, sample_id)[one.id].values()
        if v.origin == "model:reword"
    ]
    assert written == [(0, 0, "Be brief."), (1, 1, "Be brief.")]


def test_duplicates_are_listed_and_mended(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    assert provider.base_url
    first = _first(fresh_store, sample_id)
    same = NewVariant(first[0].instance_id, 2, first[0].text, "person", "Ben")
    variants.add(fresh_store, sample_id, [same])
    again = _first(fresh_store, sample_id)[2]
    reviews.decide(fresh_store, sample_id, [again], Decision.ACCEPTED, "Ben")
    page.session_state["variants_duplicates"] = True
    at = _open_panel(_table(page))
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    listed = frame_with(at, "same as")
    assert listed[["instance", "variant", "which"]].to_numpy().tolist() == [[1, "C", "1 A"]]
    at.button(key="variants_duplicates_reopen").click().run()
    assert not at.exception
    assert _first(fresh_store, sample_id)[2].decision is Decision.OPEN
    at.session_state["variants_write_duplicates"] = True
    at.run().button(key="variants_write_now_duplicates").click().run()
    assert not at.exception
    _wait(fresh_store, sample_id)
    assert _first(fresh_store, sample_id)[2].origin == "model:reword"
    assert "No variant shown here has the text of another option" in _words(at.run())


def test_a_sheet_is_looked_at_and_then_merged(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    first = samples.load(fresh_store, sample_id).instances[0]
    text = first.text.replace("brook", "rill")
    at = _table(page)
    at.session_state["variants_merging"] = True
    at.run()
    sheet = f'instance,slot,variant\n{first.id},A,"{text}"\nnobody,A,x\n'
    at.file_uploader(key="variants_merge").set_value(("s.csv", sheet.encode(), "text/csv")).run()
    assert not at.exception
    assert "**1** changed · **0** unchanged · **1** refused" in _words(at)
    assert _first(fresh_store, sample_id)[0].text != text
    at.button(key="variants_merge_now").click().run()
    assert not at.exception
    assert (_first(fresh_store, sample_id)[0].text, _first(fresh_store, sample_id)[0].author) == (
        text,
        "Ana",
    )


def test_a_new_set_is_opened_and_seen_beside_the_first(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    page.session_state["variants_sets"] = True
    at = page.run()
    next(one for one in at.text_input if one.label == "Name of the set").set_value("<b>warm")
    at = next(one for one in at.button if one.label == "New set of variants").click().run()
    assert not at.exception
    [made] = [one for one in samples.listing(fresh_store) if one.set_of]
    assert at.selectbox(key="variants_sample").value == made.id
    assert (made.set_of, made.set_name) == (sample_id, "<b>warm")
    shown = _words(at)
    assert "No variant of this instance yet." in shown
    assert "0 of 6 instances are ready" in _words(_open_panel(at))
    at = at.button(key=f"variants_set_{sample_id}").click().run()
    assert at.selectbox(key="variants_sample").value == sample_id


def test_a_set_without_a_name_is_refused_in_a_sentence(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    page.session_state["variants_sets"] = True
    at = page.run()
    at = next(one for one in at.button if one.label == "New set of variants").click().run()
    assert not at.exception
    assert "Name the set of variants" in at.error[0].value
    assert [one.id for one in samples.listing(fresh_store)] == [sample_id]
