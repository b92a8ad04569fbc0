"""A person takes the quiz."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.errors import InputError
from dcq.quiz import freeze, people
from dcq.records import LETTERS, Instance, QuizKind
from dcq.store import Store, reviews, samples, sittings, variants
from dcq.store.sittings import Sitting
from dcq.store.variants import Decision
from dcq.ui import roles
from tests.conftest import letters, small_sample
from tests.support.runs import answer
from tests.support.sittings import take


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ada")
    return app.switch_page("pages/take.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.toast]
    return letters("\n".join(str(element.value) for element in shown))


def _only(store: Store) -> Sitting:
    [found] = sittings.every(store)
    return found


def _press(at: AppTest, sitting: Sitting, place: int, letter: str) -> AppTest:
    return at.button(key=f"take_{sitting.id}_{place}_{letter}").click().run()


def test_a_newcomer_with_an_empty_store_takes_ten_questions(
    page: AppTest, fresh_store: Store
) -> None:
    at = page.run()
    assert not at.exception
    assert "There is no sample yet." in _words(at)
    at = at.button(key="take_short").click().run()
    assert not at.exception
    sitting = _only(fresh_store)
    assert len(sitting.items) == 10
    assert at.query_params["take_sitting"] == sitting.id
    for place, item in enumerate(sitting.items):
        shown = _words(at)
        assert all(text.split("\n")[0] in shown for text in map(letters, item.options))
        assert "original" not in shown.replace("the original among", "").casefold()
        at = _press(at, sitting, place, "B")
        assert not at.exception
    right = sum(item.correct == 1 for item in sitting.items)
    assert f"You found {right} of 10 (κ" in _words(at)
    assert "guessing finds one in four" in _words(at)
    assert "Your answers count in the verdicts on this sample" in _words(at)
    assert len(at.expander) == 10
    for item, expander in zip(sitting.items, at.expander, strict=True):
        assert item.correct is not None
        said = "found" if item.correct == 1 else f"the original is {LETTERS[item.correct]}"
        assert said in expander.label


def test_a_refresh_in_the_middle_and_a_visit_elsewhere_lose_nothing(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    at = at.button(key="take_long").click().run()
    sitting = _only(fresh_store)
    assert len(sitting.items) == 6  # fewer than twenty
    at = _press(at, sitting, 0, "C")
    again = AppTest.from_file(page._script_path, default_timeout=60)
    again.switch_page("pages/take.py")
    again.query_params["take_sitting"] = sitting.id
    again.run()
    assert not again.exception
    assert again.button(key=f"take_{sitting.id}_1_A")
    bare = AppTest.from_file(page._script_path, default_timeout=60)
    bare.switch_page("pages/take.py").run()
    assert "1 of 6" in _words(bare)
    bare.button(key=f"take_go_on_{sitting.id}").click().run()
    assert bare.button(key=f"take_{sitting.id}_1_A")
    bare.button(key="take_back_1").click().run()
    bare = _press(bare, sitting, 0, "D")
    assert _only(fresh_store).letters[0] == "D"
    assert bare.button(key=f"take_{sitting.id}_1_A")


def test_two_tabs_of_one_person_do_not_answer_after_the_end(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    at = at.button(key="take_long").click().run()
    sitting = _only(fresh_store)
    for place in range(5):
        at = _press(at, sitting, place, "A")
    other = AppTest.from_file(page._script_path, default_timeout=60)
    other.switch_page("pages/take.py")
    other.query_params["take_sitting"] = sitting.id
    other.run()
    at = _press(at, sitting, 5, "A")
    assert "You found" in _words(at)
    other = _press(other, sitting, 5, "B")
    assert not other.exception
    assert "nothing was changed" in _words(other)
    assert "You found" in _words(other)
    assert _only(fresh_store).letters == ("A",) * 6


def test_a_sitting_is_its_persons_alone(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    theirs = take(fresh_store, sample_id, "Ben <b>", 3)
    page.query_params["take_sitting"] = theirs
    at = page.run()
    assert not at.exception
    assert "This sitting is Ben <b>’s." in _words(at)
    assert "You found" not in _words(at)
    assert not at.expander
    assert at.button(key="take_long")
    page.query_params["take_sitting"] = "nothing"
    assert "There is no such sitting" in _words(page.run())


def test_a_name_comes_first(app: AppTest, fresh_store: Store, sample_id: str) -> None:
    at = app.switch_page("pages/take.py").run()
    assert "Enter your name first" in _words(at)
    assert at.button(key="take_short").disabled
    assert at.button(key="take_long").disabled
    at.text_input(key="people_author").input("Ada").run()
    assert not at.button(key="take_long").disabled
    at.button(key="take_long").click().run()
    sitting = _only(fresh_store)
    assert sitting.person == "Ada"
    at.text_input(key="people_author").input("").run()
    assert not at.exception
    assert "to go on" in _words(at)


def test_who_has_reviewed_the_texts_is_told_before_and_after(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    (slots, *_) = variants.current(fresh_store, sample_id).values()
    reviews.decide(fresh_store, sample_id, [slots[0]], Decision.ACCEPTED, "ADA")
    at = page.run()
    assert "your answers will not be counted" in _words(at)
    done = take(fresh_store, sample_id, "Ada", 3)
    at.query_params["take_sitting"] = done
    at = at.run()
    assert "Your answers are not counted: you had worked on these texts" in _words(at)
    assert people.overview(fresh_store) == []


def test_models_stand_beside_the_person(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 5, "A": 1}, "seer@http://127.0.0.1:9/v1")
    page.query_params["take_sitting"] = take(fresh_store, sample_id, "Ada", 2)
    at = page.run()
    assert not at.exception
    assert "You found 2 of 6 (κ 0.11 [" in _words(at)
    assert "seer found 5 of the same 6." in _words(at)
    table = at.dataframe[0].value
    assert list(table["who"]) == ["You", "seer"]
    assert list(table["right"]) == ["2 of 6", "5 of 6"]
    at.segmented_control(key="take_shown").set_value("Missed").run()
    assert len(at.expander) == 4
    at.button(key="take_another").click().run()
    assert "take_sitting" not in at.query_params
    assert "What people found" in [heading.value for heading in at.subheader]
    assert at.dataframe[0].value.loc[0, "right"] == "2 of 6"


HOSTILE = (
    "**bold** <script>alert(1)</script> :red[x] $a$ [l](http://x)\n# brook",
    "النص الأصلي brook هنا",
    "brook " + "very long text " * 2000,
    "=cmd|' /C calc'!A0 brook\x00",
)


def test_texts_are_shown_as_they_are(page: AppTest, fresh_store: Store) -> None:
    instances = tuple(Instance(text) for text in HOSTILE)
    reworded = {
        one.id: tuple(one.text.replace("brook", word) for word in ("beck", "creek", "river"))
        for one in instances
    }
    sample = replace(small_sample(), instances=instances, variants=reworded)
    samples.save(fresh_store, sample)
    at = page.run().button(key="take_long").click().run()
    for place in range(len(HOSTILE)):
        sitting = _only(fresh_store)
        text = sitting.items[place].options[0]
        mine = [m for m in at.markdown if letters(m.value).startswith(letters(text)[:6])]
        if text.startswith("**"):
            assert any("\\<script\\>" in m.value and "\\*\\*bold" in m.value for m in mine)
        at = _press(at, sitting, place, "A")
        assert not at.exception
    assert "You found" in _words(at)


def test_a_sample_without_questions_says_so(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, replace(small_sample(), variants={}))
    at = page.run().button(key="take_long").click().run()
    assert not at.exception
    assert "No question can be built" in _words(at)
    assert sittings.every(fresh_store) == []


def test_nobody_without_the_role_writes(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = page.run()
    begun = at.button(key="take_long").click().run()
    sitting = _only(fresh_store)
    monkeypatch.setattr(roles, "why_not", lambda needed: "Not you.")
    begun = _press(begun, sitting, 0, "A")
    assert "Not you." in _words(begun)
    assert _only(fresh_store).letters[0] is None
    fresh = AppTest.from_file(page._script_path, default_timeout=60)
    assert fresh.switch_page("pages/take.py").run().button(key="take_short").disabled


def test_a_sample_that_is_used_up_says_so(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    take(fresh_store, sample_id, "Ada", 3)
    at = page.run().button(key="take_long").click().run()
    assert "every instance" in _words(at)
    with pytest.raises(InputError):
        people.begin_sitting(fresh_store, sample_id, "Ada", 20)


def _answer_the_first_again(path: str, sitting_id: str) -> None:
    from dcq.store import Store, samples, sittings
    from dcq.ui.take import asking

    store = Store(path)
    sitting = sittings.find(store, sitting_id)
    assert sitting is not None
    import streamlit as st

    asking.show(store, samples.load(store, sitting.sample_id), sitting, head=st.container())
    asking._choose(store, sitting_id, 0, "C")  # of buttons that have not gone yet
    asking._choose(store, sitting_id, 1, "D")


def test_a_key_heard_by_the_question_before_does_not_change_its_answer(
    fresh_store: Store, sample_id: str
) -> None:
    sitting_id = people.begin_sitting(fresh_store, sample_id, "Ada", 20)
    sittings.answer(fresh_store, sitting_id, 0, "B")
    at = AppTest.from_function(
        _answer_the_first_again, args=(str(fresh_store.path), sitting_id), default_timeout=60
    ).run()
    assert not at.exception
    assert _only(fresh_store).letters[:2] == ("B", "D")
