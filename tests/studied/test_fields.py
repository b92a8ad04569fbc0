"""What is shown of a result is declared once: JSON, csv and every table are made of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dcq import methods
from dcq.detection import DetectionMethod
from dcq.documents import result_tables
from dcq.evidence.record import KAPPA, MethodEstimate
from dcq.judging import every_method, fields
from dcq.judging.answer import conclusions_by_run
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult
from dcq.judging.study import findings
from dcq.records import PartitionRole, QuizKind
from dcq.result_columns import Medium
from dcq.store import Store
from dcq.ui import glossary
from dcq.words import interval_words
from tests.support.cases import evidence
from tests.support.judged import SEEN, UNSEEN, put, put_controls


@pytest.mark.parametrize("method", methods.METHODS, ids=lambda method: str(method.name))
def test_keys_and_headings_stand_for_one_thing_and_terms_are_explained(
    method: DetectionMethod[Any],
) -> None:
    columns = fields.columns(method.name, {KAPPA: False})
    for names in ([one.key for one in columns], [one.heading for one in columns]):
        given = [name for name in names if name]
        assert sorted(given) == sorted(set(given))
    assert {one.term for one in columns if one.term} <= set(glossary.TERMS)
    assert all(one.key or one.heading for one in columns)


@pytest.mark.slow
def test_the_quiz_has_the_same_figures_in_json_and_in_its_tables(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put_controls(fresh_store)
    found = findings(fresh_store)
    concluded = conclusions_by_run(answers(fresh_store))
    table = result_tables.tabulate_methods(found, concluded)
    table = table.set_index("Run")
    for one in found:
        said, row = every_method.of_judged(one), table.loc[one.evidence.run]
        assert (said["n"], said["verdict"] or "") == (row["n"], row["Answer"])
        assert row["Score"] == f"{100 * said['score']:.1f} %"
        assert row["κ"].replace("−", "-") == f"{said['kappa_fixed']:.2f}"
        assert (row["κ above controls"] == "") == (said["kappa_control"] is None)
        [column] = [name for name in table.columns if name.startswith("95 % interval")]
        assert row[column] == interval_words(said["low"], said["high"])
    csv = every_method.tabulate(found, {}).set_index("run")
    target = next(one for one in found if one.evidence.role == PartitionRole.TARGET)
    own = csv.loc[target.evidence.run]
    assert own["controls"] == len(target.used_controls)
    assert str(own["control_partitions"]).count("/") == len(target.used_controls)


@pytest.mark.slow
def test_a_quiz_without_originals_is_shown_and_has_no_value(fresh_store: Store) -> None:
    put(fresh_store, "rivers", UNSEEN)
    run = put(fresh_store, "rivers", SEEN, kind=QuizKind.MODIFIED, slot=None)
    [bare] = [one for one in findings(fresh_store) if one.evidence.run == run]
    said = every_method.of_judged(bare)
    assert (said["kind"], said["n"], said["estimate"], said["correct"]) == (
        *("modified", bare.evidence.estimate.n, None, None),
    )
    [row] = result_tables.tabulate_methods([bare], {}).to_dict("records")
    assert (row["Quiz"], row["κ"], row["95 % interval"], row["Answer"]) == ("modified", "", "", "")


def test_estimates_in_several_units_have_a_column_each() -> None:
    one = evidence(method=methods.METHODS[-1].name, estimate=MethodEstimate(0.5, 0.4, 0.6, "gain"))
    other = replace(one, estimate=MethodEstimate(0.25, 0.1, 0.5, "share found", share=0.25))
    found = [JudgedResult(given) for given in (one, other)]
    shown = {column.heading: column for column in fields.of_people(found, {}, {})}
    assert [shown["Gain"].text(result) for result in found] == ["0.50", ""]
    assert [shown["Share found"].text(result) for result in found] == ["", "25.0 %"]


def test_documents_have_less_room_than_screens() -> None:
    columns = fields.columns(methods.METHODS[0].name, {KAPPA: False})
    widest = {one.heading for one in columns if one.medium is Medium.SCREEN}
    assert "Asked, UTC" in widest
    assert {"Verdict", "n", "q", "Run"} & widest == set()
