"""Changes that help a plan that finds nothing hold once they are made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dcq.asking.options import Terms
from dcq.investigation import power
from dcq.investigation.planned import WEAK, PlanChange, PowerPlan
from dcq.quiz.choice import QuizChoice, choose
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, samples, variants
from dcq.store.studies import Study
from dcq.store.variants import NewVariant
from tests.conftest import small_sample

N, MODEL = 33, "gpt-4o-mini"
pytestmark = pytest.mark.usefixtures("provider")


def plan_of(
    store: Store, choice: QuizChoice, *models: str, terms: Terms | None = None
) -> PowerPlan:
    return power.plan(store, [(choice, models or (MODEL,))], terms or Terms())


def change_of(plan: PowerPlan, begins: str) -> PlanChange:
    [change] = [each for each in plan.changes if each.label.startswith(begins)]
    return change


def controls(store: Store, count: int, n: int = 10) -> list[str]:
    return [
        samples.save(store, small_sample(n, key=f"lake-{place}", role=PartitionRole.CONTROL))
        for place in range(count)
    ]


def check_made(before: PowerPlan, change: PlanChange, after: PowerPlan) -> None:
    """The calls, the price and the power are as they were foretold."""
    assert after.calls - before.calls == change.calls
    assert before.usd is not None
    assert after.usd is not None
    assert change.usd is not None
    assert after.usd - before.usd == pytest.approx(change.usd, rel=0.15)
    [pair] = after.pairs
    assert pair.power.half == pytest.approx(change.power.half, abs=3 * change.power.error)
    assert pair.power.half >= WEAK


def test_further_controls_are_offered_where_there_is_none(fresh_store: Store) -> None:
    target = samples.save(fresh_store, small_sample(N))
    before = plan_of(fresh_store, QuizChoice(target, QuizKind.STANDARD, ()))
    change = change_of(before, "Ask 3 more controls of 10 instances each")
    controls(fresh_store, 3)
    check_made(before, change, plan_of(fresh_store, choose(fresh_store, target)))


def test_a_larger_target_and_all_instances_are_offered(fresh_store: Store) -> None:
    controls(fresh_store, 10)
    small = samples.save(fresh_store, small_sample(8))
    before = plan_of(fresh_store, choose(fresh_store, small))
    change = change_of(before, "Draw 20 instances of the target")
    large = samples.save(fresh_store, small_sample(20, key="brooks"))
    check_made(before, change, plan_of(fresh_store, choose(fresh_store, large)))
    part = plan_of(fresh_store, choose(fresh_store, large), terms=Terms(limit=5))
    whole = change_of(part, "Ask all instances")
    check_made(part, whole, plan_of(fresh_store, choose(fresh_store, large)))


def test_controls_by_another_writer_are_reworded_by_the_targets(fresh_store: Store) -> None:
    target = samples.save(fresh_store, small_sample(N))
    foreign = controls(fresh_store, 3, N)

    def reword(sample: str) -> None:  # in the same words, which give nothing away
        new = [
            NewVariant(instance, slot, each.text, "model:gpt-4o", "Ada")
            for instance, texts in variants.current(fresh_store, sample).items()
            for slot, each in texts.items()
        ]
        variants.add(fresh_store, sample, new)

    reword(target)
    before = plan_of(fresh_store, choose(fresh_store, target))
    change = change_of(before, "Have 3 controls reworded by the target's writer")
    assert change.calls == 2 * 3 * N  # three rewordings of an instance, and one
    assert change.usd is not None
    assert change.usd > 0
    for sample in foreign:
        reword(sample)
    after = plan_of(fresh_store, choose(fresh_store, target))
    assert not after.changes
    assert after.pairs[0].power.half == pytest.approx(change.power.half, abs=0.15)


def test_fewer_pairs_are_offered_where_the_correction_takes_all(fresh_store: Store) -> None:
    """Twenty pairs with one control: alone, one of them can be called."""
    controls(fresh_store, 2, 33)
    target = samples.save(fresh_store, small_sample(33))
    models = [f"model-{place}" for place in range(20)]
    choice = choose(fresh_store, target)
    plan = plan_of(fresh_store, choice, *models)
    assert plan.is_weak
    change = next(each for each in plan.changes if "of the 20 pairs" in each.label)
    assert change.calls < 0
    kept = 1 if "only one" in change.label else int(change.label.split()[1])
    after = plan_of(fresh_store, choice, *models[:kept])
    assert after.calls - plan.calls == change.calls
    assert after.pairs[0].power.half >= WEAK


def test_a_plan_that_finds_something_is_left_as_it_is(fresh_store: Store) -> None:
    controls(fresh_store, 10)
    target = samples.save(fresh_store, small_sample(N))
    plan = plan_of(fresh_store, choose(fresh_store, target))
    assert (plan.is_weak, plan.changes) == (False, ())
    assert replace(plan, pairs=()).document()["pairs"] == []
    assert power.plan(fresh_store, [], within=Study("empty")).changes == ()
