"""Whatever writes about a pair says what is concluded of it: rulings, figures and methods are read
back from each written file and compared with `python -m dcq answer --json`.

The study is one whose methods do not say the same of a pair. A changed figure is noticed in each
file: that is tried with files that are altered after they were written."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pptx import Presentation
from typer.testing import CliRunner

from dcq.cli import app
from dcq.documents import deck_file, html_report, published_forms, report_file
from dcq.documents.deck import Deck, build
from dcq.documents.published_forms import Facts, Form
from dcq.files import export
from dcq.judging.answers import answers
from dcq.passport import envelope
from dcq.store import Store
from dcq.store.connect import utc_now
from tests.support import mixed, rendered, said_in_records
from tests.support.rendered import Rendered
from tests.support.said_of_pairs import Pairs, Said, contradictions, said

pytestmark = [pytest.mark.ci, pytest.mark.slow]
Reader = Callable[[bytes, Pairs], Iterable[Said]]


def _of(read: Callable[[bytes], Rendered]) -> Reader:
    return lambda content, pairs: said(read(content), pairs)


READERS: dict[str, Reader] = {
    "report.html": _of(rendered.html),
    "data of report.html": said_in_records.in_report_data,
    "report.md": _of(rendered.markdown),
    "report.tex": _of(rendered.latex),
    "report.pdf": _of(rendered.pdf),
    "slides.pdf": _of(rendered.pdf),
    "slides.pptx": _of(rendered.powerpoint),
    "slides.html": _of(rendered.html),
    "card.yaml": said_in_records.in_card,
    "results.csv": _of(rendered.separated),
    "pairs.csv": _of(rendered.separated),
    "every-eval-ever.json": said_in_records.in_evaluation,
    "index.json": said_in_records.in_index,
    "hub.yaml": said_in_records.in_hub,
    "passport.json": said_in_records.in_passport,
}
# What is altered in each file: one word or figure about a pair.
ALTERED: dict[str, tuple[tuple[str, str], ...]] = {
    "report.html": (
        ("<bdi>contaminated</bdi>", "<bdi>inconclusive</bdi>"),
        (r"<bdi>28.%.\(26", "<bdi>29 % (26"),
        ("(standard quiz and replication|replication); q (&lt;|<) 0.001", r"\1; q = 0.009"),
        ('"ruling": ?"contaminated"', '"ruling": "inconclusive"'),
    ),
    "data of report.html": (
        ('"ruling": ?"no evidence", ?"p_v', '"ruling": "contaminated", "p_v'),
        ('"n": ?40,', '"n": 42,'),
    ),
    "report.md": (
        (r"\| contaminated \|", "| no evidence |"),
        (r"replication; q \\< 0\.001", "replication; q = 0.009"),
        (r"\| 40 \|", "| 62 |"),
        (r"\| 75\.0 % \|", "| 76.0 % |"),
        (r"0\\?\.430", "0.431"),
        (r": (\+\d+) contaminated", r": \1 inconclusive"),
    ),
    "report.tex": (
        (r"& contaminated &", "& inconclusive &"),
        (r"& 75\.0 \\% &", r"& 57.0 \\% &"),
        (r"& 40 &", "& 42 &"),
    ),
    "results.csv": ((",0.75,", ",0.76,"), (",inconclusive,", ",contaminated,")),
    "pairs.csv": ((",0.75,", ",0.76,"), (",inconclusive,", ",contaminated,")),
    "card.yaml": (("value: contaminated", "value: inconclusive"), ("value: 40", "value: 41")),
    "every-eval-ever.json": (('"score": 1,', '"score": 0,'), ('"score": 0.75', '"score": 0.65')),
    "index.json": (('"test_split": "contaminated"', '"test_split": "suspicious"'),),
    "hub.yaml": (("contamination: contaminated", "contamination: inconclusive"),),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return mixed.made(tmp_path_factory)


@pytest.fixture(scope="module")
def pairs(store: Store) -> Pairs:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DCQ_STORE", str(store.path))
        printed = CliRunner().invoke(app, ["answer", "--json"], catch_exceptions=False).stdout
    places = {answer.partition: answer.place for answer in answers(store)}
    return Pairs(json.loads(printed), places)


@pytest.fixture(scope="module")
def deck(store: Store) -> Deck:
    return build(store)


@pytest.fixture(scope="module")
def files(store: Store, deck: Deck) -> dict[str, bytes]:
    """Each file, by the name of its reader."""
    report = {
        f"report.{end}": report_file.to_bytes(deck, f".{end}")
        for end in ("html", "md", "tex", "pdf")
    }
    found = answers(store, model=mixed.MODEL)
    facts = Facts(
        {answer.partition: f"hub:{answer.partition[:-5]}" for answer in found}, "", "", utc_now()
    )
    forms = {
        name: published_forms.to_bytes(form, found, facts)
        for name, form in (
            ("every-eval-ever.json", Form.EVERY_EVAL_EVER),
            ("index.json", Form.CONTAMINATION_INDEX),
            ("hub.yaml", Form.HUB),
        )
    }
    tables = {
        f"{table}.csv": export.frame(store, table).to_csv(index=False).encode()
        for table in (export.ExportTable.RESULTS, export.ExportTable.PAIRS)
    }
    stated = {"predicate": {"answer": found[0].document()}}
    return {
        **report,
        **forms,
        **tables,
        "data of report.html": report["report.html"],
        "slides.pdf": report_file.to_bytes(deck, ".pdf", as_slides=True),
        "slides.pptx": deck_file.powerpoint(deck),
        "slides.html": deck_file.html(deck).encode(),
        "card.yaml": report_file.to_bytes(deck, ".yaml"),
        "passport.json": envelope.seal(stated, Ed25519PrivateKey.generate()),
    }


@pytest.mark.parametrize("name", READERS)
def test_what_is_written_of_a_pair_is_what_is_concluded(
    files: dict[str, bytes], pairs: Pairs, name: str
) -> None:
    found = list(READERS[name](files[name], pairs))
    assert {each.quantity for each in found} & {"ruling", "verdict"}
    assert contradictions(found, pairs) == []


def test_the_methods_of_the_study_do_not_say_the_same(pairs: Pairs) -> None:
    differing = [
        one["partition"]
        for one in pairs.conclusions
        if {method["verdict"] for method in one["methods"]} - {one["ruling"]}
    ]
    assert len(differing) >= 3


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [(name, *change) for name, changes in ALTERED.items() for change in changes],
)
def test_an_altered_word_or_figure_is_noticed(
    files: dict[str, bytes], pairs: Pairs, name: str, old: str, new: str
) -> None:
    altered, count = re.subn(old, new, files[name].decode("utf-8-sig"), count=1)
    assert count == 1
    assert contradictions(list(READERS[name](altered.encode(), pairs)), pairs)


@pytest.mark.parametrize(
    ("old", "new"), [("Contaminated", "Inconclusive"), ("q < 0.001", "q = 0.009")]
)
def test_an_altered_slide_is_noticed(
    files: dict[str, bytes], pairs: Pairs, old: str, new: str
) -> None:
    show = Presentation(io.BytesIO(files["slides.pptx"]))
    cells = [
        run
        for slide in show.slides
        for shape in slide.shapes
        if shape.has_table
        for row in shape.table.rows
        for cell in row.cells
        for paragraph in cell.text_frame.paragraphs
        for run in paragraph.runs
        if old in run.text
    ]
    cells[0].text = cells[0].text.replace(old, new)
    content = io.BytesIO()
    show.save(content)
    assert contradictions(said(rendered.powerpoint(content.getvalue()), pairs), pairs)


def test_the_words_of_a_picture_on_a_slide_are_read(files: dict[str, bytes], pairs: Pairs) -> None:
    in_a_cell = r"(\+\d+) contaminated"
    show = Presentation(io.BytesIO(files["slides.pptx"]))
    described = [
        shape._element.nvPicPr.cNvPr
        for slide in show.slides
        for shape in slide.shapes
        if shape.shape_type == 13
        and re.search(in_a_cell, shape._element.nvPicPr.cNvPr.get("descr"))
    ]
    words = described[0].get("descr")
    described[0].set("descr", re.sub(in_a_cell, r"\1 inconclusive", words))
    content = io.BytesIO()
    show.save(content)
    assert contradictions(said(rendered.powerpoint(content.getvalue()), pairs), pairs)


@pytest.mark.parametrize(("old", "new"), [("contaminated: ", "Inconclusive: "), ("28.%", "39 %")])
def test_an_altered_printed_report_is_noticed(deck: Deck, pairs: Pairs, old: str, new: str) -> None:
    html = html_report.render(deck)
    altered, count = re.subn(rf"(?i){old}", new, html)
    assert count
    assert contradictions(said(rendered.pdf(report_file.print_pdf(altered)), pairs), pairs)


def test_an_altered_chart_is_noticed(files: dict[str, bytes], pairs: Pairs) -> None:
    altered, count = re.subn('"found": ?0.275', '"found": 0.5', files["report.html"].decode())
    assert count
    assert contradictions(said(rendered.html(altered.encode()), pairs), pairs)


def test_an_altered_passport_is_noticed(store: Store, pairs: Pairs) -> None:
    answer = answers(store)[0].document() | {"q_value": 0.009}
    content = envelope.seal({"predicate": {"answer": answer}}, Ed25519PrivateKey.generate())
    assert contradictions(list(said_in_records.in_passport(content, pairs)), pairs)
