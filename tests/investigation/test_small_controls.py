"""Small controls: chosen, reworded by the target's writer within the run, priced, and replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

import dcq
from dcq import settings
from dcq.asking.options import NO_TERMS, Options, Terms, Watch
from dcq.errors import InputError
from dcq.investigation import control_rewordings, more_controls, walk
from dcq.investigation.control_sizes import SMALL_CONTROLS
from dcq.investigation.more_controls import FEWEST
from dcq.investigation.price import needs, rewordings_words
from dcq.investigation.state import is_done
from dcq.models import cutoffs
from dcq.models.cutoffs import Cutoff
from dcq.models.endpoints import resolve
from dcq.partitions import draw_sample, find, open_partition
from dcq.quiz import choice as choosing
from dcq.records import DatasetTask, PartitionRole, QuizKind
from dcq.store import Store, rewordings, runs, samples, variants
from dcq.store.runs import Event
from dcq.study import engine
from dcq.study.engine import Manner
from dcq.study.spec import ControlSpec, ModelSpec, StudySpec, TargetSpec
from dcq.variants import control_writing, placebo
from dcq.variants.method import REWORDING
from dcq.variants.reword import reword_sample
from tests.conftest import small_sample
from tests.support.investigated import save_target
from tests.support.provider import FakeProvider
from tests.support.reworded import N, save_reworded_target

pytestmark = pytest.mark.slow


def keys(store: Store, sample_ids: Sequence[str]) -> list[str]:
    return [samples.partition_of(store, sample_id).key for sample_id in sample_ids]


def _requests(store: Store, sample_ids: Sequence[str]) -> int:
    """How many requests the rewordings of samples took."""
    found = [rewordings.newest_run(store, sample_id) for sample_id in sample_ids]
    return sum(runs.load(store, run).plan.items for run in found if run)


def test_ten_small_controls_of_ten_sources_are_proposed(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_reworded_target(fresh_store, "reword")
    sources = more_controls.propose_small(fresh_store, target)
    assert len({source.key for source in sources}) == SMALL_CONTROLS == 10
    assert all((entry := find(source.key)) is not None and entry.is_small for source in sources)
    drawn = more_controls.controls_for(fresh_store, target)
    assert keys(fresh_store, drawn) == [source.key for source in sources]
    assert {samples.partition_of(fresh_store, one).task for one in drawn} == {"classification"}
    assert control_writing.lacking(fresh_store, target, drawn) == tuple(drawn)


def test_a_plan_counts_small_controls_and_draws_none(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_reworded_target(fresh_store, "reword")
    listed = samples.listing(fresh_store)
    models = (ModelSpec("gpt-4o-mini"),)
    controls = ControlSpec()
    spec = StudySpec("", (TargetSpec("", sample=target),), models, controls=controls)
    [pair] = engine.plan(fresh_store, spec, engine.draw(fresh_store, spec), Manner(())).pairs
    assert len(pair.controls) == SMALL_CONTROLS
    assert all(control.instances >= FEWEST for control in pair.controls)
    assert [problem for problem in pair.problems if "control" in problem.lower()] == []
    assert samples.listing(fresh_store) == listed


def test_small_ones_are_added_to_the_controls_that_are_there(
    fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    target = save_reworded_target(fresh_store, None)
    own = placebo.make(fresh_store, target).sample
    asyncio.run(reword_sample(fresh_store, own, None))
    found = more_controls.controls_for(fresh_store, target)
    assert found[0] == own
    assert len(found) == SMALL_CONTROLS
    assert more_controls.controls_for(fresh_store, target) == found
    assert more_controls.controls_for(fresh_store, target, 1) == [own]
    sizes = {
        len(samples.load(fresh_store, one).instances)
        for one in more_controls.controls_for(fresh_store, target, 3, 10)[1:]
    }
    assert sizes == {10}


def test_a_target_that_was_drawn_from_a_bundled_text_has_it_as_no_source() -> None:
    drawn = draw_sample(open_partition("control-reviews", "test"), N)
    as_benchmark = replace(drawn.partition, key="benchmark")
    sources = more_controls.small_sources(as_benchmark, drawn.instances)
    assert "control-reviews" not in [source.key for source in sources]
    other = [replace(each, fields={"text": "Another text of some length."}) for each in
             drawn.instances]  # fmt: skip
    sources = more_controls.small_sources(as_benchmark, other)
    assert "control-reviews" in [source.key for source in sources]


def test_sources_with_the_form_of_the_targets_answers_come_first(fresh_store: Store) -> None:
    loom, docks = (
        [source.key for source in more_controls.small_sources(
            replace(drawn.partition, key="benchmark"), drawn.instances
        )]
        for drawn in (draw_sample(open_partition(key, "test"), N)
                      for key in ("control-sailings", "control-docks"))
    )  # fmt: skip
    assert {"control-pantry", "control-pottery"} <= set(loom[:10])
    assert {"control-haggling", "control-trek", "control-zoo"} <= set(docks[:5])


def test_a_model_rewords_its_controls_in_the_run_at_the_price_that_was_told(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_reworded_target(fresh_store, "reword")
    before = provider.counts["reword"]
    drawn = more_controls.controls_for(fresh_store, target)[:3]
    chosen = choosing.choose(fresh_store, target, named=drawn)
    told = needs(fresh_store, chosen, ["guess"], NO_TERMS)
    writing = [need for need in told if need.kind == REWORDING.name]
    assert [need.sample for need in writing] == list(chosen.controls)
    assert "3 controls are reworded first, by reword like the target" in rewordings_words(
        fresh_store, chosen
    )
    whole = asyncio.run(walk.investigate(fresh_store, chosen, "guess"))
    assert whole.ended.event is Event.FINISHED
    assert is_done(fresh_store, whole.record)
    # The price counts complete replies; of this model's some repeat a text and are asked for again.
    assert sum(need.calls for need in writing) == 3 * N * 2
    assert provider.counts["reword"] - before == _requests(fresh_store, drawn) >= 3 * N * 2
    assert provider.counts["guess"] == sum(n.calls for n in told if n.kind != REWORDING.name)
    assert set(variants.writers(fresh_store, list(drawn)).values()) == {"model:reword"}
    steps = [step.kind for step in whole.steps]
    assert steps[:5] == [QuizKind.MODIFIED, QuizKind.STANDARD, *["rewording"] * 3]
    assert control_writing.lacking(fresh_store, target, drawn) == ()
    # A second model finds the rewordings, and pays for none.
    again = choosing.choose(fresh_store, target)
    assert set(again.controls) == set(drawn)
    calls = provider.counts["reword"]
    asyncio.run(walk.investigate(fresh_store, again, "always-a"))
    assert provider.counts["reword"] == calls


def test_a_source_with_too_few_questions_makes_way_and_that_is_said(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    monkeypatch.setattr(more_controls, "FEWEST", 11)
    target = save_reworded_target(fresh_store, None)
    by_key = {
        keys(fresh_store, [one])[0]: one for one in more_controls.controls_for(fresh_store, target)
    }
    # Ten of twelve can be reworded offline, and all twelve.
    first, second = by_key["control-harbour"], by_key["control-dreams"]
    chosen = choosing.choose(fresh_store, target, named=[first, second])
    news: list[str] = []
    watch = Watch(on_news=news.append)
    whole = asyncio.run(walk.investigate(fresh_store, chosen, "guess", Options(watch=watch)))
    assert whole.ended.event is Event.FINISHED
    controls = whole.record.controls
    assert len(controls) == 2
    assert controls[1] == second
    assert "control-harbour" not in keys(fresh_store, controls)
    assert min(control_writing.count_usable(fresh_store, one) for one in controls) >= 11
    said = next(sentence for sentence in news if "takes its place" in sentence)
    assert said.startswith("Control Harbour is left out, because only 10 of its 12 instances")
    assert set(variants.writers(fresh_store, list(controls)).values()) == {"offline"}
    usual = more_controls.controls_for(fresh_store, target)
    assert set(controls) < set(usual)
    assert first not in usual
    asked = {step.sample for step in whole.steps if step.kind == QuizKind.STANDARD}
    assert asked == {target, *controls}


def test_a_stopped_rewording_goes_on_and_writes_nothing_twice(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_reworded_target(fresh_store, "reword")
    before = provider.counts["reword"]
    drawn = more_controls.controls_for(fresh_store, target)[:2]
    chosen = choosing.choose(fresh_store, target, named=drawn)
    told = sum(n.calls for n in needs(fresh_store, chosen, ["guess"], NO_TERMS)[:2])
    cancelled = asyncio.Event()

    def stop(answers: int) -> None:
        if provider.counts["reword"] > before + 3:
            cancelled.set()

    watch = Watch(cancelled, on_answers=stop)
    first = asyncio.run(walk.investigate(fresh_store, chosen, "guess", Options(watch=watch)))
    assert first.ended.event is Event.CANCELLED
    again = asyncio.run(walk.investigate(fresh_store, chosen, "guess", resume=True))
    assert again.ended.event is Event.FINISHED
    assert again.record.id == first.record.id
    assert provider.counts["reword"] - before == _requests(fresh_store, drawn) >= told


def test_a_budget_needs_the_price_of_the_writer_too(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_reworded_target(fresh_store, "reword")
    chosen = choosing.choose(
        fresh_store, target, named=more_controls.controls_for(fresh_store, target)
    )
    with pytest.raises(InputError, match="price"):
        control_rewordings.check_writer(fresh_store, chosen, Terms(budget_usd=1))


def test_where_no_machine_wrote_the_targets_none_is_proposed(fresh_store: Store) -> None:
    drawn = draw_sample(open_partition("control-news", "test"), N)
    partition = replace(drawn.partition, key="benchmark", role=PartitionRole.TARGET)
    target = samples.save(fresh_store, replace(drawn, partition=partition))
    assert more_controls.propose_small(fresh_store, target) == []


def _save(store: Store, key: str, role: PartitionRole, **partition: Any) -> str:
    made = small_sample(6, key=key, role=role)
    changed = replace(made.partition, title=key.title(), **partition)
    return samples.save(store, replace(made, partition=changed))


def test_every_control_that_is_left_out_is_named_with_its_reason(
    fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    target = _save(fresh_store, "rivers", PartitionRole.TARGET)
    used = _save(fresh_store, "lakes", PartitionRole.CONTROL)
    _save(fresh_store, "pairs", PartitionRole.CONTROL, task=DatasetTask.NLI)
    _save(fresh_store, "rios", PartitionRole.CONTROL, language="es")
    bare = small_sample(6, key="bays", role=PartitionRole.CONTROL)
    samples.save(fresh_store, replace(bare, variants={}))
    other = small_sample(6, key="fjords", role=PartitionRole.CONTROL)
    other = replace(other, partition=replace(other.partition, title="Fjords"), variants={})
    writer = resolve("reword", settings.load())
    asyncio.run(reword_sample(fresh_store, samples.save(fresh_store, other), writer))
    assert choosing.usual_for(fresh_store, target) == [used]
    said = choosing.left_out(fresh_store, target, [used])
    assert said.startswith("Controls that are left out: ")
    for part in (
        "Pairs test (the task is nli, not classification)",
        "Rios test (the language is es, not en)",
        "Rivers test (no rewordings yet)",
        "Fjords test (the rewordings are by reword)",
    ):
        assert part in said
    assert "Lakes" not in said


def test_newer_texts_of_the_targets_kind_are_offered_first(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutoffs, "cutoff_of", {"old": Cutoff(date(2024, 6, 1), "a page")}.get)
    target = _save(fresh_store, "rivers", PartitionRole.TARGET, published=date(2023, 1, 1))
    _save(fresh_store, "brooks", PartitionRole.TARGET, published=date(2024, 6, 30))
    _save(fresh_store, "deltas", PartitionRole.TARGET, published=date(2024, 7, 1))
    _save(fresh_store, "undated", PartitionRole.TARGET)
    said = choosing.newer_texts(fresh_store, target, ["old"])
    assert said.startswith(
        "Deltas test (01 Jul 2024) was published after the model's cut-off (2024-06)"
    )
    assert "Brooks" not in said
    assert choosing.newer_texts(fresh_store, target, ["old", "unknown"]) == ""


def test_a_study_says_which_controls_fit_none_of_its_partitions(fresh_store: Store) -> None:
    _save(fresh_store, "rivers", PartitionRole.TARGET)
    _save(fresh_store, "lakes", PartitionRole.CONTROL)
    _save(fresh_store, "pairs", PartitionRole.CONTROL, task=DatasetTask.NLI)
    said = choosing.fits_no_target(fresh_store, ["lakes/test", "pairs/test"], ["rivers/test"])
    assert "Pairs test (nli in en)" in said
    assert "Lakes" not in said
    assert choosing.fits_no_target(fresh_store, ["lakes/test"], None) == ""


def test_where_nothing_fits_a_person_is_told_what_to_bring(fresh_store: Store) -> None:
    target = _save(fresh_store, "joet", PartitionRole.TARGET, language="fi")
    assert more_controls.controls_for(fresh_store, target) == []
    with pytest.raises(InputError, match=r"perturb \w+ --placebo.*--after MODEL"):
        choosing.choose(fresh_store, target)


def test_python_investigates_as_the_command_does(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_target(fresh_store, provider, N, ("lakes", "ponds"))
    found = dcq.investigate(fresh_store, target, "knows-original", methods=[])
    assert found["ended"] == "finished"
    assert [step["kind"] for step in found["steps"]] == ["modified", *["standard"] * 3]
    assert found["answer"]["ruling"] == found["verdict"] == "contaminated"
    with pytest.raises(InputError, match="is no control"):
        dcq.investigate(fresh_store, target, "guess", controls=[target])


def test_a_target_whose_rewordings_came_with_it_gets_bundled_controls_that_have_theirs(
    fresh_store: Store,
) -> None:
    target = samples.save(fresh_store, small_sample(N))
    drawn = more_controls.controls_for(fresh_store, target)
    assert len(drawn) == 3
    writers = variants.writers(fresh_store, [target, *drawn])
    assert set(writers.values()) == {"bundled"}
    assert set(more_controls.controls_for(fresh_store, target)) == set(drawn)  # once is enough
    lakes = samples.save(fresh_store, small_sample(N, key="lakes", role=PartitionRole.CONTROL))
    assert lakes in more_controls.controls_for(fresh_store, target)
