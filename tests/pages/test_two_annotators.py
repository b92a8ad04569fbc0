from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from dcq.settings import ROOT
from dcq.store import Store, opinions, pairs, samples, variants
from dcq.store.opinions import Opinion, gather
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.ui import roles
from dcq.ui.variants import sample as sample_panel
from tests.conftest import button_called, frame_with, letters
from tests.support.annotating import assign, say

ACCEPT = "Accept the rest, next"
ACCEPTED, REJECTED, OPEN = Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/variants.py")


def sign(at: AppTest, name: str) -> AppTest:
    return at.text_input(key="people_author").set_value(name).run()


def first(store: Store, sample: str) -> dict[int, StoredVariant]:
    instance = samples.load(store, sample).instances[0]
    return variants.current(store, sample)[instance.id]


def said(store: Store, sample: str) -> list[Opinion]:
    found = gather(opinions.since(store, sample)[1]).values()
    return [one for of in found for one in of.values() if one.decision is not OPEN]


def words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return letters("\n".join(str(element.value) for element in shown))


def button(at: AppTest, word: str, variant: StoredVariant) -> Button:
    return at.button(key=f"variants_{word}_{variant.seq}")


def open_panel(at: AppTest) -> AppTest:
    at.session_state[sample_panel.PANEL] = True
    return at.run()


def fill(at: AppTest, one: str, two: str, share: int = 50) -> AppTest:
    at.text_input(key="variants_two_first").set_value(one)
    at.text_input(key="variants_two_second").set_value(two)
    at.number_input(key="variants_two_share").set_value(share)
    return at.button(key="variants_two_assign").click().run()


def test_two_are_assigned_and_the_assignment_ends(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = open_panel(sign(page.run(), "Cy"))
    assert "Disagreement" not in at.selectbox(key="variants_show").options
    at = fill(at, "Ada", " ben  jr")
    assert not at.exception
    pair = pairs.of(fresh_store, sample_id)
    assert pair is not None
    assert (pair.names, len(pair.instances), pair.author) == (("Ada", "ben jr"), 3, "Cy")
    assert "Ada and ben jr decide about 3 of 6 instances" in words(at).replace("**", "")
    assert "Both have decided about 0 of 12 variants." in words(at)
    at.button(key=f"variants_two_end_{pair.seq}").click().run()
    assert not at.exception
    ended = pairs.of(fresh_store, sample_id)
    assert ended is not None
    assert not ended.instances
    assert at.button(key="variants_two_assign")


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [("Ada", " ADA ", "are one person"), ("Ada", "", "Name two annotators")],
)
def test_mistakes_in_assigning_are_told(
    page: AppTest, fresh_store: Store, sample_id: str, one: str, two: str, why: str
) -> None:
    at = fill(open_panel(sign(page.run(), "Cy")), one, two)
    assert not at.exception
    assert why in words(at)
    assert pairs.of(fresh_store, sample_id) is None


def test_where_users_sign_in_only_an_address_names_a_person(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_panel(sign(page.run(), "Cy"))
    monkeypatch.setattr(roles, "shared", lambda: True)
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.ANNOTATOR)
    fill(at, "ada@x.org", "Ben")
    assert pairs.of(fresh_store, sample_id) is None
    assert "name Ben by the e-mail address" in at.session_state["variants_two_trouble"]


def test_without_a_name_no_one_assigns(page: AppTest, sample_id: str) -> None:
    at = open_panel(page.run())
    assert at.button(key="variants_two_assign").disabled


def test_a_viewer_cannot_assign(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_AUTHOR", "Cy")
    at = open_panel(page.run())
    monkeypatch.setattr(roles, "why_not", lambda needed: "Only annotators may.")
    at = fill(at, "Ada", "Ben")
    assert pairs.of(fresh_store, sample_id) is None
    assert "Only annotators may." in letters(at.toast[0].value)
    assert at.button(key="variants_two_assign").disabled


def test_an_opinion_is_saved_blind_and_taken_back(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    assign(fresh_store, sample_id, 1.0)
    seen = first(fresh_store, sample_id)
    at = sign(page.run(), "ada")
    assert "You and Ben decide here without seeing each other's decisions" in words(at)
    button(at, "Reject", seen[1]).click().run()
    assert not at.exception
    assert "you: rejected" in words(at)
    assert first(fresh_store, sample_id) == seen
    at.text_input(key=f"variants_why_{seen[1].seq}").set_value("*odd*").run()
    [one] = said(fresh_store, sample_id)
    assert (one.annotator, one.decision, one.reason) == ("Ada", REJECTED, "*odd*")
    at.button(key=f"variants_reopen_{seen[1].seq}").click().run()
    assert said(fresh_store, sample_id) == []
    button(at, "Accept", seen[0]).click().run()
    at.button(key="variants_undo_last").click().run()
    assert not at.exception
    assert said(fresh_store, sample_id) == []
    assert at.button(key="variants_undo_last").disabled


def test_nothing_shows_what_the_other_said(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    """The page of Ben, and of a third, is the same whether or not Ada has decided."""
    assign(fresh_store, sample_id, 1.0)
    ben = sign(page.run(), "Ben")
    cy = sign(AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page(
        "pages/variants.py"
    ).run(), "Cy")  # fmt: skip

    def drawn(at: AppTest) -> str:
        at.session_state["variants_past"] = True
        shown = words(open_panel(at)) + str(at.selectbox(key="variants_show").options)
        shown += str([one.value.to_dict() for one in at.dataframe])
        shown += str([(one.key, one.disabled, one.label) for one in at.button])
        at.segmented_control(key="variants_view").set_value("Table").run()
        shown += str(frame_with(at, "state").to_dict())
        at.segmented_control(key="variants_view").set_value("One by one").run()
        return shown

    before = [drawn(at) for at in (ben, cy)]
    say(fresh_store, sample_id, "Ada", "arar")
    opinions.explain(fresh_store, sample_id, first(fresh_store, sample_id)[1].seq, "Ada", "odd")
    assert [drawn(at) for at in (ben, cy)] == before
    say(fresh_store, sample_id, "Ben", "--a-")
    assert drawn(ben) != before[0]


def test_accepting_the_rest_leaves_what_was_said_and_goes_on(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    assign(fresh_store, sample_id, 1.0)
    at = sign(page.run(), "Ada")
    at.selectbox(key="variants_show").set_value("assigned").run()
    seen = first(fresh_store, sample_id)
    button(at, "Reject", seen[2]).click().run()
    button_called(at, ACCEPT).click().run()
    assert not at.exception
    decisions = {one.slot: one.decision for one in said(fresh_store, sample_id)}
    assert decisions == {0: ACCEPTED, 1: ACCEPTED, 2: REJECTED, 3: ACCEPTED}
    assert "number 1" in words(at)  # the next has taken its place
    assert at.number_input(key="variants_at").value == 1
    at.session_state["variants_all"] = True
    at.segmented_control(key="variants_view").set_value("Table").run()
    at.button(key="variants_all_accepted").click().run()
    assert len(said(fresh_store, sample_id)) == 24
    assert {v.decision for v in first(fresh_store, sample_id).values()} == {OPEN}
    assert "what is open is with others" in letters(at.success[0].value)


def test_nobody_flags_what_two_decide_blind(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    assign(fresh_store, sample_id, 1.0)
    at = sign(page.run(), "Ada")
    at.button(key="variants_flag").click().run()
    assert not at.exception
    assert "nobody flags" in words(at)
    assert not any(str(one.key).startswith("variants_flag_it") for one in at.button)


def test_an_edit_of_before_is_not_undone_while_two_decide(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    seen = first(fresh_store, sample_id)[0]
    new = NewVariant(seen.instance_id, 0, f"{seen.text} now", "person", "Cy")
    variants.replace(fresh_store, sample_id, [(new, seen)])
    assign(fresh_store, sample_id, 1.0)
    at = sign(page.run(), "Cy")
    at.button(key="variants_undo_last").click().run()
    assert not at.exception
    assert first(fresh_store, sample_id)[0].author == "Cy"
    assert "This is with Ada and Ben" in words(at)


def test_a_third_waits_and_then_settles(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    assign(fresh_store, sample_id, 1.0)
    at = sign(page.run(), "Cy")
    seen = first(fresh_store, sample_id)
    assert "with Ada and Ben" in words(at)
    for word in ("Accept", "Reject"):
        assert button(at, word, seen[0]).disabled
    assert at.button(key="variants_edit_0").disabled
    assert button_called(at, ACCEPT).disabled
    say(fresh_store, sample_id, "Ada", "aa")
    say(fresh_store, sample_id, "Ben", "ra")
    at.run()
    at.selectbox(key="variants_show").set_value("disagreement").run()
    assert "Ada and Ben agree on 1 of 2" in words(at)
    shown = words(at)
    assert "Ada accepts" in shown
    assert "Ben rejects" in shown
    button(at, "Reject", seen[0]).click().run()
    assert not at.exception
    now = first(fresh_store, sample_id)
    assert (now[0].decision, now[0].reviewer) == (REJECTED, "Cy")
    assert (now[1].decision, now[1].reviewer) == (ACCEPTED, "Ada and Ben")
    assert any("You are done" in str(one.value) for one in at.success)
    assert frame_with(open_panel(at), "figure")["value"].tolist() == ["50.0 %", "0.00", "0.00"]


def test_a_click_on_a_page_from_before_the_assignment_is_refused(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = sign(page.run(), "Cy")
    seen = first(fresh_store, sample_id)
    assign(fresh_store, sample_id, 1.0)
    button(at, "Accept", seen[0]).click().run()
    assert not at.exception
    assert "This is with Ada and Ben" in words(at)
    assert first(fresh_store, sample_id) == seen


def test_the_two_do_not_settle_what_they_differ_on(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    assign(fresh_store, sample_id, 1.0)
    say(fresh_store, sample_id, "Ada", "a")
    say(fresh_store, sample_id, "Ben", "r")
    at = sign(page.run(), "Ben")
    seen = first(fresh_store, sample_id)
    for word in ("Accept", "Reject"):
        assert button(at, word, seen[0]).disabled
    at.segmented_control(key="variants_view").set_value("Table").run()
    assert frame_with(at, "state")["state"].tolist()[:2] == ["disagreement", "blind"]


def test_a_tab_of_one_is_not_used_by_the_other(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    assign(fresh_store, sample_id, 1.0)
    at = sign(page.run(), "Ada")
    seen = first(fresh_store, sample_id)
    button(at, "Accept", seen[0]).click().run()
    for name in ("Ben", "Cy"):
        at = sign(at, name)
        assert not at.exception
        assert "you: accepted" not in words(at)
        refused = button(at, "Reject", seen[1])
        assert refused.disabled
        assert "You came here as Ada in this tab" in refused.help
    assert [one.annotator for one in said(fresh_store, sample_id)] == ["Ada"]
    assert "you: accepted" in words(sign(at, "ADA"))
