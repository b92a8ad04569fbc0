"""Cutting a sample: previews, moved cuts, and what is kept."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.columns import shown_columns
from dcq.errors import InputError
from dcq.overlap.query import Query, query_of
from dcq.partitions import draw_sample, open_partition
from dcq.records import DatasetTask, Instance, Mode, TextLayout
from dcq.replication.cheat import marks_of
from dcq.replication.freeze import freeze, move_cut, pieces_of, preview
from dcq.replication.method import REPLICATION
from dcq.replication.pieces import CutBy, CutRange, Pieces, Unfit
from dcq.replication.prompts import Instruction, Version
from dcq.store import Store, replications, samples
from tests.support.replications import sample, save


def test_what_is_kept_is_what_the_preview_showed(fresh_store: Store) -> None:
    sample_id, texts = save(fresh_store)
    shown = preview(fresh_store, samples.load(fresh_store, sample_id))
    kept = replications.load(fresh_store, freeze(fresh_store, sample_id, judge="j", author="Ada"))
    assert [pieces_of(piece) for piece in kept.pieces] == [cut.outcome for cut in shown]
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
    assert preview(fresh_store, samples.load(fresh_store, sample_id))[0].outcome is Unfit.TOO_SHORT


AS_PUBLISHED = [
    # In the authors' files pieces and text differ in white space, line breaks and quotation marks.
    {
        "text": "A brook.<br />It rose. It fell. It froze.",
        "label": "1 (Positive)",
        "first_piece": "A brook. It rose. ",
        "second_piece": 'It fell. It froze."',
    },
    {
        "text": "A pond that lay still, one winter.",
        "label": "0 (Negative)",
        "first_piece": "A pond that",
        "second_piece": "lay still, one winter.",
    },
    {"text": "Half a row.", "label": "0", "first_piece": "Half a row.", "second_piece": ""},
]


def published(path: Path, rows: Sequence[Mapping[str, str]] = AS_PUBLISHED) -> Path:
    """A file of Time Travel's release on IMDB in small, with its two columns without a name."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*rows[0], "", ""])
        writer.writerows([*row.values(), "", ""] for row in rows)
    return path


@pytest.mark.parametrize("layout", list(TextLayout))
def test_the_pieces_of_a_file_are_kept_to_the_letter(
    fresh_store: Store, tmp_path: Path, layout: TextLayout
) -> None:
    file = published(tmp_path / "imdb_test.csv")
    drawn = draw_sample(open_partition("imdb", "test", file=file, layout=layout), 10)
    sample_id = samples.save(fresh_store, drawn)
    shown = preview(
        fresh_store, samples.load(fresh_store, sample_id), seed=3, cut_range=CutRange(0.1, 0.2)
    )
    assert [one.by for one in shown] == [CutBy.FILE] * 3
    kept = replications.load(fresh_store, freeze(fresh_store, sample_id, version=Version.RELEASE))
    expected = {row["first_piece"]: row["second_piece"] for row in AS_PUBLISHED[:2]}
    assert {piece.first: piece.second for piece in kept.pieces} == expected
    assert [piece.cut_by for piece in kept.pieces] == ["file"] * 2
    assert list(kept.left_out.values()) == [Unfit.NO_SECOND.value]
    task = REPLICATION.propose(fresh_store, kept.id, Mode.LETTER).task
    [asked] = [text for text in map(task.text, range(task.size)) if "brook" in text][:1]
    assert asked.endswith(
        "LABEL: 1 (Positive)\n\nFIRST PIECE:\nA brook. It rose. \n\nSECOND PIECE:\n"
    )
    with pytest.raises(InputError, match="leave the share out"):
        freeze(fresh_store, sample_id, cut_range=CutRange(0.1, 0.2))
    # A person may still move a cut, and back.
    [first] = [one for one in shown if "brook" in one.instance.text]
    move_cut(fresh_store, sample_id, first.instance.id, 7, "Ada")
    by = {
        one.instance.id: one.by
        for one in preview(fresh_store, samples.load(fresh_store, sample_id))
    }
    assert by[first.instance.id] is CutBy.PERSON


def test_pieces_are_no_columns_of_the_text_and_no_answer(tmp_path: Path) -> None:
    path = published(
        tmp_path / "gsm8k.csv",
        [
            {
                "question": "She said: how many brooks?",
                "answer": "There are 3.\n#### 3",
                "first_piece": "She said:",
                "second_piece": "how many brooks?",
            }
        ],
    )
    [instance] = draw_sample(open_partition("gsm8k", "train", file=path), 1).instances
    assert shown_columns(instance) == ["She said: how many brooks?", "There are 3.\n#### 3"]
    query = query_of(instance, DatasetTask.QUESTION_ANSWERING)
    assert isinstance(query, Query)
    assert query.label == "There are 3.\n#### 3"
    assert marks_of([instance]) == []


def test_a_sample_that_is_there_without_the_pieces_does_not_hide_them(
    fresh_store: Store, tmp_path: Path
) -> None:
    bare = [{"text": row["text"], "label": row["label"]} for row in AS_PUBLISHED]
    file = published(tmp_path / "imdb_test.csv", bare)
    samples.save(fresh_store, draw_sample(open_partition("imdb", "test", file=file), 10))
    published(file)
    cut = open_partition("imdb", "test", file=file)
    with pytest.raises(InputError, match=r"without the pieces .* another seed"):
        samples.save(fresh_store, draw_sample(cut, 10))
    other = samples.save(fresh_store, draw_sample(cut, 10, seed=1))
    assert samples.save(fresh_store, draw_sample(cut, 10, seed=1)) == other
    assert len(replications.load(fresh_store, freeze(fresh_store, other)).pieces) == 2


def test_a_share_moves_the_cuts_that_are_drawn(fresh_store: Store) -> None:
    long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    made = replace(
        sample(1), instances=tuple(Instance(f"{long} {n}", {"text": f"{long} {n}"}) for n in "abc")
    )
    sample_id = samples.save(fresh_store, made)
    as_ever = replications.load(fresh_store, freeze(fresh_store, sample_id))
    assert (as_ever.earliest, as_ever.latest) == (0.4, 0.7)
    late = replications.load(
        fresh_store, freeze(fresh_store, sample_id, cut_range=CutRange(0.85, 0.95))
    )
    assert (late.earliest, late.latest) == (0.85, 0.95)
    for before, after in zip(as_ever.pieces, late.pieces, strict=True):
        assert len(before.first) < len(after.first) > 0.8 * len(long)
        assert (before.cut_by, after.cut_by) == ("seed", "seed")


@pytest.mark.parametrize("share", [(0, 0.5), (0.5, 1), (0.6, 0.4), (float("nan"), 0.5), (-1, 2)])
def test_a_share_leaves_something_on_both_sides(share: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="two shares above 0 and below 1"):
        CutRange(*share)


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
    assert (now[0].outcome, now[0].moved, now[1]) == (moved, True, other)
    assert preview(fresh_store, samples.load(fresh_store, sample_id), seed=7)[0].moved is False
    kept = replications.load(fresh_store, freeze(fresh_store, sample_id))
    assert pieces_of(kept.pieces[0]) == moved
    assert pieces_of(replications.load(fresh_store, before).pieces[0]) == drawn.outcome
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
            preview(fresh_store, samples.load(fresh_store, sample_id))[0].outcome, Pieces
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
