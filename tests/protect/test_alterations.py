"""Nothing can be altered after the lots are fixed so that a check comes out differently: whatever
is done to a member of the secret, the commitment or the published file, either it is refused, or
what is asked and how it is counted stay the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from dcq.errors import InputError
from dcq.protect import secret as private
from dcq.protect.check import as_sample
from dcq.protect.commitment import commit, to_bytes
from dcq.protect.published import read, rows, to_jsonl
from dcq.protect.secret import Secret
from dcq.protect.shuffle import By, shuffle
from dcq.protect.verify import problems, read_commitment
from tests.support.protected import a_secret, with_beacon

# Texts with an accent, so that their other form in Unicode is another text.
PLAIN = a_secret(5, 5)
SECRET = with_beacon(
    replace(
        PLAIN,
        title="Rivi\u00e8res",
        columns=("year", "caf\u00e9"),
        items=tuple(
            replace(
                item, wordings=tuple(f"{text} \u00e9" for text in item.wordings), cells=("1", "b")
            )
            for item in PLAIN.items
        ),
    ),
    "c0ffee",
)
Path = tuple[str | int, ...]


def result(secret: Secret) -> object:
    """All on which the outcome of a check rests."""
    return [shuffle(secret, by) for by in By], as_sample(secret)


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    """Each place in a JSON value."""
    yield at
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for name, member in members:
        yield from paths(member, (*at, name))


def decomposed(text: str) -> str:
    return text.replace("\u00e9", "e\u0301").replace("\u00e8", "e\u0300")


def others(value: Any) -> Iterator[Any]:
    """What may stand in the place of a value."""
    yield from (None, 7, float(value) if type(value) is int else 0.5, True, [], {})
    match value:
        case str():
            yield from ("", f"{value}!", value[::-1], value.upper(), decomposed(value), f"{value} ")
            if len(value) == 64:
                yield from (f"{number:064x}" for number in range(8))  # another key
        case int():
            yield from (str(value), value + 1, value - 1)
        case list():
            yield from (
                value[::-1],
                value[1:],
                value[:-1],
                [*value, *value[:1]],
                value[1:] + value[:1],
            )
            yield [*value[1:2], *value[1:]]
        case dict():
            yield value | {"extra": "x"}
            for name in value:
                yield {key: member for key, member in value.items() if key != name}
                yield {f"{key}s" if key == name else key: member for key, member in value.items()}
            yield dict(reversed(value.items()))


def altered(document: Any) -> Iterator[tuple[Path, Any]]:
    """The document with one place altered, for all places and ways."""
    for path in paths(document):
        at = document
        for step in path:
            at = at[step]
        for other in others(at):
            if json.dumps(other) == json.dumps(at):
                continue
            changed = copy.deepcopy({"": document})
            place: Any = changed
            for step in ("", *path)[:-1]:
                place = place[step]
            place[("", *path)[-1]] = copy.deepcopy(other)
            yield path, changed[""]


def opened(document: Any) -> Secret | None:
    """An altered secret whose fingerprint was made anew; None where it is refused, or waits for
    its round, so that nothing can be checked with it."""
    if isinstance(document, dict) and "sha256" in document:
        document = document | {"sha256": private._digest(document)}
    try:
        secret = private.from_bytes(json.dumps(document).encode(), "s")
    except InputError:
        return None
    return None if secret.beacon is not None and not secret.beacon.value else secret


def swapped_ids(document: dict[str, Any]) -> None:
    first, second, *_ = document["items"]
    first["id"], second["id"] = second["id"], first["id"]


def swapped_labels(document: dict[str, Any]) -> None:
    document["items"][0]["label"], document["items"][1]["label"] = "Dry", "Wet"


def by_hand(document: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    edits: list[Callable[[dict[str, Any]], None]] = [swapped_ids, swapped_labels]
    for edit in edits:
        changed = copy.deepcopy(document)
        edit(changed)
        yield (edit.__name__,), changed


def test_an_altered_secret_proves_nothing_else() -> None:
    """Alone; with a published file that was made of it; with a commitment that was made of it. A
    value of the beacon is what only its source can confirm."""
    before, committed = result(SECRET), read_commitment(to_bytes(commit(SECRET)), "c")
    document = json.loads(private.to_bytes(SECRET))
    read_at_all = 0
    for path, changed in (*altered(document), *by_hand(document)):
        secret = opened(changed)
        if secret is None or result(secret) == before:
            continue
        read_at_all += 1
        assert problems(secret, committed, rows(SECRET)), path
        assert problems(secret, commit(secret), rows(SECRET)), path
        if path[:2] != ("beacon", "value"):
            assert problems(secret, committed, rows(secret)), path
    assert read_at_all > 200


def test_an_altered_commitment_is_refused() -> None:
    document = commit(SECRET)
    tried = 0
    for path, changed in altered(document):
        try:
            committed = read_commitment(json.dumps(changed).encode(), "c")
        except InputError:
            continue
        tried += 1
        if committed == document and json.dumps(committed, sort_keys=True) == json.dumps(
            document, sort_keys=True
        ):
            continue  # members in another order
        said = problems(SECRET, committed, rows(SECRET))
        assert said, path
    assert tried > 200


@pytest.mark.parametrize("member", sorted(commit(SECRET)))
def test_what_differs_is_named(member: str) -> None:
    committed = commit(SECRET)
    committed.pop(member)
    if member in {"format", "version"}:
        with pytest.raises(InputError, match="commitment"):
            read_commitment(json.dumps(committed).encode(), "c")
        return
    assert problems(SECRET, committed, rows(SECRET)) == [f"The commitment lacks {member!r}."]


def test_an_altered_published_file_is_refused() -> None:
    lines = [json.loads(line) for line in to_jsonl(rows(SECRET)).splitlines()]
    committed, tried = commit(SECRET), 0
    for path, changed in altered(lines):
        try:
            content = "".join(json.dumps(row) + "\n" for row in changed)
            found = read(content.encode(), "p.jsonl")
        except (InputError, TypeError):
            continue
        tried += 1
        said = problems(SECRET, committed, found)
        same = sorted(map(repr, map(sorted, map(dict.items, found)))) == sorted(
            map(repr, map(sorted, map(dict.items, lines)))
        )
        assert bool(said) != same, path  # the order of rows and of members decides nothing
    assert tried > 100


@pytest.mark.parametrize(
    "content",
    [
        to_bytes(commit(SECRET)).replace(b'"items":5', b'"items":5,"items":5'),
        to_bytes(commit(SECRET)).replace(b'"items":5', b'"items":NaN'),
        to_bytes(commit(SECRET)).replace(b'"version":2', b'"version":3'),
        to_bytes(commit(SECRET)).replace(b'"version":2', b'"version":2.0'),
    ],
)
def test_a_commitment_is_read_strictly(content: bytes) -> None:
    assert content != to_bytes(commit(SECRET))
    with pytest.raises(InputError):
        read_commitment(content, "c")


def test_version_1_is_bound_to_all_but_what_is_listed() -> None:
    """The order, the split, the language, the template and the labels, and nothing else."""
    earlier = replace(SECRET, version=1, columns=(), items=PLAIN.items)
    committed, free = commit(earlier), set()
    document = json.loads(private.to_bytes(earlier))
    for path, changed in altered(document):
        secret = opened(changed)
        if secret is None or secret == earlier:
            continue
        if not problems(secret, committed, rows(secret)):
            free.add("label" if path[-1] == "label" else "/".join(map(str, path)))
    assert free == {"order", "split", "language", "task", "label", "beacon/value"}
