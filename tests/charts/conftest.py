from __future__ import annotations

import pandas as pd
import pytest


@pytest.fixture
def both_quizzes() -> pd.DataFrame:
    counts = {
        "standard": {"A": 12, "B": 10, "C": 6, "D": 70, "refused": 2, "error": 3},
        "modified": {"A": 50, "B": 30, "C": 20},
    }
    return pd.DataFrame(
        [
            {"kind": kind, "answer": answer, "count": count}
            for kind, answers in counts.items()
            for answer, count in answers.items()
        ]
    )
