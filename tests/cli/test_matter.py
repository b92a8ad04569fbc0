from __future__ import annotations

import json
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.documents import deck
from dcq.documents.deck import effect
from dcq.effect import dates_wording, matter, stored
from dcq.effect.scores import VersionedAnswer
from dcq.errors import InputError
from dcq.evidence.constat import constat
from dcq.store import Store
from dcq.store.studies import EVERYTHING
from tests.support.accepted_sample import accept, saved
from tests.support.matter import answers
from tests.support.result_files import write_csv

KEYS = {
    *("model", "n", "original", "reworded", "drop", "low", "high", "expected_drop"),
    *("inflation", "inflation_low", "inflation_high", "p_value", "verdict", "constat"),
}


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch, store_path: Path) -> None:
    monkeypatch.setenv("DCQ_STORE", str(store_path))
    monkeypatch.setattr(matter, "constat", partial(constat, samples=20))


def write_scores(folder: Path, given: list[VersionedAnswer]) -> Path:
    rows = [
        {
            "model": one.model,
            "role": one.role,
            "instance_id": one.instance_id,
            "version": one.version,
            "correct": int(one.correct),
        }
        for one in given
    ]
    return write_csv(folder / "scores.csv", rows)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return write_scores(tmp_path, answers(n=120, gain=0.4))


def test_the_json_has_the_promised_keys(scores: Path, tmp_path: Path) -> None:
    seen = [{"model": "target", "instance_id": f"i{k}", "seen": k % 2} for k in range(120)]
    path = write_csv(tmp_path / "seen.csv", seen)
    done = CliRunner().invoke(app, ["matter", str(scores), "--seen", str(path), "--json"])
    first, *others = json.loads(done.stdout)
    assert done.exit_code == 0
    assert first.keys() >= KEYS
    assert first["constat"].keys() == {"delta", "low", "p_value"}
    assert first["within"].keys() >= {"seen", "rest", "difference", "low", "high", "p_value"}
    assert first["verdict"] == "inflated"
    assert {one["verdict"] for one in others} == {None}
    assert first["drop"] == pytest.approx(first["original"] - first["reworded"])


def test_what_a_person_reads(scores: Path) -> None:
    done = CliRunner().invoke(app, ["matter", str(scores), "--chance", "0.25"])
    assert "clean models lose" in done.stdout
    assert "Inflated." in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--chance", "1"], "--chance"),
        (["--reference", "nobody"], "nobody"),
        (["--keep"], "--partition"),
        (["--partition", "no/where"], "no/where"),
    ],
)
def test_mistakes_are_told(scores: Path, fresh_store: Store, words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["matter", str(scores), *words])
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)


def test_kept_scores_are_in_reports_and_say_the_same(scores: Path, fresh_store: Store) -> None:
    words = ["matter", str(scores), "--keep", "--partition", "rivers/test", "--json"]
    printed = json.loads(CliRunner().invoke(app, words).stdout)
    made = deck.build(fresh_store)
    [part] = [one for one in made.sections if one.part == "effect"]
    assert any("inflation" in sentence for sentence in part.sentences)
    assert [one["inflation"] for one in made.data["effects"]] == [
        one["inflation"] for one in printed
    ]
    assert "Inflated" in stored.beside(fresh_store, "target", "rivers/test")
    assert stored.beside(fresh_store, "target", "lakes/test") == ""
    assert stored.beside(fresh_store, "ref-0", "rivers/test") == ""


def test_a_task_is_exported(fresh_store: Store, tmp_path: Path) -> None:
    sample_id = saved(fresh_store)
    accept(fresh_store, sample_id)
    words = ["export", "task", sample_id, "--to", str(tmp_path / "task"), "--json"]
    done = CliRunner().invoke(app, words)
    assert json.loads(done.stdout)["rows"] == 6
    assert "keep the meaning as far as" in done.stderr


def test_dates_say_what_falls_at_the_cutoff(
    tmp_path: Path, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {f"i{k}": k < 61 for k in range(120)}
    scores = write_scores(tmp_path, answers(n=120, gain=0.4, seen=seen))
    days = [(date(2023, 1, 1) + timedelta(days=6 * k)).isoformat() for k in range(120)]
    rows = [{"instance_id": f"i{k}", "date": day} for k, day in enumerate(days)]
    table = write_csv(tmp_path / "dates.csv", rows)
    words = ["matter", str(scores), "--dates", str(table)]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert "dates" not in json.loads(done.stdout)[0]
    assert "No cut-off of target is known" in json.loads(done.stdout)[0]["dates_reason"]
    assert "No target's cut-off is known" in done.stderr
    cutoffs = tmp_path / "cutoffs.toml"
    cutoffs.write_text('[models]\n"target" = "2023-12"\n')
    monkeypatch.setenv("DCQ_CUTOFFS", str(cutoffs))
    first, *others = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert (first["dates"]["cutoff"], first["dates"]["recognition"]) == ("2023-12-31", None)
    assert first["dates"]["accuracy"]["n_before"] == 61
    assert first["dates"]["accuracy"].keys() == first["dates"]["reworded"].keys()
    assert not any("dates" in one or "dates_reason" in one for one in (first, *others)[1:])
    assert "dates_reason" not in first
    assert "target over time" in CliRunner().invoke(app, words).stdout
    keep = [*words, "--keep", "--partition", "rivers/test"]
    assert CliRunner().invoke(app, keep).exit_code == 0
    [again] = stored.all_stored(fresh_store)[0].over_time.values()
    assert again is not None
    assert again.reworded is not None
    assert again.accuracy.fall == first["dates"]["accuracy"]["fall"]
    scores_section, dates_section = effect.sections(fresh_store, EVERYTHING)
    assert len(scores_section.exhibits) == 1
    assert dates_section.sentences[1] == dates_wording.sentences(again)[0]
    assert dates_wording.REWRITTEN in dates_section.sentences
    [over_time] = dates_section.exhibits
    [row] = over_time.table.to_dict("records")
    assert (row["Model"], row["Training data until"]) == ("target", "2023-12")
    assert row["Fall"].startswith(f"{100 * again.accuracy.fall:.1f} [")
    assert over_time.chart is not None
    assert list(over_time.chart.rows["name"]) == ["target, originals", "target, rewordings"]
    assert list(over_time.chart.rows["kappa"]) == [again.accuracy.fall, again.reworded.fall]


def test_dates_take_originals_alone(
    tmp_path: Path, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {f"i{k}": k < 61 for k in range(120)}
    given = [one for one in answers(n=120, gain=0.4, seen=seen) if one.version == "original"]
    scores = write_scores(tmp_path, given)
    days = [(date(2023, 1, 1) + timedelta(days=6 * k)).isoformat() for k in range(120)]
    rows = [{"instance_id": f"i{k}", "date": day} for k, day in enumerate(days)]
    words = ["matter", str(scores), "--dates", str(write_csv(tmp_path / "dates.csv", rows))]
    cutoffs = tmp_path / "cutoffs.toml"
    cutoffs.write_text('[models]\n"target" = "2023-12"\n')
    monkeypatch.setenv("DCQ_CUTOFFS", str(cutoffs))
    first, *_ = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert (first["n"], first["drop"], first["verdict"]) == (0, None, "not enough")
    assert first["reasons"] == [
        "No rewording has an answer, so nothing can be said about inflation."
    ]
    assert (first["dates"]["accuracy"]["n_before"], first["dates"]["reworded"]) == (61, None)
    assert "target over time" in CliRunner().invoke(app, words).stdout
    keep = [*words, "--keep", "--partition", "rivers/test", "--json"]
    [kept, *_] = json.loads(CliRunner().invoke(app, keep).stdout)
    assert kept["dates"] == first["dates"]
    undated = CliRunner().invoke(app, ["matter", str(scores)])
    assert "both an original and its rewording" in str(undated.exception)
    few = write_csv(tmp_path / "few.csv", rows[:70])
    [short, *_] = json.loads(
        CliRunner().invoke(app, ["matter", str(scores), "--dates", str(few), "--json"]).stdout
    )
    assert short["dates"] is None
    assert "61 dated items of 61 moments up to the cut-off and 9 of 9" in short["dates_reason"]


def test_targets_and_controls_are_drawn_by_date(fresh_store: Store, tmp_path: Path) -> None:
    rows = [{"text": f"News {k}.", "day": f"202{3 + k % 2}-05-0{k % 9 + 1}"} for k in range(20)]
    file = str(write_csv(tmp_path / "news.csv", rows))
    words = ["sample", "news", "test", "--file", file, "--text", "text", "--json"]
    column = ["--date-column", "day"]
    done = CliRunner().invoke(app, [*words, *column, "--after", "gpt-4o", "--role", "control"])
    drawn = json.loads(done.stdout)
    assert (drawn["partition"], drawn["n"]) == ("news/test-after-2023-10-31", 10)
    done = CliRunner().invoke(app, [*words, *column, "--until", "2023-10"])
    assert json.loads(done.stdout)["partition"] == "news/test-until-2023-10-31"
    for bad, said in (
        (["--after", "2023"], "--date-column"),
        ([*column, "--after", "no-such-model"], "DCQ_CUTOFFS"),
        (["--date-column", "when"], "choose from: text, day"),
    ):
        failed = CliRunner().invoke(app, [*words, *bad])
        assert said in str(failed.exception)
