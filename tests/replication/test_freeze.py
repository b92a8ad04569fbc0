"""Cutting a sample: previews, moved cuts, and what is kept."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.records import Instance
from dcq.replication.freeze import freeze, move_cut, pieces_of, preview
from dcq.replication.pieces import Pieces, Unfit
from dcq.replication.prompts import Instruction
from dcq.store import Store, replications, samples
from tests.support.replications import sample, save


def test_what_is_kept_is_what_the_preview_showed(fresh_store: Store) -> None:
    sample_id, texts = save(fresh_store)
    shown = preview(fresh_store, samples.load(fresh_store, sample_id))
    kept = replications.load(fresh_store, freeze(fresh_store, sample_id, judge="j", author="Ada"))
    assert [pieces_of(piece) for piece in kept.pieces] == [cut.found for cut in shown]
    assert [pieces_of(piece).text for piece in kept.pieces] == texts
    assert kept.instructions == ("guided", "general")
    assert (kept.judge, kept.author, kept.version, dict(kept.left_out)) == ("j", "Ada", "paper", {})


def test_instances_that_cannot_be_cut_are_left_out_with_their_reason(fresh_store: Store) -> None:
    whole = sample(3)
    short = Instance("Text: Wet.\nLabel: 0 (Wet)", {"text": "Wet."}, "0 (Wet)", ("Label: 0 (Wet)",))
    sample_id = samples.save(fresh_store, replace(whole, instances=(short, *whole.instances)))
    kept = replications.load(fresh_store, freeze(fresh_store, sample_id))
    assert kept.left_out == {short.id: Unfit.TOO_SHORT.value}
    assert len(kept.pieces) == 3
    assert preview(fresh_store, samples.load(fresh_store, sample_id))[0].found is Unfit.TOO_SHORT


def test_a_sample_of_which_nothing_can_be_cut_is_refused(fresh_store: Store) -> None:
    short = Instance("Text: Wet.", {"text": "Wet."})
    sample_id = samples.save(fresh_store, replace(sample(1), instances=(short,)))
    with pytest.raises(InputError, match="can be cut in two"):
        freeze(fresh_store, sample_id)
    with pytest.raises(InputError, match="too short"):
        move_cut(fresh_store, sample_id, short.id, 2, "Ada")


def test_a_moved_cut_holds_until_it_is_taken_back(fresh_store: Store) -> None:
    sample_id, texts = save(fresh_store, 2)
    [drawn, other] = preview(fresh_store, samples.load(fresh_store, sample_id))
    before = freeze(fresh_store, sample_id)
    moved = move_cut(fresh_store, sample_id, drawn.instance.id, 10, "Ada")
    assert (moved.first, moved.text, moved.inside_sentence) == (
        texts[0][:10].strip(),
        texts[0],
        True,
    )
    now = preview(fresh_store, samples.load(fresh_store, sample_id))
    assert (now[0].found, now[0].moved, now[1]) == (moved, True, other)
    assert preview(fresh_store, samples.load(fresh_store, sample_id), seed=7)[0].moved is False
    kept = replications.load(fresh_store, freeze(fresh_store, sample_id))
    assert pieces_of(kept.pieces[0]) == moved
    assert pieces_of(replications.load(fresh_store, before).pieces[0]) == drawn.found
    move_cut(fresh_store, sample_id, drawn.instance.id, None, "Ada")
    assert preview(fresh_store, samples.load(fresh_store, sample_id))[0] == drawn


def test_a_cut_that_is_moved_cuts_no_other_anew(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample_id, _ = save(fresh_store, 4)
    stored = samples.load(fresh_store, sample_id)
    drawn = preview(fresh_store, stored)
    move_cut(fresh_store, sample_id, drawn[1].instance.id, 10, "Ada")
    monkeypatch.setattr("dcq.replication.freeze.split", None)  # a call of it would fail
    now = preview(fresh_store, stored)
    assert [one.moved for one in now] == [False, True, False, False]
    assert [one is before for one, before in zip(now, drawn, strict=True)] == [
        True, False, True, True
    ]  # fmt: skip
    assert freeze(fresh_store, sample_id)


@given(offset=st.integers(-5, 200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
def test_a_cut_moved_anywhere_keeps_the_text_or_is_refused(fresh_store: Store, offset: int) -> None:
    sample_id, [text] = save(fresh_store, 1)
    [one] = preview(fresh_store, samples.load(fresh_store, sample_id))
    try:
        moved = move_cut(fresh_store, sample_id, one.instance.id, offset, "Ada")
    except InputError:
        assert not text[: max(offset, 0)].strip() or not text[max(offset, 0) :].strip()
    else:
        assert moved.text == text
        assert isinstance(
            preview(fresh_store, samples.load(fresh_store, sample_id))[0].found, Pieces
        )


def test_an_unknown_instance_and_missing_instructions_are_refused(fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store, 1)
    with pytest.raises(InputError, match="no instance 'x'"):
        move_cut(fresh_store, sample_id, "x", 3, "Ada")
    with pytest.raises(InputError, match="guided and the general"):
        freeze(fresh_store, sample_id, instructions=[Instruction.GUIDED])
    with pytest.raises(InputError, match="No replication"):
        replications.load(fresh_store, "t0")


def test_the_wrong_label_is_another_one_of_the_sample(fresh_store: Store) -> None:
    sample_id, _ = save(fresh_store, 4)
    kept = replications.load(
        fresh_store, freeze(fresh_store, sample_id, instructions=tuple(Instruction))
    )
    assert kept.instructions == tuple(Instruction)
    assert all({p.label, p.wrong_label} == {"0 (Wet)", "1 (Dry)"} for p in kept.pieces)
    whole = sample(2, key="bare")
    bare = tuple(replace(one, label=None, protected=()) for one in whole.instances)
    other = samples.save(fresh_store, replace(whole, instances=bare))
    with pytest.raises(InputError, match="needs a label"):
        freeze(fresh_store, other, instructions=tuple(Instruction))
