"""The bundled example gives the verdicts that the page about it prints, by the ordinary rules."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dcq import methods
from dcq.evidence.check import Mark, Topic
from dcq.files import bundle_import
from dcq.files.bundle_import import Imported
from dcq.investigation.control_sizes import SMALL, SMALL_CONTROLS
from dcq.judging import study
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling, Verdict
from dcq.partitions import draw_sample, open_partition
from dcq.places import ROOT
from dcq.store import Store, bundle_take, samples, studies, variants
from dcq.store.samples import StoredSample
from studies import example

pytestmark = pytest.mark.slow

CAREFUL, LEAKY = "example-reviews/test", "example-reviews-leaky/test"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Imported]:
    store = Store(tmp_path_factory.mktemp("example") / "dcq.duckdb")
    return store, bundle_import.load(store, example.BUNDLE)


@pytest.fixture(scope="module")
def leaky(imported: tuple[Store, Imported]) -> tuple[StoredSample, dict[str, tuple[str, ...]]]:
    """As it was asked: the sample, and its rewordings by their original."""
    store, _ = imported
    [listed] = [one for one in samples.listing(store) if one.partition == LEAKY]
    sample, texts = samples.load(store, listed.id), variants.usable_texts(store, listed.id)
    return sample, {one.text: tuple(texts[one.id].values()) for one in sample.instances}


@pytest.fixture(scope="module")
def found(imported: tuple[Store, Imported]) -> dict[tuple[str, str], Verdict]:
    store, _ = imported
    return {
        (one.evidence.model, one.evidence.partition): one.verdict
        for one in study.findings(store, studies.load(store, example.NAME))
        if one.verdict is not None
    }


def test_an_empty_store_comes_to_what_the_bundle_says(imported: tuple[Store, Imported]) -> None:
    """Fails where a sentence of a verdict was changed, too: ``python -m studies.example`` then
    writes the bundle in the new words."""
    _, done = imported
    assert done.stored
    assert (done.differences, done.here) == ((), ())


def test_the_trained_model_is_contaminated(found: dict[tuple[str, str], Verdict]) -> None:
    assert found[example.AFTER, CAREFUL].ruling is Ruling.CONTAMINATED


def test_the_model_before_is_undecided(found: dict[tuple[str, str], Verdict]) -> None:
    verdict = found[example.BEFORE, CAREFUL]
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert [check.topic for check in verdict.checks if check.mark is Mark.BAD] == [Topic.POWER]
    assert verdict.p_value is not None
    assert verdict.p_value > 0.3


def test_all_weight_was_on_the_quiz_before_the_first_reply(
    imported: tuple[Store, Imported],
) -> None:
    store, _ = imported
    for answer in answers(store, studies.load(store, example.NAME)):
        assert answer.plan is not None
        assert [(one.method, one.kind, one.weight) for one in answer.plan.methods] == [
            ("likelihood", "standard", 1.0)
        ]
        assert answer.study_fixed is not None


def test_the_conclusion_is_far_from_the_threshold(
    imported: tuple[Store, Imported],
) -> None:
    store, _ = imported
    by_pair = {answer.pair: answer for answer in answers(store)}
    after, before = by_pair[example.AFTER, CAREFUL], by_pair[example.BEFORE, CAREFUL]
    assert (after.ruling, before.ruling) == (Ruling.CONTAMINATED, Ruling.INCONCLUSIVE)
    assert after.q_value is not None
    assert after.q_value < 0.02


def test_the_controls_are_ten_small_ones_reworded_like_the_target(
    imported: tuple[Store, Imported],
) -> None:
    store, _ = imported
    ids = {one.partition: one.id for one in samples.listing(store)}
    controls = studies.load(store, example.NAME).controls or ()
    assert len(controls) == SMALL_CONTROLS
    assert {*ids} == {CAREFUL, LEAKY, *controls}
    assert not any(partition.startswith(f"{example.SEEN}/") for partition in controls)
    for partition in controls:
        opened = open_partition(*partition.split("/"))
        made, stored = draw_sample(opened, SMALL), samples.load(store, ids[partition])
        assert stored.instances == made.instances
    assert set(variants.writers(store, list(ids.values())).values()) == {"offline"}


@pytest.mark.parametrize("model", [example.BEFORE, example.AFTER])
def test_a_leaky_quiz_says_nothing_of_either(
    found: dict[tuple[str, str], Verdict], model: str
) -> None:
    verdict = found[model, LEAKY]
    assert verdict.ruling is Ruling.INCONCLUSIVE
    bad = {check.topic for check in verdict.checks if check.mark is Mark.BAD}
    assert Topic.LEAK in bad
    assert Topic.WRITER not in bad


def test_the_page_prints_its_numbers(imported: tuple[Store, Imported]) -> None:
    page = (ROOT / "studies" / "example.md").read_text("utf-8")
    assert example.tabulate(imported[0]) in page
    assert example.tabulate_controls(imported[0]) in page


def test_its_study_can_be_bundled_by_the_names_that_models_have_in_results(
    imported: tuple[Store, Imported],
) -> None:
    """The study says ``SmolLM2-135M``, and its runs were asked of ``likelihood:SmolLM2-135M``."""
    store, _ = imported
    within = studies.load(store, example.NAME)
    assert within.models == (example.AFTER, example.BEFORE)
    tables = bundle_take.take(store, within, methods.kinds_of(within))
    assert tables["run"].column("method").to_pylist().count("quiz") == 24


def test_no_path_of_a_machine_is_in_it(imported: tuple[Store, Imported]) -> None:
    store, _ = imported
    with store.read() as db:
        tables = [
            name for (name,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        rows = [str(row) for name in tables for row in db.execute(f'FROM "{name}"').fetchall()]
    assert not [row for row in rows if re.search(r"(/tmp|/home|/work|/root)/", row)]


def test_what_was_asked_is_what_the_study_makes(imported: tuple[Store, Imported]) -> None:
    store, _ = imported
    [listed] = [one for one in samples.listing(store) if one.partition == CAREFUL]
    stored, made = samples.load(store, listed.id), example.reviews()
    assert (stored.partition, stored.instances) == (made.partition, made.instances)


def test_the_leaky_rewordings_are_what_the_study_makes(
    leaky: tuple[StoredSample, dict[str, tuple[str, ...]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every fifth text: to reword them all takes ten seconds."""
    whole = example.reviews()
    fifth = replace(whole, instances=whole.instances[::5])
    monkeypatch.setattr(example, "load_seen", lambda: fifth)
    made, (sample, reworded) = example.leaky(), leaky
    assert made.partition == sample.partition
    asked = {one.text for one in fifth.instances}
    stored = {text: rewordings for text, rewordings in reworded.items() if text in asked}
    assert len(stored) >= 10
    assert {one.text: made.variants[one.id] for one in made.instances} == stored
    for one in made.instances:
        assert one in sample.instances


def test_all_of_the_partition_was_trained_on() -> None:
    opened = open_partition(example.SEEN, example.SPLIT)
    trained = {row["text"].strip() for row in opened.table.rows}
    asked = example.reviews().instances
    assert len(asked) == len(trained) == 105
    assert all(any(text in one.text for text in trained) for one in asked)


def test_the_leaky_rewordings_are_all_longer_than_their_original(
    leaky: tuple[StoredSample, dict[str, tuple[str, ...]]],
) -> None:
    _, reworded = leaky
    assert len(reworded) >= 60
    for text, made in reworded.items():
        assert len(made) == example.KEPT
        assert len(text) < min(map(len, made))
    assert {*reworded} <= {one.text for one in example.reviews().instances}
