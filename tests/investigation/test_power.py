"""What an investigation would find, from a store in which nothing, or something, was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from dcq.asking.options import NO_TERMS, Terms
from dcq.investigation import power, price
from dcq.investigation.planned import (
    PairPlan,
    PlanChange,
    PowerPlan,
    cases,
    change_words,
    outlook,
    problem_lines,
)
from dcq.judging.judged import Ruling
from dcq.judging.power import NONE, Power
from dcq.quiz.choice import QuizChoice, choose
from dcq.records import DatasetTask, PartitionRole, QuizKind, Sample
from dcq.store import Store, samples, variants
from dcq.store.studies import EVERYTHING, Study
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support.asked import ask
from tests.support.investigated import CONTROLS, save_target
from tests.support.leaky_sample import leaky
from tests.support.provider import FakeProvider

__all__ = ["leaky"]

N = 33
UNDECIDED = (Ruling.INCONCLUSIVE,)


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    return save_target(fresh_store, provider, N, (*CONTROLS, "seas"))


def plan_of(
    store: Store,
    sample: str,
    models: Sequence[str] = ("gpt-4o-mini",),
    terms: Terms = NO_TERMS,
    *,
    kind: QuizKind = QuizKind.STANDARD,
    named: Sequence[str] | None = None,
    methods: Sequence[str] = (),
    within: Study = EVERYTHING,
) -> PowerPlan:
    choice = choose(store, sample, kind, named, methods=methods, planning=True)
    return power.plan(store, [(choice, models)], terms, within)


def only(plan: PowerPlan) -> PairPlan:
    [pair] = plan.pairs
    return pair


def control(n: int, key: str, **partition: Any) -> Sample:
    sample = small_sample(n, key=key, role=PartitionRole.CONTROL)
    return replace(sample, partition=replace(sample.partition, title=key.title(), **partition))


def test_a_plan_says_what_it_would_find_and_asks_and_stores_nothing(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    before = fresh_store.path.read_bytes()
    plan = plan_of(fresh_store, target)
    assert fresh_store.path.read_bytes() == before
    assert not provider.counts
    choice = choose(fresh_store, target)
    needs = price.needs(fresh_store, choice, ["gpt-4o-mini"], NO_TERMS)
    assert plan.calls == 5 * N
    assert plan.usd == pytest.approx(sum(need.usd or 0 for need in needs))
    document = plan.document()
    assert list(document) == ["study", "calls", "cost_usd", "pairs", "changes"]
    [shown] = document["pairs"]
    assert list(shown) == [
        *("model", "partition", "methods", "controls", "possible", "power", "problems"),
    ]
    assert (document["study"], document["changes"], shown["problems"]) == (None, [], [])
    assert shown["possible"] == ["contaminated", "inconclusive"]
    assert [each["n"] for each in shown["controls"]] == [N] * 3
    [method] = shown["methods"]
    assert (method["method"], method["kind"], method["n"], method["counts"]) == (
        *("quiz", "standard", N, True),
    )
    shares = shown["power"]
    assert 0 < shares["fifth"] < shares["half"] <= shares["whole"]
    assert 0 < shares["error"] < 0.04
    assert plan_of(fresh_store, target) == plan


def test_weights_and_methods_are_those_that_the_investigation_fixes(
    fresh_store: Store, target: str
) -> None:
    pair = only(plan_of(fresh_store, target, methods=["replication"]))
    assert [each.method for each in pair.methods] == ["quiz", "replication"]
    assert [each.design.weight for each in pair.methods] == pytest.approx([2 / 3, 1 / 3])
    assert [each.calls for each in pair.methods] == [5 * N, 2 * 4 * N]
    alone = only(plan_of(fresh_store, target))
    assert pair.power.half <= alone.power.half


def test_a_control_that_serves_two_targets_is_asked_once_and_their_pairs_are_one_study(
    fresh_store: Store, target: str
) -> None:
    other = samples.save(fresh_store, small_sample(N, key="brooks"))
    chosen = [(choose(fresh_store, each), ["gpt-4o-mini", "gpt-4o"]) for each in (target, other)]
    plan = power.plan(fresh_store, chosen)
    assert len(plan.pairs) == 4
    assert plan.calls == 2 * (2 * 2 * N + 3 * N)
    study = power.plan(fresh_store, chosen, within=Study("All of it"))
    assert study.document()["study"] == "All of it"
    assert {pair.study for pair in plan.pairs} == {"rivers", "brooks"}
    assert {pair.study for pair in study.pairs} == {"All of it"}
    assert study.pairs[0].power.half < plan.pairs[0].power.half + plan.pairs[0].power.error


def test_pairs_that_were_asked_before_are_corrected_with_a_new_one(
    fresh_store: Store, target: str
) -> None:
    alone = plan_of(fresh_store, target)
    assert alone.others == ()
    for model in ("guess", "always-a"):
        for sample in (target, *choose(fresh_store, target).controls):
            ask(fresh_store, sample, QuizKind.STANDARD, model)
    among = plan_of(fresh_store, target)
    assert [study for study, _ in among.others] == ["rivers"] * 2
    assert only(among).power.half <= only(alone).power.half
    assert plan_of(fresh_store, target, ["guess"]).others[:1] == among.others[-1:]


def test_what_the_store_knows_of_a_model_takes_the_place_of_what_is_assumed(
    fresh_store: Store, target: str
) -> None:
    """A model that is hardly ever right on controls is found sooner than one that often is."""
    never, always = "always-a", "knows-original"
    assumed = only(plan_of(fresh_store, target, [never])).power
    for model in (never, always):
        for sample in choose(fresh_store, target).controls:
            ask(fresh_store, sample, QuizKind.STANDARD, model)
    low = only(plan_of(fresh_store, target, [never]))
    assert low.power.fifth > assumed.fifth
    [models] = low.methods[0].design.measures
    assert len(models) == 1
    ask(fresh_store, target, QuizKind.MODIFIED, "guess")
    before = only(plan_of(fresh_store, target, ["gpt-4o-mini"])).methods[0].design.measures
    by_letters = only(plan_of(fresh_store, target, ["guess"])).methods[0].design.measures
    assert before != by_letters


def blocked_plans(store: Store) -> Iterator[tuple[str, QuizChoice, Terms]]:
    """A sentence of the problem, and a choice that has it."""
    small = samples.save(store, small_sample(8, key="brooks"))
    large = samples.save(store, small_sample(N, key="becks"))
    fits = samples.save(store, control(N, "lakes"))
    yield "has 8 instances, and a conclusion takes", choose(store, small), NO_TERMS
    few = samples.save(store, control(9, "ponds"))
    yield "have 9 instances together", choose(store, large, named=[few]), NO_TERMS
    yield "a part of a quiz gives no", choose(store, large, named=[fits]), Terms(limit=12)
    bare = samples.save(store, replace(control(N, "seas"), variants={}))
    yield "write or accept variants", choose(store, large, named=[bare]), NO_TERMS
    foreign = samples.save(store, control(N, "bays"))
    new = [
        NewVariant(instance, slot, each.text.replace("long", "deep"), "model:m", "Ada")
        for instance, texts in variants.current(store, foreign).items()
        for slot, each in texts.items()
    ]
    variants.add(store, foreign, new)
    yield "different writers", choose(store, large, named=[foreign]), NO_TERMS
    other = samples.save(store, control(N, "news", task=DatasetTask.QUESTION_ANSWERING))
    yield (
        "No control is of the target's task",
        QuizChoice(large, QuizKind.STANDARD, (other,)),
        NO_TERMS,
    )
    yield "There is no control", QuizChoice(large, QuizKind.STANDARD, ()), NO_TERMS


def test_what_blocks_a_conclusion_is_said_with_its_repair(
    fresh_store: Store, provider: FakeProvider
) -> None:
    for sentence, choice, terms in blocked_plans(fresh_store):
        plan = power.plan(fresh_store, [(choice, ["gpt-4o-mini"])], terms)
        pair = only(plan)
        assert sentence in " ".join(pair.problems), sentence
        assert (pair.possible, pair.power) == (UNDECIDED, NONE), sentence
        assert outlook(plan.pairs).startswith("This plan cannot find anything"), sentence
        assert not any(method.design.counts for method in pair.methods)
    assert not provider.counts


def test_a_control_by_another_writer_is_named_and_left_out(fresh_store: Store, target: str) -> None:
    alike = only(plan_of(fresh_store, target))
    foreign = samples.save(fresh_store, control(N, "bays"))
    new = [
        NewVariant(instance, slot, each.text.replace("long", "deep"), "model:m", "Ada")
        for instance, texts in variants.current(fresh_store, foreign).items()
        for slot, each in texts.items()
    ]
    variants.add(fresh_store, foreign, new)
    assert only(plan_of(fresh_store, target)) == alike  # unless somebody names it
    named = [*(each.sample for each in alike.controls), foreign]
    pair = only(plan_of(fresh_store, target, named=named))
    assert len(pair.controls) == 4
    assert pair.power == alike.power
    [problem] = pair.problems
    assert problem.startswith("Bays test would not count: another writer reworded it.")


def test_a_quiz_that_text_alone_solves_is_blocked_as_the_judge_blocks_it(
    fresh_store: Store, leaky: str
) -> None:
    plan = plan_of(fresh_store, leaky)
    assert "The text alone gives originals away: “always the" in only(plan).problems[-1]
    assert only(plan).possible == UNDECIDED
    assert only(plan).methods[0].leaky


def test_models_that_cannot_be_asked_are_problems(
    fresh_store: Store, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    plan = plan_of(fresh_store, target, ["anthropic:claude-x", "gpt-4o-mini"])
    keyless, ready = plan.pairs
    assert "ANTHROPIC_API_KEY" in keyless.problems[0]
    assert keyless.power.half > 0  # once the key is there
    assert not ready.problems
    [line] = problem_lines(plan.pairs)
    assert line.startswith("anthropic:claude-x: Anthropic needs")
    scored = only(plan_of(fresh_store, target, ["likelihood:gpt-4o"], methods=["replication"]))
    assert scored.problems == (
        "Replication: A model named with likelihood: scores texts and writes none; name one "
        "without.",
    )
    assert [(each.method, each.design.counts) for each in scored.methods] == [
        ("likelihood", True),
        ("replication", False),
    ]
    assert scored.methods[0].design.weight == pytest.approx(1 / 3)  # it gets no other's


def test_a_budget_that_is_too_small_or_cannot_be_kept_is_said(
    fresh_store: Store, target: str
) -> None:
    [problem] = only(plan_of(fresh_store, target, terms=Terms(budget_usd=0.0001))).problems
    assert problem.startswith("The budget of $0.0001 may end this early: it takes up to $0.00")
    [unknown] = only(plan_of(fresh_store, target, ["guess"], Terms(budget_usd=1.0))).problems
    assert "price" in unknown
    assert not only(plan_of(fresh_store, target, terms=Terms(budget_usd=1.0))).problems


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "fewer than 1 of 10 cases"),
        (0.04, "fewer than 1 of 10 cases"),
        (0.06, "1 of 10 cases"),
        (0.7, "7 of 10 cases"),
        (0.96, "nearly all cases"),
    ],
)
def test_shares_are_said_in_cases_of_ten(share: float, said: str) -> None:
    assert cases(share) == said


def test_people_read_one_line(fresh_store: Store, target: str) -> None:
    plan = plan_of(fresh_store, target)
    found = Power(0.0, 0.2, 0.7, 1.0, 0.03, 0.0)
    [pair] = (replace(each, power=found) for each in plan.pairs)
    line = "If the model has seen half of it, this would find it in 7 of 10 cases."
    assert outlook([pair]) == line
    less, none = (
        replace(pair, power=replace(found, half=0.4)),
        replace(pair, power=NONE),
    )
    assert outlook([pair, less, none]) == (
        "If a model has seen half of a partition, this would find it in 4 to 7 of 10 cases. "
        "1 of 3 conclusions can only stay undecided."
    )
    weak = replace(pair, power=replace(found, half=0.0, whole=0.1))
    assert outlook([weak]) == (
        "This plan finds next to nothing: a partition that was seen by half in fewer than 1 of 10 "
        "cases, one that was seen wholly in 1 of 10 cases."
    )
    change = PlanChange("Ask 3 more controls of 10 instances each", 30, None, found)
    assert change_words(change) == (
        "Ask 3 more controls of 10 instances each (adds 30 calls, price unknown). If half of it "
        "was seen, that finds it in 7 of 10 cases."
    )
