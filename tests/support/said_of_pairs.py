"""Every number and word that a written file says about a pair of a model and a partition, compared
with the conclusion that ``python -m dcq answer --json`` prints.

A pair is known by the title of its model and the name of its partition, or by their keys. What a
file says is read where it stands: in the rows of its tables, in its sentences and alternative
texts, and in the data of its charts. What a conclusion does not hold (the share that is expected on
unseen text, κ above it) must be the same wherever it is said of a run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dcq.words import model_title
from tests.support.rendered import Rendered, Table

Conclusion = Mapping[str, Any]
RULINGS = ("contaminated", "no evidence", "inconclusive")
PEOPLES = "undecided"  # what people read for the last


@dataclass(frozen=True)
class Said:
    """``text`` is said of a ``quantity`` of a ``pair`` at a place of a file; ``run`` names the
    result where it is that of one method, and is empty where it is the pair's."""

    where: str
    pair: tuple[str, str]
    quantity: str
    text: str
    run: str = ""


# The columns of tables for people, by heading, and of files, by key. What is said of a method's
# result needs its run. An empty quantity: it is no figure of the conclusion.
_OF_PAIR = {
    **{"Answer": "ruling", "p of all methods": "p", "q": "q", "By": "methods", "Role": "role"},
    **{"ruling": "ruling", "answer_p_value": "p", "answer_q_value": "q", "role": "role"},
}
_OF_METHOD = {
    **{"n": "n", "Found": "found", "p": "p", "Weight": "weight", "Counts": "votes"},
    **{"Score": "share", "κ": "estimate", "Match rate": "estimate", "Share recognised": "estimate"},
    **{"Mean midrank": "estimate", "95 % interval": "limits", "On unseen text": "expected"},
    **{
        "Expected on unseen text": "expected range",
        "κ above controls": "above",
        "p of the draw": "p",
    },
    **{"Verdict": "ruling", "q": "q"},
    **{"estimate": "estimate", "low": "low", "high": "high", "p_value": "", "votes": "votes"},
    **{"weight": "weight", "verdict": "verdict", "method": "method", "unit": "unit"},
    **{"control_score": "expected", "kappa_control": "above", "score": "share"},
}
# Of what is no estimate of memory: another test, other instances, other strategies.
_ASIDE = re.compile(
    r"Without memory|Originals picked|One slot|All comparisons|Two models|What was asked|"
    r"Originals and rewordings|panel of measures|All searches|, corpus|Reasons|Which option"
)


@dataclass(frozen=True)
class Pairs:
    """The conclusions of a study as ``answer --json`` prints them, with the names of partitions."""

    conclusions: Sequence[Conclusion]
    places: Mapping[str, str]

    def __post_init__(self) -> None:
        titles = [(model_title(one["model"]), one["partition"]) for one in self.conclusions]
        assert len(set(titles)) == len(titles), "two models have one title"

    def named(self, model: str, partition: str) -> Conclusion | None:
        """The conclusion on a pair that is named by titles or by keys."""
        for one in self.conclusions:
            if model in {one["model"], model_title(one["model"])} and partition in {
                one["partition"],
                self.places[one["partition"]],
            }:
                return one
        return None

    def in_words(self, text: str) -> list[Conclusion]:
        """The conclusions on the pairs that a sentence names, the longest names first."""
        found, rest = [], text
        for one in sorted(self.conclusions, key=lambda one: -len(self.places[one["partition"]])):
            title, place = (re.escape(part) for part in self.names(one))
            between = (
                r" has (?:probably )?seen | on | · |, | had seen | "
                r"| (?:picked|completed) [^.;]{1,60} of "
            )
            pattern = rf"(?<![\w-]){title}\b(?:@\S+)?(?:{between}){place}(?!\w)"
            if re.search(pattern, rest):
                found.append(one)
                rest = re.sub(pattern, "…", rest)
        return found

    def names(self, one: Conclusion) -> tuple[str, str]:
        """The title of the model and the name of the partition."""
        return model_title(one["model"]), self.places[one["partition"]]


def pair_of(one: Conclusion) -> tuple[str, str]:
    """The keys of the pair."""
    return one["model"], one["partition"]


def said(file: Rendered, pairs: Pairs) -> list[Said]:
    """All that a file says about the pairs."""
    found = [each for table in file.tables for each in _in_table(table, pairs)]
    for where, text in file.lines:
        found += _in_words(where, text, pairs)
    for where, kind, row in file.drawn:
        found += _in_chart(where, kind, row, pairs)
    return found


def _in_table(table: Table, pairs: Pairs) -> Iterator[Said]:
    heads = {name.strip(): at for at, name in enumerate(table.heads)}
    if "Partition" in heads and "Model" not in heads:
        yield from _in_matrix(table, pairs)
        return
    model, partition = (
        heads.get("Model", heads.get("model")),
        heads.get("Partition", heads.get("partition")),
    )
    if model is None or partition is None:
        return
    of_pairs = "Answer" in heads or "ruling" in heads
    for row in table.rows:
        one = pairs.named(row[model], row[partition])
        if one is None:
            continue
        run = _run(row, heads, one)
        if of_pairs:
            yield from _cells(table, row, heads, _OF_PAIR, one, "")
        if run and not _ASIDE.search(table.where):
            yield from _cells(
                table,
                row,
                heads,
                {k: v for k, v in _OF_METHOD.items() if not (of_pairs and k == "q")},
                one,
                run,
            )


def _run(row: Sequence[str], heads: Mapping[str, int], one: Conclusion) -> str:
    """The run that a row is about: named, or the only one of its method."""
    for name in ("Run", "run"):
        if name in heads:
            return row[heads[name]].strip()
    if "Method" in heads:
        name = row[heads["Method"]]
        runs = [each["run"] for each in one["methods"] if name in _method_names(each)]
        return runs[0] if len(runs) == 1 else ""
    return ""


def _method_names(method: Mapping[str, Any]) -> set[str]:
    titles = {"quiz": "quiz", "protect": "protected benchmark"}
    title = titles.get(method["method"], method["method"])
    return {f"{method['kind']} {title}" if method["kind"] else title}


def _cells(
    table: Table,
    row: Sequence[str],
    heads: Mapping[str, int],
    columns: Mapping[str, str],
    one: Conclusion,
    run: str,
) -> Iterator[Said]:
    for name, quantity in columns.items():
        if quantity and name in heads and row[heads[name]].strip():
            yield Said(table.where, pair_of(one), quantity, row[heads[name]].strip(), run)


def _in_matrix(table: Table, pairs: Pairs) -> Iterator[Said]:
    """Models beside one another, partitions below one another; a ruling in each cell."""
    for row in table.rows:
        for name, cell in zip(table.heads[1:], row[1:], strict=True):
            one = pairs.named(name, row[0])
            if one is not None:
                yield from (
                    Said(table.where, pair_of(one), "ruling", word) for word in _rulings(cell)
                )


_Q = re.compile(r"\bq (?:=|<) ?[\d.]+")
_N = re.compile(r"\bn = ([\d,]+)")
_FOUND = re.compile(r"found: (\d+ %)(?: \[(\d+ % to \d+ %)\])?")
_COMPARED = re.compile(r"(\d+ %) \(\d+ % expected\)")
_OF_ORIGINALS = re.compile(r"picked the original in ([\d,]+) of ([\d,]+) instances")


def _in_words(where: str, text: str, pairs: Pairs) -> Iterator[Said]:
    """What the clauses of a text say, each of the pair that it, or the one before it, names."""
    at_title = pairs.in_words(where)
    current = at_title[0] if len(at_title) == 1 else None
    before = _rulings(text.split(":")[0]) if ":" in text else []
    for clause in re.split(r"(?<=[.;])\s+(?!\d)", text):
        named = pairs.in_words(clause)
        if len(named) == 1:
            current = named[0]
        elif len(named) > 1 or re.match(r"Of [\d,]+ |Drawn are|All |Among", clause):
            current = None
        if current is None:
            continue
        key = pair_of(current)
        for word in dict.fromkeys([*_rulings(clause), *(before if named else [])]):
            yield Said(where, key, "ruling", word)
        before = [] if named else before
        for each in _Q.findall(clause):
            yield Said(where, key, "q", each.removeprefix("q ").removeprefix("= "))
        if _ASIDE.search(where):
            continue
        for share, limits in _FOUND.findall(clause):
            yield Said(where, key, "any share", share)
            if limits:
                yield Said(where, key, "any limits", limits)
        yield from (Said(where, key, "any share", share) for share in _COMPARED.findall(clause))
        yield from (Said(where, key, "any n", n) for n in _N.findall(clause))
        for _right, n in _OF_ORIGINALS.findall(clause):
            yield Said(where, key, "any n", n)


def _rulings(text: str) -> list[str]:
    """The rulings that a clause pronounces."""
    low = text.lower().replace(PEOPLES, RULINGS[-1])
    found = [word for word in RULINGS if re.search(rf"\b{word}\b", low)]
    if re.search(r"^(?!.*(whether|no evidence that)).* has (?:probably )?seen ", low) and not found:
        found.append("contaminated")
    return found


def _in_chart(where: str, kind: str, row: Mapping[str, Any], pairs: Pairs) -> Iterator[Said]:
    if kind == "matrix":
        return  # its alternative text and its table have each cell
    named = [
        *pairs.in_words(f"{row.get('name', '')}, {row.get('group', '')}"),
        *pairs.in_words(str(row.get("name", ""))),
        *pairs.in_words(str(row.get("sentence", ""))),
        *(pairs.in_words(where) if not row.get("name") else []),
    ]
    if not named or row.get("look") in {"is-aside", "is-control"}:
        return
    key = pair_of(named[0])
    if row.get("ruling"):
        yield Said(f"chart at {where}", key, "ruling", row["ruling"])
    run = str(row.get("id") or "")
    if run and row.get("found") is not None:
        yield Said(f"chart at {where}", key, "share", str(row["found"]), run)


def contradictions(found: Sequence[Said], pairs: Pairs) -> list[str]:
    """What differs from the conclusion, or from what is said elsewhere; empty where all agree."""
    by_pair = {pair_of(one): one for one in pairs.conclusions}
    wrong = [
        f"{each.where}: {each.quantity} {each.text!r} of {each.pair[0]} on {each.pair[1]}"
        f"{f' (run {each.run})' if each.run else ''}; the conclusion has {expected}"
        for each in found
        if (expected := _disagrees(each, by_pair[each.pair])) is not None
    ]
    elsewhere: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in found:
        if each.quantity in _ELSEWHERE and each.run:
            elsewhere[each.run, each.quantity].setdefault(_rounded(each.text), each.where)
    wrong += [
        f"{quantity} of run {run} is said in {len(texts)} ways: {texts}"
        for (run, quantity), texts in elsewhere.items()
        if len(texts) > 1
    ]
    return wrong


_ELSEWHERE = {"expected", "expected range", "above"}  # what a conclusion does not hold


def _rounded(text: str) -> str:
    """A figure to two digits after the point, a share as a fraction; a range as it stands."""
    number = None if " to " in text else _number(text)
    return text if number is None else f"{number:.2f}"


def _disagrees(each: Said, one: Conclusion) -> str | None:
    """What the conclusion has instead; None where it says the same."""
    result = next((method for method in one["methods"] if method["run"] == each.run), None)
    if each.run and result is None:
        return None  # an older run, or one that does not count
    if each.quantity in _ELSEWHERE:
        return None
    same, right = _CHECKS[each.quantity](each.text, one, result)
    return None if same else repr(right)


Checked = tuple[bool, object]


def _ruling(text: str, one: Conclusion, _result: Any) -> Checked:
    word = text.strip().lower().replace(PEOPLES, RULINGS[-1])
    return word == one["ruling"], one["ruling"]


def _p(text: str, one: Conclusion, result: Any) -> Checked:
    right = (result or one)["p_value"]
    return _says(text, right), right


def _q(text: str, one: Conclusion, _result: Any) -> Checked:
    return _says(text, one["q_value"]), one["q_value"]


def _of(key: str) -> Callable[[str, Conclusion, Any], Checked]:
    def check(text: str, one: Conclusion, result: Any) -> Checked:
        right = (result or one)[key]
        if isinstance(right, bool):
            return text.lower().startswith("yes" if right else "no") or text == str(right), right
        if isinstance(right, str) or right is None:
            return text == (right or ""), right
        return _says(text, right), right

    return check


def _share(text: str, _one: Conclusion, result: Any) -> Checked:
    right = _share_of(result, result["estimate"])
    return _says(text, right), right


def _found(text: str, one: Conclusion, result: Any) -> Checked:
    return _share(text.split(" (")[0], one, result) if "%" in text else (True, "")


def _limits(text: str, _one: Conclusion, result: Any) -> Checked:
    right = (result["low"], result["high"])
    parts = re.findall(r"[−-]?[\d.]+ ?%?", text)
    return len(parts) == 2 and all(map(_says, parts, right)), right


def _any(key: str) -> Callable[[str, Conclusion, Any], Checked]:
    """One of the methods' own: sentences name no run."""

    def check(text: str, one: Conclusion, _result: Any) -> Checked:
        if key == "limits":
            parts = text.split(" to ")
            rights: list[Any] = [
                (_share_of(m, m["low"]), _share_of(m, m["high"])) for m in one["methods"]
            ]
            return any(all(map(_says, parts, right)) for right in rights), rights
        rights = [_share_of(m, m["estimate"]) if key == "share" else m["n"] for m in one["methods"]]
        return any(_says(text, right) for right in rights), rights

    return check


def _methods(text: str, one: Conclusion, _result: Any) -> Checked:
    names = [name for m in one["methods"] if m["votes"] for name in _method_names(m)]
    return sorted(re.split(r", | and ", text)) == sorted(names), names


_CHECKS: Mapping[str, Callable[[str, Conclusion, Any], Checked]] = {
    "ruling": _ruling,
    "p": _p,
    "q": _q,
    "n": _of("n"),
    "role": _of("role"),
    "methods": _methods,
    "method": _of("method"),
    "unit": _of("unit"),
    "verdict": _of("verdict"),
    "votes": _of("votes"),
    "weight": _of("weight"),
    "estimate": _of("estimate"),
    "low": _of("low"),
    "high": _of("high"),
    "share": _share,
    "found": _found,
    "limits": _limits,
    "any share": _any("share"),
    "any limits": _any("limits"),
    "any n": _any("n"),
}


def _share_of(method: Mapping[str, Any], value: float | None) -> float | None:
    """An estimate as the share that was found: κ and what is like it are scaled from guessing."""
    scaled = method["unit"] in {"kappa", "share recognised"}
    return 0.25 + 0.75 * value if scaled and value is not None else value


def _number(text: str) -> float | None:
    found = re.match(r"\s*([+−-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(%?)", text)
    if found is None:
        return None
    value = float(found[1].replace("−", "-").replace(",", ""))
    return value / 100 if found[2] else value


def _says(text: str, right: float | None) -> bool:
    """Whether a figure as it is written is ``right``, at the digits that it has."""
    if right is None:
        return not text.strip()
    if text.strip().startswith("<"):
        return right < float(text.strip().lstrip("< "))
    number = _number(text)
    if number is None:
        return False
    written = re.match(r"[^\d]*[\d,]*(?:\.(\d+))?(?:e([+-]?\d+))?", text.strip())
    digits = len(written[1] or "") if written else 0
    power = int(written[2] or 0) if written else 0
    half = 0.5 * 10.0 ** (power - digits) / (100 if "%" in text else 1)
    return abs(number - right) <= half * 1.0001
