import asyncio
import json

import pytest

from dcq import methods, settings
from dcq.asking.calls import asking, write_texts
from dcq.asking.options import Terms
from dcq.asking.prompt import sha256
from dcq.errors import InputError, ModelChoiceError
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.record import KAPPA
from dcq.judging import every_method, matrix, study
from dcq.judging.answers import answers
from dcq.judging.summary import ranked_words
from dcq.models.endpoints import resolve
from dcq.quiz import freeze, modes
from dcq.quiz import results as counted
from dcq.quiz.estimate import estimate_questions
from dcq.quiz.preview import recall
from dcq.quiz.prompts import QUIZ_V1
from dcq.quiz.soft import score as soft_score
from dcq.records import Instance, Item, Mode, Outcome, QuizKind
from dcq.store import Store, quizzes, results, runs, samples
from dcq.store.runs import Event
from dcq.store.studies import LIKELIHOOD, QUIZ, REPLICATION, Study
from tests.conftest import small_sample
from tests.support import likelihoods
from tests.support.completions import SEEN, UNSEEN
from tests.support.provider import FakeProvider
from tests.support.runs import answer, go_on, take

MODEL = "likelihood:scores"


@pytest.fixture
def seen(fresh_store: Store, sample_id: str, provider: FakeProvider) -> FakeProvider:
    """The provider, which has seen the originals of the sample."""
    sample = samples.load(fresh_store, sample_id)
    provider.seen = tuple(instance.text for instance in sample.instances)
    return provider


async def test_the_likeliest_option_is_the_choice(
    fresh_store: Store, quiz_id: str, seen: FakeProvider
) -> None:
    run_id, ended = await take(fresh_store, quiz_id, MODEL)
    assert ended.event is Event.FINISHED
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.kappa.kappa_fixed) == (6, 6, 1.0)
    assert (result.names, result.mode) == (("scores", MODEL), Mode.LIKELIHOOD)
    assert runs.load(fresh_store, run_id).plan.mode is Mode.LIKELIHOOD
    assert seen.counts["scores"] == 24  # an option a call


async def test_both_scores_and_the_texts_scored_are_kept(
    fresh_store: Store, quiz_id: str, seen: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, MODEL)
    sent = recall(fresh_store, run_id, 0)
    assert sent.verified
    options = quizzes.load(fresh_store, quiz_id).items[0].options
    assert json.loads(sent.prompt) == list(options)
    assert sent.answer.sent["echo"] is True
    assert sent.answer.reply is not None
    scores = json.loads(sent.answer.reply)
    assert scores["D"]["per_token"] == SEEN
    assert scores["A"]["per_token"] == UNSEEN
    assert scores["A"]["total"] == UNSEEN * scores["A"]["tokens"]
    answer = results.load_answer(fresh_store, run_id, 0)
    assert answer is not None
    assert answer.logprobs == {"A": UNSEEN, "B": UNSEEN, "C": UNSEEN, "D": SEEN}


async def test_it_is_evidence_of_likelihood_and_listed_with_the_quizzes(
    fresh_store: Store, quiz_id: str, seen: FakeProvider
) -> None:
    scored, _ = await take(fresh_store, quiz_id, MODEL)
    lettered = answer(fresh_store, quiz_id, {"D": 5, "A": 1})
    found = {
        one.evidence.run: every_method.of_judged(one) for one in every_method.quizzes(fresh_store)
    }
    assert (found[scored]["method"], found[lettered]["method"]) == (LIKELIHOOD, QUIZ)
    assert found[scored].keys() == found[lettered].keys()
    shown = ("kind", "mode", "slot", "n", "correct", "score", "kappa_fixed", "p_value", "unit")
    assert [found[scored][key] for key in shown] == [
        *("standard", "likelihood", "D", 6, 6, 1.0, 1.0, None, KAPPA)
    ]
    assert found[lettered]["p_value"] == pytest.approx(19 / 4096)  # 5 or 6 of 6, of 1 in 4
    assert (found[scored]["model"], MODEL) == ("scores", "likelihood:scores")
    for name in ("scores", MODEL):
        [one] = every_method.quizzes(fresh_store, model=name)
        assert one.evidence.run == scored
        assert [measure.values.tolist() for measure in one.evidence.side_measures] == [[[1.0]] * 6]
        assert ranked_words(one) == "likelier than 100.0 % of its variants, on average"
    assert every_method.of_other_methods(fresh_store) == []
    assert study.judged(fresh_store).snapshot.family == {scored, lettered}


async def test_what_scored_a_quiz_and_what_the_panel_scored_are_one_model(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = likelihoods.save(fresh_store, provider, 6, [])
    await asyncio.to_thread(likelihoods.score_all, fresh_store, ["mean"])
    quiz = freeze.freeze(fresh_store, target, QuizKind.STANDARD).quiz
    await take(fresh_store, quiz, "likelihood:words")
    found = matrix.matrix(fresh_store, every_method.quizzes(fresh_store), answers(fresh_store))
    assert found.models == ("words",)
    [cell] = [cell for row in found.rows for cell in row.cells.values()]
    assert cell.finding is not None
    assert list(cell.others) == [LIKELIHOOD]
    for name in ("words", "likelihood:words"):
        within = Study("one", models=(name,))
        assert len(study.findings(fresh_store, within)) == 1


async def test_it_belongs_to_studies_of_either_method(
    fresh_store: Store, quiz_id: str, seen: FakeProvider
) -> None:
    scored, _ = await take(fresh_store, quiz_id, MODEL)
    lettered = answer(fresh_store, quiz_id, {"D": 5, "A": 1})
    for used, runs_of_it in (
        ([QUIZ], {scored, lettered}),
        ([LIKELIHOOD], {scored}),
        ([REPLICATION], set()),
    ):
        within = Study("one", methods=tuple(used))
        assert {one.evidence.run for one in study.findings(fresh_store, within)} == runs_of_it
        assert study.judged(fresh_store, within).snapshot.members == runs_of_it
        assert (QUIZ in methods.kinds_of(within).used) is bool(runs_of_it)


async def test_texts_scored_without_a_quiz_are_no_controls_of_one(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = likelihoods.save(fresh_store, provider, 6, ["lakes"])
    panel = await asyncio.to_thread(likelihoods.score_all, fresh_store, ["mean"])
    quiz = freeze.freeze(fresh_store, target, QuizKind.STANDARD).quiz
    scored, _ = await take(fresh_store, quiz, "likelihood:words")
    cases = study.judged(fresh_store).results
    own, of_quiz = cases[panel["rivers"]], cases[scored]
    assert own.evidence.method == of_quiz.evidence.method == LIKELIHOOD
    assert [one.run for one in own.controls] == [panel["lakes"]]
    assert (of_quiz.controls, of_quiz.notes) == ((), ())
    assert [one.evidence.run for one in every_method.quizzes(fresh_store)] == [scored]
    others = {one.evidence.run for one in every_method.of_other_methods(fresh_store)}
    assert others == set(panel.values())


def test_guessing_is_a_baseline_of_letters_alone() -> None:
    lettered, scored = modes.of(Mode.LETTER), modes.of(Mode.LIKELIHOOD)
    kinds = (QuizKind.STANDARD, QuizKind.ROTATED, QuizKind.BCQ)
    assert [lettered.chance(kind) for kind in kinds] == [0.25, 0.25, None]
    assert [scored.chance(kind) for kind in kinds] == [None, None, None]
    found = kappa_fixed(6, 6, 0.25)
    assert lettered.tested(found) == found
    assert scored.tested(found).p_value is None
    assert scored.tested(found).kappa_low == found.kappa_low


async def test_equal_scores_are_no_choice(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, MODEL)
    stored = results.answers(fresh_store, run_id)
    assert set(stored["outcome"]) == {Outcome.INVALID}
    assert set(stored["reason"]) == {"A and B and C and D are equally likely"}
    [result] = counted.table(fresh_store)
    assert (result.n, result.score) == (0, None)


async def test_a_rotated_quiz_scores_each_text_once(
    fresh_store: Store, sample_id: str, seen: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    await take(fresh_store, quiz, MODEL, Terms(concurrency=1))
    [result] = counted.table(fresh_store)
    assert (result.n, result.correct, result.score) == (6, 24, 1.0)
    texts = {text for item in quizzes.load(fresh_store, quiz).items for text in item.options}
    assert seen.counts["scores"] == len(texts) < 4 * 24
    assert soft_score(fresh_store, result) is None  # its log-probabilities are no letters'


async def test_it_resumes_where_it_was(
    fresh_store: Store, quiz_id: str, seen: FakeProvider
) -> None:
    run_id, ended = await take(fresh_store, quiz_id, "likelihood:ignores-echo")
    assert ended.event is Event.STOPPED
    assert "echo and logprobs" in ended.detail
    assert seen.counts["ignores-echo"] <= 4  # the first question goes alone
    run_id, _ = await take(fresh_store, quiz_id, MODEL, Terms(limit=2))
    runs.replan(fresh_store, run_id, items=6, budget_usd=None, max_calls=None, concurrency=4)
    before = results.answers(fresh_store, run_id)
    assert (await go_on(fresh_store, run_id)).event is Event.FINISHED
    assert len(before) == 2
    assert len(results.answers(fresh_store, run_id)) == 6
    assert seen.counts["scores"] == 24


async def test_one_text_that_cannot_be_scored_is_one_error(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample = small_sample(2)
    lone = Instance("river")
    sample = type(sample)(
        **{
            **vars(sample),
            "instances": (*sample.instances, lone),
            "variants": {**sample.variants, lone.id: ("stream", "brook", "creek", "beck")},
        }
    )
    quiz = freeze.freeze(fresh_store, samples.save(fresh_store, sample), QuizKind.STANDARD).quiz
    run_id, ended = await take(fresh_store, quiz, MODEL)
    assert ended.event is Event.FINISHED
    stored = results.answers(fresh_store, run_id)
    assert list(stored["outcome"]) == [Outcome.INVALID, Outcome.INVALID, Outcome.ERROR]
    assert "too short" in stored["reason"].iloc[2]


@pytest.mark.parametrize("kind", [QuizKind.BDQ, QuizKind.BCQ])
async def test_none_of_these_has_no_likelihood(
    fresh_store: Store, sample_id: str, provider: FakeProvider, kind: QuizKind
) -> None:
    slot = "A" if kind is QuizKind.BCQ else None
    quiz = freeze.freeze(fresh_store, sample_id, kind, slot=slot).quiz
    with pytest.raises(InputError, match="standard or a rotated quiz"):
        await take(fresh_store, quiz, MODEL)


async def test_a_scorer_writes_nothing(provider: FakeProvider) -> None:
    endpoint = resolve(MODEL, settings.load())
    async with asking(endpoint, temperature=1.0, max_tokens=9) as ask:
        with pytest.raises(ModelChoiceError, match="without likelihood:"):
            await ask("Write a poem.")
    assert not provider.bodies


def test_an_estimate_counts_the_options_alone() -> None:
    items = [Item("one", ("a river " * 9, "a brook " * 9, "a creek " * 9, "a beck " * 9), 0)]
    shown, scored = (
        estimate_questions(model, QUIZ_V1, "Rivers", "test", items)
        for model in ("vllm:m", "likelihood:vllm:m")
    )
    assert scored.tokens_in < shown.tokens_in - 40
    assert scored.cost_usd == 0.0


def test_options_come_back_as_they_were_written() -> None:
    options = ("A) {x}", '"quoted"\n', "\ud83d half", "\U0001f600 </s>")
    assert json.loads(write_texts(options)) == list(options)
    assert len(sha256(write_texts(options))) == 64
