"""What a protected benchmark can find, and what scores that others computed of it show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from dcq.commands.output import AsJson, emit, percent, remark, table


def plan(
    k: Annotated[
        int,
        typer.Option(min=2, max=16, help="Wordings that a model chooses among, 2 to 16."),
    ] = 4,
    n: Annotated[int, typer.Option(help="Items.")] = 200,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    share: Annotated[
        float | None,
        typer.Option(help="Give the power at this share picked, instead of the share at 80 %."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell the smallest share of published wordings picked that n items find, one ask an item."""
    from dcq.evidence.lot import power_at, smallest_share
    from dcq.evidence.power import POWER
    from dcq.protect.wording import HONEST

    rate = smallest_share(n, k, alpha=alpha) if share is None else share
    power = POWER if share is None else power_at(n, k, share, alpha=alpha)
    document = {"k": k, "n": n, "alpha": alpha, "share": rate, "power": power}
    sentence = (
        f"No share picked is found with {n:,} items; take more."
        if rate is None
        else f"With {n:,} items of {k} wordings a share picked of {percent(rate)} is found with a "
        f"probability of {percent(power)}; the lot alone gives {percent(1 / k)}."
    )
    emit(document, as_json, [sentence, HONEST])


def test_(
    file: Annotated[
        Path,
        typer.Argument(help="A csv file: item, wording, published, score, and benchmark if any."),
    ],
    as_json: AsJson = False,  # noqa: PT028  (a command, and no test of ours)
) -> None:
    """Test by lot the scores that others computed of a benchmark's wordings."""
    from dcq.commands.protect_make import read_file
    from dcq.protect.scores_file import assess_file, left_out_words

    benchmarks = assess_file(read_file(file), file.name)
    rows = [
        [
            name or "–",
            assessment.items,
            assessment.wordings,
            percent(assessment.share),
            f"{percent(assessment.low)} to {percent(assessment.high)}",
            f"{assessment.p_value:.3g}",
            f"{assessment.e_value:.3g}",
        ]
        for name, assessment in ((name, scored.test) for name, scored in benchmarks.items())
    ]
    for name, scored in benchmarks.items():
        if sentence := left_out_words(name, scored.left_out):
            remark(sentence)
    reasons = [
        f"{name}: {sentence}" if name else sentence
        for name, scored in benchmarks.items()
        for sentence in scored.reasons
    ]
    heads = ["benchmark", "items#", "wordings#", "picked#", "95 % interval", "p#", "E#"]
    emit(
        [scored.document(name) for name, scored in benchmarks.items()],
        as_json,
        Group(table(heads, rows), *(Text(f"\n{sentence}") for sentence in reasons)),
    )
