"""Every statistic on a page is explained in a sentence, with a link to its place in the method."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from streamlit.testing.v1 import AppTest

from dcq.partitions import uploads
from dcq.protect.check import open_check
from dcq.protect.shuffle import By
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.replicate import Design, replicate
from dcq.settings import ROOT
from dcq.store import Store, replications, samples, variants
from dcq.store.variants import NewVariant
from dcq.ui import downloads, glossary, handbook
from tests.conftest import small_sample
from tests.support import likelihoods, scanned
from tests.support.asked import ask
from tests.support.judged import SEEN, put, put_controls
from tests.support.lot_checks import ask as run_check
from tests.support.protected import a_secret
from tests.support.provider import FakeProvider
from tests.support.replications import save
from tests.support.result_files import WNLI, answers, release_rows, write_csv
from tests.support.runs import answer
from tests.support.sittings import take

# Headings that name things, not statistics: what a row is about, how it came about, or its text.
NAMES = {
    *("Model", "Partition", "Role", "Quiz", "Run", "Asked, UTC", "Compared", "On", "Mode"),
    "Replies from",
    *("Controls", "By", "Counts"),
    *("compared with", "model", "dataset", "split", "partition", "slot", "quiz", "letter"),
    *("No.", "Chose", "Original at", "Outcome", "Instance", "Reply", "Who", "Sample"),
    *("Instruction", "Told", "Algorithm", "Method", "Completion", "Annotator", "Text", "Why"),
    *("First piece", "Reference", "Guided", "General", "Swapped", "Wrong-label", "Row"),
    *("Row numbers, from 1 and without the header", "Original", "Without original"),
    *(f"Option {letter}" for letter in "ABCD"),
    *(f"Original at {letter}" for letter in "ABCD"),
    *("Samples drawn", "With all variants", "Quizzes made", "Results"),  # counted on Overview
    *("Item", "Wording", "Decision", "Benchmark", "Items", "Instances"),  # of a protected benchmark
    *("With enough wordings", "Ready for the lot", "Wordings"),  # counted on Protect
    *("Step", "Calls", "Answers there", "Cost, about"),  # of an investigation
    *("preset", "provider", "set up"),  # of models
    *("Measure", "Texts", "Tokens in, about", "No.", "Token"),  # of likelihoods
    *("method", "subjects", "subject", "run", "answer", "count", "instance", "kind"),
}
ANCHORS = {section.anchor for section in handbook.method()}
_LINK = re.compile(r"\]\(method#([^)]+)\)")


def _headings(at: AppTest) -> Iterator[tuple[str, str]]:
    """Each metric and each column of a table, as it is shown, with its help."""
    for metric in at.metric:
        yield metric.label, metric.help or ""
    for frame in at.dataframe:
        config = json.loads(frame.proto.columns or "{}")
        for name in map(str, frame.value.columns):
            cell = config.get(name) or {}
            yield cell.get("label") or name, cell.get("help") or ""


def _unexplained(at: AppTest) -> set[str]:
    assert not at.exception
    found = set()
    for heading, said in _headings(at):
        links = _LINK.findall(said)
        assert all(unquote(link) in ANCHORS for link in links), heading
        if not links and heading not in NAMES:
            found.add(heading)
    return found


def _page(app: AppTest, name: str, **state: str) -> AppTest:
    at = AppTest.from_file(app._script_path, default_timeout=60)
    at.switch_page(f"pages/{name}.py")
    for key, value in state.items():
        at.session_state[key] = value
    return at.run()


def _buttons(at: AppTest) -> set[str]:
    return {popover.proto.popover.label for popover in at.get("popover")}


def test_each_term_is_one_sentence_and_leads_somewhere() -> None:
    for name, term in glossary.TERMS.items():
        assert term.anchor in ANCHORS, name
        assert term.sentence.endswith("."), name
        assert not re.search(r"\. [A-Z]", term.sentence), name
        assert len(term.sentence) < 240, name
        assert unquote(glossary.link(name)) == f"method#{term.anchor}"


def test_every_term_is_offered_or_used() -> None:
    pages = [*(ROOT / "dcq" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    files = [*pages, *(ROOT / "dcq").glob("*/detection.py")]
    code = "".join(path.read_text("utf-8") for path in files if path.name != "glossary.py")
    unused = [name for name in glossary.TERMS if f'"{name}"' not in code]
    assert unused == [], "offer it on a page, or make it the term of a method's field"


def test_anchors_are_those_that_github_gives() -> None:
    assert handbook.anchor("Score and κ") == "score-and-κ"
    assert handbook.anchor("Where the paper's rule is unsafe") == "where-the-papers-rule-is-unsafe"
    assert handbook.anchor("A — b: `c_d` (2)") == "a--b-c_d-2"
    assert len(ANCHORS) == len(handbook.method())  # no two alike


def test_own_help_comes_before_the_link() -> None:
    made = glossary.columns({"a": "κ", "b": "n"}, {"a": {"help": "Mine."}, "b": "Called b"})
    assert made["a"]["help"].startswith("Mine. [The method](method#score-and-")
    assert made["b"]["label"] == "Called b"
    assert made["b"]["help"].startswith(glossary.TERMS["n"].sentence)


def test_results_comparisons_and_one_run(app: AppTest, fresh_store: Store) -> None:
    assert _unexplained(_page(app, "results")) == set()  # the paper's table
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", SEEN, model="other@http://127.0.0.1:9/v1")
    for view in ("Table", "Chart"):
        at = _page(app, "results", results_view=view)
        assert len(at.dataframe) >= 3 - (view == "Chart")
        assert _unexplained(at) == set()
    assert _unexplained(_page(app, "answers")) == set()
    assert "What the numbers mean" in _buttons(at)
    for name in ("overview", "case"):
        assert _unexplained(_page(app, name)) == set()


def test_protect(app: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider) -> None:
    run_check(fresh_store, open_check(fresh_store, a_secret(), By.LETTER), "always-a")
    for view in ("Publish", "What it will find", "Check models"):
        at = _page(app, "protect", protect_view=view)
        assert at.metric
        # The estimate of a method in its own unit, and its interval, as in all tables of results.
        assert _unexplained(at) <= {"Share recognised", "95 % interval"}


def test_investigate(
    app: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    samples.save(fresh_store, small_sample(key="lakes", role=PartitionRole.CONTROL))
    ask(fresh_store, sample_id, QuizKind.MODIFIED, "always-d")
    at = _page(app, "investigate")
    assert at.dataframe
    assert _unexplained(at) == set()


def test_ablation(app: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider) -> None:
    assert _unexplained(_page(app, "ablation")) == set()  # the paper's figure
    for kind in (QuizKind.MODIFIED, QuizKind.STANDARD):
        ask(fresh_store, sample_id, kind, "always-d")
    at = _page(app, "ablation")
    assert at.metric.len == 4
    assert _unexplained(at) == set()
    assert "What the numbers mean" in _buttons(at)


def test_audit(app: AppTest, tmp_path: Path) -> None:
    rows = release_rows(WNLI)
    rows[0]["option_d"] = rows[0]["instance"]
    answered = write_csv(
        tmp_path / "answers.csv",
        [*answers("m", "p", "target", 30, 40), *answers("m", "c", "control", 9, 40)],
    )
    for path in (write_csv(tmp_path / "wnli.csv", rows), answered):
        at = _page(app, "audit")
        at.text_input(key="audit_path").set_value(str(path)).run()
        assert at.dataframe
        assert _unexplained(at) == set()
        assert "What the numbers mean" in _buttons(at)


def test_replication(app: AppTest, fresh_store: Store, provider: FakeProvider) -> None:
    sample_id, texts = save(fresh_store, 12)
    provider.seen = tuple(texts[:-1])
    reworded = [
        NewVariant(one.id, slot, f"{one.text} {slot}", "offline")
        for one in samples.load(fresh_store, sample_id).instances
        for slot in range(4)
    ]
    variants.add(fresh_store, sample_id, reworded)
    run = asyncio.run(replicate(fresh_store, sample_id, "recites", Design(judge="judges"))).run
    ask(fresh_store, sample_id, QuizKind.STANDARD, "recites", slot="D")
    for who in ("Ada", "Ben"):
        replications.add(fresh_store, run, 0, who, "exact")
    for view in ("Result", "Review"):
        at = _page(app, "replication", replication_view=view)
        assert at.dataframe
        assert _unexplained(at) == set(), view
        assert "What the numbers mean" in _buttons(at)


def test_likelihood(
    app: AppTest, fresh_store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shutil.copy(likelihoods.scored(tmp_path_factory)[0], fresh_store.path)
    for view in ("Ask", "Result"):
        at = _page(app, "likelihood", likelihood_view=view)
        assert at.dataframe
        assert _unexplained(at) == set(), view
    assert "What the numbers mean" in _buttons(at)


def test_overlap(app: AppTest, fresh_store: Store, tmp_path: Path, provider: FakeProvider) -> None:
    sample_id = scanned.save(fresh_store, 6)
    scanned.scan(fresh_store, sample_id, tmp_path / "corpus", [0, 1], [2])
    ids = [one.id for one in samples.load(fresh_store, sample_id).instances]
    scored = [
        {"model": model, "instance_id": i, "correct": int(place > skill), "subject": "law"}
        for skill, model in enumerate(("llama-7b", "llama-70b"))
        for place, i in enumerate(ids)
    ]
    content = write_csv(tmp_path / "scored.csv", scored).read_bytes()
    uploads.keep(
        downloads.folder(fresh_store), "scored.csv", content, part="results", kinds=("csv",)
    )
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    for view in ("Result", "Effect", "Together", "Reference"):
        at = _page(app, "overlap", overlap_view=view)
        assert _unexplained(at) == set(), view
        assert ("What the numbers mean" in _buttons(at)) == (view != "Reference"), view
        if view in {"Effect", "Together"}:
            assert at.dataframe, view


def test_people(
    app: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_AUTHOR", "Ada")
    answer(fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD).quiz, {"D": 6})
    sitting = take(fresh_store, sample_id, "Ada", 2)
    assert _unexplained(_page(app, "take")) == set()
    at = AppTest.from_file(app._script_path, default_timeout=60)
    at.switch_page("pages/take.py")
    at.query_params["take_sitting"] = sitting
    assert _unexplained(at.run()) == set()


def test_the_method_is_a_page_with_every_anchor(app: AppTest) -> None:
    at = _page(app, "method")
    assert not at.exception
    shown = {heading.proto.anchor for heading in (*at.header, *at.subheader)}
    assert {unquote(anchor) for anchor in shown} == ANCHORS - {"the-method"}
    assert len(at.get("image")) == 2
    assert not any("](" in m.value and ".md" in m.value.split("](")[1][:40] for m in at.markdown)
