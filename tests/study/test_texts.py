"""The rewordings of a target: asked for once, chosen where four give originals away, failures asked
for once more by another prompt and then named."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.asking.options import DEFAULTS, Options, Watch
from dcq.partitions import draw_sample, open_partition
from dcq.store import Store, balancings, reviews, rewordings, runs, samples, variants
from dcq.store.runs import Event
from dcq.store.variants import Decision, StoredVariant
from dcq.study import texts
from dcq.variants import choose_candidates, control_writing
from dcq.variants.method import REWORDING
from dcq.variants.placebo_writing import PlaceboWriter, writer_of
from dcq.variants.prompts import Protocol
from tests.support.newcomer import write_benchmark
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

N = 24


@pytest.fixture
def target(fresh_store: Store, tmp_path: Path) -> str:
    file = write_benchmark(tmp_path / "my.csv")
    opened = open_partition("my", "test", file=file, find_columns=True)
    return samples.save(fresh_store, draw_sample(opened, N))


def write(store: Store, sample_id: str, model: str | None, options: Options = DEFAULTS) -> Event:
    writer = PlaceboWriter(model)
    return asyncio.run(texts.write(store, sample_id, writer, options)).event


def recipes(store: Store, sample_id: str, model: str) -> list[str]:
    """How a model was asked, the first time first."""
    found = runs.all_of(store, REWORDING.name, model, sample_id=sample_id)
    plans = [rewordings.load(store, runs.load(store, run).plan.subject) for run in found]
    return [plan.protocol for plan in reversed(plans)]


def test_more_are_written_where_four_give_originals_away_and_nothing_twice(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    assert texts.other_writer(fresh_store, target) == "offline"
    assert write(fresh_store, target, "reword") is Event.FINISHED
    assert texts.other_writer(fresh_store, target) == "offline"
    assert control_writing.texts_each(fresh_store, target) == texts.MORE
    assert balancings.newest(fresh_store, target) is not None
    asked, written = provider.counts["reword"], variants.state(fresh_store, target)
    assert write(fresh_store, target, "reword") is Event.FINISHED
    assert provider.counts["reword"] == asked
    cost = texts.stand_in(fresh_store, target, PlaceboWriter("reword"))  # a plan says the same
    assert cost.calls == 0
    assert variants.state(fresh_store, target) == written


def test_what_is_written_and_not_chosen_yet_blocks_no_plan(
    fresh_store: Store, target: str, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill between the two."""
    assert provider.base_url
    monkeypatch.setattr(choose_candidates, "choose_now", lambda *_: None)
    write(fresh_store, target, "reword")
    assert texts.leak_of(fresh_store, target)
    assert texts.stand_in(fresh_store, target, PlaceboWriter("reword")).calls == 0
    assert texts.leak_of(fresh_store, target) == ""


def test_what_failed_is_asked_for_once_more_by_the_other_prompt_and_then_named(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    news: list[str] = []
    options = Options(watch=Watch(on_news=news.append))
    assert write(fresh_store, target, "prose", options) is Event.FINISHED
    assert recipes(fresh_store, target, "prose") == [Protocol.V1, Protocol.V2]
    [said] = [sentence for sentence in news if "cannot be asked" in sentence]
    assert said.startswith(f"{N} of {N} instances cannot be asked, because fewer than 3 ")
    assert "(row 1, " in said or "row " in said
    asked = provider.counts["prose"]
    assert write(fresh_store, target, "prose") is Event.FINISHED
    assert provider.counts["prose"] == asked
    assert asyncio.run(
        texts.write(fresh_store, target, PlaceboWriter("prose"), DEFAULTS, retry=True)
    ).event is Event.FINISHED  # fmt: skip
    assert provider.counts["prose"] > asked


def test_the_prompt_of_the_controls_is_the_one_that_wrote_most(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    assert provider.base_url
    write(fresh_store, target, "reword")
    assert recipes(fresh_store, target, "reword")[-1] == Protocol.V2  # some texts repeated others
    writer = writer_of(fresh_store, target)
    assert writer == PlaceboWriter("reword", Protocol.V1)


def test_stand_ins_give_nothing_away_and_count_what_is_to_be_written(
    fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    cost = texts.stand_in(fresh_store, target, PlaceboWriter("gpt-4o-mini"))
    assert cost.calls == N * 4  # four at a time take two calls, as does one more set of four
    assert (cost.cost_usd or 0) > 0
    assert texts.leak_of(fresh_store, target) == ""
    assert control_writing.count_usable(fresh_store, target) == N
    assert not provider.counts
    free = texts.stand_in(fresh_store, target, PlaceboWriter("gpt-4o-mini"))
    assert (free.calls, free.cost_usd) == (0, 0.0)


def test_what_the_generator_wrote_is_for_a_model_to_write_instead(fresh_store: Store) -> None:
    drawn = draw_sample(open_partition("control-docks", "test"), 4)
    target = samples.save(fresh_store, replace(drawn, variants={}))
    assert write(fresh_store, target, None) is Event.FINISHED
    assert texts.other_writer(fresh_store, target) == "MODEL"


def test_a_changed_file_takes_over_the_rewordings_of_its_other_rows(
    fresh_store: Store, target: str, tmp_path: Path
) -> None:
    assert write(fresh_store, target, None) is Event.FINISHED
    before = variants.current(fresh_store, target, candidates=True)
    first, *_ = before.values()
    reviews.decide(fresh_store, target, list(first.values()), Decision.ACCEPTED, "Ada")
    file = tmp_path / "my.csv"
    file.write_text(file.read_text() + "Who broke the small lamp beside the road?,a hare\n")
    opened = open_partition("my", "test", file=file, find_columns=True)
    larger = samples.save(fresh_store, draw_sample(opened, 41))
    assert samples.partition_of(fresh_store, larger) != samples.partition_of(fresh_store, target)
    texts.take_over(fresh_store, larger, "model:other")
    assert variants.current(fresh_store, larger) == {}  # by another writer
    texts.take_over(fresh_store, larger)
    taken = variants.current(fresh_store, larger, candidates=True)

    def told(found: dict[str, dict[int, StoredVariant]]) -> dict[tuple[str, int], tuple[str, ...]]:
        return {
            (one.instance_id, one.slot): (one.text, one.origin, str(one.findings))
            for slots in found.values()
            for one in slots.values()
        }

    assert told(taken) == told(before)
    decided = {key for key, slots in taken.items() for one in slots.values() if one.reviewer}
    assert decided == {next(iter(before))}
    assert writer_of(fresh_store, larger) == writer_of(fresh_store, target)
