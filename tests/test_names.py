"""One name, one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from dcq.settings import ROOT


def _classes(folder: Path) -> dict[str, list[str]]:
    found = defaultdict(list)
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(file.relative_to(ROOT)))
    return found


def test_a_class_name_stands_for_one_thing() -> None:
    twice = {name: files for name, files in _classes(ROOT / "dcq").items() if len(files) > 1}
    assert twice == {}
