"""The page Variants: what comes next, drafts, keys, and the pictures beside a record."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import PartitionRole
from dcq.settings import ROOT
from dcq.store import Store, opinions, reviews, samples, variants
from dcq.store.variants import Decision, StoredVariant
from dcq.variants import reword
from tests.conftest import button_called, letters, small_sample
from tests.support.annotating import assign
from tests.support.provider import FakeProvider

ACCEPTED, REJECTED = Decision.ACCEPTED, Decision.REJECTED
STRIP, BARS, NEXT_OPEN = "variants_strip", "variants_bars", "variants_next_open"


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ana")
    return app.switch_page("pages/variants.py")


def said(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.success, *at.warning, *at.error]
    return letters("\n".join(str(element.value) for element in shown))


def of_instance(store: Store, sample: str, number: int) -> dict[int, StoredVariant]:
    """The variants of an instance, counted from 1."""
    name = samples.load(store, sample).instances[number - 1].id
    return variants.current(store, sample)[name]


def decide(
    store: Store,
    sample: str,
    number: int,
    decision: Decision,
    slots: str = "0123",
    who: str = "Ana",
) -> None:
    found = of_instance(store, sample, number)
    seen = [found[int(slot)] for slot in slots]
    assert not opinions.decide(store, sample, seen, decision, who).changed


def drawn(at: AppTest, key: str) -> dict[str, Any]:
    """What a picture was given."""
    [found] = [one.proto for one in at.get("bidi_component") if one.proto.id.endswith(f"-{key}")]
    return dict(json.loads(found.json))


def states(at: AppTest) -> list[str]:
    return [dot["state"] for dot in drawn(at, STRIP)["dots"]]


def test_the_strip_has_a_dot_for_each_record_with_its_state(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    decide(fresh_store, sample_id, 1, ACCEPTED)
    decide(fresh_store, sample_id, 2, ACCEPTED, "012")
    decide(fresh_store, sample_id, 2, REJECTED, "3")
    decide(fresh_store, sample_id, 3, REJECTED, "0")
    at = page.run()
    assert not at.exception
    assert states(at) == ["accepted", "rejected", "open", "open", "open", "open"]
    given = drawn(at, STRIP)
    assert [dot["here"] for dot in given["dots"]] == [True] + [False] * 5
    assert given["dots"][1]["words"] == "Instance 2: rejected"
    assert [state for state, _ in given["legend"]] == ["open", "accepted", "rejected"]


def test_a_long_list_shows_the_dots_around_the_record(page: AppTest, fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(250))
    instances = samples.load(fresh_store, sample).instances
    at = page.run()
    assert len(drawn(at, STRIP)["dots"]) == 100
    assert drawn(at, STRIP)["before"] is None
    at.number_input(key="variants_at").set_value(201).run()
    given = drawn(at, STRIP)
    assert [dot["id"] for dot in given["dots"]] == [one.id for one in instances[200:]]
    assert (given["before"], given["after"]) == (instances[199].id, None)


@pytest.mark.usefixtures("app")  # its environment
def test_the_strip_tells_neither_of_two_what_the_other_said(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assign(fresh_store, sample_id, 1.0, ("Ana", "Ben"))
    decide(fresh_store, sample_id, 1, ACCEPTED)
    decide(fresh_store, sample_id, 2, REJECTED, who="Ben")
    for number, slots in ((3, "0"), (3, "123")):
        decide(fresh_store, sample_id, number, ACCEPTED, slots)
    decide(fresh_store, sample_id, 3, REJECTED, who="Ben")
    seen = {}
    for name in ("Ana", "Ben", "Cleo"):
        monkeypatch.setenv("DCQ_AUTHOR", name)
        at = (
            AppTest.from_file(ROOT / "app.py", default_timeout=60)
            .switch_page("pages/variants.py")
            .run()
        )
        seen[name] = states(at)[:3]
    assert seen == {
        "Ana": ["accepted", "open", "disputed"],
        "Ben": ["open", "rejected", "disputed"],
        "Cleo": ["open", "open", "disputed"],
    }


def test_length_and_likeness_are_bars_that_are_said_in_words_too(
    page: AppTest, sample_id: str
) -> None:
    assert sample_id
    at = page.run()
    given = drawn(at, BARS)
    assert [bar["name"] for bar in given["bars"]] == ["original", "A", "B", "C", "D"]
    assert [bar["original"] for bar in given["bars"]] == [True] + [False] * 4
    (share, words), (likeness, shown) = given["bars"][0]["cells"]
    assert words == "57"
    assert share == pytest.approx(57 / 58)
    assert shown == f"{likeness:.2f}"
    assert "original: 57 characters, likeness 0.85; A: 58 characters" in given["words"]
    assert not any("█" in code.value for code in at.code)


def test_next_open_goes_to_what_is_left_and_round(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    for number in (1, 3, 4, 6):
        decide(fresh_store, sample_id, number, ACCEPTED)
    at = page.run()
    assert at.button(key=NEXT_OPEN).proto.shortcut == "n"
    places = []
    for _ in range(3):
        at.button(key=NEXT_OPEN).click().run()
        places.append(at.number_input(key="variants_at").value)
    assert places == [2, 5, 2]
    decide(fresh_store, sample_id, 5, ACCEPTED)
    assert at.run().button(key=NEXT_OPEN).disabled  # the only one is on the screen


def test_each_key_is_of_one_button_and_a_decided_variant_is_reopened_by_one(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    decide(fresh_store, sample_id, 1, REJECTED, "2")
    at = page.run()
    seq = of_instance(fresh_store, sample_id, 1)[2].seq
    assert at.button(key=f"variants_reopen_{seq}").proto.shortcut == "shift+7"
    keys = [one.proto.shortcut for one in at.button if one.proto.shortcut]
    assert len(keys) == len(set(keys))
    at.button(key=f"variants_reopen_{seq}").click().run()
    assert of_instance(fresh_store, sample_id, 1)[2].decision is Decision.OPEN


def test_a_draft_is_in_sight_on_its_record_and_from_others(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    instances = samples.load(fresh_store, sample_id).instances
    reviews.keep(fresh_store, sample_id, instances[3].id, 1, "Ana", "Something else")
    reviews.keep(fresh_store, sample_id, instances[4].id, 1, "Ben", "Not hers")
    at = page.run()
    assert "Your drafts, not saved" in said(at)
    assert [dot["draft"] for dot in drawn(at, STRIP)["dots"]] == [False] * 3 + [True] + [False] * 2
    assert "draft is not saved" in drawn(at, STRIP)["dots"][3]["words"]
    at.text_input(key="variants_find").set_value("number 1 ").run()  # a list without it
    button_called(at, "Instance 4").click().run()
    assert at.number_input(key="variants_at").value == 4
    assert "draft, not saved" in said(at)
    assert "Your drafts" not in said(at)  # it is here
    at.button(key="variants_edit_1").click().run()  # the box is closed, the draft still there
    assert not at.text_area
    assert "draft, not saved" in said(at)
    button_called(at, "Discard").click().run()
    assert not at.exception
    assert "draft, not saved" not in said(at)
    assert reviews.of(fresh_store, sample_id, instances[3].id, "Ana") == {}
    assert reviews.of(fresh_store, sample_id, instances[4].id, "Ben") != {}


def test_the_end_of_the_work_is_said_with_the_next_step(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    for number in (2, 3, 4, 5, 6):
        decide(fresh_store, sample_id, number, ACCEPTED)
    at = page.run()
    assert not at.success
    at.number_input(key="variants_at").set_value(6).run()
    assert "This is the end of the list. 1 instance is still open." in said(at)
    button_called(at, "Show what is open").click().run()
    assert at.selectbox(key="variants_show").value == "open"
    button_called(at, "Accept the rest, next").click().run()
    assert not at.exception
    assert letters(at.success[0].value) == (
        "You are done: every variant is decided. 6 of 6 instances are ready for a quiz."
    )
    at.button(key="variants_investigate").click().run()
    assert at.title[0].value == "Investigate"
    assert at.selectbox(key="investigate_sample").value == sample_id


def test_a_sample_of_which_nothing_is_left_is_not_called_ready(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    for number in range(1, 7):
        decide(fresh_store, sample_id, number, REJECTED)
    at = page.run()
    assert "0 of 6 instances are ready for a quiz: have the rejected ones" in said(at)
    assert not [one for one in at.button if one.key == "variants_investigate"]


def test_a_list_that_was_worked_through_says_so(page: AppTest, sample_id: str) -> None:
    assert sample_id
    at = page.run()
    at.selectbox(key="variants_show").set_value("flagged").run()
    assert "You are done with this list. 6 instances are still open." in said(at)
    at.text_input(key="variants_find").set_value("zzz").run()
    assert "There is no instance in this list" in said(at)


def test_who_is_one_of_two_is_done_when_nothing_is_left_to_them(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    assign(fresh_store, sample_id, 1.0, ("Ana", "Ben"))
    for number in range(1, 7):
        decide(fresh_store, sample_id, number, ACCEPTED)
    assert "You are done: what is open is with others." in said(page.run())


def test_after_the_writing_the_next_step_is_in_sight(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    sample_id = samples.save(fresh_store, replace(small_sample(2), variants={}))
    at = page.run()
    at.segmented_control(key="variants_by").set_value("A model").run()
    at.text_input(key="variants_model").set_value("reword").run()
    at.button(key="variants_write").click().run()
    deadline = time.monotonic() + 120
    while (now := reword.state(fresh_store, sample_id)) and now.state.live:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    at.run()
    assert "8 variants are written, and nobody has read them yet. 2 of 2" in said(at)
    at.button(key="variants_investigate").click().run()
    assert at.selectbox(key="investigate_sample").value == sample_id


def test_a_control_is_not_put_in_the_place_of_a_target(page: AppTest, fresh_store: Store) -> None:
    target = samples.save(fresh_store, small_sample(2))
    control = samples.save(fresh_store, small_sample(2, key="lakes", role=PartitionRole.CONTROL))
    for number in (1, 2):
        decide(fresh_store, control, number, ACCEPTED)
    at = page.run()
    at.selectbox(key="variants_sample").set_value(control).run()
    at.button(key="variants_investigate").click().run()
    assert at.selectbox(key="investigate_sample").value == target
