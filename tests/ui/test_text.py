from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Instance
from dcq.ui.diff import mark_changes, say_findings
from dcq.ui.text import alignment, cut, plain, sentence
from dcq.variants.checks import check

INVISIBLE = "\u2060"
TO_RIGHT, TO_LEFT, POP = "\u2066", "\u2067", "\u2069"


def _shown(markdown: str) -> str:
    """What a Markdown parser makes of escaped text: backslashes gone, hard spaces spaces."""
    lines = markdown.replace("\\\n", "\n").replace("\u00a0", " ")
    lines = re.sub(f"[{INVISIBLE}{TO_RIGHT}{TO_LEFT}{POP}]", "", lines)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", lines)


@given(
    st.text(
        st.characters(
            exclude_characters="\\\u2060\u2066\u2067\u2069\u00a0\t\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
        )
    )
)
def test_no_letter_is_lost(text: str) -> None:
    assert _shown(plain(text)).rstrip(" ") == text.rstrip(" ")


@given(st.text())
def test_every_mark_is_escaped(text: str) -> None:
    rest = re.sub(r"\\[!-/:-@\[-`{-~\n]", "", plain(text))
    assert not re.search(r"[!-/:-@\[-`{-~\n\r]", rest)


@pytest.mark.parametrize(
    "text",
    [
        *(":smile:", ":+1:", ":material/home:", "a :streamlit: b"),
        *("x -> y", "<- x", "a <-> b", "a -- b", "a >= b", "a <= b", "a ~= b"),
        *("see https://e.org", "WWW.e.org", "me@e.org"),
    ],
)
def test_what_is_replaced_after_parsing_is_broken_up(text: str) -> None:
    assert _shown(plain(text)) == text
    assert INVISIBLE in plain(text)


@pytest.mark.parametrize("command", ["dcq restore BACKUP --force", "a <=b", "x ->y"])
def test_a_command_can_be_copied_from_a_message(command: str) -> None:
    assert plain(command).replace("\\", "") == command


def test_a_text_keeps_its_lines_and_indents() -> None:
    assert plain("def f():\n    return 1\n") == (
        "def f\\(\\)\\:\\\n\u00a0\u00a0\u00a0\u00a0return 1\\\n\u00a0"
    )


@pytest.mark.parametrize("together", ["p < 0.001", "q = 0.071", "κ ≥ −0.2", "25 %"])
def test_a_statistic_and_its_number_stay_on_one_line(together: str) -> None:
    shown = plain(f"so ({together}) holds")
    assert together.replace(" ", "\u00a0") in shown.replace("\\", "")
    assert "\u00a0" not in plain("p is = 1, and pp = 2")


def test_a_long_text_is_not_cut() -> None:
    assert plain("a" * 20_000) == "a" * 20_000


def test_a_title_is_cut_to_one_line() -> None:
    assert cut("one\n two   three", 9) == "one two…"
    assert cut("short") == "short"


def test_changes_are_marked_and_the_rest_is_not() -> None:
    marked = mark_changes("The old *river* is long.", "The aged *stream* is long.")
    assert marked == (
        "The :gray-background[**aged**] \\*:gray-background[**stream**]\\* is long\\."
    )


def test_what_was_left_out_stands_struck_in_its_place() -> None:
    assert mark_changes("one two three", "one three") == "one :gray[~~two~~] three"


def test_what_was_added_stands_in_its_place() -> None:
    assert mark_changes("one three", "one two three") == "one :gray-background[**two**] three"
    assert mark_changes("", "new") == ":gray-background[**new**]"


@given(st.text("ab \n*[]:", max_size=30), st.text("ab \n*[]:", max_size=30))
def test_a_marked_variant_still_says_all_of_it(original: str, variant: str) -> None:
    marked = re.sub(r":gray\[~~.*?(?<!\\)~~\]", "", mark_changes(original, variant))
    marked = re.sub(r":gray-background\[\*\*(.*?)\*\*\](?!\])", r"\1", marked)
    assert re.sub(r"\s", "", _shown(marked)) == re.sub(r"\s", "", variant)


def test_what_a_check_is_about_is_marked_with_its_sign() -> None:
    original = Instance("In 1984 the miller met Maria twice.")
    variant = "In 1985 the miller met her twice."
    findings = check(original, variant)
    assert [one.check for one in findings] == ["number-changed", "name-changed"]
    assert mark_changes(original.text, variant, findings) == (
        "In :orange-background[**1985**]:orange[①] the miller met "
        ":orange-background[**her**]:orange[②] twice\\."
    )
    said = say_findings(findings)
    assert said.index("① **number-changed** (error)") < said.index("② **name-changed** (error)")


@given(st.text("ab 15\n*[]:;!<", max_size=30), st.text("ab 15\n*[]:;!<", max_size=30))
def test_a_text_with_findings_still_says_all_of_it(original: str, variant: str) -> None:
    findings = check(Instance(original), variant)
    marked = mark_changes(original, variant, findings)
    marked = re.sub(r":(orange|yellow)\[[①-⑳]+\]", "", marked)
    marked = re.sub(r":(gray\[|(orange|yellow)-background\[)~~.*?(?<!\\)~~\]", "", marked)
    marked = re.sub(r":(orange|yellow|gray)-background\[(\*\*)?(.*?)(?<!\\)\2?\]", r"\3", marked)
    assert re.sub(r"[\s*]", "", _shown(marked)) == re.sub(r"[\s*]", "", variant)


def test_a_sentence_that_quotes_arabic_is_read_from_left_to_right() -> None:
    said = sentence("A name was changed: “مرسى الزيتون”, “بلدية” is missing.")
    quotes = f"{TO_LEFT}“مرسى الزيتون”{POP}\\, {TO_LEFT}“بلدية”{POP}"
    assert said == f"{TO_RIGHT}A name was changed\\: {quotes} is missing\\.{POP}"
    assert sentence("A “word” is missing.") == plain("A “word” is missing.")


def test_lines_from_right_to_left_are_isolated_and_others_are_not() -> None:
    assert plain("one\nשתיים.\nthree") == f"one\\\n{TO_LEFT}שתיים\\.{POP}\\\nthree"
    assert mark_changes("الجسر القديم", "الجسر العتيق") == (
        f"{TO_LEFT}الجسر :gray-background[**العتيق**]{POP}"
    )
    assert plain("Text: الجسر القديم.") == f"{TO_LEFT}Text\\: الجسر القديم\\.{POP}"
    assert plain("The word الجسر.") == f"{TO_RIGHT}The word الجسر\\.{POP}"
    assert not set(plain("das Haus, 房子, дом")) & {TO_LEFT, TO_RIGHT, POP}


def test_streamlits_marks_are_no_letters_of_a_line() -> None:
    words = mark_changes("كان هناك", "جسر هناك")
    assert words.startswith(TO_LEFT)
    assert mark_changes("ab הגשר", "cd הגשר").startswith(TO_LEFT)


@given(st.text("abאבج1\n .*", max_size=30))
def test_every_isolate_is_closed_on_its_line(text: str) -> None:
    for line in plain(text).split("\n"):
        opened = line.count(TO_LEFT) + line.count(TO_RIGHT)
        assert opened == line.count(POP) == int(bool(re.search("[אבج]", line)))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Text: أعلنت بلدية مرسى الزيتون.", "right"),
        ("العربية and more English", "left"),
        ("12. «עברית»", "right"),
        ("English, then العربية", "left"),
        ("中文", "left"),
        ("", "left"),
        ("12.", "left"),
    ],
)
def test_a_text_begins_on_the_side_of_most_of_its_letters(text: str, side: str) -> None:
    assert alignment(text) == side
