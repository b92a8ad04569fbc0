from __future__ import annotations

from dcq.evidence.agreement import agree
from dcq.variants.annotators import describe


def test_all_figures_with_their_intervals() -> None:
    first, second = ["a"] * 25 + ["r"] * 25, ["a"] * 20 + ["r"] * 5 + ["a"] * 10 + ["r"] * 15
    found = agree(first, second)
    assert found.kappa_interval is not None
    low, high = found.kappa_interval
    said = describe("Ada and Ben", found)
    assert said.startswith("Ada and Ben agree on 35 of 50 (70 %, 56 % to 81 %), Cohen's κ 0.40 ")
    assert f"[{low:.2f}, {high:.2f}], Krippendorff's α 0.40 [" in said


def test_what_there_is_none_of_is_left_out() -> None:
    assert describe("Ada and Ben", agree([], [])) == "Ada and Ben have labelled nothing in common."
    alike = describe("Ada and Ben", agree(["a"] * 4, ["a"] * 4))
    assert alike == "Ada and Ben agree on 4 of 4 (100 %, 51 % to 100 %)."
    few = describe("Ada and Ben", agree(list("aarr"), list("arrr")))
    assert few.endswith("Cohen's κ 0.50, Krippendorff's α 0.53.")
