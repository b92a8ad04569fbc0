from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _page() -> None:
    from functools import partial

    import streamlit as st

    from dcq.evidence.check import Mark, Topic
    from dcq.evidence.kappa import kappa_fixed
    from dcq.judging.judged import Ruling, Verdict
    from dcq.ui import checklist
    from tests.support.cases import ResultWithControls, made_up

    checks = (
        made_up(Topic.REPLIES, Mark.GOOD, "100 % usable", "All replies are usable."),
        made_up(Topic.CONTROLS, Mark.BAD, "none", "No control but :red[this] <b>one</b> [x](y)."),
        made_up(Topic.POWER, Mark.CAUTION, "κ ≥ 0.19", "With n = 40."),
    )
    case = ResultWithControls(kappa_fixed(20, 40)).case
    verdict = Verdict(case.finding, Ruling.INCONCLUSIVE, checks, 0.2, None, None)

    def button(name: Topic) -> None:
        st.button(f"Fix {name}")

    checklist.show_checklist(
        verdict,
        {topic: partial(button, topic) for topic in (Topic.REPLIES, Topic.CONTROLS)},
        subject="m on p",
    )


def test_a_verdict_reads_as_a_checklist() -> None:
    at = AppTest.from_function(_page, default_timeout=60).run()
    assert not at.exception
    assert at.title[0].value == ":yellow[:material/help: Undecided]"
    lines = [str(element.value).replace("\u00a0", " ") for element in at.markdown]
    assert (
        lines[0]
        == r"#### m on p\: 50\.0 \% of the originals were found\, where guessing finds 25 \%\."
    )
    assert [line for line in lines if "**" in line] == [
        ":gray[:material/check:] **Replies**",
        ":yellow[:material/error:] **Controls**",
        ":gray[:material/info:] **Power**",
    ]
    assert r"\:red\[this\] \<b\>one\<\/b\> \[x\]\(y\)\." in "\n".join(lines)


def test_only_a_line_that_falls_short_can_be_fixed() -> None:
    at = AppTest.from_function(_page, default_timeout=60).run()
    assert [button.label for button in at.button] == ["Fix controls"]
