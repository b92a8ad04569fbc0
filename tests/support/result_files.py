"""Result files of the two kinds that an audit reads, made on the spot."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

# Answers by column as the authors' reports count them (100 and 71 rows).
GSM8K = {
    "bdq_results": {"E": 52, "A": 44, "B": 2, "C": 1, "D": 1},
    "bcq_results_for_position_b": {"B": 55, "A": 30, "E": 15},
    "bcq_results_for_position_c": {"C": 69, "A": 24, "E": 6, "B": 1},
    "bcq_results_for_position_d": {"D": 79, "A": 14, "E": 7},
}
WNLI = {
    "bdq_results": {"E": 63, "A": 7, "D": 1},
    "bcq_results_for_position_a": {"A": 36, "E": 34, "B": 1},
    "bcq_results_for_position_b": {"E": 35, "B": 33, "A": 3},
    "bcq_results_for_position_c": {"E": 37, "C": 31, "A": 3},
    "bcq_results_for_position_d": {"D": 35, "E": 32, "A": 4},
}


def release_rows(counts: Mapping[str, Mapping[str, int]]) -> list[dict[str, str]]:
    """Rows whose columns of answers have these counts; every original is the shortest text."""
    columns = {
        name: [answer for answer, times in found.items() for _ in range(times)]
        for name, found in counts.items()
    }
    return [
        {
            "question": "ignored, {braces} A) <b>too</b>",
            "instance": f"The cat {i} sat.",
            **{
                f"option_{slot}": f"The {word} {i} was sitting."
                for slot, word in zip(
                    "abcd", ("feline", "tomcat", "pussycat", "kitty"), strict=True
                )
            },
            **{name: answers[i] for name, answers in columns.items()},
        }
        for i in range(len(next(iter(columns.values()))))
    ]


def write_csv(path: Path, rows: Sequence[Mapping[str, object]], *, separator: str = ",") -> Path:
    """Write ``rows``, whose keys are the columns."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    return path


def answers(
    model: str,
    partition: str,
    role: str,
    right: int,
    n: int,
    slots: Iterable[str] = "D",
) -> list[dict[str, object]]:
    """``n`` instances, the first ``right`` of them found at each slot, the others never."""
    return [
        {
            "model": model,
            "partition": partition,
            "role": role,
            "instance_id": i,
            "correct": slot,
            "answer": slot if i < right else "ABCD"["ABCD".index(slot) - 1],
        }
        for i in range(n)
        for slot in slots
    ]
