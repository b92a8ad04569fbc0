"""Answers as tables and as the section of a document, and the paragraph for a paper."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pandas as pd

from dcq import settings
from dcq.evidence.record import SHARE_FOUND
from dcq.judging.answer import Answer, MethodAnswer, word_of
from dcq.judging.answer_words import below_its_word
from dcq.result_columns import COUNT, Column, cells, for_people
from dcq.sections import Chart, Exhibit, Section
from dcq.version import __version__
from dcq.words import interval_words, listed, model_title, p_number, p_words, percent, two_decimals

READ_ALOUD = 3  # answers
DRAWN = 4  # in large letters; all of them are in the table
ANSWER = "answer"  # the part of a document
ADDRESS = "results_answer"  # the parameter of an address that names an answer by one of its runs
_CITATIONS = {
    "quiz": "the Data Contamination Quiz (Golchin and Surdeanu 2023, arXiv:2311.06233)",
    "replication": "guided completion (Golchin and Surdeanu 2023, arXiv:2308.08493)",
    "likelihood": "log-probabilities of the originals among their rewordings",
}


def found_words(method_answer: MethodAnswer) -> str | None:
    """What was found, and what is expected on unseen text where that is known: ``49 % (31 %
    expected)``; the estimate of a method that finds no shares."""
    score, expected = method_answer.score, method_answer.expected
    if score is not None:
        return percent(score) + ("" if expected is None else f" ({percent(expected)} expected)")
    if method_answer.estimate is None:
        return None
    if method_answer.unit == SHARE_FOUND:
        return percent(method_answer.estimate)
    limits = (
        ""
        if method_answer.low is None or method_answer.high is None
        else f" {interval_words(method_answer.low, method_answer.high)}"
    )
    return f"{method_answer.unit} {two_decimals(method_answer.estimate)}{limits}"


VOTES = "Counts"
METHOD_COLUMNS: tuple[Column[MethodAnswer], ...] = (
    Column("", "Method", lambda method: method.name),
    Column("", "n", lambda method: method.n, "{:,}".format, "n", COUNT),
    Column("", "Found", found_words, term="Found"),
    Column("", "p", lambda method: method.p_value, p_number, "p above controls"),
    Column(
        "",
        "Weight",
        lambda method: method.weight or None,
        percent,
        "Weight",
    ),
    Column("", VOTES, lambda method: "yes" if method.votes else "no"),
)
COLUMNS: tuple[Column[Answer], ...] = (
    Column("model", "Model", lambda answer: answer.model, model_title),
    Column("partition", "Partition", lambda answer: answer.place),
    Column("ruling", "Answer", lambda answer: answer.ruling.value, word_of, term="Answer"),
    Column(
        "p_value", "p of all methods", lambda answer: answer.p_value, p_number, "p of all methods"
    ),
    Column("q_value", "q", lambda answer: answer.q_value, p_number, "q"),
    Column("", "By", lambda answer: listed([each.name for each in answer.voting]) or None),
    Column("role", "Role", lambda answer: answer.role, term="Role"),
    Column("", "Replies from", lambda answer: listed(list(answer.senders)) or None, optional=True),
)


def section(answers: Sequence[Answer]) -> Section | None:
    """The section on the answers of a study, which comes first in its documents."""
    if not answers:
        return None
    sentences = [
        " ".join(part for part in (_ruled(answer), answer.contradiction) if part)
        for answer in answers[:READ_ALOUD]
    ]
    return Section(
        ANSWER,
        "The answer",
        tuple(sentences),
        (
            Exhibit(
                "One answer for each model and partition",
                _captions(answers),
                _table(answers),
                Chart("answer_list", _list(answers)),
            ),
            Exhibit("What the answers rest on", (), _votes(answers)),
        ),
        link=link(answers[0]),
    )


def _list(answers: Sequence[Answer]) -> pd.DataFrame:
    """As ``dcq.documents.drawings`` draws them: ``ruling`` and ``sentence``."""
    rows = [(answer.ruling.word, below_its_word(answer)) for answer in answers[:DRAWN]]
    return pd.DataFrame(rows, columns=["ruling", "sentence"])


def _ruled(answer: Answer) -> str:
    return f"{answer.ruling.word.capitalize()}: {below_its_word(answer)}"


def _captions(answers: Sequence[Answer]) -> tuple[str, ...]:
    bases = tuple(dict.fromkeys(answer.basis for answer in answers))[:READ_ALOUD]
    return (*bases, f"The first answer in the app: {_address(answers[0])}")


IN_THE_APP = "In the app"  # heading of the column of addresses


def link(answer: Answer) -> str:
    """The address of the finding in the app, relative to that of the app itself."""
    runs = [method_answer.run for method_answer in answer.methods if method_answer.judged]
    return link_of(runs[0]) if runs else "results"


def link_of(run: str) -> str:
    """As ``link``, for the answer that rests on a run."""
    return f"results?{ADDRESS}={run}"


def absolute(link: str) -> str:
    """A link with the address of the app."""
    return f"{settings.load().url.rstrip('/')}/{link}"


def _address(answer: Answer) -> str:
    return absolute(link(answer))


def _table(answers: Sequence[Answer]) -> pd.DataFrame:
    addresses = [_address(answer) for answer in answers]
    return pd.DataFrame(cells(for_people(COLUMNS, answers), answers) | {IN_THE_APP: addresses})


def _votes(answers: Sequence[Answer]) -> pd.DataFrame:
    rows = [
        {"Model": model_title(each.model), "Partition": each.place}
        | {column.heading: column.cell(result) for column in METHOD_COLUMNS}
        | ({} if result.votes else {VOTES: f"no: {result.why_not}"})
        for each in answers
        for result in each.methods
    ]
    return pd.DataFrame(rows)


def signing(answer: Answer, bundle: str) -> str:
    """The command that signs an answer of a bundle."""
    names = shlex.join(["--model", answer.model, "--partition", answer.partition])
    return (
        "python -m dcq passport make --key mine.key --out passport.json "
        f"{names} --from {shlex.quote(bundle)}"
    )


def methods_paragraph(answer: Answer) -> str:
    """A paragraph for a paper on how an answer was found, with its figures, versions and
    sources."""
    spoken = [method_answer for method_answer in answer.methods if not method_answer.aside]
    sources = list(
        dict.fromkeys(
            _CITATIONS.get(method_answer.method, method_answer.title) for method_answer in spoken
        )
    )
    figures = [
        f"{method_answer.name}: {found_words(method_answer) or 'no value'}, n = {method_answer.n:,}"
        + ("" if method_answer.p_value is None else f", {p_words(method_answer.p_value)}")
        + ("" if method_answer.votes else " (not counted)")
        for method_answer in spoken
    ]
    when = (
        f"fixed on {answer.plan.made_at:%d %B %Y} before the first reply"
        if answer.plan
        else f"the default of dcq {__version__}"
    )
    # A sentence that a reader may copy says nothing of controls or of a test that was not there.
    has_controls = any(
        method_answer.judged is not None and method_answer.judged.calibration is not None
        for method_answer in spoken
    )
    compared_with = (
        "The same model answered the same questions about texts that it cannot have seen: what it "
        "finds there is expected, and p-values are against it"
        if has_controls
        else "Nothing was compared with texts that it cannot have seen"
    )
    result = (
        "No p-value counted."
        if answer.p_value is None or answer.q_value is None
        else "P-values were combined by weighted Holm, which holds under any dependence (Holm 1979)"
        f", with weights {when}, and corrected over all pairs of a model and a partition "
        f"(Benjamini and Hochberg 1995). Together {p_words(answer.p_value)}, "
        f"{p_words(answer.q_value, 'q')}."
    )
    return (
        f"Whether {model_title(answer.model)} had seen {answer.place} was tested with dcq "
        f"{__version__} by {listed(sources)}. {compared_with} ({'; '.join(figures)}). {result} "
        f"The answer: {answer.ruling.word}."
    )
