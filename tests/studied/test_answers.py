"""One store with every mixture, and one answer everywhere: file, command, Python, page, slide,
report and bundle."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import dcq
from dcq.cli import app as cli
from dcq.documents import deck, html_report
from dcq.files import bundle_import, bundle_write, export
from dcq.files.export import ExportTable
from dcq.judging.answer import Answer
from dcq.judging.answer_words import below_its_word
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.replicate import replicate
from dcq.store import Store, answer_plans, samples, variants
from dcq.store.answer_plans import PlannedMethod
from dcq.store.variants import NewVariant
from dcq.variants.sets import new_set
from tests.conftest import letters
from tests.support import replications, scanned
from tests.support.judged import SEEN, UNSEEN, put
from tests.support.provider import FakeProvider
from tests.support.runs import NOBODY, answer

pytestmark = pytest.mark.slow

MODEL, N = "recites", 12


def fill(store: Store, provider: FakeProvider, folder: Path) -> None:
    """One method only, two that disagree, a bad check, refusals, sets of one sample, and a scan."""
    for number in range(3):
        for model in (NOBODY, MODEL):
            put(store, f"unseen-{number}", UNSEEN, PartitionRole.CONTROL, model=model)
    put(store, "rivers", SEEN)
    put(store, "ponds", UNSEEN)
    put(store, "dunes", {"refused": 100})
    put(store, "seas", {"D": 60, "A": 10, "error": 30})
    _two_that_disagree(store, provider)
    _sets(store)
    scanned.scan(store, _scanned(store), folder, [0, 2], [3])


def _two_that_disagree(store: Store, provider: FakeProvider) -> None:
    """It picks the originals of brooks and completes none; the plan was made before."""
    planned = (PlannedMethod("quiz", "standard", 0.7), PlannedMethod("replication", "", 0.3))
    answer_plans.add(store, MODEL, "brooks/test", planned)
    controls = [
        replications.save(store, 6, key=f"creeks-{number}", role=PartitionRole.CONTROL)[0]
        for number in range(2)
    ]
    target, _ = replications.save(store, N)
    provider.seen = ()
    for sample in (target, *controls):
        asyncio.run(replicate(store, sample, MODEL))
    _quiz(store, target, {"D": 10, "A": 2}, MODEL)


def _sets(store: Store) -> None:
    """Two sets of variants of one sample, of which the first counts."""
    first = samples.listing(store)
    [rivers] = [one.id for one in first if one.partition == "rivers/test"]
    made = new_set(store, rivers, "deep")
    new = [
        NewVariant(instance, slot, f"{one.text} then", one.origin, "Ada")
        for instance, slots in variants.current(store, rivers).items()
        for slot, one in slots.items()
    ]
    variants.add(store, made, new)
    quiz = freeze.freeze(store, made, QuizKind.STANDARD, slot="D").quiz
    answer(store, quiz, UNSEEN)


def _scanned(store: Store) -> str:
    leads = scanned.save(store, 8)
    quiz = freeze.freeze(store, leads, QuizKind.STANDARD, slot="D").quiz
    answer(store, quiz, {"D": 8})
    return leads


def _quiz(store: Store, sample: str, tally: dict[str, int], model: str) -> str:
    new = [
        NewVariant(one.id, slot, f"{one.text} {slot}", "offline")
        for one in samples.load(store, sample).instances
        for slot in range(4)
    ]
    variants.add(store, sample, new)
    return answer(
        store, freeze.freeze(store, sample, QuizKind.STANDARD, slot="D").quiz, tally, model
    )


def figures(one: Answer) -> dict[str, object]:
    said = one.document()
    del said["could_ask"]  # it depends on who would ask
    return said


def test_every_mixture_has_one_answer_everywhere(
    app: AppTest, fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    fill(fresh_store, provider, tmp_path / "corpus")
    found = answers(fresh_store)
    by_place = {one.partition: one for one in found}
    assert by_place["rivers/test"].ruling is Ruling.CONTAMINATED
    assert [one.votes for one in by_place["rivers/test"].methods] == [True]
    assert by_place["dunes/test"].ruling is Ruling.INCONCLUSIVE
    assert not by_place["seas/test"].voting
    brooks = by_place["brooks/test"]
    assert brooks.plan is not None
    assert {one.method: one.weight for one in brooks.methods} == {"quiz": 0.7, "replication": 0.3}
    assert [one.method for one in by_place["leads/test"].methods][-1] == "overlap"

    _same_in_files(fresh_store, found, tmp_path)
    _same_on_pages(app, found)


ASIDE = {"could_ask", "repair"}  # they depend on who would ask


def _same_in_files(store: Store, found: list[Answer], folder: Path) -> None:
    wanted = [figures(one) for one in found]
    done = CliRunner().invoke(cli, ["answer", "--json"], catch_exceptions=False)
    said = json.loads(done.stdout)
    assert [{k: v for k, v in one.items() if k not in ASIDE} for one in said] == wanted
    assert [one["ruling"] for one in dcq.answer(store)] == [one["ruling"] for one in wanted]
    [one] = dcq.answer(store, partition="rivers/test")  # a filter changes nothing
    assert {k: v for k, v in one.items() if k not in ASIDE} in wanted

    table = export.frame(store, ExportTable.PAIRS)
    assert isinstance(table, pd.DataFrame)
    pairs = table.drop_duplicates(["model", "partition"])
    assert list(pairs["ruling"]) == [one["ruling"] for one in wanted]

    made = deck.build(store)
    assert [
        {k: v for k, v in one.items() if k not in ASIDE} for one in made.data["answers"]
    ] == wanted
    slide = next(part for part in made.sections if part.part == "answer")
    assert found[0].sentence in slide.sentences[0]
    assert list(slide.exhibits[0].table["Answer"]) == [one.ruling.word for one in found]
    page = html_report.render(made)
    assert "One answer for each model and partition" in page

    packed, _ = bundle_write.to_bytes(store)
    file = folder / "study.zip"
    file.write_bytes(packed)
    other = Store(folder / "other.duckdb")
    report = bundle_import.load(other, file)
    assert not report.differences
    assert [figures(one) for one in answers(other)] == wanted


def _same_on_pages(app: AppTest, found: list[Answer]) -> None:
    at = app.switch_page("pages/case.py").run()
    assert not at.exception
    assert found[0].ruling.word.capitalize() in at.title[1].value
    shown = letters("\n".join(str(one.value) for one in at.markdown)).replace("\u00a0", " ")
    assert below_its_word(found[0]) in shown
    run = next(one.methods[0].run for one in found if one.partition == "ponds/test")
    at = app.switch_page("pages/results.py")
    at.query_params["results_run"] = run
    at.run()
    assert not at.exception
    ponds = next(one for one in found if one.partition == "ponds/test")
    assert ponds.ruling.word.capitalize() in at.title[1].value
    shown = letters("\n".join(str(one.value) for one in at.markdown)).replace("\u00a0", " ")
    assert below_its_word(ponds) in shown


def test_a_bundle_whose_answer_was_changed_is_noticed(fresh_store: Store, tmp_path: Path) -> None:
    for number in range(3):
        put(fresh_store, f"unseen-{number}", UNSEEN, PartitionRole.CONTROL)
    put(fresh_store, "rivers", SEEN)
    from dcq.files.bundle_outcomes import differences, outcomes_of
    from dcq.store.studies import EVERYTHING

    said, again = outcomes_of(fresh_store, EVERYTHING, []), outcomes_of(fresh_store, EVERYTHING, [])
    assert differences(said, again) == []
    assert said.answers
    said.answers[0]["ruling"] = "no evidence"
    [sentence] = differences(said, again)
    assert "ruling" in sentence
