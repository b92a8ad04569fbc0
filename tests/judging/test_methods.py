"""The judge knows no method: what it says of one comes with the evidence."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import dcq.judging
from dcq import methods
from dcq.evidence.ablation import Ablation
from dcq.evidence.record import MethodEstimate, MethodWords
from dcq.judging.judged import JudgedResult
from dcq.judging.verdict import judge
from tests.support.cases import evidence

FILES = sorted(Path(dcq.judging.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_no_method_is_known_by_its_name(file: Path) -> None:
    found = {
        node.value
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert found & set(methods.names()) == set()


def test_a_new_method_is_spoken_of_in_its_own_words_or_plainly() -> None:
    estimate = MethodEstimate(0.4, None, None, "share", share=0.4, p_value=0.2)
    own = Ablation(50, 5, 5, 0.4, 0.4, 0.0, -0.1, 0.1, 1.0)
    new: dict[str, Any] = {"method": "new", "usable": 50, "planned": 50, "estimate": estimate}
    plain = JudgedResult(evidence(**new, words=MethodWords()))
    assert plain.finding == "40.0 % of the answers count for memory."
    assert JudgedResult(evidence(words=MethodWords())).finding == "There is no usable answer."
    said = MethodWords(
        lambda one, found, letters: f"{one.method}: {len(found)}, {letters}",
        effect="a shift",
        otherwise="nothing can be told",
    )
    case = JudgedResult(evidence(**new, words=said))
    [alone] = judge([case])
    assert alone.finding == "new: 0, None"
    assert "There is no control partition, so nothing can be told." in alone.reasons
    [beside] = judge([JudgedResult(evidence(**new, words=said, ablation=own))])
    assert any("a shift of" in reason for reason in beside.reasons)
