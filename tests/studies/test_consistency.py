from __future__ import annotations

import json

from dcq.settings import ROOT
from studies.consistency import FIGURES, rows, tabulate

SET = {"name": "first", "kappa_fixed": 0.5, "kappa_low": 0.25, "kappa_high": 0.75, "n": 20}
STUDY = {
    "partition": "rivers/test",
    "sets": [SET, SET | {"name": "letters", "kappa_fixed": None, "n": 0}],
    "n": 20,
    "q": None,
    "p_value": None,
    "tau": 0.0,
    "within": 0.125,
    "widening": 1.0,
    "alpha": None,
    "alpha_low": None,
    "alpha_high": None,
    "same": 1.0,
}


def test_each_set_has_its_row_and_each_comparison_its_line() -> None:
    figures = {"partitions": [{"all": STUDY, "synonyms": STUDY}]}
    assert list(rows(figures)["name"]) == [
        "rivers/test: as it comes",
        "rivers/test: letters",
    ]
    shown = tabulate(figures).splitlines()
    assert shown[2] == "| rivers/test: as it comes | 0.50 [0.25, 0.75] | 20 |"
    assert shown[3] == "| rivers/test: letters | no value | 0 |"
    assert shown[-1].startswith("| rivers/test, synonyms sets | 20 | no value | no value | 0.00 |")


def test_the_report_has_the_figures_of_the_study() -> None:
    report = (ROOT / "studies" / "consistency.md").read_text("utf-8")
    assert tabulate(json.loads(FIGURES.read_text("utf-8"))) in report
