"""Secret, commitment and published file, swapped and edited."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dcq.errors import InputError
from dcq.protect import secret as private
from dcq.protect.commitment import commit, to_bytes
from dcq.protect.make import open_files, reveal
from dcq.protect.published import croissant, published_indices, read, rows, to_csv, to_jsonl
from dcq.protect.shuffle import By, shuffle
from dcq.protect.verify import problems, read_commitment, unproved
from tests.support.protected import a_secret, with_beacon

SECRET = a_secret()


@pytest.mark.parametrize("write", [to_csv, to_jsonl])
def test_what_belongs_together(write: Any) -> None:
    name = "p.csv" if write is to_csv else "p.jsonl"
    committed = read_commitment(to_bytes(commit(SECRET)), "c")
    assert problems(SECRET, committed, read(write(rows(SECRET)), name)) == []


@pytest.mark.parametrize("text", ['=1+1\n"x", y', "'=1+1", "''=1+1", "'tis", "'", ""])
def test_a_table_comes_back_and_runs_no_formula(text: str) -> None:
    hostile = [{"id": "1", "text": text, "label": "-1", "canary": "c"}]
    written = to_csv(hostile)
    assert b",=1" not in written
    assert b'"=1' not in written
    assert read(written, "p.csv") == hostile


@pytest.mark.parametrize("write", [to_csv, to_jsonl])
@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\x0b", "\x85", "\u2028", "\u2029"])
def test_a_long_text_of_several_lines_comes_back(write: Any, end: str) -> None:
    of_lines = [
        {"id": "1", "text": f"one{end}two" + "x" * 200_000, "label": "Wet", "canary": "c"}
    ] * 2
    assert read(write(of_lines), "p.csv" if write is to_csv else "p.jsonl") == of_lines


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda found: found[0].update(text="Text: new"), "never committed to"),
        (
            lambda found: found[0].update(
                text=next(t for t in SECRET.items[0].wordings if t != found[0]["text"])
            ),
            "another of its wordings",
        ),
        (lambda found: found.append(found[0]), "twice"),
        (lambda found: found.pop(), "missing"),
        (lambda found: found[0].update(id="new"), "not in the secret"),
        (lambda found: found[0].update(label="Dry"), "another label"),
        (lambda found: found[0].pop("canary"), "without its canary"),
        (lambda found: found[0].update(year="2020"), "the column 'year'"),
        (lambda found: found[0].update(year=None), "the column 'year'"),
        (lambda found: found[0].update(label=1), "another label"),
    ],
)
def test_an_edited_file_is_named(edit: Any, says: str) -> None:
    found = rows(SECRET)
    edit(found)
    said = problems(SECRET, commit(SECRET), found)
    assert any(says in one for one in said)


def test_a_wrong_secret_and_a_commitment_of_another() -> None:
    other = a_secret(key=7)
    said = problems(other, commit(SECRET), rows(SECRET))
    assert "The commitment is to another key." in said
    assert len(said) <= 1 + 4  # what is wrong with the rows is counted after three
    said = problems(SECRET, commit(a_secret(5)), rows(SECRET))
    assert "The commitment is to other wordings." in said


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"{}", b"[1]", b"[" * 99_999, b'{"format":"dcq-commitment"}']
)
def test_no_commitment(content: bytes) -> None:
    with pytest.raises(InputError):
        read_commitment(content, "c.json")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "p.jsonl"),
        (b"\xff", "p.jsonl"),
        (b"[1]\n", "p.jsonl"),
        (b'{"id": 1}', "p.jsonl"),
        (b"text\nx\n", "p.csv"),
        (b"id\nx\n", "p.csv"),
        (b"[" * 99_999, "p.jsonl"),
    ],
)
def test_no_published_file(content: bytes, name: str) -> None:
    with pytest.raises(InputError, match="no published benchmark"):
        read(content, name)


def test_lots_wait_for_their_round() -> None:
    with pytest.raises(InputError, match="wait for round"):
        published_indices(with_beacon(SECRET))
    drawn = published_indices(with_beacon(SECRET, "v"))
    assert drawn != published_indices(SECRET)
    assert drawn != published_indices(with_beacon(SECRET, "w"))


def test_the_description_carries_the_commitment() -> None:
    found = json.dumps(croissant(SECRET, "0" * 64))
    assert commit(SECRET)["root"] in found
    private = [one for item in SECRET.items for one in item.wordings]
    assert not any(text in found for text in private)


EARLIER = Path("tests/fixtures/protect_v1")


def test_files_of_version_1_open_and_what_they_cannot_prove_is_listed() -> None:
    for name, told in (("drawn", "does not count draws"), ("beacon", "round 5412345 of drand")):
        secret = private.read(EARLIER / name / "private.dcqsecret")
        committed = read_commitment((EARLIER / name / "commitment.json").read_bytes(), "c")
        for path in (EARLIER / name).glob("published.*"):
            assert problems(secret, committed, read(path.read_bytes(), path.name)) == []
        said = " ".join(unproved(secret))
        for word in ("order", "split", "language", "template", "labels", told):
            assert word in said
        assert len(unproved(secret)) == 6
        # A check that was begun with the release that made it goes on.
        for by, (mark, places) in json.loads((EARLIER / name / "sheets.json").read_text()).items():
            sheet, found = shuffle(secret, By(by))
            assert (sheet.mark, list(found)) == (mark, places)
    waiting = private.read(EARLIER / "waiting/private.dcqsecret")
    files = open_files(reveal(waiting, "c0ffee"))
    assert files["commitment.json"] == (EARLIER / "waiting/commitment.json").read_bytes()
    assert files["published.jsonl"] == (EARLIER / "beacon/published.jsonl").read_bytes()


def test_an_author_s_columns_and_ids_are_committed_to() -> None:
    items = tuple(replace(item, cells=("2020", item.id)) for item in SECRET.items)
    secret = replace(SECRET, items=items, columns=("year", "source"))
    assert private.from_bytes(private.to_bytes(secret), "s") == secret
    committed = commit(secret)
    assert committed["columns"] == ["id", "text", "label", "year", "source", "canary"]
    assert "2020" not in str(committed)
    for content, name in (
        (to_csv(rows(secret), committed["columns"]), "p.csv"),
        (to_jsonl(rows(secret)), "p.jsonl"),
    ):
        assert problems(secret, committed, read(content, name)) == []
    found = rows(secret)
    found[0]["year"] = "2021"
    assert problems(secret, committed, found) == [
        "Item '0001' is published with another value of 'year'."
    ]
    assert "columns" in " ".join(problems(SECRET, committed, rows(secret)))


def test_a_table_with_a_column_twice_is_refused() -> None:
    """One reader would take the first text and another the last."""
    with pytest.raises(InputError, match="no published benchmark"):
        read(b"id,text,text\n0001,never committed to,committed to\n", "p.csv")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "Riv\u202eers"),
        ("title", "Rivers\x1b[2J"),
        ("title", "Riv\u0435rs"),
        ("title", ""),
        ("split", "te\u200bst"),
        ("split", "te\nst"),
        ("language", "e\x00n"),
        ("task", ""),
        ("canary", "a\rb"),
        ("made_by", "0.1.0\u2028"),
    ],
)
def test_names_that_cannot_be_seen_are_told(name: str, value: str) -> None:
    changes: dict[str, Any] = {name: value}
    secret = replace(SECRET, **changes)
    [problem] = problems(secret, commit(secret), rows(secret))
    assert problem.startswith("The secret has a wrong name. Name the ")
    assert problem.isprintable()


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\ufe0f", "\u00a0", "\u2060"])
def test_wordings_that_look_the_same_are_one(sign: str) -> None:
    [first, *rest] = SECRET.items
    text = first.wordings[0]
    twice = replace(first, wordings=(text, text.replace(" ", f" {sign}"), *first.wordings[2:]))
    with pytest.raises(InputError, match="the same text"):
        private.check_items((twice, *rest))
    with pytest.raises(InputError, match="the same text"):
        private.from_bytes(private.to_bytes(replace(SECRET, items=(twice, *rest))), "s")
    # The first version took all of them but another space, and what it wrote still opens.
    if sign != "\u00a0":
        earlier = replace(SECRET, items=(twice, *rest), version=private.EARLIER)
        opened = private.from_bytes(private.to_bytes(earlier), "s")
        assert unproved(opened)[-1].startswith("The lots of 1 item, because two wordings look")
    assert not any("look the same" in sentence for sentence in unproved(SECRET))


@pytest.mark.parametrize(
    "changes",
    [
        {"made": "2026-11-25T00:00"},
        {"made": "20261125"},
        {"made": "soon"},
        {"draws": 10**40},
        {"draws": 0},
        {"beacon": replace(with_beacon(SECRET).beacon, value=" ")},  # type: ignore[type-var]  # it has one
    ],
)
def test_what_no_secret_says_is_damage(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="damaged"):
        private.from_bytes(private.to_bytes(replace(SECRET, **changes)), "s")


@pytest.mark.parametrize("text", ["", " ", "\n", "\u200b", "\u2800"])
def test_a_wording_has_something_to_read(text: str) -> None:
    [first, *rest] = SECRET.items
    items = (replace(first, wordings=(text, *first.wordings[1:])), *rest)
    with pytest.raises(InputError, match="A wording of item 0001 is empty"):
        private.from_bytes(private.to_bytes(replace(SECRET, items=items)), "s")
