"""What the analysis of a published replication file looks like on the command line."""

from __future__ import annotations

from pathlib import Path

from dcq.audit.replication import Replication, analyse
from dcq.audit.replication_against import Against, compare_with_quiz
from dcq.audit.replication_rows import read_rows
from dcq.audit.sentences import describe_replication
from dcq.commands.output import emit, percent, remark, table
from dcq.evidence.bootstrap import FEWEST
from dcq.evidence.replication.guidance import Guidance
from dcq.variants import agreement
from dcq.words import p_number, points_words, ranges, two_decimals
from dcq.words import percent as percent_words


def show_audit(path: Path, against: Path | None, as_json: bool) -> None:
    """Analyse a file, beside a published quiz if there is one, and print what it says."""
    file = read_rows(path)
    found = analyse(file)
    beside = compare_with_quiz(file.rows, against) if against else None
    if as_json:
        document = found.document()
        if beside is not None:
            document["cross_check"] = beside.document()
        emit(document, as_json, "")
    else:
        _show(found)
        if beside is not None:
            _show_against(beside)
    _remark_on(found)


def _show(found: Replication) -> None:
    emit(None, False, [describe_replication(found), ""])
    rows = [_overlap_row("ROUGE-L", found.rouge)]
    if found.bleurt is not None:
        rows.append(_overlap_row("BLEURT", found.bleurt))
    emit(None, False, table(["overlap", "n#", "general#", "guided#", "p#", "contaminated"], rows))
    matches = found.matches
    counts = [
        ["equal but for space and case", found.n, len(found.equal), None, None, None],
        *(
            [
                name,
                one.n,
                one.exact,
                one.near_exact,
                None if one.interval is None else _share(one.rate, one.interval),
                "yes" if one.contaminated else "no",
            ]
            for name, one in (("judge", matches), ("people, both", found.people))
            if one is not None
        ),
    ]
    emit(None, False, "")
    columns = ["matches", "n#", "exact#", "near-exact#", "rate", "contaminated"]
    emit(None, False, table(columns, counts))
    if found.agreement is not None:
        emit(None, False, ["", agreement.tell("The annotators", found.agreement)])


def _show_against(beside: Against) -> None:
    rows = [
        [
            f"original at {slot}" + ("" if slot in beside.sound else " (there twice)"),
            f"{one.match_right} of {one.match_right + one.match_wrong}",
            f"{one.other_right} of {one.other_right + one.other_wrong}",
            None
            if one.difference is None or one.low is None or one.high is None
            else points_words(one.difference, one.low, one.high),
            None if one.odds_ratio is None else two_decimals(one.odds_ratio),
            None if one.p_value is None else p_number(one.p_value),
        ]
        for slot, one in beside.slots.items()
    ]
    emit(None, False, ["", f"{beside.matched} of the instances are in the quiz {beside.name}."])
    columns = ["quiz", "right of matches#", "right of others#", "difference", "odds ratio#", "p#"]
    emit(None, False, table(columns, rows))


def _remark_on(found: Replication) -> None:
    if found.compared:
        words = f"{len(found.mismatches)} of {found.n} rows have a stored ROUGE-L that is not ours"
        tail = f" (rows {ranges(found.mismatches)})" if found.mismatches else ""
        remark(f"{words}{tail}; scores are compared with two decimals.")
    if found.judge_differs:
        remark(f"Judge and people differ in rows {ranges(found.judge_differs)}.")
    if 0 < found.rouge.n < FEWEST:
        remark(f"With fewer than {FEWEST} instances the p-value of a bootstrap is too small.")


def _overlap_row(name: str, found: Guidance) -> list[object]:
    return [
        name,
        found.n,
        None if found.general is None else two_decimals(found.general),
        None if found.guided is None else two_decimals(found.guided),
        None if found.p_value is None else p_number(found.p_value),
        None if found.p_value is None else "yes" if found.contaminated else "no",
    ]


def _share(rate: float | None, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{percent(rate)} ({percent_words(low)} to {percent_words(high)})"
