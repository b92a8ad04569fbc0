"""Options that would change nothing beside others are refused, never passed over."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq import settings
from dcq.asking import plan
from dcq.asking.options import Terms
from dcq.cli import app
from dcq.errors import InputError
from dcq.models.endpoints import resolve
from dcq.overlap.freeze import freeze_scan
from dcq.overlap.method import SCAN
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, investigations, runs
from tests.support.runs import answer

NOBODY = "tester@http://127.0.0.1:9/v1"


@pytest.fixture
def store(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    return fresh_store


def refused(*words: str) -> str:
    """What a command says that refuses these words; nothing is printed beside it."""
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, InputError), (done.exception, done.output)
    assert done.stdout == ""
    return str(done.exception)


_ROWS = '{"text": "Rain fell."}\n'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("sample", "rain", "test", "--file", "{rows}", "--text", "text", "--template", "{t}"),
            "it or the text column",
        ),
        (
            ("sample", "rain", "test", "--file", "{rows}", "--text", "text", "--revision", "v1"),
            "leave the revision",
        ),
        (("sample", "control-nli", "test", "--revision", "v1"), "leave the revision"),
        (("quiz", "{sample}", "--slot", "B", "--model", NOBODY), "leave the model out"),
        (("quiz", "{sample}", "--kind", "modified", "--model", NOBODY), "leave the model out"),
        (("balance", "{sample}", "--undo", "--move-accepted"), "leave --move-accepted out"),
        (("run", "q", "--model", NOBODY, "--batch", "--rpm", "5"), "leave --rpm out"),
        (("perturb", "{sample}", "--model", NOBODY, "--batch", "--tpm", "5"), "leave --tpm out"),
        (("kappa", "--chance", "0.5"), "leave --chance out"),
        (("results", "--compare", "--by", "label"), "not both"),
        (("study", "s", "--remove", "--model", "embedded"), "leave out"),
        (("study", "s", "--everything", "--model", "embedded"), "leave"),
        (("perturb", "--run", "w1", "--variants", "3"), "leave --variants out"),
        (("perturb", "--run", "w1", "--candidates", "8", "--kind", "word"), "--candidates and"),
        (("perturb", "--run", "w1", "--kind", "order"), "leave --kind out"),
        (("replicate", "--audit", "f.csv", "--limit", "3", "--reuse"), "--limit and --reuse out"),
        (("replicate", "--run", "r1", "--version", "release"), "give --run alone"),
        (
            ("replicate", "{sample}", "--model", NOBODY, "--resume", "--version", "paper"),
            "leave --version",
        ),
        (("overlap", "search", "--run", "r1", "--price", "0.1"), "leave --price out"),
        (("overlap", "search", "--run", "r1", "--preset", "paper"), "leave --preset out"),
        (("overlap", "scan", "--run", "r1", "--preset", "release"), "leave --preset out"),
        (("protect", "burn", "{sample}", "--by", "Ada"), "leave --by out"),
        (
            (
                *("protect", "check", "none.dcqsecret", "--model", NOBODY),
                *("--by", "likelihood", "--asks", "2"),
            ),
            "leave --asks out",
        ),
        (("matter", "{rows}", "--force"), "leave --force out"),
        (("export", "report", "--columns", "model", "--to", "r.html"), "leave --columns out"),
        (("export", "report", "r1", "--to", "r.html"), "leave the id out"),
        (("export", "results", "--model", NOBODY, "--to", "r.csv"), "leave --model out"),
        (("export", "results", "r1", "--to", "r.csv"), "leave the id out"),
        (("export", "pairs", "--study", "s", "--to", "r.csv"), "leave --study out"),
        (
            ("export", "task", "{sample}", "--columns", "a", "--without-text", "--to", "t"),
            "--columns and --without-text out",
        ),
        (("export", "clean", "{sample}", "--columns", "a", "--to", "c.csv"), "--columns out"),
        (("export", "bundle", "--slides", "--model", "m", "--to", "b.zip"), "--model and --slides"),
        (("export", "findings", "--format", "hub", "r1", "--to", "f.yaml"), "leave the id out"),
        (("export", "answers", "r1", "--format", "release", "--to", "a.csv"), "--format out"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_an_option_without_effect_is_refused(
    store: Store, sample_id: str, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(_ROWS, "utf-8")
    meant = [w.replace("{rows}", str(rows)).replace("{sample}", sample_id) for w in words]
    assert said in refused(*meant)


def test_tasks_with_decisions_add_no_variants(store: Store, sample_id: str, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.json"
    CliRunner().invoke(app, ["export", "label-studio", sample_id, "--to", str(tasks)])
    assert "leave --add-variants out" in refused("import", str(tasks), "--add-variants")


def test_a_limit_below_what_a_run_was_planned_for_stops_nothing(
    store: Store, sample_id: str
) -> None:
    """It was passed over, and the whole quiz was asked."""
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz
    run = answer(store, quiz, {"D": 2})
    items = runs.load(store, run).plan.items
    model = runs.load(store, run).plan.model
    for words in (("--run", run), (quiz, "--model", model, "--resume")):
        assert "leave the limit out" in refused("run", *words, "--limit", "1")
    assert runs.load(store, run).plan.items == items
    endpoint = resolve(model, settings.load())
    as_planned = plan.pick_up(store, QUIZ, [run], Terms(limit=items))
    assert as_planned == [(run, endpoint)]
    assert plan.pick_up(store, QUIZ, [run], Terms(limit=1), at_least=True) == as_planned


def test_an_investigation_is_not_made_smaller(store: Store, sample_id: str) -> None:
    quiz = freeze.freeze(store, sample_id, QuizKind.MODIFIED).quiz
    record = investigations.create(
        store, sample_id, NOBODY, QuizKind.STANDARD, (), limit=4, budget_usd=None
    )
    assert investigations.allow(store, record.id, limit=2, budget_usd=None).limit == 2
    investigations.allow(store, record.id, limit=4, budget_usd=None)
    run = answer(store, quiz, {"D": 2})
    investigations.add_run(store, record.id, (QuizKind.MODIFIED, sample_id), run, 0.0)
    with pytest.raises(InputError, match="begun with 4 instances of each sample"):
        investigations.allow(store, record.id, limit=2, budget_usd=None)
    assert investigations.allow(store, record.id, limit=5, budget_usd=1.0).limit == 5


def test_a_rewording_goes_on_with_what_it_was_planned_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dcq.partitions import draw_sample, open_partition
    from dcq.store import samples
    from dcq.variants.freeze import freeze as freeze_rewording
    from dcq.variants.method import REWORDING
    from dcq.variants.prompts import Protocol

    drawn = draw_sample(open_partition("control-nli", "test"), 6)
    sample = samples.save(store, drawn)
    endpoint = resolve(NOBODY, settings.load())
    frozen = freeze_rewording(store, sample, Protocol.V1, again=True)
    assert frozen is not None
    asyncio.run(plan.plan(store, REWORDING, [frozen], [endpoint], Terms()))
    words = ("perturb", sample, "--model", NOBODY, "--resume")
    for option, name in (
        (("--variants", "3"), "number of variants"),
        (("--candidates", "8"), "number of candidates"),
        (("--prompt", "v2"), "prompt"),
        (("--limit", "2"), "limit"),
    ):
        assert f"leave the {name} out" in refused(*words, *option)


def test_a_scan_goes_on_in_its_own_corpus(store: Store, sample_id: str, tmp_path: Path) -> None:
    corpus, other = tmp_path / "corpus.txt", tmp_path / "other.txt"
    for file in (corpus, other):
        file.write_text("Rain fell in the night.", "utf-8")
    frozen = freeze_scan(store, sample_id, [corpus])
    asyncio.run(plan.plan(store, SCAN, [frozen], [SCAN.endpoint("corpus")], Terms()))
    words = ("overlap", "scan", sample_id)
    assert "goes on with the corpus" in refused(*words, str(other), "--resume")
    assert "goes on with the threshold" in refused(*words, "--resume", "--threshold", "0.9")
    assert "goes on with the preset" in refused(*words, "--resume", "--preset", "release")
    done = CliRunner().invoke(app, [*words, str(corpus), "--resume", "--json"])
    assert done.exit_code == 0, done.exception
    assert json.loads(done.stdout)["run"]
