"""Private texts are found in whatever common code they are written, whole and in part."""

from __future__ import annotations

import base64
import html
import json
import random
import time
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.private_texts import PRIVATE, PrivateTexts, letters_of, readings

TEXT = "Text: boat 1 stood by the old mill"
CHINESE = "短い川の水は青くて深いです"
FRENCH = "Évènement très spécial près de Paris"
PRIVATE_TEXTS = PrivateTexts([TEXT, CHINESE, FRENCH])
PLAIN = {
    "as it is": TEXT,
    "upper case": TEXT.upper(),
    "no spaces": TEXT.replace(" ", ""),
    "other spaces": TEXT.replace(" ", "\N{NO-BREAK SPACE}\n"),
    "cut": TEXT[:21],
    "its end": TEXT[-21:],
    "decomposed": unicodedata.normalize("NFD", FRENCH),
    "no accents": "evenement tres special pres de paris",
    "full width": "Ｔｅｘｔ：　ｂｏａｔ　１　ｓｔｏｏｄ　ｂｙ",
    "no spaces to begin with": CHINESE[2:9],
}
CODED = {
    "address": quote(TEXT, safe=""),
    "address twice": quote(quote(TEXT)),
    "address of Chinese": quote(CHINESE),
    "escapes": "".join(f"\\u{ord(letter):04x}" for letter in TEXT),
    "JSON in JSON": json.dumps(json.dumps(CHINESE)),
    "entities": "".join(f"&#{ord(letter)};" for letter in TEXT),
    "entities of HTML": html.escape(TEXT).replace(" ", "&nbsp;"),
    "base64": base64.b64encode(TEXT.encode()).decode(),
    "base64 behind a word": f"fp_{base64.urlsafe_b64encode(TEXT.encode()).decode()}",
    "base64 within": base64.b64encode(f"x{TEXT}".encode()).decode().rstrip("="),
    "base64 in lines": base64.encodebytes((TEXT * 2).encode()).decode(),
    "base64 of an address": base64.b64encode(quote(TEXT).encode()).decode(),
    "an address of base64": quote(base64.b64encode(FRENCH.encode()).decode(), safe=""),
}


@pytest.mark.parametrize("written", PLAIN.values(), ids=PLAIN)
def test_only_what_is_private_is_taken_out(written: str) -> None:
    assert PRIVATE_TEXTS.masked([f"B) {written}. So B?"]) in (
        [f"B) {PRIVATE}. So B?"],
        [f"B) {PRIVATE}"],
    )


@pytest.mark.parametrize("written", [*PLAIN.values(), *CODED.values()], ids=[*PLAIN, *CODED])
def test_every_code_is_read(written: str) -> None:
    [masked] = PRIVATE_TEXTS.masked([f"x {written} y"]) or [""]
    assert PRIVATE in masked
    assert written[4:16] not in masked
    assert not PRIVATE_TEXTS.found_in(masked)


def test_a_text_that_goes_on_in_the_next_one() -> None:
    tokens = ["Text", ":", " ", "boat 1", " sto", "od by", " ", "the mill", "!"]
    assert PRIVATE_TEXTS.masked(["A", *tokens, "Other"]) == [
        *(
            "A",
            PRIVATE,
            ":",
            " ",
            PRIVATE,
            f" {PRIVATE}",
            PRIVATE,
            " ",
            f"{PRIVATE} mill",
            "!",
            "Other",
        )
    ]


@pytest.mark.parametrize(
    "text",
    ["", "A", "boat 1 stood", "The old mill by the boat stood still.", "短い川の水", "%%\\u&"],
)
def test_short_parts_and_other_texts_stay(text: str) -> None:
    assert PRIVATE_TEXTS.masked([text]) is None


def test_what_is_public_is_not_private() -> None:
    public = TEXT.replace("stood", "waited")
    texts = PrivateTexts([TEXT], [public])
    assert not texts.found_in(public)
    assert not texts.found_in(public.upper())
    assert texts.masked([TEXT]) == [PRIVATE]  # each of its parts has the other word
    assert not PrivateTexts([TEXT], [TEXT])


def test_a_short_text_is_private_as_a_whole_and_a_word_is_not() -> None:
    texts = PrivateTexts(["nine boats", "Wet"])
    assert texts.masked(["Nine  boats!", "nine", "Wet"]) == [f"{PRIVATE}!", "nine", "Wet"]
    assert not PrivateTexts(["Wet", "", " . "])


@given(st.text(max_size=200))
def test_any_text_can_be_searched(text: str) -> None:
    masked = PRIVATE_TEXTS.masked([text])
    assert masked is None or PRIVATE in masked[0]
    assert len(letters_of(text)) == len(b"".join(map(letters_of, text)))


@given(st.text(min_size=20, max_size=60), st.text(max_size=30), st.integers(0, 20))
def test_a_text_is_found_wherever_it_stands(text: str, around: str, start: int) -> None:
    texts = PrivateTexts([text])
    if texts:
        [masked] = texts.masked([around + text + around]) or [""]
        assert PRIVATE in masked
        part = text[start:]
        if len(letters_of(part)) >= 16:
            assert texts.found_in(part)


def _texts(count: int, rng: random.Random) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(5000)]
    return [" ".join(rng.choices(words, k=25)) for _ in range(count)]


def test_time_is_linear_however_many_are_private() -> None:
    rng = random.Random(7)
    texts = _texts(4000, rng)
    private = PrivateTexts(texts)
    reply = " ".join(_texts(1000, rng))
    began = time.process_time()
    for _ in range(200):
        private.masked([reply[:600]])
    assert time.process_time() - began < 1
    began = time.process_time()
    private.masked([reply])
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("piece", ["\\", "%25", "A", "&amp;", "%A", "\\u0041", "A" * 30 + " "])
def test_no_code_takes_long(piece: str) -> None:
    began = time.process_time()
    assert not PRIVATE_TEXTS.found_in(piece * (2**20 // len(piece)))
    assert time.process_time() - began < 5


def test_codes_within_codes_end() -> None:
    assert len(list(readings("%25" * 40 + "&amp;" * 40 + "\\\\" * 40 + "QUFB" * 40))) <= 35
