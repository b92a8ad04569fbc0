"""The bundled example gives the verdicts that the page about it prints, by the ordinary rules."""

from __future__ import annotations

import re

import pytest

from dcq.evidence.verdict import Ruling
from dcq.places import ROOT
from dcq.records import Kind, Role
from dcq.report import bundle_import, study
from dcq.report.bundle_import import Imported
from dcq.report.study import Finding
from dcq.store import Store, samples, studies
from studies import example

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Imported]:
    store = Store(tmp_path_factory.mktemp("example") / "dcq.duckdb")
    return store, bundle_import.load(store, example.BUNDLE)


@pytest.fixture(scope="module")
def found(imported: tuple[Store, Imported]) -> dict[tuple[str, str], Finding]:
    store, _ = imported
    return {
        (one.result.model, one.result.partition): one
        for one in study.findings(store, studies.load(store, example.NAME))
        if one.verdict is not None
    }


def ruling(found: dict[tuple[str, str], Finding], model: str, partition: str) -> Ruling:
    verdict = found[model, partition].verdict
    assert verdict is not None
    return verdict.ruling


def test_an_empty_store_comes_to_what_the_bundle_says(imported: tuple[Store, Imported]) -> None:
    """Fails where a sentence of a verdict was changed, too: ``python -m studies.example`` then
    writes the bundle in the new words."""
    _, done = imported
    assert done.stored
    assert (done.differences, done.here) == ((), ())


def test_contaminated_clean_and_leaky(found: dict[tuple[str, str], Finding]) -> None:
    reviews, leaky = "example-reviews/test", "example-requests-leaky/test"
    assert ruling(found, example.AFTER, reviews) is Ruling.CONTAMINATED
    assert ruling(found, example.BEFORE, reviews) is Ruling.NO_EVIDENCE
    for model in (example.AFTER, example.BEFORE):
        verdict = found[model, leaky].verdict
        assert verdict is not None
        assert verdict.ruling is Ruling.INCONCLUSIVE
        assert "The quiz is leaky" in verdict.reasons[1]


def test_the_page_prints_its_numbers(imported: tuple[Store, Imported]) -> None:
    page = (ROOT / "docs" / "example.md").read_text("utf-8")
    assert example.tabulate(imported[0]) in page


def test_no_path_of_a_machine_is_in_it(imported: tuple[Store, Imported]) -> None:
    store, _ = imported
    with store.read() as db:
        tables = [
            name for (name,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        rows = [str(row) for name in tables for row in db.execute(f'FROM "{name}"').fetchall()]
    assert not [row for row in rows if re.search(r"(/tmp|/home|/work|/root)/", row)]


def test_the_originals_are_the_bundled_texts(imported: tuple[Store, Imported]) -> None:
    store, _ = imported
    listed = {one.partition: one for one in samples.listing(store)}
    made = example.careful("control-reviews", "text", Role.TARGET)
    stored = samples.load(store, listed["example-reviews/test"].id)
    assert stored.instances == made.instances


def test_a_leaky_partition_has_its_shortest_wording_as_the_original() -> None:
    made = example.leaky("control-requests", "text")
    assert made.n == 105
    for instance in made.instances:
        assert len(instance.text) <= min(map(len, made.variants[instance.id]))
    careful = example.careful("control-requests", "text", Role.TARGET)
    assert {len(texts) for texts in careful.variants.values()} == {4}


def test_both_kinds_were_asked_of_both_models(imported: tuple[Store, Imported]) -> None:
    store, _ = imported
    found = study.findings(store, studies.load(store, example.NAME))
    asked = {(one.result.model, one.result.kind) for one in found}
    assert asked == {
        (model, kind)
        for model in (example.BEFORE, example.AFTER)
        for kind in (Kind.STANDARD, Kind.MODIFIED)
    }
