"""What repairs a failed check, what commands say to type next, and where that leads."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.evidence.check import Topic
from dcq.judging.answers import answers
from dcq.judging.study import findings
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.settings import DATA
from dcq.store import Store, investigations, runs, samples, variants
from dcq.store.runs import Event
from dcq.store.variants import NewVariant
from dcq.study.repair import Repair
from dcq.study.repairs import repair_command, repair_for, repairs, with_repairs
from tests.conftest import small_sample
from tests.support.judged import SEEN, N, of, put, put_controls
from tests.support.newcomer import write_benchmark
from tests.support.provider import FakeProvider
from tests.support.runs import NOBODY, answer
from tests.support.shell import Shell

pytestmark = pytest.mark.slow

PRICED = "gpt-4o-mini"
LONGEST = 30  # words of a sentence


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-not-a-real-key")


def repair(store: Store, topic: Topic, key: str = "rivers") -> Repair:
    return repairs(store, of(store, key))[topic]


def commands_of(store: Store) -> dict[str, str]:
    return {
        one.partition: repair_command(store, one)
        for one in answers(store)
        if one.role == PartitionRole.TARGET
    }


def sample_of(store: Store, key: str = "rivers") -> str:
    return of(store, key).evidence.sample


def reworded_offline(store: Store, key: str = "rivers", *, longer: str = "") -> str:
    """A sample whose rewordings the offline generator wrote; returns its id."""
    drawn = small_sample(N, key=key)
    sample_id = samples.save(store, replace(drawn, variants={}))
    new = [
        NewVariant(instance, slot, text + longer, "offline")
        for instance, written in drawn.variants.items()
        for slot, text in enumerate(written)
    ]
    variants.add(store, sample_id, new)
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(store, quiz, SEEN, PRICED)
    return sample_id


@pytest.mark.parametrize("model", [PRICED, NOBODY])
def test_each_topic_has_a_repair_with_a_command_or_a_reason_in_words(
    fresh_store: Store, model: str
) -> None:
    put_controls(fresh_store, 2)
    put(fresh_store, "rivers", SEEN, model=model)
    finding = of(fresh_store, "rivers")
    for topic in Topic:
        found = repair_for(fresh_store, finding, topic)
        assert found.label or found.why_not, topic
        assert bool(found.command) == bool(found.label), topic
        for sentence in (found.label, found.why_not):
            assert len(sentence.split()) <= LONGEST, sentence
        if found.command:
            assert shlex.split(found.command) == ["python", "-m", "dcq", *found.words]


def test_every_check_that_is_not_passed_has_one(fresh_store: Store) -> None:
    put(fresh_store, "rivers", {"D": 60, "error": 40}, model=PRICED)
    finding = of(fresh_store, "rivers")
    assert finding.verdict is not None
    short = {check.topic for check in finding.verdict.checks if check.mark != "good"}
    assert set(repairs(fresh_store, finding)) == short


def test_an_undecided_answer_names_one_command_and_a_decided_one_none(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    [alone] = commands_of(fresh_store).values()
    assert alone == f"python -m dcq investigate {sample_of(fresh_store)} --model {NOBODY} --yes"
    [only] = answers(fresh_store)
    document = with_repairs(fresh_store, [only])[0]["repair"]
    assert (document["check"], document["command"]) == ("controls", alone)
    put_controls(fresh_store, 12)
    assert commands_of(fresh_store) == {"rivers/test": ""}


def test_the_answer_and_the_checklist_name_the_same_command(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, model=PRICED)
    [alone] = commands_of(fresh_store).values()
    assert repair(fresh_store, Topic.CONTROLS).command == alone


def test_controls_have_a_price_before_anything_is_asked_or_stored(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, model=PRICED)
    price = repair(fresh_store, Topic.CONTROLS).price(fresh_store)
    assert price.calls > N
    assert price.usd is not None
    assert price.usd > 0
    assert not price.why_not
    assert price.words.startswith(f"{price.calls:,} calls, $")
    assert [sample.partition for sample in samples.listing(fresh_store)] == ["rivers/test"]


def test_where_no_control_can_be_had_it_says_so(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, model=PRICED, language="fr")
    offered = repair(fresh_store, Topic.CONTROLS)
    assert "--rewordings MODEL" in offered.command
    assert "in place of MODEL" in offered.price(fresh_store).why_not
    assert offered.page == "variants"


def test_texts_that_people_reworded_are_reworded_by_a_writer_of_controls(
    fresh_store: Store,
) -> None:
    sample_id = reworded_offline(fresh_store)
    with fresh_store.write() as db:
        db.execute("UPDATE variant SET origin = 'person'")
    offered = repair(fresh_store, Topic.CONTROLS)
    assert offered.command == (
        f"python -m dcq investigate {sample_id} --model {PRICED} --rewordings offline --yes"
    )
    assert not offered.price(fresh_store).why_not


def test_a_rotated_quiz_is_repaired_by_a_rotated_one(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, kind=QuizKind.ROTATED, slot=None, model=PRICED)
    assert "--kind rotated" in repair(fresh_store, Topic.CONTROLS).command


def test_an_unfinished_run_is_resumed_for_the_rest_of_its_calls(fresh_store: Store) -> None:
    run = put(fresh_store, "rivers", {"D": 30}, model=PRICED)
    assert "asked now" in repair(fresh_store, Topic.COMPLETE).why_not
    runs.note(fresh_store, run, Event.CANCELLED)
    offered = repair(fresh_store, Topic.COMPLETE)
    assert offered.command == f"python -m dcq run --run {run}"
    assert offered.price(fresh_store).calls == 70


def test_a_budget_that_is_used_up_is_raised_to_what_is_left(fresh_store: Store) -> None:
    run = put(fresh_store, "rivers", {"D": 30}, model=PRICED)
    with fresh_store.write() as db:
        db.execute("UPDATE run SET budget_usd = 0.001")
    runs.note(fresh_store, run, Event.STOPPED, "the budget is used up")
    offered = repair(fresh_store, Topic.COMPLETE)
    assert offered.command.startswith(f"python -m dcq run --run {run} --budget 0.")
    assert "with a budget of $0." in offered.label


def test_the_runs_of_an_investigation_are_resumed_as_one(fresh_store: Store) -> None:
    run = put(fresh_store, "rivers", {"D": 30}, model=PRICED)
    runs.note(fresh_store, run, Event.CANCELLED)
    sample = sample_of(fresh_store)
    record = investigations.create(fresh_store, sample, PRICED, QuizKind.STANDARD, ())
    investigations.add_run(fresh_store, record.id, (QuizKind.STANDARD, sample), run, 0.0)
    assert repair(fresh_store, Topic.COMPLETE).command == (
        f"python -m dcq investigate {sample} --model {PRICED} --resume"
    )


def test_failed_calls_are_retried_and_refusals_are_asked_by_another_method(
    fresh_store: Store,
) -> None:
    for key, tally in (("rivers", {"D": 60, "error": 40}), ("lakes", {"D": 60, "refused": 40})):
        runs.note(fresh_store, put(fresh_store, key, tally, model=PRICED), Event.FINISHED)
    offered = repair(fresh_store, Topic.REPLIES)
    assert offered.label == "Retry the failed calls on Rivers test"
    assert offered.price(fresh_store).calls == 40
    assert "would not answer" in repair(fresh_store, Topic.REPLIES, "lakes").label


def test_a_leak_gets_more_rewordings_and_new_ones_are_asked_about(fresh_store: Store) -> None:
    sample_id = reworded_offline(fresh_store, longer=" and cold")
    offered = repair(fresh_store, Topic.LEAK)
    assert offered.command == f"python -m dcq investigate {sample_id} --model {PRICED} --yes"
    assert "more rewordings" in offered.label
    better = small_sample(N, key="rivers").variants
    variants.add(
        fresh_store,
        sample_id,
        [NewVariant(i, s, t, "offline") for i, v in better.items() for s, t in enumerate(v)],
    )
    again = repair(fresh_store, Topic.LEAK)
    assert again.label.startswith("Ask again")
    assert again.command == offered.command


def test_controls_of_another_writer_give_way_to_those_of_the_targets(fresh_store: Store) -> None:
    put_controls(fresh_store, model=PRICED)
    sample_id = reworded_offline(fresh_store)
    offered = repair(fresh_store, Topic.WRITER)
    assert offered.command == f"python -m dcq investigate {sample_id} --model {PRICED} --yes"
    assert "reworded by the target's writer" in offered.label
    assert not offered.price(fresh_store).why_not


def test_a_model_without_its_key_says_what_to_set(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(fresh_store, "rivers", SEEN, model=PRICED)
    monkeypatch.delenv("OPENAI_API_KEY")
    offered = repair(fresh_store, Topic.CONTROLS)
    assert "OPENAI_API_KEY" in offered.why_not
    assert not offered.can_start


def test_a_control_has_nothing_to_repair(fresh_store: Store) -> None:
    put_controls(fresh_store, 1)
    [found] = findings(fresh_store)
    assert repairs(fresh_store, found) == {}


def test_a_repair_that_asks_nothing_says_that_it_would_lead_to_the_same(
    fresh_store: Store,
) -> None:
    run = put(fresh_store, "rivers", SEEN, model=PRICED)
    runs.note(fresh_store, run, Event.FINISHED)
    offered = repair_for(fresh_store, of(fresh_store, "rivers"), Topic.COMPLETE)
    assert "same failure" in offered.price(fresh_store).why_not


def test_names_are_quoted_for_a_shell(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, model="two words@http://127.0.0.1:1/v1")
    [command] = commands_of(fresh_store).values()
    assert "--model 'two words@http://127.0.0.1:1/v1'" in command


def test_each_step_leads_to_a_conclusion(
    store_path: Path, provider: FakeProvider, fresh_store: Store
) -> None:
    shell = Shell(store_path, provider.base_url)
    done = shell.run("sample", "control-docks", "test", "--n", "6", "--role", "target")
    target = done.stdout.split()[1].rstrip(":")
    leads = f"Next: python -m dcq investigate {target} --model"
    assert f"{leads} MODEL" in done.stdout
    assert f"{leads} MODEL" in shell.run("perturb", target).stdout
    assert f"{leads} MODEL" in shell.run("perturb", target, "--placebo").stdout
    assert f"{leads} MODEL" in shell.run("balance", target).stdout
    assert f"{leads} MODEL" in shell.run("quiz", target).stdout
    quiz = shell.json("quiz", target, "--kind", "rotated")["quiz"]
    assert f"{leads} guess" in shell.run("run", quiz, "--model", "guess").stdout
    control = samples.save(fresh_store, small_sample(3, key="lakes", role=PartitionRole.CONTROL))
    assert "Next: python -m dcq investigate TARGET --model MODEL" in shell.run(
        "balance", control
    ).stdout  # fmt: skip


def test_what_others_sent_has_no_next_command(store_path: Path) -> None:
    shell = Shell(store_path)
    shell.run("import", str(DATA / "example.zip"))
    done = shell.run("answer")
    assert done.returncode == 0, done.stderr
    assert "Undecided. SmolLM2-135M picked" in done.stdout
    assert "Next:" not in done.stdout
    assert {one["repair"] for one in shell.json("answer")} == {None}


def test_a_text_that_no_bundled_control_is_like_gets_a_placebo(store_path: Path) -> None:
    words = ("kjv", "--split", "verses", "--n", "12", "--model", "guess", "--plan")
    [pair] = Shell(store_path).json("investigate", *words)["pairs"]
    assert [control["partition"] for control in pair["controls"]] == ["kjv-placebo/verses"]


def test_texts_alone_are_compared_with_bundled_texts_alone(
    store_path: Path, provider: FakeProvider, tmp_path: Path
) -> None:
    file = write_benchmark(tmp_path / "texts.csv", 40)
    shell = Shell(store_path, provider.base_url)
    words = ("investigate", str(file), "--text", "question", "--model", "guess")
    [pair] = shell.json(*words, "--plan")["pairs"]
    names = [control["partition"] for control in pair["controls"]]
    assert len(names) == 10
    assert all(name.endswith("-text/test") for name in names)
    assert set(pair["possible"]) == {"contaminated", "no evidence", "inconclusive"}


def test_where_no_bundled_text_is_left_people_are_asked_for_one(
    store_path: Path, provider: FakeProvider, tmp_path: Path
) -> None:
    """Rows of several columns are like no bundled text, so a second placebo would be all there
    is."""
    file = write_benchmark(tmp_path / "texts.csv", 24)
    shell = Shell(store_path, provider.base_url)
    row = "{question} {answer}"
    words = ("investigate", str(file), "--template", row, "--model", "guess", "--yes")
    done = shell.run(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == (
        "Next: python -m dcq sample NAME SPLIT --file FILE --role control"
    )
    [answer_now] = shell.json("answer")
    assert "No further bundled text" in answer_now["repair"]["why_not"]
