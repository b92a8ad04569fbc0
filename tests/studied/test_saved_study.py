"""A saved study keeps what it found, and each benchmark is corrected by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.files import bundle_write, others
from dcq.investigation import price
from dcq.judging import known, snapshot
from dcq.judging.answer import Answer
from dcq.judging.answers import answers, lost_to
from dcq.judging.judged import Ruling
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, partitions, runs, samples, sources, studies
from dcq.store.runs import Event
from dcq.store.studies import EVERYTHING, Study
from tests.conftest import small_sample
from tests.studied.test_what_was_asked import reword
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.runs import answer

pytestmark = pytest.mark.slow


def saved(store: Store, **chosen: tuple[str, ...]) -> Study:
    return studies.save(store, known.named_study(store, Study("A", **chosen)))  # type: ignore[arg-type]


def printed(store: Store, name: str = "A") -> str:
    found = answers(store, studies.load(store, name))
    return json.dumps([one.document() for one in found])


def of(store: Store, partition: str, within: Study = EVERYTHING) -> Answer:
    [found] = [one for one in answers(store, within) if one.partition == partition]
    return found


def sample_of(store: Store, partition: str) -> str:
    return next(
        evidence.sample
        for evidence in snapshot.read(store).evidence.values()
        if evidence.partition == partition
    )


def again(store: Store, partition: str, tally: dict[str, int]) -> str:
    """A newer run of the same quiz with other answers."""
    for run in runs.listing(store):
        runs.note(store, run, Event.FINISHED)
    quiz = freeze.freeze(store, sample_of(store, partition), QuizKind.STANDARD, slot="D").quiz
    return answer(store, quiz, tally)


def test_nothing_that_comes_later_changes_a_saved_study(fresh_store: Store, tmp_path: Path) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "dunes", {"D": 40, "A": 60})
    saved(fresh_store)
    before = printed(fresh_store)
    assert json.loads(before)[0]["ruling"] == Ruling.CONTAMINATED.value

    for key in ("lakes", "ponds"):  # targets
        put(fresh_store, key, UNSEEN)
    put(fresh_store, "rivers-2", SEEN)
    put(fresh_store, "rivers", SEEN, model="embedded")
    assert printed(fresh_store) == before

    put(fresh_store, "late-control", {"D": 70, "A": 30}, PartitionRole.CONTROL)
    assert printed(fresh_store) == before

    again(fresh_store, "rivers/test", UNSEEN)
    again(fresh_store, "unseen-0/test", SEEN)
    assert printed(fresh_store) == before

    partitions.set_role(fresh_store, "lakes/test", PartitionRole.CONTROL, "Ada")
    partitions.set_role(fresh_store, "ponds/test", PartitionRole.POSITIVE, "Ada")
    assert printed(fresh_store) == before

    for partition in ("rivers/test", "unseen-1/test"):
        reword(fresh_store, sample_of(fresh_store, partition))
    assert printed(fresh_store) == before

    theirs = Store(tmp_path / "theirs.duckdb")
    put(theirs, "unseen-9", {"D": 60, "A": 40}, PartitionRole.CONTROL)
    put(theirs, "rivers", UNSEEN)
    put(theirs, "far", SEEN)
    file = tmp_path / "theirs.zip"
    file.write_bytes(bundle_write.to_bytes(theirs)[0])
    imported = others.keep(fresh_store, file, sender="Ben")
    assert printed(fresh_store) == before
    assert imported.source is not None
    others.take_in(fresh_store, imported.source.id, author="Ada")
    assert printed(fresh_store) == before


def test_saved_again_it_takes_in_what_was_asked_since(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    first = saved(fresh_store)
    again(fresh_store, "rivers/test", UNSEEN)
    kept = of(fresh_store, "rivers/test", first)
    assert (kept.ruling, kept.study, kept.revision) == (Ruling.CONTAMINATED, "A", 1)
    second = saved(fresh_store)
    now = of(fresh_store, "rivers/test", second)
    assert (now.ruling, now.revision) == (Ruling.INCONCLUSIVE, 2)
    assert of(fresh_store, "rivers/test").ruling is Ruling.INCONCLUSIVE  # the benchmark's own


def test_a_study_saved_before_the_first_reply_is_a_plan(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "dunes", UNSEEN)
    sample = small_sample(100, key="rivers")
    samples.save(fresh_store, sample)
    planned = saved(fresh_store, partitions=("rivers/test",))
    first = put(fresh_store, "rivers", SEEN)
    again(fresh_store, "rivers/test", UNSEEN)
    found = of(fresh_store, "rivers/test", planned)
    assert [method.run for method in found.methods] == [first]  # the first one since counts
    assert found.document()["study_fixed_at"] is not None
    late = saved(fresh_store, partitions=("rivers/test",))
    assert of(fresh_store, "rivers/test", late).document()["study_fixed_at"] is None


def test_another_benchmark_changes_nothing_and_another_model_does(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 45, "A": 55})
    alone = of(fresh_store, "rivers/test")
    assert (alone.study, alone.revision) == ("rivers", 1)
    for i in range(6):
        put(fresh_store, f"other-{i}", UNSEEN)
    assert of(fresh_store, "rivers/test").q_value == alone.q_value
    put_controls(fresh_store, model="embedded")
    put(fresh_store, "rivers", UNSEEN, model="embedded")
    two = [one for one in answers(fresh_store) if one.partition == "rivers/test"]
    assert {one.revision for one in two} == {2}
    first = next(one for one in two if one.model == alone.model)
    assert alone.q_value is not None
    assert first.q_value == pytest.approx(2 * alone.q_value)
    by_name = answers(fresh_store, studies.load(fresh_store, "rivers"))
    assert [one.document() for one in by_name] == [one.document() for one in two]


def test_a_study_of_a_benchmark_s_name_is_refused(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    with pytest.raises(InputError, match=r"“rivers” is the study of all that is asked"):
        studies.save(fresh_store, Study("rivers", partitions=("rivers/test",)))


def test_what_another_pair_would_cost_is_known_before_it_is_asked(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 44, "A": 56})
    now = answers(fresh_store)
    [alone] = now
    assert alone.ruling is Ruling.CONTAMINATED
    assert alone.q_value is not None
    another = ("another", "rivers/test")
    many = [(f"model-{i}", "rivers/test") for i in range(int(0.05 / alone.q_value) + 1)]
    assert lost_to(many, now) == [alone]
    assert lost_to([alone.pair, ("another", "lakes/test")], now) == []
    put_controls(fresh_store, model="embedded")
    put(fresh_store, "rivers", UNSEEN, model="embedded")
    then = of_model(fresh_store, alone.model)
    assert (lost_to([another], now) == []) is (then.ruling is Ruling.CONTAMINATED)


def of_model(store: Store, model: str) -> Answer:
    return next(one for one in answers(store) if one.model == model)


def test_an_investigation_says_what_it_would_cost_the_others(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 44, "A": 56})
    sample, now = sample_of(fresh_store, "rivers/test"), answers(fresh_store)
    assert price.others_words(fresh_store, sample, ["tester@http://127.0.0.1:9/v1"], now) == ""
    many = [f"model-{i}" for i in range(40)]
    said = price.others_words(fresh_store, sample, many, now)
    assert "the conclusion on tester on Rivers test will be undecided" in said


def test_an_answer_about_a_sample_is_about_that_sample(fresh_store: Store) -> None:
    """Another sample of the partition was asked too, and counts by itself."""
    put_controls(fresh_store)
    first = put(fresh_store, "rivers", SEEN)
    small = samples.save(fresh_store, small_sample(40, key="rivers"))
    quiz = freeze.freeze(fresh_store, small, QuizKind.STANDARD, slot="D").quiz
    second = answer(fresh_store, quiz, {"D": 10, "A": 30})
    [whole] = [one for one in answers(fresh_store) if one.partition == "rivers/test"]
    assert [method.run for method in whole.methods] == [first]
    [of_it] = answers(fresh_store, model=whole.model, partition="rivers/test", sample=small)
    assert [(method.run, method.sample) for method in of_it.methods] == [(second, small)]
    assert (whole.ruling, of_it.ruling) == (Ruling.CONTAMINATED, Ruling.INCONCLUSIVE)
    same = answers(fresh_store, model=whole.model, partition="rivers/test", sample=whole.sample)
    assert [one.document() for one in same] == [whole.document()]


def test_a_plan_that_was_sent_says_what_it_said_where_it_was_asked(
    fresh_store: Store, tmp_path: Path
) -> None:
    """In a store of the sender's runs alone, all of which came after the study was fixed."""
    theirs = Store(tmp_path / "theirs.duckdb")
    for key in ("unseen-0", "unseen-1", "unseen-2"):
        drawn = small_sample(100, key=key, role=PartitionRole.CONTROL)
        named = replace(drawn.partition, title=key.title())
        samples.save(theirs, replace(drawn, partition=named))
    samples.save(theirs, small_sample(100, key="rivers"))
    planned = saved(theirs)
    put_controls(theirs)
    put(theirs, "rivers", SEEN)
    before = printed(theirs)
    assert json.loads(before)[0]["study_fixed_at"] is not None
    assert json.loads(before)[0]["ruling"] == "contaminated"
    file = tmp_path / "theirs.zip"
    file.write_bytes(bundle_write.to_bytes(theirs, planned)[0])
    source = others.keep(fresh_store, file, sender="Ben").source
    assert source is not None
    with others.opened(fresh_store, source) as alone:
        assert [one.ruling for one in answers(alone.store, alone.judged)] == ["contaminated"]
        sources.mark_sent(alone.store, source)
        [sent] = answers(alone.store, alone.judged)
        assert (sent.ruling, sent.senders) == (Ruling.CONTAMINATED, ("Ben",))
