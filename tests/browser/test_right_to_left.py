"""Arabic and Hebrew are read from right to left: the original, the marked variant, the editor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample
from dcq.store import Store, samples
from tests.browser.conftest import shoot, wait_until_idle, wait_until_quiet

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

ARABIC = "أعلنت بلدية مرسى الزيتون، اليوم الأحد، إغلاق جسرين (A1 وB2) بعد عاصفة قوية.\nالفئة: محلي"
PREFIXED = "Text: أعلنت بلدية مرسى الزيتون إغلاق الجسر القديم بعد عاصفة قوية."
HEBREW = "העירייה סגרה אתמול שני גשרים אחרי סערה חזקה, ושלושים משפחות עזבו."
REWORDINGS = {
    ARABIC: tuple(
        ARABIC.replace("إغلاق", closing).replace("قوية", strong)
        for closing, strong in (
            ("غلق", "شديدة"),
            ("سدّ", "عنيفة"),
            ("إقفال", "عاتية"),
            ("إيقاف", "قاسية"),
        )
    ),
    PREFIXED: tuple(PREFIXED.replace("قوية", w) for w in ("شديدة", "عنيفة", "عاتية", "قاسية")),
    HEBREW: tuple(HEBREW.replace("חזקה", word) for word in ("עזה", "קשה", "כבדה", "גדולה")),
}
# Where a word is on the screen: its left edge, its right edge and its height.
_PLACE = """
    (element, word) => {
      const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node; (node = walk.nextNode()); ) {
        const at = node.data.indexOf(word);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        const box = range.getBoundingClientRect();
        return [box.left, box.right, box.top];
      }
      return null;
    }
"""


@pytest.fixture(autouse=True)
def sample(store_path: Path) -> None:
    """Three instances that are there before the app is."""
    samples.save(
        Store(store_path),
        Sample(
            partition=Partition(
                "news",
                "test",
                "News",
                "test",
                PartitionRole.TARGET,
                DatasetTask.CLASSIFICATION,
                language="ar",
            ),
            instances=tuple(map(Instance, REWORDINGS)),
            requested=3,
            available=3,
            seed=0,
            stratified=False,
            variants={Instance(text).id: found for text, found in REWORDINGS.items()},
        ),
    )


def place(block: Locator, word: str) -> tuple[float, float, float]:
    found = block.evaluate(_PLACE, word)
    assert found is not None, word
    left, right, top = found
    return left, right, top


@pytest.mark.parametrize(
    ("number", "first", "then", "stop", "kept"),
    [(1, "أعلنت", "بلدية", "الفئة", "الزيتون"), (3, "העירייה", "סגרה", "אתמול", "גשרים")],
)
def test_a_text_is_read_from_its_own_side(
    tab: Page, app_url: str, number: int, first: str, then: str, stop: str, kept: str
) -> None:
    tab.goto(f"{app_url}/variants?variants_at={number}")
    expect(tab.get_by_text(first).first).to_be_visible()
    blocks = tab.get_by_test_id("stMarkdownContainer").filter(has_text=first).locator("p")
    expect(blocks.nth(4)).to_be_visible()  # the original and four variants
    wait_until_idle(tab)
    wait_until_quiet(tab)
    for block in (blocks.nth(0), blocks.nth(1)):
        box = block.bounding_box()
        assert box is not None
        left, right, top = place(block, first)
        assert right == pytest.approx(box["x"] + box["width"], abs=4)  # it begins at the right edge
        next_left, next_right, next_top = place(block, then)
        assert next_top == pytest.approx(top, abs=4)
        assert next_right <= left  # and goes on to the left
        assert next_left < next_right
        place(block, stop)
        place(block, kept)
    tab.get_by_role("button", name=re.compile("^Edit")).first.click()
    editor = tab.get_by_label("Text of variant A")
    expect(editor).to_have_attribute("dir", "rtl")
    expect(editor).to_have_css("direction", "rtl")
    shoot(tab, f"right-to-left-{number}", whole=False)


def test_arabic_after_a_latin_word_begins_on_the_right_and_ends_on_the_left(
    tab: Page, app_url: str
) -> None:
    tab.goto(f"{app_url}/variants?variants_at=2")
    blocks = tab.get_by_test_id("stMarkdownContainer").filter(has_text="Text:").locator("p")
    expect(blocks.nth(4)).to_be_visible()
    wait_until_idle(tab)
    wait_until_quiet(tab)
    for block, last in ((blocks.nth(0), "قوية"), (blocks.nth(1), "شديدة")):
        box = block.bounding_box()
        assert box is not None
        _, right, _ = place(block, "Text:")
        assert right == pytest.approx(box["x"] + box["width"], abs=4)
        left, _, top = place(block, last)
        _, stop, stop_top = place(block, ".")
        assert stop_top == pytest.approx(top, abs=4)
        assert stop <= left + 1  # the full stop is beyond the last word
    tab.get_by_role("button", name=re.compile("^Edit")).first.click()
    editor = tab.get_by_label("Text of variant A")
    expect(editor).to_have_attribute("dir", "rtl")
    shoot(tab, "right-to-left-prefixed", whole=False)
