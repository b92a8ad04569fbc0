"""κ from counts, and how far the two annotators of a sample agree."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dcq.commands import no_effect
from dcq.commands.output import AsJson, emit, kappa_text, open_store, percent, table
from dcq.errors import InputError
from dcq.evidence.kappa import kappa_fixed

_CHANCE = 0.25


def kappa(
    correct: Annotated[int | None, typer.Option(help="Answers that chose the original.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="All answers.")] = None,
    chance: Annotated[
        float | None,
        typer.Option(help="Share right by guessing.", show_default=str(_CHANCE)),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute κ_fixed from counts; without counts, for the 28 settings of the paper's Table 1."""
    if (correct is None) != (n is None):
        raise InputError("Give both --correct and --n, or neither for the paper's Table 1.")
    if correct is not None and n is not None:
        result = kappa_fixed(correct, n, _CHANCE if chance is None else chance)
        document = {
            key: getattr(result, key)
            for key in [
                "n",
                "correct",
                "score",
                "kappa_fixed",
                "kappa_low",
                "kappa_high",
                "p_value",
            ]
        }
        estimate = kappa_text(result.kappa_fixed, result.kappa_low, result.kappa_high)
        tail = f", score {percent(result.score)}, p = {result.p_value:.3g}" if result.n else ""
        emit(document, as_json, f"κ_fixed {estimate or 'has no value at n = 0'}{tail}")
        return
    no_effect.refuse({"--chance": chance}, "The paper's Table 1 has a chance of its own")
    rows = _table1()
    emit(
        rows,
        as_json,
        table(
            ["model", "dataset", "split", "n#", "correct#", "κ_fixed %#", "printed %#"],
            [
                [
                    r["model"],
                    r["dataset"],
                    r["split"],
                    r["n"],
                    r["correct"],
                    f"{100 * r['contamination']:.2f}",
                    f"{100 * r['printed']:.2f}",
                ]
                for r in rows
            ],
        ),
    )


def _table1() -> list[dict[str, Any]]:
    # Imported here, because it takes half a second and is not needed for counts.
    from dcq.audit import published

    table1 = published.table1().rename(columns={"kappa": "kappa_fixed"})
    table1["contamination"] = table1["kappa_fixed"].clip(lower=0)
    renamed = table1.rename(columns={"low": "kappa_low", "high": "kappa_high"})
    return [{str(key): value for key, value in row.items()} for row in renamed.to_dict("records")]


def agreement(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")], as_json: AsJson = False
) -> None:
    """Say how far the two annotators of a sample's variants agree, with intervals."""
    from dcq.variants import annotators  # here, because κ from counts needs no arrays

    stored = annotators.load(open_store(), sample)
    if as_json:
        emit(stored.document(), True, "")
        return
    text = annotators.describe(" and ".join(stored.compared.pair.names), stored.compared.agreement)
    differ = len(stored.compared.differ)
    if differ:
        text += f" They differ on {differ:,}; a third person has settled {stored.adjudicated:,}."
    paces = [annotators.describe_pace(*pace) for pace in stored.compared.paces]
    emit(None, False, [text, *filter(None, paces)])
