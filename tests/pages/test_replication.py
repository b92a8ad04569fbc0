from __future__ import annotations

import asyncio
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.documents.chart_rows import caption_lines
from dcq.judging.judged import Ruling
from dcq.judging.replication import results
from dcq.records import DatasetTask, Instance, PartitionRole, QuizKind
from dcq.replication import RUNS
from dcq.replication.evidence import replication_row
from dcq.replication.freeze import move_cut, preview
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import Instruction
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, method_runs, replications, samples
from tests.conftest import KEY, frame_with, letters
from tests.support import once
from tests.support.asked import ask
from tests.support.behaviours import MODELS
from tests.support.provider import FakeProvider
from tests.support.replications import run_of, sample, save
from tests.support.runs import wait_until_ended


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ada")
    return app.switch_page("pages/replication.py")


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    """A sample that ``recites`` knows all but the last instance of."""
    sample_id, texts = save(fresh_store, 12)
    provider.seen = tuple(texts[:-1])
    return sample_id


@pytest.fixture
def completed(fresh_store: Store, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The run in which ``recites`` was asked for all of ``target``, with a judge."""

    def make(folder: Path) -> tuple[Path, str]:
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as running:
            patch.setenv("OPENAI_BASE_URL", running.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            store = Store(folder / "dcq.duckdb")
            sample_id, texts = save(store, 12)
            running.seen = tuple(texts[:-1])
            return store.path, _complete(store, sample_id)

    path, run = once.made(tmp_path_factory, "completed", make)
    shutil.copy(path, fresh_store.path)
    return run


def _open(at: AppTest, view: str) -> AppTest:
    at.session_state["replication_view"] = view
    return at.run()


def _words(at: AppTest) -> str:
    shown = [
        *at.title, *at.markdown, *at.caption, *at.subheader, *at.info, *at.warning, *at.error
    ]  # fmt: skip
    return letters("\n".join(str(element.value) for element in shown)).replace("\u00a0", " ")


def _complete(
    store: Store, sample_id: str, judge: str | None = "judges", model: str = "recites"
) -> str:
    return asyncio.run(replicate(store, sample_id, model, Design(judge=judge))).run


@pytest.mark.parametrize("view", ["Ask", "Result", "Review"])
def test_an_empty_store_says_what_to_do_next(page: AppTest, view: str) -> None:
    at = _open(page, view)
    assert not at.exception
    assert "no sample to cut" in _words(at)


@pytest.mark.parametrize("view", ["Result", "Review"])
def test_without_a_completion_there_is_a_way_to_one(
    page: AppTest, fresh_store: Store, view: str
) -> None:
    save(fresh_store)
    at = _open(page, view)
    assert "No model has completed anything yet" in _words(at)
    at.button(key="replication_first_step").click().run()
    assert not at.exception
    assert at.button(key="replication_start").label == "Ask the model"


def test_pieces_prompts_and_cost_are_seen_before_anything_is_asked(
    page: AppTest, fresh_store: Store
) -> None:
    save(fresh_store)
    at = page.run()
    assert not at.exception
    assert "6 of 6 instances can be cut in two" in _words(at)
    assert "The brooks number 0 springs below" in _words(at)
    assert "Winter 0 of brooks froze it" in _words(at)
    assert "as exactly appeared in the dataset" in at.code[0].value
    assert list(frame_with(at, "calls")["calls"]) == [12]
    assert method_runs.runs_of(fresh_store, RUNS) == []


def test_controls_and_a_judge_are_counted_and_our_wording_is_marked(
    page: AppTest, fresh_store: Store
) -> None:
    save(fresh_store)
    at = page.run()
    at.pills(key="replication_more").set_value([Instruction.SWAPPED, Instruction.WRONG_LABEL]).run()
    at.selectbox(key="replication_judge").set_value("gpt-4o").run()
    assert not at.exception
    assert list(frame_with(at, "calls")["calls"]) == [24, 6]
    assert "24 prompts for 6 instances" in at.expander[-1].label
    assert [badge for badge in at.markdown if "wording of ours" in str(badge.value)]


def test_what_cannot_be_cut_is_counted(page: AppTest, fresh_store: Store) -> None:
    made = sample(3)
    short = Instance("Text: one two three\nLabel: 0", {"text": "one two three"}, "0", ("Label: 0",))
    samples.save(fresh_store, replace(made, instances=(short, *made.instances), requested=4))
    at = page.run()
    assert "3 of 4 instances can be cut in two" in _words(at)
    assert "Left out: 1 too short to be cut." in _words(at)
    assert at.number_input(key="replication_cut_at").value == 2  # the first that can be cut
    assert frame_with(at, "first")["second"].iloc[0] == ""


def test_a_sample_without_anything_to_cut_asks_nothing(page: AppTest, fresh_store: Store) -> None:
    made = sample(1)
    short = Instance("Text: one\nLabel: 0", {"text": "one"}, "0", ("Label: 0",))
    samples.save(fresh_store, replace(made, instances=(short,)))
    at = page.run()
    assert not at.exception
    assert "0 of 1 instances can be cut in two" in _words(at)
    assert not [button for button in at.button if button.key == "replication_start"]


def test_what_guided_adds_to_each_instruction_is_in_a_table(
    page: AppTest, fresh_store: Store, target: str
) -> None:
    asyncio.run(replicate(fresh_store, target, "recites", Design(instructions=tuple(Instruction))))
    at = _open(page, "Result")
    assert not at.exception
    added = frame_with(at, "Guided adds to ROUGE-L").set_index("Instruction")[
        "Guided adds to ROUGE-L"
    ]
    assert added["guided"] == ""
    assert added["general"].startswith("+0.")
    assert added["general"].endswith("], p < 0.001")
    assert added["name-swapped"] == "0.00 [0.00, 0.00], p = 1.000"
    assert "what the right label adds" in _words(at)


def test_the_cut_is_moved_and_moved_back(page: AppTest, fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store)
    at = page.run()
    [slider] = at.select_slider
    slider.set_value(len("The")).run()
    assert not at.exception
    assert "moved by Ada" in _words(at)
    assert list(frame_with(at, "where")["where"])[:2] == [
        "Inside a sentence, moved by Ada.",
        "At the end of a sentence, drawn by the seed of the sample.",
    ]
    [moved] = replications.current(fresh_store, sample_id, 0).values()
    found = preview(fresh_store, samples.load(fresh_store, sample_id))[0].outcome
    assert isinstance(found, Pieces)
    assert found.first == "The"
    assert (moved.offset, moved.author) == (len(found.first), "Ada")
    next(b for b in at.button if b.label == "Back to where it was").click().run()
    assert replications.current(fresh_store, sample_id, 0) == {}
    assert "drawn by the seed" in _words(at)


def test_who_moved_a_cut_is_shown_as_it_is_written(page: AppTest, fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store)
    first, second = samples.load(fresh_store, sample_id).instances[:2]
    move_cut(fresh_store, sample_id, first.id, 10, "<b>**Eve**")
    move_cut(fresh_store, sample_id, second.id, 10, "")
    at = page.run()
    assert not at.exception
    shown = next(c.value for c in at.caption if "moved by" in c.value)
    assert letters(shown) == "Inside a sentence, moved by <b>**Eve**."
    assert "\\*" in shown
    assert frame_with(at, "where")["where"].iloc[1] == "Inside a sentence, moved by a person."


def test_without_a_name_no_cut_is_moved(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DCQ_AUTHOR")
    save(fresh_store)
    at = page.run()
    assert at.select_slider[0].disabled
    assert "Enter your name" in str(at.select_slider[0].help)


def test_a_pair_has_no_cut_to_move(page: AppTest, fresh_store: Store) -> None:
    made = sample(2)
    pairs = tuple(
        Instance(
            f"Sentence 1: A dog barks {n}\nSentence 2: It sleeps\nLabel: no",
            {"a": f"A dog barks {n}", "b": "It sleeps"},
            "no",
            ("Label: no",),
        )
        for n in range(2)
    )
    nli = replace(made.partition, task=DatasetTask.NLI)
    samples.save(fresh_store, replace(made, partition=nli, instances=pairs))
    at = page.run()
    assert not at.exception
    assert not at.select_slider
    assert "no cut to move" in _words(at)


def test_text_is_shown_as_it_is(page: AppTest, fresh_store: Store) -> None:
    made = sample(2)
    evil = ":red[x] ![](http://x.test/a.png) $x$ <b> is here. And :smile: another ~~sentence~~ is."
    one = Instance(f"Text: {evil}\nLabel: 0", {"text": evil}, "0", ("Label: 0",))
    samples.save(fresh_store, replace(made, instances=(one, *made.instances[1:])))
    at = page.run()
    assert not at.exception
    raw = "\n".join(str(element.value) for element in at.markdown)
    assert ":red[" not in raw
    assert "![](" not in raw
    assert ":red[x] ![]" in _words(at)


def test_a_model_that_cannot_be_used_is_not_asked(page: AppTest, fresh_store: Store) -> None:
    save(fresh_store)
    at = page.run()
    at.multiselect(key="replication_models").set_value(["anthropic:claude"]).run()
    [why] = at.warning
    assert "ANTHROPIC_API_KEY" in letters(why.value)
    assert at.button(key="replication_start").disabled
    at.multiselect(key="replication_models").set_value([]).run()
    assert "Choose at least one model" in _words(at)


def test_a_model_and_its_judge_are_asked(
    page: AppTest, fresh_store: Store, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "gpt-4o", MODELS["judges"])
    at = page.run()
    at.multiselect(key="replication_models").set_value(["recites"]).run()
    at.selectbox(key="replication_judge").set_value("gpt-4o").run()
    at.button(key="replication_start").click().run()
    assert not at.exception
    deadline = time.monotonic() + 120
    while not any(
        run.method == "judge" and run.asked for run in method_runs.runs_of(fresh_store, RUNS)
    ):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    wait_until_ended(fresh_store, [run.run for run in method_runs.runs_of(fresh_store, RUNS)])
    [found] = results(fresh_store)
    assert found.evidence.sample == target
    row = replication_row(found.evidence)
    assert (row.measured.matches.exact, row.judge) == (11, "gpt-4o")
    at = page.run()
    assert "24 of 24 answered" in _words(at)
    assert "1 of 1 answered" in _words(at)
    at.button(key=f"replication_read_{found.evidence.run}").click().run()
    assert not at.exception
    assert at.session_state["replication_view"] == "Result"
    assert "Undecided" in _words(at)
    assert "no control partition" in _words(at)


def test_first_instances_are_asked_for(page: AppTest, fresh_store: Store, target: str) -> None:
    at = page.run()
    at.multiselect(key="replication_models").set_value(["recites"]).run()
    at.toggle(key="replication_first").set_value(True).run()
    at.button(key="replication_start").click().run()
    assert not at.exception
    assert {run.method for run in method_runs.runs_of(fresh_store, RUNS)} == {
        "replication",
        "cheat",
    }
    wait_until_ended(fresh_store, [run.run for run in method_runs.runs_of(fresh_store, RUNS)])


def test_the_verdict_stands_beside_its_control_and_the_chart_leaves_with_both_runs(
    page: AppTest, fresh_store: Store, completed: str, provider: FakeProvider
) -> None:
    other, _ = save(fresh_store, 20, key="lakes", role=PartitionRole.CONTROL)
    control = _complete(fresh_store, other)
    at = _open(page, "Result")
    assert not at.exception
    every = {one.evidence.run: one for one in results(fresh_store)}
    found = every[completed]
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.CONTAMINATED
    assert "Contaminated" in at.title[1].value
    assert letters(found.sentence) in _words(at)
    rules = frame_with(at, "Algorithm")
    assert set(rules["Says"]) == {"contaminated"}
    assert rules["False alarms on controls"].iloc[-1].startswith("0 of 1")
    assert list(frame_with(at, "Instruction")["Instruction"]) == ["guided", "general"]
    assert list(frame_with(at, "match")["match"]) == ["exact"] * 11 + ["inexact"]
    labels = [button.proto.label for button in at.get("download_button")]
    assert {"Chart · svg", "Chart · png"} <= {label.split(": ")[-1] for label in labels}
    lines = caption_lines([found, every[control]], with_ids=True)
    assert [line.rpartition(" ")[2] for line in lines[:2]] == [completed, control]
    assert lines[0].startswith("recites · Brooks test · judge judges · wordings of the paper · n =")
    assert lines[-1].startswith("Made with dcq")
    assert every[control].evidence.role == PartitionRole.CONTROL
    at.selectbox(key="replication_run").set_value(control).run()
    assert "there is no verdict on it" in _words(at)


def test_a_missing_control_is_one_click_away(
    page: AppTest, fresh_store: Store, target: str
) -> None:
    save(fresh_store, 20, key="lakes", role=PartitionRole.CONTROL)
    _complete(fresh_store, target, judge=None)
    at = _open(page, "Result")
    assert "only exact matches count" in _words(at)
    [run] = [one.evidence.run for one in results(fresh_store)]
    offered = at.button(key=f"{run}_controls")
    assert not offered.disabled
    assert offered.label.startswith("Add controls and ask about them")
    assert f"python -m dcq investigate {target} --model " in "".join(each.value for each in at.code)


def test_the_quiz_stands_beside_it(page: AppTest, completed: str) -> None:
    at = _open(page, "Result")
    assert "took no quiz of this sample" in _words(at)


def test_the_quiz_is_compared_where_there_is_one(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    made = sample(8)
    with_variants = replace(
        made,
        variants={
            one.id: tuple(one.text.replace("Winter", word) for word in ("Ice", "Frost", "Snow"))
            for one in made.instances
        },
    )
    sample_id = samples.save(fresh_store, with_variants)
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    _complete(fresh_store, sample_id, judge=None, model="always-d")
    at = _open(page, "Result")
    assert not at.exception
    assert "No instance was completed exactly or nearly" in _words(at)
    assert list(frame_with(at, "right")["right"]) == [0, 8]


def test_the_judge_is_hidden_until_a_person_has_decided(
    page: AppTest, fresh_store: Store, completed: str
) -> None:
    at = _open(page, "Review")
    assert not at.exception
    at.number_input(key="replication_at").set_value(12).run()
    assert "shown once you have decided" in _words(at)
    assert "The judge says" not in _words(at)
    at.button(key="replication_say_near-exact_11").click().run()
    assert "The judge says inexact" in _words(at)
    assert replications.of(fresh_store, completed) == {"Ada": {11: "near-exact"}}
    assert "1 of 12 completions have your label" in _words(at)
    at.button(key="replication_take_back_11").click().run()
    assert replications.of(fresh_store, completed) == {}
    assert "The judge says" not in _words(at)


def test_two_people_agree_on_a_share_of_a_number(
    page: AppTest, fresh_store: Store, completed: str
) -> None:
    for place in range(4):
        replications.add(fresh_store, completed, place, "Ada", "exact")
        replications.add(fresh_store, completed, place, "Bob *b*", "exact" if place else "inexact")
    at = _open(page, "Review")
    assert not at.exception
    agreement = run_of(fresh_store, completed).people.agreement
    assert agreement is not None
    assert (agreement.same, agreement.n) == (3, 4)
    assert "Ada and Bob *b* agree on 3 of 4 (75 %, 30 % to 95 %)" in _words(at)
    assert "You and the judge agree on 4 of 4" in _words(at)
    at.button(key="replication_next_open").click().run()
    assert at.number_input(key="replication_at").value == 5


def test_without_a_name_nobody_labels(
    page: AppTest, completed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DCQ_AUTHOR")
    at = _open(page, "Review")
    assert not at.exception
    assert at.button(key="replication_say_exact_0").disabled


def test_a_run_of_refusals_has_nothing_to_review(
    page: AppTest, fresh_store: Store, target: str
) -> None:
    _complete(fresh_store, target, judge=None, model="refuses")
    assert "no guided completion to review" in _words(_open(page, "Review"))


def test_a_run_of_refusals_is_inconclusive(page: AppTest, fresh_store: Store, target: str) -> None:
    _complete(fresh_store, target, judge=None, model="refuses")
    at = _open(page, "Result")
    assert not at.exception
    assert "Undecided" in _words(at)
    assert "24 refused" in _words(at)
