"""Scores that others computed."""

from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.evidence.lot import assess
from dcq.protect import scores_file
from dcq.protect.scores_file import assess_file, left_out_words

HEAD = "item,wording,published,score\n"


def test_a_file_is_tested_as_its_scores_are() -> None:
    content = HEAD + "1,a,0,-3\n1,b,1,-1.5\n1,c,0,+.5e1\n2,a,1, 1 \n2,b,0,2\n2,c,0,2.\n"
    [(name, found)] = assess_file(content.encode(), "f").items()
    assert (name, found.left_out) == ("", 0)
    assert found.test == assess([[-1.5, -3, 5], [1, 2, 2]])
    assert found.document(name)["picked"] == 0.0
    assert found.document(name)["left_out"] == 0


def items(count: int, cells: list[str], start: int = 0) -> str:
    """Items whose first wording is published; ``cells`` are the scores of each."""
    return "".join(
        f"{item},w{place},{int(place == 0)},{cell}\n"
        for item in range(start, start + count)
        for place, cell in enumerate(cells)
    )


def test_an_item_counts_with_all_its_scores() -> None:
    rows = items(6, ["1", "2", "3"]) + items(1, ["", "2", "3"], 6) + items(2, ["1", "", "3"], 7)
    [found] = assess_file((HEAD + rows).encode(), "f").values()
    assert (found.test.items, found.left_out) == (6, 3)
    assert left_out_words("x", 3) == (
        "3 items of x left out: a wording has no score, and an item counts only with all its "
        "wordings scored."
    )
    assert left_out_words("x", 0) == ""


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (items(40, ["1", "", "", ""]), "100 % of the published wordings and 0 % of the others"),
        (items(40, ["", "1", "1", "1"]), "0 % of the published wordings and 100 % of the others"),
        # What would speak against the verdict is taken out.
        (
            items(40, ["2", "1", "1", "1"]) + items(20, ["1", "", "", "2"], 40),
            "score all wordings alike",
        ),
        (items(1, ["1", "", "", ""]), "No item of f has a score for each wording"),
        (items(9, ["", "", "", ""]), "No item of f has a score for each wording"),
    ],
)
def test_scores_that_are_missing_unequally_prove_nothing(rows: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        assess_file((HEAD + rows).encode(), "f")


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "inf",
            "-inf",
            "Infinity",
            "nan",
            "NaN",
            "1_0",
            "1e400",
            "-1e999",
            "0x1",
            " ",
            "\t",
            "NA",
        ),
        *("none", "null", "1,5", "１", "٣", "1 2", "--1", "1e", "e1", ".", "1\u200b", "9" * 500),
    ],
)
def test_what_is_no_number_is_refused_with_its_row_and_column(cell: str) -> None:
    content = HEAD + f'1,a,1,2\n1,b,0,"{cell}"\n'
    with pytest.raises(InputError, match=r"^Row 3 of f\.csv: .+ in the column score is no score"):
        assess_file(content.encode(), "f.csv")


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\ufe0f", "\u2060", "\u00a0", " "])
def test_a_wording_that_looks_like_another_is_the_same(sign: str) -> None:
    content = HEAD + f"1,a b,1,2\n1,a{sign}b,0,3\n1,a b{sign},0,3\n"
    with pytest.raises(InputError, match="again; give each"):
        assess_file(content.encode(), "f.csv")


def of_one_wording(items: int, wordings: int, others: int = 0) -> bytes:
    """The first wording is published for all items but ``others``, and scores highest."""
    rows = [
        f"{item},w{place},{int(place == (item < others))},{wordings - place}\n"
        for item in range(items)
        for place in range(wordings)
    ]
    return (HEAD + "".join(rows)).encode()


@pytest.mark.parametrize(("items", "wordings"), [(6, 4), (12, 2), (200, 4)])
def test_one_wording_for_all_items_is_one_draw(items: int, wordings: int) -> None:
    [found] = assess_file(of_one_wording(items, wordings), "f").values()
    assert found.test.p_value == 1 / wordings
    assert found.test.p_anytime == 1 / wordings
    assert found.test.e_value == wordings
    [reason] = found.reasons
    assert reason.startswith(f"Wording 'w0' is published for {items} of {items} items, which lots")
    assert f"p = {1 / wordings:.3g} at best" in reason
    assert found.document("")["reasons"] == [reason]


def test_one_wording_for_nearly_all_items_is_no_lot_either() -> None:
    [found] = assess_file(of_one_wording(60, 4, others=3), "f").values()
    assert found.test.p_value == 0.25
    assert "for 57 of 60 items" in found.reasons[0]


@pytest.mark.parametrize(("items", "wordings"), [(2, 4), (5, 4), (10, 2)])
def test_few_items_of_one_wording_are_a_caution(items: int, wordings: int) -> None:
    content = of_one_wording(items, wordings)
    [found] = assess_file(content, "f").values()
    assert found.test == assess([list(range(wordings, 0, -1))] * items)
    assert "may be chance" in found.reasons[0]


def test_lots_that_differ_need_no_word() -> None:
    rows = "".join(
        f"{item},w{place},{int(place == item % 4)},{int(place == item % 4)}\n"
        for item in range(40)
        for place in range(4)
    )
    [found] = assess_file((HEAD + rows).encode(), "f").values()
    assert (found.reasons, found.test.p_value < 1e-20) == ((), True)
    named = rows.replace(",w", ",text ")  # wordings that no two items share
    for item in range(40):
        named = named.replace(f"\n{item},text ", f"\n{item},text {item} ")
    [found] = assess_file((HEAD + named).encode(), "f").values()
    assert found.reasons == ()
    [single] = assess_file((HEAD + "1,a,1,2\n1,b,0,1\n").encode(), "f").values()
    assert single.reasons == ()


def test_benchmarks_are_tested_apart() -> None:
    rows = "benchmark,item,wording,published,score\n"
    rows += "".join(f"{name},1,{w},{int(w == 'a')},{w == 'a':d}\n" for name in "xy" for w in "abcd")
    assert list(assess_file(rows.encode(), "f")) == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "lacks the column"),
        (HEAD, "no rows"),
        ("item,wording,score\n1,a,2\n", "published"),
        (HEAD + "1,a,1,2\n", "1 wording"),
        (HEAD + "1,a,1,2\n1,b,1,3\n", "2 published"),
        (HEAD + "1,a,0,2\n1,b,0,3\n", "0 published"),
        (HEAD + "1,a,1,2\n1,a,0,3\n", "again"),
        (HEAD + "1,a,1,two\n1,b,0,3\n", "no score"),
        (HEAD + " ,a,1,2\n ,b,0,3\n", "Row 2 of f.csv has nothing in the column item"),
        (HEAD + "1,\u200b,1,2\n1,b,0,3\n", "Row 2 of f.csv has nothing in the column wording"),
        ("item,wording,published,score,score\n1,a,1,3,4\n1,b,0,5,1\n", "score more than once"),
        (HEAD + "1,a,perhaps,2\n1,b,0,3\n", "1 or 0"),
        (HEAD + "1,a,1\n1,b,0,3\n", "Row 2 of f.csv has not as many cells"),
        (HEAD + "1,a,1,2\n\n1,b,0,3,4\n", "Row 3 of f.csv has not as many cells"),
    ],
)
def test_a_mistake_is_one_sentence(content: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        assess_file(content.encode(), "f.csv")
    with pytest.raises(InputError, match="no csv"):
        assess_file(b"\xff\xfe\x00", "f.csv")


def test_too_many_rows_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores_file, "_MOST_ROWS", 3)
    with pytest.raises(InputError, match="more than 3 rows"):
        assess_file((HEAD + "1,a,1,2\n1,b,0,3\n2,a,1,2\n2,b,0,3\n").encode(), "f.csv")
