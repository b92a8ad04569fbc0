from __future__ import annotations

from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.effect import effects
from dcq.overlap.harness.graded import HarnessAnswer
from dcq.overlap.label import Label
from dcq.overlap.match import Category
from dcq.overlap.sizes import by_size, read_sizes, size_in_name


@pytest.mark.parametrize(
    ("model", "billions"),
    [
        ("llama-2-7b-chat-hf", 7),
        ("LLaMA 70B", 70),
        ("EleutherAI/pythia-70m", 0.07),
        ("Qwen2.5-0.5B", 0.5),
        ("gemma_2b", 2),
        ("Qwen3-30B-A3B", 30),  # the active part is not the size
        ("TinyLlama-1.1B-3T", 1.1),
        ("Mixtral-8x7B-v0.1", None),  # 8 times 7 is not the size
        ("gpt-4o", None),
        ("phi-3-mini-4k", None),
        ("7B-from-13B", None),
        ("", None),
    ],
)
def test_the_size_that_a_name_says(model: str, billions: float | None) -> None:
    assert size_in_name(model) == billions


def test_gains_in_the_order_of_size() -> None:
    labels = {str(n): Label(Category(("clean", "input-only")[n % 2]), 0) for n in range(8)}
    right = {"m-70b": 4, "m-7b": 2, "m-13b": 3, "big": 4, "small": 1}
    answers = [
        HarnessAnswer(model, one, float(place % 2 == 1 and place < 2 * n))
        for model, n in right.items()
        for place, one in enumerate(labels)
    ]
    found = by_size(effects(answers, labels), {"big": 400})
    assert [one.model for one in found.models] == ["m-7b", "m-13b", "m-70b", "big"]
    assert [one.gain for one in found.models] == [0.5, 0.75, 1, 1]
    assert found.unsized == ("small",)
    assert found.trend.correlation == pytest.approx(0.9486833)
    assert found.trend.low is None  # four models give no limits


def test_sizes_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("model,parameters\nm,7\nn,0.5\n")
    assert read_sizes(path) == {"m": 7, "n": 0.5}
    for text, message in (
        ("model,size\nm,7\n", "lacks model or parameters in row 1"),
        ("model,parameters\nm,big\n", "gives 'm' the size 'big'"),
        ("model,parameters\nm,0\n", "give billions"),
        ("model,parameters\nm,inf\n", "give billions"),
        ("model,parameters\nm,nan\n", "give billions"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_sizes(path)
