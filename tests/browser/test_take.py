"""The quiz taken by keyboard alone, left in the middle and gone on with after a refresh."""

from __future__ import annotations

import contextlib
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from dcq.records import LETTERS
from dcq.store import Store, samples, sittings
from tests.browser.conftest import shoot
from tests.conftest import small_sample

MARKED = re.compile(r"(^|\s)original$")  # the badge, with or without its icon's name

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until a button of this name has the focus."""
    button = page.get_by_test_id("stMain").get_by_role("button", name=name, exact=True)
    expect(button).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if button.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {name}")


def _see(page: Page, number: int, total: int) -> None:
    expect(page.get_by_text(f"Question {number} of {total}", exact=True)).to_be_visible()


def _press(page: Page, number: int, key: str, then: Locator) -> None:
    """Once a question is drawn, press a key until what it leads to is there: just after it was
    drawn it may not be heard, and what is heard twice counts once."""
    expect(page.locator(f".st-key-take_back_{number - 1}")).to_be_visible()
    for _ in range(5):
        page.keyboard.press(key)
        with contextlib.suppress(AssertionError):
            expect(then).to_be_visible(timeout=6_000)
            return
    raise AssertionError(f"{key} leads to nothing")


def test_taken_by_keyboard_alone(tab: Page, app_url: str, fresh_store: Store) -> None:
    samples.save(fresh_store, small_sample(5))
    tab.goto(f"{app_url}/take")
    expect(tab.get_by_role("heading", name="Take the quiz")).to_be_visible()
    _tab_to(tab, "Start")
    tab.keyboard.press("Enter")
    _see(tab, 1, 5)
    [sitting] = sittings.every(fresh_store)
    expect(tab).to_have_url(re.compile(sitting.id))
    right = [LETTERS[item.correct] for item in sitting.items if item.correct is not None]
    shoot(tab, "take-question", whole=False)

    keys = [str(LETTERS.index(letter) + 1) for letter in right]
    wrong = str(int(keys[0]) % 4 + 1)
    question = [tab.get_by_text(f"Question {n} of 5", exact=True) for n in range(1, 6)]
    done = tab.get_by_text(re.compile("^You found 4 of 5"))
    _press(tab, 1, wrong, question[1])
    _press(tab, 2, "k", question[0])  # back, and think again
    _press(tab, 1, keys[0], question[1])
    _press(tab, 2, keys[1], question[2])

    tab.reload()
    _see(tab, 3, 5)
    tab.goto(f"{app_url}/results")
    expect(tab.get_by_role("heading", level=1).first).to_be_visible()
    tab.goto(f"{app_url}/take")
    expect(tab.get_by_text("2 of 5")).to_be_visible()
    _tab_to(tab, "Go on")
    tab.keyboard.press("Enter")
    _see(tab, 3, 5)
    _press(tab, 3, keys[2], question[3])
    assert tab.get_by_text(MARKED).count() == 0  # nothing is given away
    _press(tab, 4, keys[3], question[4])
    _press(tab, 5, str(int(keys[4]) % 4 + 1), done)
    [sitting] = sittings.every(fresh_store)
    assert sum(sitting.right) == 4
    tab.keyboard.press("1")  # nothing listens any more
    expect(done).to_be_visible()
    missed = tab.get_by_test_id("stExpander").filter(has_text="you chose")
    missed.locator("summary").focus()
    tab.keyboard.press("Enter")
    expect(missed.get_by_text(MARKED)).to_be_visible()
    expect(missed.get_by_text(re.compile("your choice$"))).to_be_visible()
    shoot(tab, "take")
