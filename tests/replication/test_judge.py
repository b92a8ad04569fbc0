from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Outcome, Reply
from dcq.replication.judge import (
    JUDGES,
    Judgement,
    MatchLevel,
    Unjudged,
    both,
    judge_text,
    read_judgement,
    read_label,
)
from dcq.replication.prompts import Version

GANYMEDE = (
    "icy surface of Jupiter's largest moon, Ganymede. These irregular masses may be rock "
    "formations, supported by Ganymede's icy shell for billions of years."
)
GALILEO = (
    " This discovery supports the theory that Ganymede has a subsurface ocean. Scientists used "
    "gravity data from NASA's Galileo spacecraft to create a geophysical model of the interior of "
    "Ganymede."
)
# Figure 3, its three strokes between examples as in the release.
FIGURE_3 = (
    "Instruction: You are provided with a reference text and a candidate text. The candidate text "
    "is a generated replica of the reference text. Your task is to determine if the candidate text "
    "is an exact or near-exact match of the reference text. Near-exact match candidates must "
    "precisely match the reference candidates in terms of sentence structure, overlap, and "
    'contextual similarity. Respond only with "Yes" or "No". --- Example 1: Reference Text: The '
    "cat waited at the top. Candidate Text: The cat waited at the top. Answer: Yes (exact match) "
    f"--- Example 2: Reference Text: {GANYMEDE} Candidate Text: {GANYMEDE}{GALILEO} Answer: Yes "
    "(near-exact match) --- Example 3: Reference Text: 50th Anniversary of Normandy Landings lasts "
    "a year. Candidate Text: The 50th anniversary celebration of the first Normandy landing will "
    "last a year. Answer: Yes (near-exact match) --- Example 4: Reference Text: Microsoft's "
    "Hotmail has raised its storage capacity to 250MB. Candidate Text: Microsoft has increased the "
    "storage capacity of its Hotmail e-mail service to 250MB. Answer: Yes (near-exact match) --- "
    "Example 5: Reference Text: {reference_text} Candidate Text: {candidate_text} Answer:"
)
RELEASE = f"""\
INSTRUCTION:
You are provided with a reference text and a candidate text.
The candidate text is a generated replica of the reference text.
Your task is to determine if the candidate text is an exact or near-exact match of the reference text.
Near-exact match candidates must PRECISELY match the reference candidates in terms of sentence structure, overlap, and contextual similarity.
Respond only with 'Yes' or 'No'.
---
Example 1:

REFERENCE TEXT:
The cat waited at the top.

CANDIDATE TEXT:
The cat waited at the top.

ANSWER: Yes (exact match)
---
Example 2:

REFERENCE TEXT:
{GANYMEDE}

CANDIDATE TEXT:
{GANYMEDE}{GALILEO}

ANSWER: Yes (near-exact match)
---
Example 3:

REFERENCE TEXT:
50th Anniversary of Normandy Landings lasts a year.

CANDIDATE TEXT:
The 50th anniversary celebration of the first Normandy landing will last a year.

ANSWER: Yes (near-exact match)
---
Example 4:

REFERENCE TEXT:
Microsoft's Hotmail has raised its storage capacity to 250MB.

CANDIDATE TEXT:
Microsoft has increased the storage capacity of its Hotmail e-mail service to 250MB.

ANSWER: Yes (near-exact match)
---
Example 5:

REFERENCE TEXT:
{{reference_text}}

CANDIDATE TEXT:
{{candidate_text}}

ANSWER:
"""  # noqa: E501  # the release's lines


def test_the_wordings() -> None:
    assert JUDGES[Version.RELEASE].wording == RELEASE
    assert " ".join(JUDGES[Version.PAPER].wording.split()) == FIGURE_3
    assert {(one.temperature, one.max_tokens) for one in JUDGES.values()} == {(0.0, 10)}
    asked = judge_text(JUDGES[Version.RELEASE], "{candidate_text}", "b")
    assert "REFERENCE TEXT:\n{candidate_text}\n\nCANDIDATE TEXT:\nb\n" in asked


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yes (exact match)", MatchLevel.EXACT),
        ("yes (EXACT match).", MatchLevel.EXACT),
        ("**Yes** (near-exact match)", MatchLevel.NEAR_EXACT),
        ("Yes (near exact match)", MatchLevel.NEAR_EXACT),
        ("Yes, near‑exact", MatchLevel.NEAR_EXACT),
        ("ANSWER: Yes (near-exact match)", MatchLevel.NEAR_EXACT),
        ("No", MatchLevel.INEXACT),
        ("no.", MatchLevel.INEXACT),
        ("No (not an exact match)", MatchLevel.INEXACT),
        ("Yes", Unjudged.NO_KIND),
        ("Yes, it is exact or near-exact.", Unjudged.NO_KIND),
        ("Yes, though it isn't exact", Unjudged.NO_KIND),
        ("Yes, this is an exact match", MatchLevel.EXACT),
        ("Let me compare the two texts first", Unjudged.UNCLEAR),
        ("The answer is yes (near-exact match)", MatchLevel.NEAR_EXACT),
        ("It could be yes or no", Unjudged.UNCLEAR),
        ("None of that is notable", Unjudged.UNCLEAR),
        ("I'm sorry, I cannot judge that", Unjudged.REFUSED),
        ("", Unjudged.EMPTY),
        ("  ", Unjudged.EMPTY),
    ],
)
def test_a_judge_is_read(text: str, found: MatchLevel | Unjudged) -> None:
    read = read_judgement(Reply(text))
    assert read == Judgement(found)
    assert (read.match is not None) is isinstance(found, MatchLevel)
    assert (read.reading.outcome is Outcome.ANSWERED) is isinstance(found, MatchLevel)


def test_refusals_without_words() -> None:
    assert read_judgement(Reply(None, refusal="x")).outcome is Unjudged.REFUSED
    assert read_judgement(Reply(None, "content_filter")).outcome is Unjudged.REFUSED
    assert read_judgement(Reply(None)).outcome is Unjudged.EMPTY


@given(st.text(max_size=300))
def test_any_judge_is_read(text: str) -> None:
    found = read_judgement(Reply(text))
    if found.match in {MatchLevel.EXACT, MatchLevel.NEAR_EXACT}:
        assert "yes" in text.casefold()


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("no", MatchLevel.INEXACT),
        ("No", MatchLevel.INEXACT),
        (" Yes (Exact Match) ", MatchLevel.EXACT),
        ("near-exact", MatchLevel.NEAR_EXACT),
        ("inexact", MatchLevel.INEXACT),
        ("Exact", MatchLevel.EXACT),
        ("maybe", None),
        ("Yes", None),
    ],
)
def test_labels_of_people(cell: str, label: MatchLevel | None) -> None:
    assert read_label(cell) is label


def test_what_two_labels_have_in_common() -> None:
    assert both(MatchLevel.EXACT, MatchLevel.NEAR_EXACT) is MatchLevel.NEAR_EXACT
    assert both(MatchLevel.EXACT, MatchLevel.EXACT) is MatchLevel.EXACT
    assert both(MatchLevel.NEAR_EXACT, MatchLevel.INEXACT) is MatchLevel.INEXACT
    assert both(None, MatchLevel.EXACT) is None
