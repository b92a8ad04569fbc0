"""The matrix of models and benchmarks for people: its cells in words, as a table of pairs, as
tables for a paper, and as what a chart draws."""

from __future__ import annotations

import pandas as pd

from dcq import methods
from dcq.charts.matrix import NUMBERS, Shade
from dcq.documents.names import end_caption, tell_apart
from dcq.judging.answer import Answer
from dcq.judging.judged import Ruling
from dcq.judging.matrix import Cell, Matrix, MatrixRow
from dcq.records import PartitionRole
from dcq.sections import Exhibit
from dcq.words import listed, model_titles, percent, points

MODELS = 8  # beside one another in a table for a paper
NUMBER = "The number: percentage points more than on text that the model cannot have seen."
MEANINGS = {
    Ruling.CONTAMINATED: "contaminated",
    Ruling.INCONCLUSIVE: "undecided: something can be repaired",
    Ruling.NO_EVIDENCE: "no evidence: the usual effect would have been found",
}
_COLUMNS = (
    *("model", "partition", "place", "role", "conclusion", "above_expected", "found"),
    *("expected", "method", "n", "q_value", "methods", "overlap", "asked_until", "study"),
    "sentence",
)


def model_names(matrix: Matrix) -> dict[str, str]:
    """What each model of a matrix is called, by its key."""
    return model_titles(matrix.models)


def place_names(matrix: Matrix) -> dict[str, str]:
    """What each partition of a matrix is called, by its key."""
    return tell_apart({row.partition: row.place for row in matrix.rows})


def figure_words(cell: Cell) -> str:
    """The number of a cell: percentage points above what is expected; where nothing could be
    compared, as on a control, the share that was found; empty where there is neither."""
    if cell.above is not None:
        return "0" if abs(cell.above) < 0.005 else points(cell.above)  # half a point
    return "" if cell.share is None else percent(cell.share)


def cell_words(cell: Cell | None) -> str:
    """A cell as text: ``⚑ +41``; empty where nothing was asked."""
    if cell is None:
        return ""
    return f"{cell.ruling.mark if cell.ruling else ''} {figure_words(cell)}".strip()


def sentence_of(row: MatrixRow, cell: Cell) -> str:
    """What is concluded of a pair, or what was found on a control, and by which methods."""
    asked = [methods.named(name).title.lower() for name in cell.others]
    besides = f" Asked besides: {listed(asked)}." if asked and cell.finding is not None else ""
    if cell.answer is not None:
        word = cell.answer.ruling.word.capitalize()
        said = cell.answer.sentence
        return f"{said if said.startswith(f'{word}: ') else f'{word}. {said}'}{besides}"
    if row.role is not PartitionRole.CONTROL:
        return f"It does not count in this study.{besides}"
    found = "no usable reply" if cell.share is None else f"{percent(cell.share)} found"
    return f"A control, which the model cannot have seen: {found}.{besides}"


def tabulate(matrix: Matrix) -> pd.DataFrame:
    """A row for each pair, the worst first; shares are fractions, and what does not apply is
    None."""
    places = place_names(matrix)
    rows = []
    for model, row, cell in matrix.cells:
        answer = cell.answer
        leading = answer.leading if answer else None
        overlap = row.overlap.estimate.share if row.overlap else None
        rows.append(
            {
                "model": model,
                "partition": row.partition,
                "place": places[row.partition],
                "role": str(row.role),
                "conclusion": cell.ruling.word if cell.ruling else None,
                "above_expected": cell.above,
                "found": leading.score if leading else cell.share,
                "expected": leading.expected if leading else None,
                "method": leading.name if leading else None,
                "n": leading.n if leading else None,
                "q_value": answer.q_value if answer else None,
                "methods": ", ".join(_asked(answer, cell)) or None,
                "overlap": overlap,
                "asked_until": f"{cell.newest:%Y-%m-%dT%H:%M:%SZ}",
                "study": (answer.study or None) if answer else None,
                "sentence": sentence_of(row, cell),
            }
        )
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype({"n": "Int64"})


def _asked(answer: Answer | None, cell: Cell) -> list[str]:
    if answer is not None:
        return [method.name for method in answer.methods if method.judged]
    return [methods.named(name).title.lower() for name in cell.others]


def exhibits(matrix: Matrix) -> list[Exhibit]:
    """The matrix as tables for a paper, a line a benchmark: as many as hold all models, ``MODELS``
    beside one another."""
    names, places = model_names(matrix), place_names(matrix)
    used = {cell.ruling for _, _, cell in matrix.cells if cell.ruling}
    marks = [f"{ruling.mark} {words}" for ruling, words in MEANINGS.items() if ruling in used]
    caption = end_caption([NUMBER, *([f"{'; '.join(marks)}."] if marks else [])])
    parts = [
        matrix.models[start : start + MODELS] for start in range(0, len(matrix.models), MODELS)
    ]
    return [
        Exhibit(
            "Models and benchmarks" + (f", part {number}" if len(parts) > 1 else ""),
            tuple(caption),
            pd.DataFrame(
                [
                    [places[row.partition], *(cell_words(row.cells.get(model)) for model in part)]
                    for row in matrix.rows
                ],
                columns=["Benchmark", *(names[model] for model in part)],
            ),
        )
        for number, part in enumerate(parts, 1)
    ]


def drawn(matrix: Matrix) -> pd.DataFrame:
    """What ``dcq.charts.matrix`` draws: a row for each cell, in the order of the matrix."""
    names, places = model_names(matrix), place_names(matrix)
    return pd.DataFrame(
        [
            {
                "model": names[model],
                "benchmark": places[row.partition],
                "shade": _shade(row.cells.get(model)),
                "text": cell_words(row.cells.get(model)),
            }
            for model in matrix.models
            for row in matrix.rows
        ],
        columns=["model", "benchmark", "shade", "text"],
    )


def describe(matrix: Matrix) -> list[str]:
    """The lines below the picture of a matrix."""
    asked = [cell.newest for _, _, cell in matrix.cells]
    until = f"Asked until {max(asked):%d %b %Y}" if asked else "Nothing was asked"
    return end_caption([*([NUMBER] if len(matrix.rows) <= NUMBERS else []), until])


def _shade(cell: Cell | None) -> Shade:
    if cell is None:
        return Shade.EMPTY
    return Shade(cell.ruling.word) if cell.ruling else Shade.CONTROL
