"""The outcomes of a study as a bundle holds them, and the differences between two of them."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dcq import methods
from dcq.files.bundle import Outcomes
from dcq.judging import every_method as rows
from dcq.judging import replication, study
from dcq.judging.answer import Answer
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult
from dcq.overlap import outcome
from dcq.overlap.match import Category
from dcq.quiz import protocol2
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.replication.evidence import replication_row
from dcq.store import Store
from dcq.store.studies import REPLICATION, Study
from dcq.words import listed

_SAME = 1e-9  # how far figures of two machines may lie apart
_MOST_NAMED = 4  # differences of one result


def outcomes_of(
    store: Store,
    within: Study,
    searches: Collection[str],
    *,
    text_of: TextScores = text_scores,
    with_text: bool = True,
    with_text_methods: bool = True,
) -> Outcomes:
    """The results of a study with their verdicts, and what the runs ``searches`` found.

    ``text_of`` is as in ``dcq.judging.study.findings``. Where a bundle is written without texts
    (``with_text`` false), its reader cannot score completions; so methods that need no texts are
    judged by themselves. A reader of such a bundle passes ``with_text_methods`` as false, which
    leaves out the methods that need texts.
    """
    replicated = replication.results(store, within) if with_text_methods else []
    others = results_without_own_list(store, within) if with_text_methods else []
    if not with_text:
        within = without_texts(within)
        others = [entry for entry in others if entry.evidence.method not in (within.methods or ())]
        others += results_without_own_list(store, within, text_of)
    ranges = protocol2.by_run(protocol2.estimates(store))
    quiz_documents = [
        {"run": entry.evidence.run, **rows.document(entry, ranges.get(entry.evidence.run))}
        for entry in study.findings(store, within, text_of=text_of)
    ]
    return Outcomes(
        results=_plain(quiz_documents),
        replications=_plain(map(_replication, replicated)),
        overlaps=_plain(_overlap(store, run) for run in searches),
        others=_plain({"run": entry.evidence.run} | rows.of_judged(entry) for entry in others),
        answers=_plain(
            {"run": f"{entry.model} on {entry.partition}"} | plain_answer(entry)
            for entry in answers(store, within, text_of=text_of)
        ),
    )


def without_texts(within: Study) -> Study:
    """A study of the methods that need no texts."""
    names = tuple(method.name for method in methods.of_study(within) if not method.needs_texts)
    return replace(within, methods=names)


def recomputable_without_texts(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The results among ``others`` that can be computed again where texts are withheld."""
    names = {entry.name for entry in methods.METHODS if not entry.needs_texts}
    return [dict(entry) for entry in results if entry.get("method") in names]


def results_without_own_list(
    store: Store, within: Study, text_of: TextScores = text_scores
) -> list[JudgedResult]:
    """The results of methods that have no list of their own in a bundle."""
    judged_results = rows.of_other_methods(store, within, text_of=text_of)
    return [result for result in judged_results if result.evidence.method != REPLICATION]


def _plain(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """In one order, and as JSON gives them back."""
    return json.loads(json.dumps(sorted(rows, key=lambda row: str(row["run"]))))  # type: ignore[no-any-return]


def _replication(result: JudgedResult) -> dict[str, Any]:
    by, row = result.evidence, replication_row(result.evidence)
    scores, matches = row.measured.guidance, row.measured.matches
    return {
        "run": by.run,
        "model": by.model,
        "partition": by.partition,
        "judge": row.judge or None,
        "n": scores.n,
        "general": scores.general,
        "guided": scores.guided,
        "p_value": scores.p_value,
        "exact": matches.exact,
        "near_exact": matches.near_exact if row.judge else None,
        "verdict": result.verdict.ruling.value if result.verdict else None,
        "reasons": list(result.verdict.reasons) if result.verdict else [],
        "sentence": result.sentence,
    }


def plain_answer(answer: Answer) -> dict[str, Any]:
    """An answer without what depends on who looks at it: what could still be asked, and how the
    study is numbered."""
    apart = {"could_ask", "study", "revision", "study_fixed_at"}
    return {key: value for key, value in answer.document().items() if key not in apart}


def _overlap(store: Store, run: str) -> dict[str, Any]:
    overlap = outcome.of_run(store, run)
    kinds = [row.category for row in overlap.rows]
    return {
        "run": overlap.run,
        "model": overlap.source,
        "partition": overlap.partition,
        "method": overlap.method,
        "threshold": overlap.settings.threshold,
        "total": overlap.coverage.total,
        "searched": overlap.coverage.searched,
        "found": overlap.coverage.found,
        "input_only": kinds.count(Category.INPUT_ONLY),
        "input_and_label": kinds.count(Category.INPUT_AND_LABEL),
    }


def differences(outcomes: Outcomes, recomputed: Outcomes, *, wording: bool = True) -> list[str]:
    """A sentence for each result that is not as the bundle says: ``recomputed`` is what was
    computed again. ``wording``: sentences are compared as well as figures."""
    return [
        sentence
        for recomputed_rows, bundle_rows in (
            (recomputed.results, outcomes.results),
            (recomputed.replications, outcomes.replications),
            (recomputed.overlaps, outcomes.overlaps),
            (recomputed.others, outcomes.others),
            _answers_of_both(recomputed, outcomes),
        )
        for sentence in _differences(
            _by_run(bundle_rows), _by_run(recomputed_rows), wording=wording
        )
    ]


def _answers_of_both(outcomes: Outcomes, other: Outcomes) -> tuple[list[Any], list[Any]]:
    """Nothing where one of them has none: earlier releases made bundles without."""
    if outcomes.answers is None or other.answers is None:
        return [], []
    return outcomes.answers, other.answers


def in_both(outcomes: Outcomes, other_outcomes: Outcomes) -> tuple[Outcomes, Outcomes]:
    """Two sets of outcomes, reduced to the runs that both have."""

    def kept(rows: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
        others_by_run = _by_run(others)
        return [row for row in rows if str(row.get("run")) in others_by_run]

    def narrowed(first: Outcomes, second: Outcomes) -> Outcomes:
        return Outcomes(
            kept(first.results, second.results),
            kept(first.replications, second.replications),
            kept(first.overlaps, second.overlaps),
            kept(first.others, second.others),
            kept(*_answers_of_both(first, second)),
        )

    return narrowed(outcomes, other_outcomes), narrowed(other_outcomes, outcomes)


def _differences(
    recorded: Mapping[str, Mapping[str, Any]],
    recomputed: Mapping[str, Mapping[str, Any]],
    *,
    wording: bool,
) -> list[str]:
    sentences = []
    for run in dict.fromkeys([*recorded, *recomputed]):
        where = _where(recorded.get(run) or recomputed[run])
        if run not in recomputed:
            sentences.append(f"{where}: the bundle has a result that its rows do not give.")
        elif run not in recorded:
            sentences.append(f"{where}: the rows give a result that the bundle does not have.")
        else:
            named = [
                _named(key, recorded[run].get(key), recomputed[run].get(key))
                for key in dict.fromkeys([*recorded[run], *recomputed[run]])
                if (wording or key not in {"reasons", "sentence"})
                and not same(*_comparable(recorded[run], recomputed[run], key, wording=wording))
            ]
            if named:
                sentences.append(f"{where}: {listed(named, _MOST_NAMED)}.")
    return sentences


def _comparable(
    recorded: Mapping[str, Any], recomputed: Mapping[str, Any], key: str, *, wording: bool
) -> tuple[object, object]:
    """A value of both; the methods of an answer without what an earlier release did not say of
    them and, where ``wording`` is not compared, with no more of a reason than that there is one."""
    before, now = recorded.get(key), recomputed.get(key)
    if key != "methods" or not isinstance(before, list) or not isinstance(now, list):
        return before, now
    known = set().union(*(method for method in before if isinstance(method, dict)))

    def cut(method: Any) -> Any:
        if not isinstance(method, dict):
            return method
        kept = {name: method[name] for name in method if name in known}
        return kept if wording else kept | {"why_not": bool(kept.get("why_not"))}

    return [cut(method) for method in before], [cut(method) for method in now]


def _where(row: Mapping[str, Any]) -> str:
    if "methods" in row:
        return f"The answer on {shorten(row.get('model'))} and {shorten(row.get('partition'))}"
    kind = row.get("kind") or row.get("method") or "replication"
    slot = f" at {shorten(row['slot'])}" if row.get("slot") else ""
    parts = (row.get("model"), row.get("partition"), kind, row.get("run"))
    model, partition, kind, run = (shorten(part) for part in parts)
    return f"{model} on {partition}, {kind}{slot} (run {run})"


def _named(key: str, recorded: object, recomputed: object) -> str:
    if key in {"reasons", "sentence", "outcomes"} or isinstance(recorded, list | dict):
        return f"{key} differ"
    return f"{shorten(key)} is {_short(recomputed)}, not {_short(recorded)}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value is None else shorten(value)


def shorten(value: object) -> str:
    """Foreign text, or an error message that quotes it, on one short line."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(value)[:80])


def same(first: object, second: object) -> bool:
    """Whether two values of JSON are the same, with the tolerance that numbers of two machines
    need."""
    numbers = (int, float)
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, numbers) and isinstance(second, numbers):
        return math.isclose(first, second, rel_tol=_SAME, abs_tol=_SAME)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return first == second


def _by_run(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {str(row.get("run")): row for row in rows}
