"""Texts that data sets and models could hold, and that some format would run, load or turn."""

from __future__ import annotations

from dataclasses import replace

from dcq.quiz import freeze
from dcq.records import Instance, QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.any_name import any_name
from tests.support.runs import answer

TEXTS = (
    "</script><script>document.title = 'taken'</script>",
    "<img src='https://example.org/x.png' onerror=\"document.title = 'taken'\">",
    "<style>@import 'https://example.org/x.css';</style><link rel=stylesheet href=//example.org>",
    "\u202egnissim si drow eno\u202c and \u2067\u05e9\u05dc\u05d5\u05dd\u2069",
    "\u202e .dexif si 0 κ",
    "long " + "x" * 100_000,
    '=HYPERLINK("https://example.org")',
    r"\input{/etc/passwd} \write18{rm} $\alpha$ %",
    "`code` | pipe | **bold** [link](https://example.org) <b>",
    "{{ 7 * 7 }} {% raw %}",
    "\x00\x07\x1b[31m",
)


def run(store: Store, text: str, model: str = "") -> str:
    """A finished run on a partition whose title, texts and variants have ``text`` in them, and so
    has the name of the model unless one is given; returns its id."""
    drawn = small_sample(1)
    instance = Instance(f"Text: brook {text}\nLabel: 0", label="0")
    variants = tuple(instance.text.replace("brook", word) for word in ("beck", "creek", "a", "b"))
    title = text[:200].replace("\x00", "")
    hostile = replace(
        drawn,
        partition=replace(drawn.partition, title=title, split_title=title),
        instances=(instance,),
        requested=1,
        available=1,
        variants={instance.id: variants},
    )
    with any_name():
        quiz = freeze.freeze(store, samples.save(store, hostile), QuizKind.STANDARD, slot="D").quiz
        return answer(store, quiz, {"D": 1}, model or "tester@http://127.0.0.1:9/v1")
