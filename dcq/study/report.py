"""A check for other programs: Markdown for the summary of a job, JUnit for a list of tests.

Models, partitions and studies are named by strangers. In Markdown their marks are escaped, in XML
what it cannot hold is written as its number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from dcq.documents.tables import markdown_text
from dcq.judging.answer import word_of
from dcq.study.check import Exit, Failure, StudyCheck
from dcq.words import counted, p_number

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHY = {
    Exit.CONCLUSION: "a conclusion",
    Exit.VERSION: "another served version",
    Exit.MISSING: "a missing run",
}


def to_markdown(check: StudyCheck) -> str:
    """A heading that says whether it failed, a table with a line a pair, and each reason."""
    state = check.state
    before = {(each.model, each.partition): each.before.value for each in check.changed}
    lines = [f"# {markdown_text(state.name)}: {headline(check)}", ""]
    rows = [
        (
            answer.model,
            answer.place,
            answer.ruling.word,
            word_of(before.get(answer.pair, "")),
            "" if answer.q_value is None else p_number(answer.q_value),
        )
        for answer in state.answers
    ]
    if rows:
        lines += _table(("Model", "Partition", "Conclusion", "Before", "q"), rows)
    if check.failures:
        lines += ["## What failed", "", *map(_item, check.failures), ""]
    if check.notes:
        lines += ["## Notes", "", *(f"- {markdown_text(note)}" for note in check.notes), ""]
    return "\n".join(lines)


def headline(check: StudyCheck) -> str:
    """Whether a check fails and why, in a few words."""
    if not check.failures:
        return f"passed, {counted(len(check.state.answers), 'conclusion')}"
    return f"failed by {_WHY[Exit(check.exit_code)]}"


def to_junit(check: StudyCheck) -> bytes:
    """JUnit's XML: a test for each pair, and one for each model that is served otherwise."""
    by_pair: dict[tuple[str, str], list[Failure]] = {
        **{answer.pair: [] for answer in check.state.answers},
        **{(each.model, each.partition): [] for each in check.state.missing},
    }
    for failure in check.failures:
        by_pair.setdefault((failure.model, failure.partition), []).append(failure)
    failed = sum(map(bool, by_pair.values()))
    totals = {"tests": str(len(by_pair)), "failures": str(failed), "errors": "0"}
    root = Xml.Element("testsuites", totals)
    suite = Xml.SubElement(root, "testsuite", {"name": _plain(check.state.name), **totals})
    said = {answer.pair: answer.sentence for answer in check.state.answers}
    for (model, partition), failures in by_pair.items():
        named = {"classname": _plain(partition or "served version"), "name": _plain(model)}
        case = Xml.SubElement(suite, "testcase", named)
        if failures:
            kind = _WHY[min(each.exit for each in failures)]
            words = _plain(" ".join(each.why for each in failures))
            Xml.SubElement(case, "failure", {"type": kind, "message": words}).text = words
        if sentence := said.get((model, partition)):
            Xml.SubElement(case, "system-out").text = _plain(sentence)
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _item(failure: Failure) -> str:
    return f"- {markdown_text(failure.where)}: {markdown_text(failure.why)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[markdown_text(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells)] + [""]


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
