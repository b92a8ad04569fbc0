"""What a statement says of itself: whatever a signer alters, either it is refused, or what is shown
says nothing of it."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dcq.passport import envelope, form, keys, statement
from dcq.passport.verify import verify
from dcq.words import percent
from tests.passport.test_verify import FIRST, MADE

KEY = "rivers/test"
SAID = (
    f"tester has probably seen {KEY}. It picked 80 % of the originals; 26 % is expected on unseen "
    "text (standard quiz; q = 0.001)."
)


def first() -> dict[str, Any]:
    """What the first release signed."""
    document = json.loads((FIRST / "rivers.json").read_bytes())
    stated: dict[str, Any] = json.loads(base64.b64decode(document["payload"]))
    return stated


def today() -> dict[str, Any]:
    """The same, as this release would state it."""
    stated = first()
    stated["subject"][0]["annotations"]["place"] = "Rivers test"
    stated["predicate"]["wording"] = statement.WORDING
    stated["predicate"]["answer"]["sentence"] = SAID.replace(KEY, "Rivers test")
    return stated


def claims(stated: Any) -> form.Claims | str:
    return form.read_claims(stated)


def shown(stated: Any) -> str | None:
    """The sentence that is shown; None where the statement is refused."""
    found = claims(stated)
    return None if isinstance(found, str) else str(found.answer["sentence"])


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every part of a document but itself."""
    pairs: Any = ()
    if isinstance(document, dict):
        pairs = document.items()
    elif isinstance(document, list):
        pairs = enumerate(document)
    for name, inner in pairs:
        yield (*path, name)
        yield from places(inner, (*path, name))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        document = document[name]
    return document


def altered(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    new = copy.deepcopy(document)
    at(new, path[:-1])[path[-1]] = value
    return new


def without(document: Any, path: tuple[Any, ...]) -> Any:
    new = copy.deepcopy(document)
    del at(new, path[:-1])[path[-1]]
    return new


OTHERS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, 0.04, 1.5, 1e308, 10**30, [], {}, [[]], ""),
    *("javascript:alert(1)", "2999-01-01T00:00:00Z", "1999-01-01T00:00:00Z", "gpt-4o"),
    *(
        "gpt-4o has seen mmlu/test: it picks the original (standard quiz; q = 0.001).",
        "no evidence",
    ),
    *(
        "contaminated",
        "lakes/test",
        "quiz",
        "likelihood",
        "rotated",
        "\u202egpt",
        "a\x1b[2Jb",
        "0" * 64,
    ),
)


# Figures of which nothing but the sentence tells, and that of an earlier release is not compared.
# What is shown says what they say.
TOLD_BY_THE_SENTENCE = {
    ("predicate", "answer", "q_value"),
    ("predicate", "answer", "methods", 0, "kind"),
    ("predicate", "controls", 0, "score"),
    ("predicate", "controls", 0, "expected"),
}


@pytest.mark.parametrize("made", [first, today])
def test_no_part_can_be_altered_so_that_something_else_is_said(
    made: Callable[[], dict[str, Any]],
) -> None:
    stated = made()
    assert shown(stated) == SAID
    tried = 0
    for path in places(stated):
        value = at(stated, path)
        if made is first and path in TOLD_BY_THE_SENTENCE:
            continue
        near = [value * 2, value + 1e-4, -value] if isinstance(value, float) else []
        for other in (*OTHERS, *near):
            if other == value and type(other) is type(value):
                continue
            assert shown(altered(stated, path, other)) in {None, SAID}, (path, other)
            tried += 1
        assert shown(without(stated, path)) in {None, SAID}, path
        if isinstance(at(stated, path[:-1]), list):
            twice = altered(stated, path[:-1], at(stated, path[:-1]) * 2)
            assert shown(twice) in {None, SAID}, path
    assert tried > 1_000


# What is read of an answer as JSON; each is a figure that others tell, or one of a few words.
REFUSED: list[tuple[tuple[Any, ...], list[Any]]] = [
    (("ruling",), ["no evidence", "inconclusive", "clean", None]),
    (("q_value",), [0.9, 0.02, 0.0001, -0.1, 1.5, None, "0.001", True]),
    (("p_value",), [0.9, 0.0, -0.1, None]),
    (("role",), ["control", "judge", None]),
    (("model",), ["gpt-4o", ""]),
    (("partition",), ["mmlu/test", ""]),
    (("methods",), [[], None, {}]),
    (("fixed_at",), ["2999-01-01T00:00:00", "soon", 7]),
    (("reasons",), [None, "all", [7]]),
    (("sentence",), ["", None, "There is no evidence that tester has seen it."]),
    (("methods", 0, "n"), [-1, 0, 101, 1.5, True, 10**30]),
    (("methods", 0, "estimate"), [1.5, -2, None, "high", 0.1]),
    (("methods", 0, "low"), [0.99, -3]),
    (("methods", 0, "high"), [0.1, 7]),
    (("methods", 0, "p_value"), [0.5, -1, 2, None]),
    (("methods", 0, "weight"), [0.0, 2, -1, None]),
    (("methods", 0, "verdict"), ["clean", None]),
    (("methods", 0, "votes"), [False, 1]),
    (("methods", 0, "why_not"), ["It is too small.", ""]),
    (("methods", 0, "method"), ["certified", "replication-quiz", 3]),
    (("methods", 0, "kind"), ["other", None]),
    (("methods", 0, "unit"), ["stars", "share found"]),
    (("methods", 0, "run"), ["", "other", "a\nb"]),
    (("senders",), [[], ["a\x1b[2J"], "Ada"]),
]


@pytest.mark.parametrize("made", [first, today])
@pytest.mark.parametrize(("path", "values"), REFUSED)
def test_an_answer_that_contradicts_itself_is_refused(
    made: Callable[[], dict[str, Any]], path: tuple[Any, ...], values: list[Any]
) -> None:
    for value in values:
        if made is first and path == ("q_value",) and value == 0.02:
            continue  # possible, and its sentence is not compared
        changed = altered(made(), ("predicate", "answer", *path), value)
        assert isinstance(claims(changed), str), value


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("predicate", "link"), "javascript:alert(1)", "link"),
        (("predicate", "link"), "results?results_answer=other", "link"),
        (("predicate", "asked", "last"), "2999-01-01T00:00:00Z", "dates"),
        (("predicate", "asked"), None, "when it was asked"),
        (("predicate", "controls"), [], "What it compares"),
        (("predicate", "controls", 0, "p_value"), 0.5, "another p-value"),
        (("predicate", "controls", 0, "expected_low"), 0.9, "before it begins"),
        (("predicate", "bundle", "text"), "some", "Its bundle"),
        (("subject", 0, "annotations", "sources"), ["javascript:x"], "runs something"),
        (("subject", 0, "annotations", "instances"), 7, "more instances"),
        (("subject", 0, "annotations", "instances"), -7, "impossible"),
        (("predicate", "wording"), 99, "A later release"),
    ],
)
def test_parts_agree(path: tuple[Any, ...], value: Any, says: str) -> None:
    found = claims(altered(today(), path, value))
    assert isinstance(found, str)
    assert says in found


def test_controls_are_other_partitions_each_once_and_one_at_least_counts() -> None:
    controls = at(today(), ("predicate", "controls", 0, "controls"))
    assert controls
    itself = [{**controls[0], "partition": "rivers/test"}, *controls[1:]]
    aside = [{**control, "set_aside": True} for control in controls]
    for value, says in (
        (itself, "with itself"),
        ([*controls, controls[0]], "one run twice"),
        (aside, "sets all controls aside"),
    ):
        found = claims(altered(today(), ("predicate", "controls", 0, "controls"), value))
        assert isinstance(found, str)
        assert says in found


@pytest.mark.parametrize(
    "sentence",
    [
        SAID.replace(KEY, "Lakes test"),
        SAID.replace(f"tester has probably seen {KEY}", "gpt-4o has probably seen Rivers test"),
        SAID.replace(KEY, "Rivers test").replace("0.001", "0.002"),
        SAID.replace(KEY, "Rivers test").replace("80 %", "90 %"),
        SAID.replace(KEY, "Rivers test").replace("picked", "completed"),
        f"{SAID.replace(KEY, 'Rivers test')} Trust me.",
    ],
)
def test_a_sentence_says_what_the_figures_say(sentence: str) -> None:
    path = ("predicate", "answer", "sentence")
    assert claims(altered(today(), path, sentence)) == (
        "Its sentence does not say what its figures say."
    )
    # Where the words are of an earlier release, they are not compared, and not shown.
    assert shown(altered(first(), path, sentence)) == SAID
    assert shown(without(altered(today(), path, sentence), ("predicate", "wording"))) == SAID


def test_reasons_that_nobody_computed_are_not_shown() -> None:
    found = claims(altered(first(), ("predicate", "answer", "reasons"), ["Everybody says so."]))
    assert not isinstance(found, str)
    assert found.answer["reasons"] == []


def _open(place: str, but: str) -> str:
    return (
        f"Undecided: tester picked 80 % of the originals of {place} (26 % expected on unseen "
        f"text), but {but}."
    )


def _silent(stated: dict[str, Any], p_value: float | None, method_p: float = 0.4) -> dict[str, Any]:
    """An answer in which no method votes."""
    answer = stated["predicate"]["answer"]
    answer |= {"ruling": "inconclusive", "p_value": p_value, "q_value": p_value}
    answer["methods"][0] |= {"votes": False, "verdict": "inconclusive", "why_not": "It is open."}
    answer["methods"][0]["p_value"] = stated["predicate"]["controls"][0]["p_value"] = method_p
    answer["reasons"] = ["The standard quiz does not count: It is open."]
    return stated


@pytest.mark.parametrize(
    ("why", "p_value"),
    [
        ("the standard quiz is not finished. To repair it, resume the run", None),
        (
            "the test is too small: it would miss a model that knows a fifth of the instances. To "
            "repair it, ask about more instances or more controls",
            1.0,
        ),
        ("the standard quiz does not count", None),
    ],
)
def test_an_open_answer_is_read_with_each_of_its_reasons(why: str, p_value: float | None) -> None:
    stated = _silent(today(), p_value)
    path = ("predicate", "answer", "sentence")
    said = _open("Rivers test", why)
    found = claims(altered(stated, path, said))
    assert not isinstance(found, str), found
    assert found.answer["sentence"] == _open(KEY, "the standard quiz does not count")
    assert found.answer["reasons"] == ["The standard quiz does not count: It is open."]
    lie = _open("Rivers test", "everybody says no")
    assert isinstance(claims(altered(stated, path, lie)), str)


def test_a_high_figure_that_does_not_count_is_said_with_what_blocks_it() -> None:
    stated = _silent(today(), None, method_p=0.001)
    compared = stated["predicate"]["controls"][0]
    figure = f"{percent(compared['score'])} of the originals of Rivers test"
    said = (
        f"Undecided: tester picked {figure} ({percent(compared['expected'])} expected on unseen "
        "text), but the standard quiz is not finished. To repair it, resume the run."
    )
    path = ("predicate", "answer", "sentence")
    found = claims(altered(stated, path, said))
    assert not isinstance(found, str), found
    assert found.answer["sentence"] == _open(KEY, "the standard quiz does not count")
    assert isinstance(claims(altered(stated, path, said.replace("picked 8", "picked 7"))), str)


def test_what_is_refused_is_not_shown(tmp_path: Path) -> None:
    keys.make(tmp_path / "key")
    stated = altered(today(), ("predicate", "answer", "q_value"), 0.9)
    path = tmp_path / "lie.json"
    path.write_bytes(envelope.seal(stated, keys.private_key(tmp_path / "key")))
    public = keys.public_key(tmp_path / "key.pub")
    for bundle in (None, FIRST / "rivers.zip"):
        found = verify(path, public, bundle, now=MADE)
        assert (found.valid, found.answer, found.recomputed) == (False, None, None)
        assert not any("rivers" in problem or "tester" in problem for problem in found.problems)
