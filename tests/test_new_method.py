"""A new method is one folder and one line: registered, it is asked, judged, shown, reported and
carried like all others, and nothing else knows of it."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from dcq import methods
from dcq.asking.options import NO_TERMS, Options, Terms
from dcq.asking.task import ChainStep
from dcq.cli import app as cli
from dcq.documents.deck import Part, build
from dcq.documents.deck.slides import slides
from dcq.documents.html_report import render
from dcq.documents.pictures import alt_of
from dcq.documents.tables import markdown
from dcq.errors import InputError
from dcq.files import bundle_import, bundle_write
from dcq.investigation import evidence_order, walk
from dcq.investigation.outcome import other_results
from dcq.investigation.price import Need, needs
from dcq.judging import every_method
from dcq.judging.answers import answers as pair_answers
from dcq.judging.judged import Ruling
from dcq.judging.matrix import matrix
from dcq.judging.study import findings
from dcq.quiz import choice as choosing
from dcq.store import Store, investigations, runs, studies
from dcq.store.runs import Event
from dcq.store.studies import EVERYTHING, Study
from tests.conftest import KEY, frame_with, letters
from tests.support import once
from tests.support.behaviours import MODELS, ChatRequest, FakeReply, Outcome, ServerState
from tests.support.investigated import save_target
from tests.support.next_word.cut import NAME
from tests.support.next_word.detection import NEXT_WORD
from tests.support.next_word.method import PROMPT, NextWord
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

N = 12
MODEL = "remembers"


async def remember(call: ChatRequest, server: ServerState) -> Outcome:
    """The next word of texts that it has seen, and the originals of quizzes on them."""
    opening = PROMPT.wording.partition("{text}")[0]
    if not call.prompt.startswith(opening):
        return await MODELS["knows-original"](call, server)
    given = call.prompt.removeprefix(opening)
    seen = (text for text in server.seen if text.startswith(f"{given} "))
    return FakeReply(next((text.removeprefix(f"{given} ") for text in seen), "water"))


@pytest.fixture(autouse=True)
def own_store(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))


def register(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(methods, "METHODS", (*methods.METHODS, NEXT_WORD))  # the one line
    patch.setitem(MODELS, MODEL, remember)
    # The quizzes alone would make the answer clear, and the method would not be asked.
    patch.setattr(evidence_order, "is_clear", lambda answer: False)


def save(store: Store, provider: FakeProvider) -> str:
    """A sample that the model has seen, and three controls."""
    return save_target(store, provider, N, ("lakes", "ponds", "seas"))


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> str:
    """A target of which nothing has been asked."""
    register(monkeypatch)
    return save(fresh_store, provider)


@dataclass(frozen=True)
class Asked:
    """The file of a store whose ``target`` was asked by the quiz and the new method, in one
    command: what that was ``told`` to cost, how many ``calls`` it made, and what it ``said``."""

    path: Path
    target: str
    told: list[Need]
    calls: int
    said: list[dict[str, Any]]


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    def make(folder: Path) -> Asked:
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as running:
            register(patch)
            patch.setenv("OPENAI_BASE_URL", running.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            store = Store(folder / "dcq.duckdb")
            patch.setenv("DCQ_STORE", str(store.path))
            target = save(store, running)
            told = needs(store, choosing.choose(store, target, methods=[NAME]), [MODEL], NO_TERMS)
            said = run_json("investigate", target, "--model", MODEL, "--methods", NAME)
            return Asked(store.path, target, told, running.counts[MODEL], said)

    return once.made(tmp_path_factory, "new-method", make)


@pytest.fixture
def investigated(asked: Asked, fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of the target's sample, in a copy of that store."""
    register(monkeypatch)
    shutil.copy(asked.path, fresh_store.path)
    return asked.target


def run_json(*words: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_an_investigation_asks_it_and_costs_what_was_said(
    fresh_store: Store, provider: FakeProvider, asked: Asked, investigated: str
) -> None:
    assert [need.calls for need in asked.told if need.kind == NAME] == [N] * 4
    assert asked.calls == sum(need.calls for need in asked.told)
    [other] = asked.said[0]["others"]
    assert (other["method"], other["verdict"]) == (NAME, "contaminated")
    record = investigations.newest(fresh_store, investigated, MODEL)
    assert record is not None
    [found] = other_results(fresh_store, record)
    assert found.evidence.estimate.share == 1.0
    chosen = choosing.choose(fresh_store, investigated, methods=[NAME])
    assert not any(need.calls for need in needs(fresh_store, chosen, [MODEL], NO_TERMS))
    again = asyncio.run(walk.investigate(fresh_store, chosen, MODEL, resume=True))
    assert again.ended.event is Event.FINISHED
    assert not provider.counts  # nothing is asked twice


def test_what_was_asked_of_some_instances_goes_on_with_the_rest(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    target = save_target(fresh_store, provider, N, ("lakes",))
    chosen = choosing.choose(fresh_store, target, methods=[NAME])
    stopped = asyncio.run(walk.investigate(fresh_store, chosen, MODEL, Options(Terms(limit=N - 2))))
    assert stopped.ended.event is Event.FINISHED
    assert provider.counts[MODEL] == (3 + 2) * (N - 2)
    done = asyncio.run(walk.investigate(fresh_store, chosen, MODEL))
    assert done.ended.event is Event.FINISHED
    assert provider.counts[MODEL] == (3 + 2) * N


def test_it_is_asked_by_a_command_without_one_of_its_own(
    fresh_store: Store, provider: FakeProvider, target: str
) -> None:
    part = run_json("ask", NAME, target, "--model", MODEL, "--limit", "3")
    assert [(one["n"], one["verdict"]) for one in part] == [(3, "inconclusive")]
    [whole] = run_json("ask", NAME, target, "--model", MODEL, "--resume")
    assert (whole["run"], whole["n"], whole["estimate"]) == (part[0]["run"], N, 1.0)
    assert provider.counts[MODEL] == N
    again = run_json("ask", NAME, "--run", str(whole["run"]))
    assert again == [whole]
    other = run_json("ask", NAME, target, "--model", MODEL, "--reuse")
    assert other[0]["run"] != whole["run"]
    assert provider.counts[MODEL] == N
    said = CliRunner().invoke(cli, ["ask", NAME, target, "--model", MODEL, "--resume"])
    assert "The next word is right in 100.0 % of the instances" in said.stdout
    for words in (["quiz", target], ["guessing", target], [NAME], [NAME, target, "--run", "r"]):
        failed = CliRunner().invoke(cli, ["ask", *words])
        assert isinstance(failed.exception, InputError)


def test_what_follows_its_runs_is_asked_by_the_command(
    fresh_store: Store, provider: FakeProvider, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(self: NextWord, store: Store, run_id: str) -> Iterator[ChainStep]:
        plan = runs.load(store, run_id).plan
        if plan.model == MODEL:
            yield ChainStep(self, plan.subject, self.endpoint("guess"))

    monkeypatch.setattr(NextWord, "followers", again)
    [found] = run_json("ask", NAME, target, "--model", MODEL, "--max-calls", str(N + 2))
    assert (found["model"], found["n"]) == (MODEL, N)
    assert provider.counts == {MODEL: N, "guess": 2}  # on the calls that are left


def test_whoever_judges_it_imports_nothing_that_asks(fresh_store: Store, investigated: str) -> None:
    code = (
        "import sys; from dcq import methods; from dcq.cli import app;"
        "from tests.support.next_word.detection import NEXT_WORD;"
        "methods.METHODS = (*methods.METHODS, NEXT_WORD);"
        "app(['results'], standalone_mode=False); print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said, _, modules = done.stdout.strip().rpartition("\n")
    assert "The next word is right in 100.0 % of the instances" in said
    assert {"openai", "httpx2", "aiohttp", "plotly", "dcq.asking.task"} & {
        *modules.split()
    } == set()


def test_its_verdict_rests_on_controls_and_one_family(
    fresh_store: Store, investigated: str
) -> None:
    rows = [one for one in every_method.of_other_methods(fresh_store) if one.verdict]
    [found] = [one for one in rows if one.evidence.method == NAME]
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.CONTAMINATED
    assert len(found.controls) == 3
    [quiz] = [one for one in findings(fresh_store) if one.verdict]
    assert quiz.verdict is not None
    assert quiz.verdict.p_value is not None
    assert found.verdict.p_value is not None
    holm = max(2 * min(quiz.verdict.p_value, found.verdict.p_value), found.verdict.p_value)
    assert found.verdict.p_holm is not None
    assert found.verdict.p_holm <= holm  # two results are corrected together


def test_it_stands_in_results_and_in_the_matrix(fresh_store: Store, investigated: str) -> None:
    rows = [row for row in run_json("results") if row["method"] == NAME]
    assert [row["verdict"] for row in rows] == [None, None, "contaminated", None]
    assert {row["unit"] for row in rows} == {"share of words"}
    assert {tuple(row) for row in run_json("results")} == {tuple(rows[0])}
    table = every_method.tabulate(
        every_method.quizzes(fresh_store), {}, every_method.of_other_methods(fresh_store)
    )
    assert table[table["method"] == NAME]["words"].tolist() == [0, 0, N, 0]
    said = CliRunner().invoke(cli, ["results"], catch_exceptions=False).stdout
    assert "words right" in said
    assert "rivers/test, next-word: Contaminated. remembers on Rivers test: The next word" in said
    [row] = [
        row
        for row in matrix(fresh_store, (), pair_answers(fresh_store), EVERYTHING).rows
        if row.role == "target"
    ]
    verdict = row.cells[MODEL].others[NAME].verdict
    assert verdict is not None
    assert verdict.ruling is Ruling.CONTAMINATED


def test_a_page_shows_it(fresh_store: Store, investigated: str, app: AppTest) -> None:
    at = app.switch_page("pages/results.py").run()
    assert not at.exception
    assert NEXT_WORD.question in [letters(one.value) for one in at.subheader]
    for toggle in at.toggle:
        if toggle.label.endswith(" columns"):
            toggle.set_value(True)
    table = frame_with(at.run(), "Words right")
    assert table.set_index("Role").loc["target", "Answer"] == "contaminated"
    overview = app.switch_page("pages/overview.py").run()
    assert not overview.exception


def test_it_has_a_slide_and_a_section_of_the_report(fresh_store: Store, investigated: str) -> None:
    deck = build(fresh_store)
    [section] = [one for one in deck.sections if one.part is Part.OTHERS]
    assert section.title == NEXT_WORD.question
    assert any("The next word is right in 100.0 %" in words for words in section.sentences)
    own = section.exhibits[-1]
    assert (own.title, alt_of(own)[:13]) == ("Words right", "κ with its 95")
    shown = [one.exhibit for one in slides(deck)]
    assert {id(one) for one in section.exhibits} <= {id(one) for one in shown}
    assert deck.data["others"][0]["method"] == NAME
    for text in (render(deck), markdown(deck)):
        assert NEXT_WORD.question in text
        assert "Words right" in text


@pytest.mark.parametrize("with_text", [True, False])
def test_it_goes_round_in_a_bundle(
    fresh_store: Store, investigated: str, tmp_path: Path, with_text: bool
) -> None:
    data, manifest = bundle_write.to_bytes(fresh_store, with_text=with_text)
    assert len(manifest.outcomes.others) == 4
    (tmp_path / "study.zip").write_bytes(data)
    there = Store(tmp_path / "there" / "dcq.duckdb")
    found = bundle_import.load(there, tmp_path / "study.zip")
    assert found.differences == ()
    if not with_text:
        assert b"(Wet)" not in data
        return
    assert [one.sentence for one in every_method.of_other_methods(there)] == [
        one.sentence for one in every_method.of_other_methods(fresh_store)
    ]
    assert bundle_write.to_bytes(there)[1].files == manifest.files


def test_a_bundle_with_it_is_refused_where_it_is_not_known(
    fresh_store: Store, investigated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.zip").write_bytes(bundle_write.to_bytes(fresh_store)[0])
    monkeypatch.undo()
    there = Store(tmp_path / "there" / "dcq.duckdb")
    with pytest.raises(InputError, match="runs of the kind next-word, which this release"):
        bundle_import.load(there, tmp_path / "study.zip")


@pytest.mark.parametrize(
    ("used", "there"), [((NAME,), {NAME}), (("quiz",), {"quiz"}), (None, {"quiz", NAME})]
)
def test_a_study_can_have_it(
    fresh_store: Store,
    investigated: str,
    used: tuple[str, ...] | None,
    there: set[str],
) -> None:
    studies.save(fresh_store, Study("Words", methods=used))
    assert {row["method"] for row in run_json("results", "--study", "Words")} == there


def test_a_study_takes_no_method_that_there_is_not(fresh_store: Store) -> None:
    with pytest.raises(InputError, match="choose from quiz, replication, overlap, likelihood"):
        CliRunner().invoke(cli, ["study", "Words", "--method", "guessing"], catch_exceptions=False)


def test_the_page_investigate_offers_it_and_shows_what_it_found(
    fresh_store: Store, investigated: str, provider: FakeProvider, app: AppTest
) -> None:
    at = app.switch_page("pages/investigate.py").run()
    assert not at.exception
    pills: Any = next(one for one in at.button_group if one.label == "And by")
    assert set(pills.options) == {method.title for method in methods.beside_the_quiz()}
    assert NEXT_WORD.title in pills.options
    assert pills.value == [NEXT_WORD.title]  # as before
    said = letters(" ".join(one.value for one in at.markdown))
    assert "**Next word:** remembers on Rivers test: The next word is right" in said
    assert "9 steps: nothing is left to ask." in said
