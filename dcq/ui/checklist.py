"""A verdict on the screen: the ruling, the finding in a sentence, and a line for each check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dcq.evidence.check import Check, Mark, Topic
from dcq.judging.answer import Concluded
from dcq.judging.answer_words import whether_it_counts
from dcq.judging.judged import Ruling, Verdict
from dcq.judging.wording import TOPICS
from dcq.ui.text import plain

# The colours of the charts: orange is "contaminated" and yellow "inconclusive", also for the check
# that caused it. Each has its own icon, for readers who do not see the colours.
_RULINGS = {
    Ruling.CONTAMINATED: ("orange", ":material/flag:"),
    Ruling.NO_EVIDENCE: ("gray", ":material/check_circle:"),
    Ruling.INCONCLUSIVE: ("yellow", ":material/help:"),
}
_MARKS = {
    Mark.GOOD: ":gray[:material/check:]",
    Mark.CAUTION: ":gray[:material/info:]",
    Mark.BAD: ":yellow[:material/error:]",
}
_WIDTHS = (1.6, 1.6, 8.0)


def show_checklist(
    verdict: Verdict,
    fixes: Mapping[Topic, Callable[[], None]] | None = None,
    *,
    subject: str = "",
) -> None:
    """Draw ``verdict``: its ruling largest, its finding, what could not be checked, then
    its checks in their order.

    ``subject`` says what the verdict is about, such as a model and a partition, and precedes the
    finding. ``fixes`` draw a button or a link below a check that is not passed. All texts are shown
    verbatim.
    """
    show_ruling(verdict.ruling, verdict.finding, subject=subject)
    if verdict.unchecked:
        st.caption(_text(verdict.unchecked))
    show_checks(verdict.checks, fixes)


def show_ruling(
    ruling: Ruling, finding: str, *, subject: str = "", part_of_answer: bool = False
) -> None:
    """The ruling above the finding: in the page's largest type, or in that of the text if it is
    only ``part_of_answer``."""
    colour, icon = _RULINGS[ruling]
    words = f":{colour}[{icon} {ruling.word.capitalize()}]"
    if part_of_answer:
        st.markdown(f"{words} · {_text(finding)}")
        return
    st.title(words, anchor=False)
    st.markdown(f"#### {_text(f'{subject}: {finding}' if subject else finding)}")


def show_result(
    run: str, finding: str, concluded: Concluded, *, part_of_answer: bool = False
) -> None:
    """What one method found, under the word on its model and partition, unless that stands above
    it already (``part_of_answer``), and whether it counts there."""
    answer = concluded.get(run)
    if answer is None or part_of_answer:
        st.markdown(f"#### {_text(finding)}")
    else:
        show_ruling(answer.ruling, finding)
    if answer is None:
        st.caption("This result does not count in the study, so no conclusion rests on it.")
        return
    counts = next(whether_it_counts(method) for method in answer.methods if method.run == run)
    st.caption(_text(counts))


def show_checks(
    checks: Sequence[Check], fixes: Mapping[Topic, Callable[[], None]] | None = None
) -> None:
    """One line per check: its mark and topic, its number, its sentence, and its fix. A fix for
    several checks of one topic is drawn once, below the first."""
    left = dict(fixes or {})
    with st.container(border=True, gap="xsmall"):
        for check in checks:
            topic, number, sentence = st.columns(_WIDTHS, gap="small")
            topic.markdown(f"{_MARKS[check.mark]} **{TOPICS[check.topic]}**")
            number.markdown(_text(check.number))
            with sentence:
                st.markdown(_text(check.sentence))
                if check.mark is not Mark.GOOD and (draw := left.pop(check.topic, None)):
                    draw()


def _text(words: str) -> str:
    """``words`` verbatim, with each number on one line with its per cent sign."""
    return plain(words.replace(" %", "\u00a0%"))
