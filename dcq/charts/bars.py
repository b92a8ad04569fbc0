"""The option distribution: how often each slot was chosen (paper 000, Figure 3)."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from dcq.charts.slots import SLOTS, answer_bars, count_answers, count_replies, set_share_axis
from dcq.charts.template import (
    CHANCE_LINE,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    faded,
    new_figure,
)
from dcq.records import Kind, Outcome
from dcq.words import percent

WITHOUT_ORIGINAL = (Kind.MODIFIED, Kind.BDQ)
NO_LETTER = (Outcome.NONE, Outcome.REFUSED, Outcome.INVALID)
VALUE_HEIGHT = 0.085  # of a value above its bar, on the scale of shares


def option_distribution(
    counts: pd.DataFrame, original: str | None = None, chance: float = 0.25
) -> go.Figure:
    """How often each slot was chosen, without the original (faded) and with it (solid).

    ``counts`` has one row per quiz kind and answer: ``kind``, ``answer`` (a letter from A to D or
    an outcome that is no letter) and ``count``. ``original`` is the letter of the slot that holds
    the original in the solid bars. Shares are of all replies, errors left out, and whiskers are
    95 % Wilson intervals. A bar's ``customdata`` is ``[kind, answer, count, n]``.
    """
    kinds = sorted(counts["kind"].unique(), key=lambda kind: kind not in WITHOUT_ORIGINAL)
    tallies = {kind: count_answers(counts[counts["kind"] == kind]) for kind in kinds}
    others = [o for o in NO_LETTER if any(tally.get(o, 0) for tally in tallies.values())]
    places = {letter: float(i) for i, letter in enumerate(SLOTS)}
    places |= {outcome: len(SLOTS) + 0.3 + i for i, outcome in enumerate(others)}

    figure = new_figure(height=380)
    figure.update_layout(showlegend=True, margin_b=60)
    width = 0.78 / max(len(kinds), 1) if len(kinds) > 1 else 0.56
    for index, kind in enumerate(kinds):
        shift = (index - (len(kinds) - 1) / 2) * (width + 0.02)
        _add_slot_bars(figure, kind, tallies[kind], places, shift, width, original, chance)
    _add_chance(figure, chance, places["A"] - 0.5, places["D"] + 0.5)
    # The word stands below the bars: above them, it would run into the value beside it.
    marks = original if set(kinds) - set(WITHOUT_ORIGINAL) else None
    names = [
        f"<b>{place}</b>{'<br><b>original</b>' if place == marks else ''}"
        if place in SLOTS
        else str(place)
        for place in places
    ]
    figure.update_xaxes(
        tickvals=list(places.values()),
        ticktext=names,
        tickfont=TICKS,
        range=[-0.5, max(places.values()) + 0.5],
        fixedrange=True,
    )
    set_share_axis(figure, chance, top=1.1)
    return figure


def describe_option_distribution(
    counts: pd.DataFrame, original: str | None = None, chance: float = 0.25
) -> str:
    """The option distribution in one sentence, as alternative text."""
    parts = []
    for kind in sorted(counts["kind"].unique(), key=lambda kind: kind not in WITHOUT_ORIGINAL):
        tally = count_answers(counts[counts["kind"] == kind])
        n = count_replies(tally)
        shares = ", ".join(
            f"{place} {percent(tally.get(place, 0) / n)}"
            for place in (*SLOTS, *NO_LETTER)
            if n and (place in SLOTS or tally.get(place, 0))
        )
        parts.append(f"{_legend(kind, tally, original)}: {shares or 'no answer yet'}")
    if not parts:
        return "Share of answers by slot: no answer yet."
    return f"Share of answers by slot; {'; '.join(parts)}; chance is {percent(chance)}."


def _legend(kind: str, tally: dict[str, int], original: str | None) -> str:
    """``with the original at D, n = 100``."""
    if kind in WITHOUT_ORIGINAL:
        words = "without the original"
    else:
        words = f"with the original at {original}" if original else "with the original"
    errors = tally.get(Outcome.ERROR, 0)
    left_out = f" ({errors:,} without a reply left out)" if errors else ""
    return f"{words}, n = {count_replies(tally):,}{left_out}"


def _add_slot_bars(
    figure: go.Figure,
    kind: str,
    tally: dict[str, int],
    places: dict[str, float],
    shift: float,
    width: float,
    original: str | None,
    chance: float,
) -> None:
    """The bars of one quiz, their values above the whiskers, and their legend entry."""
    without = kind in WITHOUT_ORIGINAL
    answers = list(places)
    edges = [ORIGINAL if answer == original else VARIANT for answer in answers]
    bars = answer_bars(kind, answers, tally, [faded(e) if without else e for e in edges])
    x = [place + shift for place in places.values()]
    bars.update(x=x, width=width, legendgroup=kind, showlegend=False)
    bars.update(marker_line={"color": edges, "width": 1})
    figure.add_trace(bars)
    for place, share, up in zip(x, bars.y, bars.error_y.array, strict=True):
        if math.isnan(share):
            continue
        top = share + up
        figure.add_annotation(
            x=place,
            y=chance if chance - VALUE_HEIGHT < top < chance else top,  # never across the line
            text=percent(share),
            showarrow=False,
            yanchor="bottom",
            yshift=2,
            font_size=SMALL_SIZE,
        )
    # The legend shows full against faded; which slot is blue is said at the bar.
    figure.add_trace(
        go.Bar(
            x=[None],
            y=[None],
            name=_legend(kind, tally, original),
            legendgroup=kind,
            marker={
                "color": faded(VARIANT) if without else VARIANT,
                "line": {"color": VARIANT, "width": 1},
            },
        )
    )


def _add_chance(figure: go.Figure, chance: float, start: float, end: float) -> None:
    """The dashed line of guessing, from ``start`` to ``end`` on x."""
    figure.add_shape(
        type="line",
        x0=start,
        x1=end,
        y0=chance,
        y1=chance,
        line=CHANCE_LINE,
    )
