"""Tables as files."""

from __future__ import annotations

import pandas as pd

from dcq.files import export


def test_no_cell_and_no_head_of_a_table_runs_as_a_formula() -> None:
    """Models name columns of the explorer's list, and a stranger's bundle names models."""
    table = pd.DataFrame({"=cmd|' /c calc'!A1": ["=1+1", "plain"], "-1": [-1.0, 2.0]})
    written = export.to_bytes(table, ".csv").decode().splitlines()
    assert written == ["'=cmd|' /c calc'!A1,'-1", "'=1+1,-1.0", "plain,2.0"]
