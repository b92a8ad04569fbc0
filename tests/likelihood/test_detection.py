"""The panel recomputed by hand, its verdicts, and the ways that it goes."""

from __future__ import annotations

import io
import json
import math
import shutil
import statistics
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dcq import methods
from dcq.detection import SampleMethod
from dcq.documents.answer_document import found_words
from dcq.documents.chart_rows import ruler_rows
from dcq.documents.deck import Part, build
from dcq.documents.html_report import render
from dcq.evidence.controls import calibrate
from dcq.evidence.record import Context
from dcq.files import bundle_import, bundle_write
from dcq.judging import every_method
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import judged_results
from dcq.likelihood import NAME
from dcq.likelihood.detection import LIKELIHOOD_DETECTION, panel_of
from dcq.likelihood.method import METHOD
from dcq.records import PartitionRole
from dcq.store import Store, frozen, runs, samples
from tests.conftest import KEY
from tests.support import once
from tests.support.completions import scored_words
from tests.support.likelihoods import CONTROLS, EVERY, long_sample, plan, save, score, score_all
from tests.support.provider import FakeProvider

N = 24

Logprobs = list[float]
BY_HAND: dict[str, Callable[[str, Logprobs, Logprobs, Logprobs], float]] = {
    "mean": lambda text, alone, prefix, beside: statistics.fmean(alone),
    "zlib": lambda text, alone, prefix, beside: (
        statistics.fmean(alone) / len(zlib.compress(text.encode()))
    ),
    "mink": lambda text, alone, prefix, beside: statistics.fmean(
        sorted(alone)[: int(len(alone) * 0.2)]
    ),
    "recall": lambda text, alone, prefix, beside: (
        statistics.fmean(prefix) / statistics.fmean(alone)
    ),
    "codec": lambda text, alone, prefix, beside: (
        statistics.fmean(alone[10:-1]) - statistics.fmean(beside[-len(alone) :][10:-1])
    ),
}


@pytest.fixture(autouse=True)
def own_store(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with a target that the model has seen and three controls, by all measures."""

    def make(folder: Path) -> tuple[Path, str]:
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as running:
            patch.setenv("OPENAI_BASE_URL", running.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            store = Store(folder / "dcq.duckdb")
            save(store, running, N, CONTROLS)
            return store.path, score_all(store, EVERY)["rivers"]

    return once.made(tmp_path_factory, "likelihoods", make)


@pytest.fixture
def run_id(scored: tuple[Path, str], fresh_store: Store) -> str:
    shutil.copy(scored[0], fresh_store.path)
    return scored[1]


def judged(store: Store) -> dict[str, JudgedResult]:
    return {
        one.evidence.partition.partition("/")[0]: one
        for one in judged_results(store, NAME, every_run=True)
    }


def by_hand(store: Store, run_id: str) -> dict[str, list[list[float]]]:
    """Each measure of each wording of each instance, from what the fake model is known to say."""
    seen = {one.text for one in long_sample(N).instances}
    found: dict[str, list[list[float]]] = {name: [] for name in BY_HAND}
    for request in frozen.load(store, runs.load(store, run_id).plan.subject).requests:
        wordings = []
        for text in (request.text, *request.facts["variants"]):
            contexts = ("", request.facts["prefix"], request.facts["neighbour"])
            wordings.append(
                (text, *(scored_words(text, one, seen=text in seen) for one in contexts))
            )
        for name, measure in BY_HAND.items():
            found[name].append([measure(*one) for one in wordings])
    return found


def ranked(scores: list[list[float]]) -> list[float]:
    return [
        sum((other < row[0]) + (other == row[0]) / 2 for other in row[1:]) / (len(row) - 1)
        for row in scores
    ]


def first_place(row: list[float]) -> float:
    return 1 / row.count(row[0]) if row[0] == max(row) else 0.0


@pytest.mark.parametrize("name", list(BY_HAND))
def test_the_panel_is_that_of_a_hand(fresh_store: Store, run_id: str, name: str) -> None:
    every = judged(fresh_store)
    scores = {key: by_hand(fresh_store, one.evidence.run)[name] for key, one in every.items()}
    [row] = [one for one in panel_of(every["rivers"].evidence) if one.measure.name == name]
    ranks = ranked(scores["rivers"])
    assert row.n == N
    assert row.ranks.tolist() == pytest.approx(ranks)
    first = [first_place(row) for row in scores["rivers"]]
    assert row.score == pytest.approx(statistics.fmean(first))
    beside = every["rivers"].side_calibrations
    controls = [[[rank] for rank in ranked(scores[key])] for key in CONTROLS]
    expected = calibrate([[rank] for rank in ranks], controls, prior=None)
    assert expected is not None
    assert beside[name].p_value == pytest.approx(expected.p_value, rel=1e-6)
    assert beside[f"{name} first"].control_score == pytest.approx(
        statistics.fmean(first_place(one) for key in CONTROLS for one in scores[key]), abs=1e-6
    )
    if name == "codec":
        assert row.dropped is not None
        assert row.dropped.tolist() == [one[0] > 0 for one in scores["rivers"]]


def test_a_model_without_its_vocabulary_has_no_min_k_plus_plus(
    fresh_store: Store, run_id: str
) -> None:
    names = [one.measure.name for one in panel_of(judged(fresh_store)["rivers"].evidence)]
    assert names == ["mean", "zlib", "mink", "recall", "codec"]


def test_only_the_mean_log_probability_decides(fresh_store: Store, run_id: str) -> None:
    one = judged(fresh_store)["rivers"]
    assert one.verdict is not None
    assert one.verdict.ruling is Ruling.CONTAMINATED
    assert [name for name, _ in one.calibrations] == ["mean"]
    assert one.verdict.p_value == one.side_calibrations["mean"].p_value
    assert one.evidence.estimate.value == 1.0
    assert "the original is likelier than 100.0 % of its rewordings" in one.sentence
    assert "expected on unseen text" in one.sentence


def test_a_model_that_has_seen_nothing_is_not_called(
    fresh_store: Store, provider: FakeProvider
) -> None:
    save(fresh_store, provider, N, CONTROLS, seen=False)
    score_all(fresh_store)
    one = judged(fresh_store)["rivers"]
    assert one.verdict is not None
    assert one.verdict.ruling is not Ruling.CONTAMINATED


def test_wordings_that_text_alone_tells_apart_convict_nobody(
    fresh_store: Store, provider: FakeProvider
) -> None:
    save(fresh_store, provider, N, CONTROLS)
    made = long_sample(N, key="leaky")
    variants = {
        one.id: tuple(f"{text} and so on and on" for text in made.variants[one.id])
        for one in made.instances
    }
    provider.seen = tuple(one.text for one in made.instances)
    samples.save(fresh_store, replace(made, variants=variants))
    score_all(fresh_store)
    one = judged(fresh_store)["leaky"]
    assert one.evidence.estimate.value == 1.0
    assert one.verdict is not None
    assert one.verdict.ruling is Ruling.INCONCLUSIVE
    assert any(
        "leaky" in reason and "always the shortest: 100 %" in reason
        for reason in one.verdict.reasons
    )


def test_another_number_of_variants_is_no_control(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save(fresh_store, provider, N)
    two = long_sample(N, key="lakes", role=PartitionRole.CONTROL)
    two = replace(two, variants={one: texts[:2] for one, texts in two.variants.items()})
    samples.save(fresh_store, two)
    score_all(fresh_store)
    one = judged(fresh_store)["rivers"]
    assert one.evidence.sample == target
    assert one.controls == ()
    assert one.verdict is not None
    assert one.verdict.ruling is Ruling.INCONCLUSIVE
    assert any("variants" in reason for reason in one.verdict.reasons)


def test_without_controls_the_same_number_is_said_as_with_them(
    fresh_store: Store, provider: FakeProvider
) -> None:
    """The share of originals that come first is another number."""
    score(fresh_store, save(fresh_store, provider, N, seen=False))
    [row] = ruler_rows([judged(fresh_store)["rivers"]], {}).to_dict("records")
    [found] = [found_words(one) for answer in answers(fresh_store) for one in answer.methods]
    samples.save(fresh_store, long_sample(N, key="lakes", role=PartitionRole.CONTROL))
    score_all(fresh_store)
    [compared] = ruler_rows([judged(fresh_store)["rivers"]], {}).to_dict("records")
    [beside] = [found_words(one) for answer in answers(fresh_store) for one in answer.methods]
    assert row["found"] == pytest.approx(compared["found"])
    assert row["low"] == pytest.approx(compared["low"])
    assert beside is not None
    assert beside.startswith(f"{found} (")


def test_a_run_without_a_usable_reply_has_no_estimate(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save(fresh_store, provider, 3)
    run_id = score(fresh_store, target)
    with fresh_store.write() as db:
        db.execute("DELETE FROM run_value")
        db.execute("UPDATE answer SET outcome = 'invalid', value = NULL")
    [one] = judged(fresh_store).values()
    assert one.evidence.run == run_id
    assert (one.evidence.estimate.value, one.evidence.usable, panel_of(one.evidence)) == (
        None,
        0,
        (),
    )
    assert "There is no usable likelihood." in one.sentence


def test_numbers_that_come_after_their_answers_are_judged(
    fresh_store: Store, provider: FakeProvider
) -> None:
    run_id = score(fresh_store, save(fresh_store, provider, 3))
    with fresh_store.write() as db:  # as between the two writes of a run
        db.execute("DELETE FROM run_value")
    assert judged(fresh_store)["rivers"].evidence.usable == 0
    METHOD.on_stored(
        fresh_store, run_id, METHOD.reopen(fresh_store, runs.load(fresh_store, run_id).plan), None
    )
    assert judged(fresh_store)["rivers"].evidence.usable == 3


def test_an_unfinished_run_is_inconclusive(fresh_store: Store, run_id: str) -> None:
    with fresh_store.write() as db:
        db.execute("DELETE FROM run_value WHERE run_id = ? AND position >= 20", [run_id])
        db.execute("DELETE FROM answer WHERE run_id = ? AND position >= 20", [run_id])
    one = judged(fresh_store)["rivers"]
    assert one.verdict is not None
    assert one.verdict.ruling is Ruling.INCONCLUSIVE
    assert any("20 of 24 instances were scored" in reason for reason in one.verdict.reasons)


@pytest.mark.parametrize("with_text", [True, False])
def test_a_bundle_gives_the_same_verdicts_with_and_without_texts(
    fresh_store: Store, run_id: str, tmp_path: Path, with_text: bool
) -> None:
    data, manifest = bundle_write.to_bytes(fresh_store, with_text=with_text)
    verdicts = {one["partition"]: one["verdict"] for one in manifest.outcomes.others}
    assert verdicts["rivers/test"] == "contaminated"
    (tmp_path / "study.zip").write_bytes(data)
    there = Store(tmp_path / "there" / "dcq.duckdb")
    found = bundle_import.load(there, tmp_path / "study.zip")
    assert found.differences == ()
    assert "all 4 results agree" in found.sentence()
    if with_text:
        assert judged(there)["rivers"].sentence == judged(fresh_store)["rivers"].sentence


def test_a_bundle_without_texts_has_no_token_and_is_still_checked(
    fresh_store: Store, run_id: str, tmp_path: Path
) -> None:
    data, _ = bundle_write.to_bytes(fresh_store, with_text=False)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.endswith(".parquet"):
                rows = pq.read_table(io.BytesIO(archive.read(name))).to_pylist()
                assert "boat" not in str(rows), name
                assert 'logprobs":"' not in str(rows), name
    with fresh_store.write() as db:  # a number that makes another verdict
        db.execute(
            "UPDATE run_value SET value = -99 WHERE name = 'mean-0' AND run_id = ?", [run_id]
        )
    changed, _ = bundle_write.to_bytes(fresh_store, with_text=False)
    with (
        zipfile.ZipFile(io.BytesIO(data)) as said,
        zipfile.ZipFile(io.BytesIO(changed)) as rows_of,
        zipfile.ZipFile(tmp_path / "study.zip", "w") as mixed,
    ):
        manifest = json.loads(rows_of.read("manifest.json"))
        manifest["outcomes"] = json.loads(said.read("manifest.json"))["outcomes"]
        for name in rows_of.namelist():
            if name != "manifest.json":
                mixed.writestr(name, rows_of.read(name))
        mixed.writestr("manifest.json", json.dumps(manifest))
    found = bundle_import.load(Store(tmp_path / "there" / "dcq.duckdb"), tmp_path / "study.zip")
    assert any("likelihood" in one for one in found.differences)


def test_it_has_a_section_with_its_panel(fresh_store: Store, run_id: str) -> None:
    deck = build(fresh_store)
    [section] = [one for one in deck.sections if one.part is Part.OTHERS]
    assert section.title == LIKELIHOOD_DETECTION.question
    panel = section.exhibits[-1].table
    mine = panel[(panel["Partition"] == "Rivers test")]
    assert mine["Measure"].tolist() == [
        "Mean log-probability (decides)",
        "zlib ratio",
        "Min-K % Prob",
        "ReCaLL",
        "CoDeC",
    ]
    assert mine["Original first"].tolist()[0] == "100 %"
    assert all(mine["p"])
    controls = panel[panel["Partition"] != "Rivers test"]
    assert not any(controls["p"])
    assert "Min-K % Prob" in render(deck)


def test_results_and_csv_have_it(fresh_store: Store, run_id: str) -> None:
    table = every_method.tabulate([], {}, every_method.of_other_methods(fresh_store))
    row = table[table["run"] == run_id].iloc[0]
    assert (row["method"], row["unit"], row["estimate"], row["first"], row["wordings"]) == (
        NAME,
        "mean midrank",
        1.0,
        1.0,
        4,
    )
    assert math.isnan(row["score"]) if isinstance(row["score"], float) else row["score"] is None


def test_whoever_judges_reads_no_reply(
    fresh_store: Store, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(LIKELIHOOD_DETECTION, SampleMethod)
    rows = LIKELIHOOD_DETECTION.read(fresh_store)
    assert {answer.reply for one in rows for answer in one.answers.values()} == {None}
    said = LIKELIHOOD_DETECTION.run_evidence(fresh_store, rows[0], Context())
    assert said.method in methods.names()


def test_a_run_that_has_scored_nothing_is_no_result(
    fresh_store: Store, provider: FakeProvider
) -> None:
    plan(fresh_store, save(fresh_store, provider, 3))
    assert judged(fresh_store) == {}
