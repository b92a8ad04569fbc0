"""Completions, judgements and first instances on the engine."""

from collections.abc import Awaitable, Callable

import pytest

from dcq import settings
from dcq.asking.options import NO_TERMS
from dcq.asking.plan import RunJob, carry_out, plan
from dcq.asking.prompt import sha256
from dcq.asking.task import Method
from dcq.errors import InputError, ModelChoiceError
from dcq.models.endpoints import resolve
from dcq.records import Mode, Outcome, Reply
from dcq.replication.cheat import CheatFinding
from dcq.replication.completion import ReplyKind
from dcq.replication.freeze import freeze, pieces_of
from dcq.replication.method import CHEAT, JUDGE, METHODS, REPLICATION, judge_again
from dcq.replication.prompts import Instruction, Version, prompt_for, prompt_text
from dcq.store import Store, method_runs, replications, results, runs
from tests.support.behaviours import MODELS, says
from tests.support.provider import FakeProvider
from tests.support.replications import save

Asked = Callable[[Method, str, str], Awaitable[str]]


@pytest.fixture
def asked(fresh_store: Store, provider: FakeProvider) -> Asked:
    """Asks a subject of a model by a method; gives the run."""
    assert provider.base_url

    async def ask(method: Method, subject: str, model: str) -> str:
        endpoint = resolve(model, settings.load())
        [(run_id, _)] = await plan(fresh_store, method, [subject], [endpoint], NO_TERMS)
        await carry_out(fresh_store, RunJob(run_id, endpoint, method))
        return run_id

    return ask


async def test_each_request_is_in_the_wording_of_its_instruction(
    fresh_store: Store, provider: FakeProvider, asked: Asked
) -> None:
    sample_id, texts = save(fresh_store, 3)
    provider.seen = tuple(texts)
    frozen = freeze(fresh_store, sample_id, version=Version.PAPER, instructions=tuple(Instruction))
    run_id = await asked(REPLICATION, frozen, "recites")
    kept = replications.load(fresh_store, frozen)
    stored = runs.load(fresh_store, run_id).plan
    assert (stored.prompt, stored.method, stored.items) == ("replicate/paper", "replication", 12)
    assert (stored.temperature, stored.max_tokens) == (0.0, 500)
    task = REPLICATION.reopen(fresh_store, stored)
    assert (task.count_first(2), task.count_first(99)) == (8, 12)
    for position in range(task.size):
        piece, instruction = divmod(position, 4)
        pieces, wanted = pieces_of(kept.pieces[piece]), list(Instruction)[instruction]
        wrong = kept.pieces[piece].wrong_label if wanted is Instruction.WRONG_LABEL else None
        expected = prompt_text(
            prompt_for(Version.PAPER, wanted, pieces.form), pieces, "Brooks", "test", label=wrong
        )
        answer = results.load_answer(fresh_store, run_id, position)
        assert task.text(position) == expected
        assert answer is not None
        assert answer.prompt_sha256 == sha256(expected)
        assert answer.value == (answer.reply if wanted is Instruction.GENERAL else pieces.second)
    assert "Ostrevel" in task.text(2)


@pytest.mark.parametrize(
    ("reply", "outcome", "read"),
    [
        (Reply("froze it."), Outcome.ANSWERED, ReplyKind.COMPLETION),
        (Reply("froze it", "length"), Outcome.ANSWERED, ReplyKind.CUT),
        (Reply(None, refusal="no"), Outcome.REFUSED, ReplyKind.REFUSED),
        (Reply(""), Outcome.INVALID, ReplyKind.EMPTY),
    ],
)
def test_a_reply_is_one_outcome(
    fresh_store: Store, reply: Reply, outcome: Outcome, read: ReplyKind
) -> None:
    sample_id, _ = save(fresh_store, 1)
    proposed = REPLICATION.propose(fresh_store, freeze(fresh_store, sample_id), Mode.LETTER)
    reading = proposed.task.read(1, reply)
    assert (reading.outcome, reading.reason) == (outcome, read.value)
    assert (reading.value is None) == (outcome is not Outcome.ANSWERED)


async def test_the_judge_is_asked_only_about_what_is_not_equal(
    fresh_store: Store, provider: FakeProvider, asked: Asked
) -> None:
    sample_id, texts = save(fresh_store, 4)
    provider.seen = tuple(texts[:3])  # the fourth gets another completion
    run_id = await asked(REPLICATION, freeze(fresh_store, sample_id), "recites")
    for _ in range(2):  # once, however often it is asked
        assert JUDGE.take_up(fresh_store, run_id)
        assert replications.to_judge(fresh_store, run_id) == [3]
    judge_run = await asked(JUDGE, run_id, "judges")
    plan_of_judge = runs.load(fresh_store, judge_run).plan
    assert (plan_of_judge.items, plan_of_judge.max_tokens) == (1, 10)
    answer = results.load_answer(fresh_store, judge_run, 0)
    assert answer is not None
    assert answer.value == "inexact"
    prompt = provider.bodies[-1]["messages"][-1]["content"]
    assert prompt.startswith("Instruction: You are provided with a reference text")
    assert "Winter 3 of brooks froze it from bank to bank." in prompt


async def test_a_completion_that_is_read_otherwise_is_judged_again(
    fresh_store: Store, provider: FakeProvider, asked: Asked
) -> None:
    sample_id, texts = save(fresh_store, 4)
    provider.seen = tuple(texts[:2])
    run_id = await asked(REPLICATION, freeze(fresh_store, sample_id), "recites")
    assert JUDGE.take_up(fresh_store, run_id)
    judge_run = await asked(JUDGE, run_id, "judges")
    assert replications.to_judge(fresh_store, run_id) == [2, 3]
    task = REPLICATION.reopen(fresh_store, runs.load(fresh_store, run_id).plan)
    guided = task.instructions.index(Instruction.GUIDED)
    width = len(task.instructions)
    others = [place for place in range(width) if place != guided]
    # Of another instruction, or equal to its reference: not for the judge.
    judge_again(fresh_store, run_id, [2 * width + place for place in others] + [guided])
    assert {a.outcome for a in method_runs.answers(fresh_store, judge_run).values()} == {
        Outcome.ANSWERED
    }
    judge_again(fresh_store, run_id, [3 * width + guided])
    answers = {p: results.load_answer(fresh_store, judge_run, p) for p in (0, 1)}
    assert [(a and a.outcome) for a in answers.values()] == [Outcome.ANSWERED, Outcome.ERROR]
    calls = provider.counts["judges"]
    await carry_out(fresh_store, RunJob(judge_run, resolve("judges", settings.load()), JUDGE))
    again = results.load_answer(fresh_store, judge_run, 1)
    assert again is not None
    assert again.outcome is Outcome.ANSWERED
    assert provider.counts["judges"] == calls + 1


def test_a_list_for_the_judge_only_grows(fresh_store: Store) -> None:
    replications.add_to_judge(fresh_store, "r", [4, 1])
    replications.add_to_judge(fresh_store, "r", [0, 1, 4, 2])
    replications.add_to_judge(fresh_store, "r", [])
    assert replications.to_judge(fresh_store, "r") == [4, 1, 0, 2]


async def test_only_a_replication_is_judged(fresh_store: Store, asked: Asked) -> None:
    sample_id, _ = save(fresh_store, 2)
    cheat = await asked(CHEAT, sample_id, "always-a")
    with pytest.raises(InputError, match="no completions to judge"):
        JUDGE.propose(fresh_store, cheat, Mode.LETTER)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Here: {0}", CheatFinding.CONTAMINATED),
        ('{{"gold_label": 0}}', CheatFinding.SUSPICIOUS),
        ("I do not know that text.", CheatFinding.CLEAN),
        (" ", None),
    ],
)
async def test_first_instances_are_asked_for_once(
    fresh_store: Store,
    asked: Asked,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    found: CheatFinding | None,
) -> None:
    sample_id, texts = save(fresh_store, 3)
    monkeypatch.setitem(MODELS, "says", says(said.format(texts[1])))
    run_id = await asked(CHEAT, sample_id, "says")
    assert runs.load(fresh_store, run_id).plan.items == 1
    answer = results.load_answer(fresh_store, run_id, 0)
    assert answer is not None
    assert answer.value == found


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_scored_models_complete_nothing(fresh_store: Store, method: Method) -> None:
    assert method.command == "replicate"
    with pytest.raises(ModelChoiceError, match="likelihood"):
        method.propose(fresh_store, "", Mode.LIKELIHOOD)


def test_wordings_of_a_later_release_are_refused(fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store, 1)
    frozen = freeze(fresh_store, sample_id)
    with fresh_store.write() as db:
        db.execute("UPDATE replication SET version = 'v9'")
    with pytest.raises(InputError, match="update dcq"):
        REPLICATION.propose(fresh_store, frozen, Mode.LETTER)
