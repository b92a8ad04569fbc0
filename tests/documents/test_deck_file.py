"""Slides as files: PowerPoint as its own library reads it, and a PDF."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.util import Emu

from dcq.documents import deck_file, report_file
from dcq.documents.deck import Deck, build
from dcq.documents.deck.slides import slides
from dcq.errors import DcqError, InputError
from dcq.store import Store
from tests.support import hostile

pytestmark = pytest.mark.slow
IN_THE_APP = b"http://localhost:8501/results?results_answer="
URL = "https://dcq.example.org/team/"


@pytest.fixture(scope="module")
def files(seen_deck: Deck) -> dict[str, bytes]:
    """The slides in each form, of an app at ``URL``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DCQ_URL", URL)
        return {
            suffix: report_file.to_bytes(seen_deck, suffix, as_slides=True)
            for suffix in (".pptx", ".pdf")
        }


def test_powerpoint_has_the_words_as_text_and_charts_as_described_pictures(
    seen_deck: Deck, files: dict[str, bytes]
) -> None:
    show: Any = Presentation(io.BytesIO(files[".pptx"]))
    assert round(show.slide_width / show.slide_height, 3) == round(16 / 9, 3)
    made = slides(seen_deck)
    assert len(show.slides) == len(made)
    described = 0
    for page, slide in zip(show.slides, made, strict=True):
        assert page.shapes.title.text_frame.text == slide.title
        assert page.notes_slide.notes_text_frame.text == "\n".join(slide.notes)
        for shape in page.shapes:
            assert shape.left >= 0
            assert shape.left + shape.width <= show.slide_width
            assert shape.top + shape.height <= show.slide_height + Emu(9525)
            if shape.shape_type == 13:  # a picture
                words = shape._element.nvPicPr.cNvPr.get("descr")
                assert len(words) > 10
                assert shape.image.size[0] >= 1.9 * shape.width / 9525
                described += 1
    assert described >= 3
    words = "\n".join(s.text_frame.text for p in show.slides for s in p.shapes if s.has_text_frame)
    assert "Contaminated" in words


def test_a_slide_of_a_finding_has_one_link_to_it_in_the_app(
    seen_deck: Deck, files: dict[str, bytes]
) -> None:
    show: Any = Presentation(io.BytesIO(files[".pptx"]))
    addresses = []
    for page, slide in zip(show.slides, slides(seen_deck), strict=True):
        here = [
            run.hyperlink.address
            for shape in page.shapes
            if shape.has_text_frame
            for paragraph in shape.text_frame.paragraphs
            for run in paragraph.runs
            if run.hyperlink.address
        ]
        assert here == ([f"{URL}{slide.link}"] if slide.link else [])
        addresses += here
    assert len(addresses) >= 2
    assert files[".pdf"].count(f"/URI ({URL}results?".encode()) == len(addresses)


def test_a_pdf_of_slides_has_a_page_for_each(seen_deck: Deck, files: dict[str, bytes]) -> None:
    assert files[".pdf"].count(b"/Type /Page\n") == len(slides(seen_deck))


def test_hostile_names_are_words_in_every_form(fresh_store: Store) -> None:
    for number, text in enumerate(hostile.TEXTS):
        name = text.split()[0].lstrip("\x00") if number else "tester"
        hostile.run(fresh_store, text, f"{name[:100]}@http://127.0.0.1:9/v1")
    deck = build(fresh_store)
    page = deck_file.html(deck)
    assert page.count("<script") == 2
    assert "<img" not in page
    content = report_file.to_bytes(deck, ".pptx")
    assert len(Presentation(io.BytesIO(content)).slides) == len(slides(deck))
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        for name in parts.namelist():
            if name.endswith(".rels"):
                outside = re.findall(rb"<Relationship [^>]*External[^>]*>", parts.read(name))
                assert all(b'Target="' + IN_THE_APP in one for one in outside)


def test_slides_have_their_endings_and_need_chromium(
    seen_deck: Deck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"Slides end in .pptx or .pdf"):
        report_file.to_bytes(seen_deck, ".md", as_slides=True)

    async def fails(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(deck_file, "_shoot", fails)
    with pytest.raises(DcqError, match="apt-get install chromium"):
        report_file.to_bytes(seen_deck, ".pptx")
