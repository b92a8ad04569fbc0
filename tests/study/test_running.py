"""A study's file, run: what it asks, what it fixes before, and what it asks no more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import dcq
from dcq.asking.ledger import open_ledger
from dcq.asking.plan import resolve_all
from dcq.cli import app
from dcq.errors import DcqError, InputError, ModelChoiceError
from dcq.jobs import lock
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.models import cutoffs
from dcq.models.cutoffs import cutoff_of
from dcq.models.pacing.limits import Limits, pace_for
from dcq.records import PartitionRole, Sample
from dcq.store import Store, answer_plans, runs, samples, studies
from dcq.store.runs import Plan
from dcq.study import engine, running
from dcq.study.file import read_study
from dcq.study.running import StudyRun
from dcq.study.spec import (
    ControlSource,
    ControlSpec,
    ModelSpec,
    RewordingSpec,
    StudySpec,
    TargetSpec,
)
from tests.conftest import small_sample
from tests.support.provider import FakeProvider

DOWN = "down@http://127.0.0.1:9/v1"
CONTROLS = ("lakes", "ponds", "creeks", "canals", "fjords", "becks", "bays", "deltas")


def study(models: Sequence[str], *, more: str = "", rewordings: str = "") -> str:
    """A study's file on texts that come with dcq."""
    named = "".join(f'[[model]]\nname = "{model}"\n' for model in models)
    target = '[[target]]\ndataset = "humaneval"\nn = 4\n'
    return f'[study]\nname = "nightly"\n{target}{named}{rewordings}{more}'


@pytest.fixture
def folder(
    tmp_path: Path, fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty folder, in which a person stands."""
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def spec(folder: Path, fresh_store: Store, provider: FakeProvider) -> StudySpec:
    """A study of a sample and controls that have their rewordings, of which the provider has seen
    the sample."""
    sample = samples.save(fresh_store, small_sample(40))
    controls = [
        samples.save(fresh_store, small_sample(10, key=key, role=PartitionRole.CONTROL))
        for key in CONTROLS
    ]
    stored = samples.load(fresh_store, sample)
    provider.seen = tuple(instance.text for instance in stored.instances)
    return StudySpec(
        "nightly",
        (TargetSpec("rivers", sample=sample),),
        (ModelSpec("remembers"), ModelSpec("forgets")),
        controls=ControlSpec(ControlSource.OWN, len(controls), 10, tuple(controls)),
        weights={"quiz": 0.75, "replication": 0.25},
    )


def run(store: Store, spec: StudySpec) -> StudyRun:
    planned = running.plan_study(store, spec)
    if planned.plan.calls:
        engine.check_possible(planned.plan)
    return asyncio.run(running.run(store, planned))


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["study", *words])


@pytest.mark.slow
@pytest.mark.timeout(900)  # where a machine has other work
def test_a_study_is_brought_about_once(
    folder: Path, fresh_store: Store, provider: FakeProvider, spec: StudySpec
) -> None:
    planned = running.plan_study(fresh_store, spec)
    assert provider.bodies == []
    assert studies.listing(fresh_store) == []
    done = run(fresh_store, spec)
    assert (done.stopped, done.waiting, done.notes) == ((), 0, ())
    rulings = {answer.model: answer.ruling for answer in done.state.answers}
    assert rulings["remembers"] is Ruling.CONTAMINATED
    assert rulings["forgets"] is not Ruling.CONTAMINATED
    assert done.state.missing == ()  # what a clear answer does not need is not missing
    assert 0 < done.calls == len(provider.bodies) <= planned.plan.calls
    assert done.usd is None  # nobody knows the price of these models
    assert done.state.versions["remembers"][0].served_model == "remembers"
    # The weights of the file and what is judged together were fixed before the first reply.
    plans = answer_plans.listing(fresh_store)
    assert {(each.method, each.weight) for plan in plans for each in plan.methods} == {
        ("quiz", 0.75),
        ("replication", 0.25),
    }
    for answer in done.state.answers:
        assert answer.plan is not None
        assert answer.study_fixed is not None
        assert (answer.study, answer.revision, answer.pairs) == ("nightly", 1, 2)

    asked = len(provider.bodies)
    again = run(fresh_store, spec)
    assert again.calls == 0
    assert [one.document() for one in again.state.answers] == [
        one.document() for one in done.state.answers
    ]
    assert len(provider.bodies) == asked
    assert [saved.revision for saved in studies.listing(fresh_store)] == [1]
    saved = answers(fresh_store, studies.load(fresh_store, "nightly"))
    assert {one.model: one.ruling for one in saved} == rulings


@pytest.mark.slow
@pytest.mark.timeout(900)  # where a machine has other work
def test_an_endpoint_that_is_down_ends_its_own_pairs(fresh_store: Store, spec: StudySpec) -> None:
    done = run(fresh_store, replace(spec, models=(ModelSpec(DOWN), ModelSpec("remembers"))))
    assert len(done.stopped) == 1
    assert done.stopped[0].startswith(f"{DOWN} on rivers/test: ")
    rulings = {answer.model: answer.ruling for answer in done.state.answers}
    assert rulings["remembers"] is Ruling.CONTAMINATED
    assert DOWN in {missing.model for missing in done.state.missing}


@pytest.mark.slow
@pytest.mark.timeout(900)  # where a machine has other work
def test_a_changed_study_is_another_revision_and_loses_nothing(
    fresh_store: Store, provider: FakeProvider, spec: StudySpec
) -> None:
    one = replace(spec, models=spec.models[:1])
    run(fresh_store, one)
    asked = len(provider.bodies)
    run(fresh_store, spec)
    assert {body["model"] for body in provider.bodies[asked:]} == {"forgets"}
    assert studies.load(fresh_store, "nightly").revision == 2
    back = run(fresh_store, one)
    assert back.calls == 0
    assert [answer.model for answer in back.state.answers] == ["remembers"]


def test_rewordings_that_people_must_accept_are_waited_for(
    fresh_store: Store, provider: FakeProvider, spec: StudySpec
) -> None:
    done = run(fresh_store, replace(spec, rewordings=RewordingSpec(accepted=True)))
    assert done.waiting == 160
    assert "rivers/test is waiting for 160" in done.notes[0]
    assert not done.is_asked
    assert provider.bodies == []
    assert studies.listing(fresh_store) == []


def test_nothing_starts_without_consent(
    folder: Path, fresh_store: Store, provider: FakeProvider
) -> None:
    text = study(["gpt-4o-mini"]).replace('"nightly"\n', '"nightly"\nbudget = 1000\n')
    (folder / "study.toml").write_text(text)
    done = call("run", "study.toml")
    assert isinstance(done.exception, InputError)
    assert "--yes" in str(done.exception)  # a budget in the file is nobody's consent
    assert provider.bodies == []
    assert runs.listing(fresh_store) == []


def test_a_host_that_nobody_allowed_is_asked_nothing(
    folder: Path, fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_API_KEY", "secret")
    named = "m@https://models.example.org/v1"
    files = {
        "a.toml": study([named]),
        "b.toml": study(["forgets"], rewordings=f'[rewordings]\nmodel = "{named}"\n'),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
        for words in (("plan", name), ("run", name, "--yes")):
            done = call(*words)
            assert isinstance(done.exception, ModelChoiceError), done.exception
            assert "--allow-host models.example.org" in str(done.exception)
        with pytest.raises(ModelChoiceError, match="--allow-host"):
            dcq.run_study(name)
    assert isinstance(call("check", "a.toml", "--probe").exception, ModelChoiceError)
    assert call("check", "a.toml").exit_code == 5  # which asks nothing
    assert provider.bodies == []


LATER = '[controls]\nfrom = "later"\ndate_column = "day"\ncount = 2\nn = 8\n'


def dated(folder: Path, *, old: int = 30, new: int = 30) -> str:
    """A study's file on a benchmark of dated rows: some of May 2022, some of March 2025."""
    texts = [f"What did the people of town {number} build by the river?" for number in range(99)]
    rows = [f"{text},a wall,{'2022-05' if n < old else '2025-03-02'}" for n, text in
            enumerate(texts[: old + new])]  # fmt: skip
    (folder / "my.csv").write_text("\n".join(["question,answer,day", *rows]) + "\n")
    target = '[[target]]\ndataset = "mine"\nfile = "my.csv"\nn = 20\n'
    return f'[study]\nname = "nightly"\n{target}'


def models(*cutoffs: str) -> str:
    return "".join(
        f'[[model]]\nname = "model-{number}"\n{cutoff}\n' for number, cutoff in enumerate(cutoffs)
    )


def test_controls_are_rows_of_the_benchmark_after_the_last_cut_off(
    folder: Path, fresh_store: Store, provider: FakeProvider
) -> None:
    named = models('cutoff = "2023-10"', 'cutoff = "2024-06"')
    (folder / "study.toml").write_text(dated(folder) + named + LATER)
    planned = running.plan_study(fresh_store, read_study(folder / "study.toml"))
    for pair in planned.plan.pairs:
        [control] = pair.controls
        assert control.partition == "mine/test-after-2024-06-30"
        assert control.instances == 16  # two of eight, as one
    [drawn] = planned.drawn
    assert isinstance(drawn.sample, Sample)
    assert drawn.later is not None
    assert drawn.later.partition.role is PartitionRole.CONTROL
    ids = [{each.id for each in one.instances} for one in (drawn.sample, drawn.later)]
    assert len(ids[1]) == 16
    assert not ids[0] & ids[1]
    assert provider.bodies == []
    assert samples.listing(fresh_store) == []


@pytest.mark.parametrize(
    ("named", "controls", "said"),
    [
        (models('cutoff = "2023-10"', ""), LATER, "The cut-off of model-1 is not known"),
        (models('cutoff = "2025-03"'), LATER, "No row of mine/test has a date in day that is lat"),
        (models('cutoff = "2023-10"'), LATER.replace("day", "when"), 'has no column "when"'),
    ],
)
def test_what_makes_no_later_control_is_said_before_anything_is_asked(
    folder: Path, provider: FakeProvider, named: str, controls: str, said: str
) -> None:
    (folder / "study.toml").write_text(dated(folder) + named + controls)
    done = call("plan", "study.toml")
    assert isinstance(done.exception, DcqError)
    assert said in str(done.exception)
    assert provider.bodies == []


def test_a_cut_off_counts_within_its_study_alone(fresh_store: Store, spec: StudySpec) -> None:
    assert cutoff_of("remembers") is None
    said = replace(spec, models=(ModelSpec("remembers", cutoff="2024-02"), ModelSpec("forgets")))
    before = cutoffs.state()
    with cutoffs.stated(said.cutoffs):
        assert str(cutoff_of("remembers")) == "2024-02"
        assert cutoff_of("forgets") is None
        assert cutoffs.state() != before
    assert cutoff_of("remembers") is None
    assert cutoffs.state() == before


async def test_a_model_is_asked_at_the_pace_of_the_file(
    folder: Path, fresh_store: Store, spec: StudySpec
) -> None:
    slow = ModelSpec("remembers", concurrency=1, limits=Limits(60))
    held = running._paces(fresh_store, replace(spec, models=(slow, ModelSpec("forgets"))))
    [endpoint] = resolve_all(["remembers"])
    [pace] = held
    assert pace_for(endpoint) is pace
    async with pace.slot(1, lambda: None):
        second = asyncio.create_task(pace.slot(1, lambda: None).__aenter__())
        done, _ = await asyncio.wait([second], timeout=0.2)
        assert not done
        second.cancel()


def test_what_was_spent_before_a_kill_counts_when_a_study_goes_on(
    folder: Path, fresh_store: Store, spec: StudySpec
) -> None:
    """Rewordings of a sample that a person named are no exception."""
    within = replace(spec, budget=1.0)
    kept = engine.keep(fresh_store, engine.draw(fresh_store, within), within)
    assert kept[0].named
    purse = engine.purse_of(fresh_store, within, kept)
    assert purse is not None
    run = runs.create(fresh_store, rewording_plan(kept[0].sample))
    with open_ledger(fresh_store, run, runs.load(fresh_store, run).plan, purse) as ledger:
        ledger.change(3, 0.25)
    assert purse.calls == 3
    assert purse.left_usd == pytest.approx(0.75)
    # As after a kill: nobody settled.
    again = engine.purse_of(fresh_store, within, kept)
    assert again is not None
    assert again.left_usd == pytest.approx(0.75)
    other = engine.purse_of(fresh_store, replace(within, name="weekly"), kept)
    assert other is not None
    assert other.left_usd == 1.0
    again.ran_out = True
    engine.settle(again)  # it waits for more money
    raised = engine.purse_of(fresh_store, replace(within, budget=2.0), kept)
    assert raised is not None
    assert raised.left_usd == pytest.approx(1.75)
    engine.settle(raised)
    fresh = engine.purse_of(fresh_store, within, kept)
    assert fresh is not None
    assert fresh.left_usd == 1.0


def rewording_plan(sample: str) -> Plan:
    money = (None, 1.0, 1.0, None)
    return Plan(
        "subject", sample, "writer", "", "perturb/v1", "", 0.0, 0, 1, 1, *money, "0",
        method="rewording",
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(900)  # where a machine has other work
def test_a_budget_that_does_not_suffice_is_used_up_in_the_files_order(
    folder: Path,
    fresh_store: Store,
    provider: FakeProvider,
    spec: StudySpec,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model that comes first gets all that it needs, although both are asked side by side."""
    prices = folder / "prices.toml"
    prices.write_text("[models]\nremembers = [1, 1]\nforgets = [1, 1]\n")
    monkeypatch.setenv("DCQ_PRICES", str(prices))
    two = replace(
        spec,
        controls=replace(spec.controls, samples=spec.controls.samples[:4]),
        weights={"quiz": 1.0},
    )
    planned = running.plan_study(fresh_store, two)
    first, second = [sum(need.usd or 0 for need in pair.needs) for pair in planned.plan.pairs]
    assert first == pytest.approx(second)
    tight = replace(two, budget=1.3 * first)
    done = asyncio.run(running.run(fresh_store, running.plan_study(fresh_store, tight)))
    assert done.usd is not None
    assert 0.5 * first < done.usd <= 1.3 * first
    assert [reason.partition(" on ")[0] for reason in done.stopped] == ["forgets"]
    assert "left of the budget" in done.stopped[0]
    assert [each.model for each in done.state.missing] == ["forgets"]
    asked = [body["model"] for body in provider.bodies]
    assert 0 < asked.count("forgets") < asked.count("remembers")
    # It waits for more money, and what was spent counts when it goes on.
    purse = engine.purse_of(fresh_store, tight, engine.keep(fresh_store, planned.drawn, tight))
    assert purse is not None
    assert purse.left_usd == pytest.approx(1.3 * first - done.usd, abs=1e-6)


def on_file(folder: Path, spec: StudySpec, questions: Sequence[str]) -> StudySpec:
    """A study of a file with these questions, by quiz alone and with three of the controls."""
    rows = [f"{question},a wall" for question in questions]
    (folder / "my.csv").write_text("\n".join(["question,answer", *rows]) + "\n")
    target = TargetSpec("mine", file=folder / "my.csv", n=len(questions), language="en")
    controls = replace(spec.controls, samples=spec.controls.samples[:3])
    return replace(
        spec,
        targets=(target,),
        models=(ModelSpec("forgets"),),
        controls=controls,
        weights={"quiz": 1.0},
    )


QUESTIONS = [
    f"What did the {who} of the old town build near the {where} after the great fire?"
    for who in ("people", "farmers", "children")
    for where in ("river", "church", "bridge", "market")
]


@pytest.mark.slow
@pytest.mark.timeout(900)  # where a machine has other work
def test_what_failed_to_be_reworded_is_asked_for_again_on_demand_alone(
    folder: Path, fresh_store: Store, provider: FakeProvider, spec: StudySpec
) -> None:
    failing = replace(on_file(folder, spec, QUESTIONS), rewordings=RewordingSpec("prose"))

    def asked(*, retry: bool) -> int:
        before = provider.counts["prose"]
        planned = running.plan_study(fresh_store, failing, retry=retry)
        asyncio.run(running.run(fresh_store, planned))
        return provider.counts["prose"] - before

    once = asked(retry=False)
    assert once > 0
    assert asked(retry=False) == 0
    assert asked(retry=True) == once


def test_a_file_to_begin_with_overwrites_nothing(folder: Path) -> None:
    (folder / "study.toml").write_text("mine")
    done = call("init")
    assert isinstance(done.exception, InputError)
    assert (folder / "study.toml").read_text() == "mine"
    (folder / "dangling.toml").symlink_to(folder / "nowhere")
    assert isinstance(call("init", "--to", "dangling.toml").exception, InputError)
    assert call("init", "--to", "b.toml", "--file", "my.csv").exit_code == 0
    assert isinstance(call("init", "--to", "c.toml", "--file", "../x.csv").exception, InputError)
    assert not (folder / "c.toml").exists()


def test_a_study_that_a_notebook_runs_is_not_stopped_from_elsewhere(fresh_store: Store) -> None:
    assert not running.is_running(fresh_store, "mine")
    running.stop(fresh_store, "mine")  # nobody runs it
    with lock.hold(fresh_store, running._lock_name("mine")):
        assert running.is_running(fresh_store, "mine")
        with pytest.raises(InputError, match="run by another program"):
            running.stop(fresh_store, "mine")
