"""What lies beside results in the folder of a run of OpenCompass or AISBench.

RUN/results/MODEL/DATASET.json            the grades; current releases leave out the prompts
RUN/predictions/MODEL/DATASET.json(l)     prompts and replies; AISBench skips failed requests
RUN/configs/TIME_PID.py                   what was run, as Python, which is never executed
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dcq.errors import DcqError
from dcq.incoming.json_parts import JsonParts
from dcq.incoming.memory import Budget
from dcq.incoming.plain_file import open_text, read_text
from dcq.partitions.files import read_json_rows

_MOST_CONFIG = 4_000_000  # bytes; real ones have some ten thousand


@dataclass(frozen=True)
class Run:
    """What a run says of a file of results: the ``model`` as it names it, and the ``predictions``
    by number. ``complete`` says that a number which is not there has no reply."""

    model: str
    predictions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    complete: bool = False


def beside(path: Path, entries: int) -> Run | None:
    """The run whose results of so many ``entries`` lie in ``path``; None for a file that lies
    alone. What cannot be read is left out."""
    folders = path.absolute().parent.parts
    if "results" not in folders[:-1]:
        return None
    after = len(folders) - folders[::-1].index("results")
    root, model = Path(*folders[: after - 1]), "/".join(folders[after:])
    if not ((root / "configs").is_dir() or (root / "predictions").is_dir()):
        return None
    own = _own_name(root / "configs", model)
    whole = (root / "predictions" / model / path.stem).with_name(f"{path.stem}.jsonl")
    try:
        if whole.is_file():  # AISBench
            rows = {str(row["id"]): row for row in read_json_rows(whole) if "id" in row}
            # Repetitions have numbers of their own, which are not those of the results.
            repeated = any(not key.isdigit() or int(key) >= entries for key in rows)
            return Run(own) if repeated else Run(own, rows, complete=True)
        return Run(own, dict(_numbered(whole.with_suffix(".json"))))
    except (OSError, ValueError, DcqError):
        return Run(own)


def _numbered(whole: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """OpenCompass's predictions, which of a large dataset lie in several files."""
    parts = [whole]
    if not whole.is_file():
        parts = []
        while (part := whole.with_stem(f"{whole.stem}_{len(parts)}")).is_file():
            parts.append(part)
    budget, number = Budget(whole.name), 0
    for part in parts:
        with open_text(part) as file:
            read = JsonParts(file, part.name)
            for _ in read.names():
                value = read.value(budget)
                if isinstance(value, dict):
                    yield str(number), value
                number += 1


def _own_name(configs: Path, model: str) -> str:
    """The name that the server knows the ``model`` by: AISBench's own configurations call every
    model behind one kind of server the same."""
    try:
        for config in sorted(configs.glob("*.py")):
            for named in _models(ast.parse(read_text(config, _MOST_CONFIG))):
                if named.get("abbr") == model and named.get("model"):
                    return str(named["model"])
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError, DcqError):
        pass
    return model


def _models(tree: ast.Module) -> Iterator[dict[str, Any]]:
    """The texts of each ``dict(...)`` in the list ``models``."""
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.List)):
            continue
        if not any(isinstance(name, ast.Name) and name.id == "models" for name in node.targets):
            continue
        for call in node.value.elts:
            if isinstance(call, ast.Call):
                yield {
                    part.arg: part.value.value
                    for part in call.keywords
                    if part.arg and isinstance(part.value, ast.Constant)
                }
