"""The commands of a benchmark by lot, from a sample to the verdict."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import DcqError, InputError
from dcq.protect import make
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.provider import FakeProvider


def call(*words: str) -> Any:
    done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    return json.loads(done.stdout)


@pytest.fixture
def sample(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    return samples.save(fresh_store, small_sample(12))


@pytest.fixture
def folder(sample: str, tmp_path: Path) -> Path:
    call("protect", "make", sample, "--out", str(tmp_path / "p"), "--accepted-by", "R. Reader")
    return tmp_path / "p"


def names(folder: Path) -> list[str]:
    return [str(folder / n) for n in ("private.dcqsecret", "commitment.json", "published.jsonl")]


def test_make_draws_from_accepted_wordings_only_and_once(sample: str, tmp_path: Path) -> None:
    out = tmp_path / "p"
    with pytest.raises(InputError, match="accepted"):
        call("protect", "make", sample, "--out", str(out))
    assert not out.exists()
    made = call("protect", "make", sample, "--out", str(out), "--accepted-by", "R. Reader")
    assert (made["items"], made["wordings"]) == (12, 4)
    assert stat.S_IMODE(Path(made["secret"]).stat().st_mode) == 0o600
    published = [json.loads(line) for line in Path(made["published"]).read_text().splitlines()]
    assert len(published) == 12
    # The author's source is kept back: "brook" is its word.
    assert not any("brook" in row["text"] for row in published)
    with pytest.raises(InputError, match="drawn once"):
        call("protect", "make", sample, "--out", str(out))


@pytest.mark.parametrize("extra", [("--encrypt",), ("--beacon", "drand")])
def test_what_cannot_be_made_accepts_nothing(
    sample: str,
    fresh_store: Store,
    tmp_path: Path,
    extra: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DCQ_PASSPHRASE", raising=False)
    file = tmp_path / "file"
    file.write_text("")
    words = ("protect", "make", sample, "--accepted-by", "R", "--out")
    with pytest.raises(InputError, match="cannot be written"):
        call(*words, str(file / "p"))
    with pytest.raises(InputError):
        call(*words, str(tmp_path / "p"), *extra)
    accepted = make.accepted_texts(fresh_store, samples.load(fresh_store, sample))
    assert not any(accepted.values())


@pytest.mark.parametrize("number", ["-1", "0", "1", "17"])
def test_a_lot_takes_2_to_16_wordings(sample: str, tmp_path: Path, number: str) -> None:
    words = ["protect", "make", sample, "--out", str(tmp_path / "p"), "--wordings", number]
    done = CliRunner().invoke(app, [*words, "--accepted-by", "R"])
    assert (done.exit_code, (tmp_path / "p").exists()) == (2, False)
    assert "--wordings" in done.stderr


def test_verify(folder: Path, tmp_path: Path) -> None:
    found = call("protect", "verify", *names(folder))
    unproved = found.pop("unproved")
    assert found == {"valid": True, "items": 12, "problems": []}
    assert [said.split(".")[0].split(":")[0] for said in unproved] == [
        "When the commitment was made",
        "How often the lots were drawn",
    ]
    assert hashlib.sha256((folder / "commitment.json").read_bytes()).hexdigest() in unproved[0]
    done = CliRunner().invoke(app, ["protect", "verify", *names(folder)])
    assert "cannot prove" in done.stdout
    edited = tmp_path / "edited.jsonl"
    edited.write_text((folder / "published.jsonl").read_text().replace("long", "short", 1))
    words = ["protect", "verify", *names(folder)[:2], str(edited), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["problems"] == [
        "Item '0001' is published in a wording that was never committed to."
    ]
    with pytest.raises(InputError, match="never committed to"):
        CliRunner().invoke(app, words[:-1], catch_exceptions=False)
    with pytest.raises(InputError, match="cannot be read"):
        call("protect", "verify", str(tmp_path / "no"), *names(folder)[1:])


def test_lots_that_wait_replace_no_other_benchmark(sample: str, tmp_path: Path) -> None:
    out = tmp_path / "p"
    out.mkdir()
    (out / "published.jsonl").write_text("of another")
    with pytest.raises(InputError, match="drawn once"):
        call("protect", "make", sample, "--out", str(out), "--accepted-by", "R", "--beacon", "d 1")
    assert [path.name for path in out.iterdir()] == ["published.jsonl"]


@pytest.mark.parametrize("name", ["commitment.json", "private.dcqsecret", "published.csv", ""])
def test_nothing_is_written_through_a_link(sample: str, tmp_path: Path, name: str) -> None:
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "p"
    if name:
        out.mkdir()
    (out / name if name else out).symlink_to(elsewhere)
    with pytest.raises(InputError, match="name another folder"):
        call("protect", "make", sample, "--out", str(out), "--accepted-by", "R")
    assert not elsewhere.exists()


@pytest.mark.parametrize("name", ["commitment.json", "published.jsonl"])
def test_a_round_writes_over_nothing(sample: str, tmp_path: Path, name: str) -> None:
    out, elsewhere = tmp_path / "p", tmp_path / "elsewhere"
    words = ("--accepted-by", "R", "--beacon", "drand 5412345")
    call("protect", "make", sample, "--out", str(out), *words)
    path = out / name
    kept = path.read_bytes() if path.exists() else None
    for edit in (lambda: path.symlink_to(elsewhere), lambda: path.write_text("other")):
        path.unlink(missing_ok=True)
        edit()
        with pytest.raises(InputError, match="nothing is written over"):
            call("protect", "make", "--out", str(out), "--value", "c0ffee")
    assert not elsewhere.exists()
    path.unlink()
    if kept is not None:
        path.write_bytes(kept)
    assert call("protect", "make", "--out", str(out), "--value", "c0ffee")["published"]


def test_a_commitment_counts_the_draws_that_the_store_knows_of(sample: str, tmp_path: Path) -> None:
    for number in (1, 2):
        out = tmp_path / str(number)
        call("protect", "make", sample, "--out", str(out), "--accepted-by", "R")
        committed = json.loads((out / "commitment.json").read_bytes())
        assert (committed["version"], committed["draws"]) == (2, number)
        found = call("protect", "verify", *names(out))
        assert f"knew of {number} draw" in " ".join(found["unproved"])


def test_lots_that_wait_for_a_beacon(sample: str, tmp_path: Path) -> None:
    out = str(tmp_path / "p")
    words = ("--accepted-by", "R", "--beacon", "drand 5412345")
    made = call("protect", "make", sample, "--out", out, *words)
    assert made["published"] is None
    committed = Path(made["commitment"]).read_bytes()
    with pytest.raises(InputError, match="wait for round"):
        call("protect", "check", made["secret"], "--model", "guess")
    with pytest.raises(InputError, match="alone"):
        call("protect", "make", "--out", out, "--value", "c0ffee", "--encrypt")
    drawn = call("protect", "make", "--out", out, "--value", "c0ffee")
    assert Path(made["commitment"]).read_bytes() == committed
    assert stat.S_IMODE(Path(made["secret"]).stat().st_mode) == 0o600
    files = (made["secret"], made["commitment"], drawn["published"])
    assert call("protect", "verify", *files)["valid"]
    done = CliRunner().invoke(app, ["protect", "verify", *files])
    assert "rest on c0ffee as round 5412345 of drand" in done.stdout
    with pytest.raises(InputError, match="once"):
        call("protect", "make", "--out", out, "--value", "other")


def test_a_secret_behind_a_passphrase(
    sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "p"
    words = ("protect", "make", sample, "--out", str(out), "--accepted-by", "R", "--encrypt")
    with pytest.raises(InputError, match="DCQ_PASSPHRASE"):
        call(*words)
    monkeypatch.setenv("DCQ_PASSPHRASE", "correct horse")
    call(*words)
    assert b"stream" not in (out / "private.dcqsecret").read_bytes()
    assert call("protect", "verify", *names(out))["valid"]
    monkeypatch.delenv("DCQ_PASSPHRASE")
    with pytest.raises(InputError, match="encrypted"):
        call("protect", "verify", *names(out))


def test_check_and_results(folder: Path, provider: FakeProvider) -> None:
    rows = [json.loads(line) for line in (folder / "published.jsonl").read_text().splitlines()]
    provider.seen = tuple(row["text"] for row in rows)
    found = call("protect", "check", names(folder)[0], "--model", "knows-original")
    assert (found["items"], found["picked"], found["model"]) == (12, 12.0, "knows-original")
    [result] = call("results")
    assert (result["method"], result["verdict"]) == ("protect", "contaminated")
    again = call("protect", "check", names(folder)[0], "--run", found["run"])
    assert again == found
    again = call("protect", "check", names(folder)[0], "--model", "knows-original", "--resume")
    assert again["run"] == found["run"]
    assert len(provider.bodies) == 48
    said = CliRunner().invoke(app, ["protect", "check", names(folder)[0], "--run", found["run"]])
    next_step = said.stdout.splitlines()[-1]
    assert next_step == "Next: python -m dcq answer --model knows-original"
    concluded = CliRunner().invoke(app, next_step.split()[4:])
    assert concluded.stdout.startswith("Contaminated. knows-original has probably seen")
    assert "Next:" not in concluded.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name a model with --model"),
        (("--run", "none"), "none"),
        (("--run", "none", "--model", "always-a"), "give --run alone"),
        (("--run", "none", "--by", "letter"), "leave out --by and --asks"),
        (("--run", "none", "--asks", "4"), "leave out --by and --asks"),
    ],
)
def test_what_a_check_needs(folder: Path, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(DcqError, match=said):
        call("protect", "check", names(folder)[0], *words)


def test_watch_ends_where_the_evidence_is_enough(folder: Path, provider: FakeProvider) -> None:
    rows = [json.loads(line) for line in (folder / "published.jsonl").read_text().splitlines()]
    provider.seen = tuple(row["text"] for row in rows)
    words = ("--model", "knows-original", "--model", "always-a", "--step", "3")
    found = call("protect", "watch", names(folder)[0], *words)
    knows, always = found["models"]
    assert knows["called"]
    assert knows["items"] < always["items"] == 12
    assert knows["e_value"] >= 20 > knows["looks"][-2]["e_value"]
    assert not always["called"]
    assert found["average_e"] == pytest.approx((knows["e_value"] + always["e_value"]) / 2)


def test_plan_and_scores(tmp_path: Path) -> None:
    found = call("protect", "plan", "--k", "4", "--n", "141")
    assert list(found) == ["k", "n", "alpha", "share", "power"]
    assert found["share"] == pytest.approx(0.35, abs=0.001)
    assert call("protect", "plan", "--n", "141", "--share", "0.35")["power"] >= 0.8
    file = tmp_path / "scores.csv"
    file.write_text("item,wording,published,score\n1,a,1,2\n1,b,0,1\n2,a,0,1\n2,b,1,3\n")
    [one] = call("protect", "test", str(file))
    assert (one["items"], one["picked"], one["p_value"]) == (2, 2.0, 0.25)
    done = CliRunner().invoke(app, ["protect", "test", str(file)])
    assert "100.0 %" in done.stdout


def test_scores_without_lots_say_so(tmp_path: Path) -> None:
    rows = [
        f"{item},{name},{int(name == 'a')},{int(name == 'a')}"
        for item in range(30)
        for name in "abcd"
    ]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["item,wording,published,score", *rows]))
    [one] = call("protect", "test", str(file))
    assert (one["p_value"], one["e_value"], one["picked"]) == (0.25, 4.0, 30.0)
    done = CliRunner().invoke(app, ["protect", "test", str(file)])
    assert "'a' is published for 30 of 30 items" in " ".join(done.stdout.split())
    assert one["reasons"][0].split()[-1] in done.stdout


def test_perturb_writes_eight_wordings(sample: str, fresh_store: Store) -> None:
    from dcq.store import variants

    call("perturb", sample, "--variants", "8", "--limit", "1")
    found = variants.current(fresh_store, sample, candidates=True)
    assert max(len(slots) for slots in found.values()) > 4
