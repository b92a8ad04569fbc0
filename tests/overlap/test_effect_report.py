from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dcq.documents.overlap_effect_document import (
    assumption_sentence,
    blocklist_sentences,
    documents,
    effect_sentence,
    growth_sentence,
    size_sentence,
)
from dcq.errors import InputError
from dcq.overlap.effect_report import EffectReport, ReportInputs, report
from dcq.overlap.harness.graded import HarnessAnswer
from dcq.overlap.label import Label
from dcq.overlap.match import Category
from dcq.overlap.results import read_results
from dcq.settings import ROOT

EVALUATIONS = ROOT / "tests" / "fixtures" / "evaluations"
KINDS = (Category.CLEAN, Category.INPUT_ONLY, Category.INPUT_AND_LABEL)
SITES = ("https://a.org/1", "https://b.org/2")


def _labels(seed: int, n: int = 60) -> dict[str, Label]:
    """A third of each category, the found ones on one of two sites."""
    drawn = random.Random(seed)
    return {
        f"q{i}": Label(
            KINDS[i % 3],
            0.1 + 0.4 * (i % 3),
            (drawn.choice(SITES),) if i % 3 else (),
        )
        for i in range(n)
    }


def _answers(model: str, dirty: float, clean: float, n: int = 60) -> list[HarnessAnswer]:
    drawn = random.Random(model)
    return [
        HarnessAnswer(
            model, f"q{i}", float(drawn.random() < (dirty if i % 3 else clean)), "ab"[i % 2]
        )
        for i in range(n)
    ]


def _report(given: ReportInputs | None = None) -> EffectReport:
    answers = [
        *_answers("m-7b", 0.8, 0.3),
        *_answers("m-70b", 0.9, 0.4),
        *_answers("odd", 0.5, 0.5),
    ]
    early = {one: Label(Category.CLEAN, 0.1) for one in _labels(0)}
    return report(answers, {"2017-2020": early, "2020-2023": _labels(0)}, given)


def test_the_report_answers_each_question_that_the_files_can_answer() -> None:
    found = _report(ReportInputs(blocklist=["a.org"]))
    assert [one.model for one in found.models] == ["m-7b", "m-70b", "odd"]
    assert list(found.subjects["odd"]) == ["a", "b"]
    assert [one.share_found.accuracy for one in found.windows] == [0, pytest.approx(2 / 3)]
    assert found.web.n == 40
    assert sum(found.web.counts.values()) == 40
    assert list(found.domains["odd"]) == list(found.web.counts)
    assert found.web.blocklist is not None
    assert found.web.blocklist.by_domain == found.web.counts["a.org"] / 40
    assert [one.model for one in found.sizes.models] == ["m-7b", "m-70b"]
    assert found.sizes.unsized == ("odd",)


def test_one_window_and_one_subject_are_not_compared() -> None:
    answers = [HarnessAnswer("m", f"q{i}", 1, "law") for i in range(9)]
    found = report(answers, {"labels": _labels(1)})
    assert (found.windows, found.growth, found.subjects) == ((), (), {})
    assert found.web.blocklist is None


def test_domains_are_those_of_answered_instances() -> None:
    found = report(
        [HarnessAnswer("m", "q0", 1), HarnessAnswer("m", "q1", 1)], {"labels": _labels(1)}
    )
    assert found.web.n == 1


def test_the_document_is_json_with_an_entry_for_each_model() -> None:
    entries = json.loads(
        json.dumps(documents(_report(ReportInputs(blocklist=["a.org"]))), allow_nan=False)
    )
    assert [list(entry) for entry in entries] == [
        [
            "model", "categories", "difference", "adjusted", "by_score", "by_subject", "by_domain",
            "windows", "growth", "avoided", "blocklist", "size",
        ]
    ] * 3  # fmt: skip
    first, _, odd = entries
    assert first["adjusted"]["strata"] > 0
    assert first["adjusted"]["others"] == 2
    assert [part["start"] for part in first["by_score"]] == [0.1, 0.5, 0.9]
    assert first["windows"][1]["input_only"] == 20
    assert first["growth"][0]["n"] == 60
    assert first["avoided"][-1] == {"domains": 2, "n": 40, "avoided": 40}
    assert first["size"] == {
        "billions": 7, "models": 2, "correlation": None, "low": None, "high": None, "p_value": None,
    }  # fmt: skip
    assert odd["size"]["billions"] is None


def test_what_is_said_has_its_numbers() -> None:
    found = _report(ReportInputs(blocklist=["a.org"], sizes={"odd": 13}))
    said = effect_sentence(found.models[0])
    assert said.startswith("m-7b is right on ")
    assert "of 40 found instances" in said
    assert "that equally many models get right, its lead over 2 other models changes by" in said
    assert said.endswith("So few other models show a hint at most.")
    assert "assumes that models differ in ability alone" in assumption_sentence(found)
    assert "a third of simulated cases" in assumption_sentence(found)
    assert growth_sentence(found.growth[0]).startswith(
        "From 2017-2020 to 2020-2023, over 60 instances looked for in both: +67 ["
    )
    assert any(
        "The blocklist's addresses would avoid 0 %" in one for one in blocklist_sentences(found)
    )
    assert "over 3 models: rank correlation" in size_sentence(found)
    assert "a hint at most" in size_sentence(found)
    assert "Of unknown size" not in size_sentence(found)


def test_what_cannot_be_said_is_said_to_be_so() -> None:
    labels = {"q0": Label(Category.CLEAN, 0)}
    found = report(
        [HarnessAnswer("m", "q0", 1)], {"labels": labels}, ReportInputs(blocklist=["a.org"])
    )
    [one] = found.models
    assert effect_sentence(one) == (
        "m: no instance with an answer is found, so there is no difference."
    )
    assert blocklist_sentences(found) == [
        "No found instance has an address, so the blocklist cannot be tried."
    ]
    assert size_sentence(found).startswith("0 models of known size are too few")
    both = labels | {"q1": Label(Category.INPUT_ONLY, 1)}
    alone = report([HarnessAnswer("m", "q0", 1), HarnessAnswer("m", "q1", 1)], {"labels": both})
    assert "Nothing tells whether" in effect_sentence(alone.models[0])
    assert assumption_sentence(alone) == ""
    alike = report([HarnessAnswer(m, q, 1) for m in "mn" for q in ("q0", "q1")], {"labels": both})
    assert "Beside one other model the answers vary too little" in effect_sentence(alike.models[0])


def test_beside_ten_other_models_a_lead_is_no_mere_hint() -> None:
    answers = [one for m in range(11) for one in _answers(f"m{m}", 0.6, 0.4)]
    found = report(answers, {"labels": _labels(0)})
    assert "its lead over 10 other models changes by" in effect_sentence(found.models[0])
    assert "hint" not in effect_sentence(found.models[0])
    assert "a third of simulated cases" not in assumption_sentence(found)


def _control_texts() -> dict[str, str]:
    """The control instances as a sample has them: an id of ours, and lines with words before."""
    lines = (ROOT / "data" / "control" / "nli.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {
        f"{n:x}": "\n".join(
            f"{name.capitalize()}: {row[name]}" for name in ("premise", "hypothesis", "label")
        )
        for n, row in enumerate(rows)
    }


def test_real_logs_are_matched_by_text_where_ids_differ() -> None:
    paths = [*EVALUATIONS.rglob("samples_*.jsonl"), *EVALUATIONS.glob("*.eval")]
    answers = [answer for path in paths for answer in read_results(path).answers]
    texts = _control_texts()
    labels = {one: Label(KINDS[n % 3], 0.5, text=texts[one]) for n, one in enumerate(texts)}
    found = report(answers, {"labels": labels})
    assert found.paired.by_text == len(answers) == 68
    assert (found.paired.by_id, found.paired.unlabeled) == (0, 0)
    shown = {one.model: one.categories["all"] for one in found.models}
    assert {model: part.n for model, part in shown.items()} == {
        "toy-7b": 30,
        "toy-70b": 30,
        "openai/toy-70b": 8,
    }
    assert shown["toy-7b"].accuracy == pytest.approx(14 / 30)
    bare = {one: Label(Category.CLEAN, 0.5) for one in texts}
    with pytest.raises(InputError, match="their ids differ"):
        report([a for a in answers if not a.instance_id.isdigit()], {"labels": bare})
    assert report(answers, {"labels": bare}, ReportInputs(texts=texts)).paired.by_text == 68


def test_a_file_of_texts_alone_can_be_matched(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('model,instance_id,correct,text\nm,7,1,"Who sold the mare?"\n')
    labels = {"x": Label(Category.CLEAN, 0, text="Question: Who sold the mare?")}
    assert report(read_results(path).answers, {"labels": labels}).paired.by_text == 1
