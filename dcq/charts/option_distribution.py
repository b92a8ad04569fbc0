"""How often each slot was chosen (the paper's Figure 3), and which letter a model prefers, whatever
its option."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dcq.charts.template import (
    CHANCE_LINE,
    INK,
    ORIGINAL,
    SMALL_SIZE,
    TICKS,
    VARIANT,
    dress,
    faded,
    new_figure,
    plain,
)
from dcq.evidence.interval import wilson
from dcq.records import Outcome, QuizKind
from dcq.words import percent

WITHOUT_ORIGINAL = (QuizKind.MODIFIED, QuizKind.BDQ)
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
    other_outcomes = [o for o in NO_LETTER if any(tally.get(o, 0) for tally in tallies.values())]
    places = {letter: float(i) for i, letter in enumerate(SLOTS)}
    places |= {outcome: len(SLOTS) + 0.3 + i for i, outcome in enumerate(other_outcomes)}

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
    return f"Share of answers by slot; {'; '.join(parts)}; guessing gives {percent(chance)}."


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


SLOTS = ("A", "B", "C", "D")


def count_answers(rows: pd.DataFrame) -> dict[str, int]:
    """Counts by answer."""
    return {str(key): int(value) for key, value in rows.groupby("answer")["count"].sum().items()}


def count_replies(tally: dict[str, int]) -> int:
    """How many replies there are: an error is none."""
    return sum(tally.values()) - tally.get(Outcome.ERROR, 0)


def answer_bars(
    owner: str, answers: list[str], tally: dict[str, int], colours: list[str]
) -> go.Bar:
    """One bar per answer with its interval; the caller gives the positions on x."""
    n = count_replies(tally)
    counted = [tally.get(answer, 0) for answer in answers]
    shares = [count / n if n else math.nan for count in counted]
    limits = [wilson(count, n) for count in counted]
    return go.Bar(
        y=shares,
        marker={"color": colours},
        error_y={
            "array": [i.high - s if i else 0 for i, s in zip(limits, shares, strict=True)],
            "arrayminus": [s - i.low if i else 0 for i, s in zip(limits, shares, strict=True)],
            "color": INK,
            "thickness": 1.5,
            "width": 4,
        },
        customdata=[
            [owner, answer, count, n] for answer, count in zip(answers, counted, strict=True)
        ],
        hovertemplate="<b>%{customdata[1]}</b>: %{customdata[2]:,} of %{customdata[3]:,}"
        " answers<extra></extra>",
    )


def set_share_axis(figure: go.Figure, chance: float, top: float) -> None:
    """Draw a y axis in per cent from 0 to ``top``; the tick at chance is labelled as such."""
    ticks = [0, chance, 0.5, 0.75, 1]
    words = [percent(tick) for tick in ticks]
    words[1] = f"guessing {words[1]}"
    figure.update_yaxes(
        range=[0, top],
        tickvals=ticks,
        ticktext=words,
        tickfont=TICKS,
        fixedrange=True,
        rangemode="tozero",
    )


PANELS_A_ROW = 4


def position_preference(counts: pd.DataFrame, chance: float = 0.25) -> go.Figure:
    """How often each model chose each letter, whatever its option; one panel per model.

    ``counts`` has columns ``model``, ``answer`` and ``count``, as ``option_distribution`` has them
    for kinds. Shares are of all replies, errors left out; whiskers are 95 % Wilson intervals. A
    bar's ``customdata`` is ``[model, answer, count, n]``.
    """
    models = list(counts["model"].unique())
    columns = max(2, min(len(models), PANELS_A_ROW))  # a lone panel would be too wide to read
    rows = math.ceil(len(models) / columns) or 1
    panels: list[list[dict[str, object] | None]] = [
        [{} if r * columns + c < len(models) else None for c in range(columns)] for r in range(rows)
    ]
    tallies = {model: count_answers(counts[counts["model"] == model]) for model in models}
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=panels,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.34 / rows,
        subplot_titles=[
            f"{plain(model, 24)}<br>n = {count_replies(tally):,}"
            for model, tally in tallies.items()
        ],
    )
    dress(figure, height=240 * rows + 60)
    for i, model in enumerate(models):
        tally = tallies[model]
        bars = answer_bars(model, list(SLOTS), tally, [VARIANT] * len(SLOTS))
        figure.add_trace(
            bars.update(x=list(SLOTS), width=0.6, showlegend=False),
            row=i // columns + 1,
            col=i % columns + 1,
        )
    figure.add_hline(y=chance, line=CHANCE_LINE)
    figure.update_xaxes(fixedrange=True, tickfont=TICKS)
    set_share_axis(figure, chance, top=1.05)
    figure.update_annotations(font_size=SMALL_SIZE)
    figure.update_layout(margin_t=60)
    return figure


def describe_position_preference(counts: pd.DataFrame, chance: float = 0.25) -> str:
    """Each model's favourite letter in one sentence."""
    parts = []
    for model in counts["model"].unique():
        tally = count_answers(counts[counts["model"] == model])
        n = count_replies(tally)
        favourite = max(SLOTS, key=lambda letter: tally.get(letter, 0))
        share = percent(tally.get(favourite, 0) / n) if n else ""
        parts.append(
            f"{model} {favourite} most often ({share} of {n:,})" if n else f"{model} nothing yet"
        )
    return (
        f"Share of answers by letter, where guessing gives {percent(chance)}: "
        f"{'; '.join(parts) or 'no answer yet'}."
    )
