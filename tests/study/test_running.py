"""A study's file, run: what it asks, what it fixes before, and what it asks no more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import dcq
from dcq.cli import app
from dcq.errors import InputError, ModelChoiceError
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.records import PartitionRole
from dcq.store import Store, answer_plans, runs, samples, studies
from dcq.study import engine, running
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


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("settings = {temperature = 0.5}\n", "Settings of a model cannot be sent yet"),
        ('cutoff = "1999-01"\n', "must stand where every command reads it"),
        ('[controls]\nfrom = "later"\n', "--date-column"),
    ],
)
def test_what_no_part_does_yet_is_said_before_anything_is_asked(
    folder: Path, provider: FakeProvider, more: str, said: str
) -> None:
    (folder / "study.toml").write_text(study(["forgets"], more=more))
    done = call("plan", "study.toml")
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)
    assert provider.bodies == []


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
