"""Small pictures that are redrawn at each key press: bars, and a strip of dots.

A plotly figure would take longer to draw than the record beside it. These are drawn by Streamlit's
components from data, never from markup, in the colours of the theme. Colour is never the only sign:
a mark or a word says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import streamlit as st

from dcq.ui import browser


class RecordState(StrEnum):
    """The state of a record, as a dot shows it."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DISPUTED = "disputed"
    MISSING = "missing"


@dataclass(frozen=True)
class Dot:
    """A record as a dot: its ``id``, its ``number`` in the sample, its state, and whether the user
    has a ``draft``."""

    id: str
    number: int
    state: RecordState
    draft: bool = False


@dataclass(frozen=True)
class Bar:
    """A line of bars: its name, whether it is the original, and for each column the filled share (0
    to 1) with its text; None draws nothing."""

    name: str
    original: bool
    cells: tuple[tuple[float, str] | None, ...]


_MAKE = """
const make = (tag, style, text) => {
  const one = document.createElement(tag);
  Object.assign(one.style, style);
  if (text !== undefined) one.textContent = text;
  return one;
};
"""

_BARS = (
    _MAKE
    + """
export default function ({ parentElement, data }) {
  const columns = data.heads.length;
  const grid = make("div", {
    display: "grid", gridTemplateColumns: "auto" + " 1fr auto".repeat(columns),
    columnGap: "0.5rem", rowGap: "0.15rem", alignItems: "center", padding: "0.25rem 0",
    font: "0.875rem var(--st-font)", color: "var(--st-text-color)",
  });
  grid.setAttribute("role", "img");
  grid.setAttribute("aria-label", data.words);
  grid.append(make("span", {}));
  for (const head of data.heads)
    grid.append(make("span", { gridColumn: "span 2", color: "var(--st-gray-text-color)" }, head));
  for (const { name, original, cells } of data.bars) {
    grid.append(make("span", { fontWeight: original ? 600 : 400 }, name));
    for (const cell of cells) {
      const track = make("span", {
        height: "0.6rem", borderRadius: "2px", overflow: "hidden",
        background: "var(--st-secondary-background-color)",
      });
      const figure = make("span", {
        textAlign: "right", fontVariantNumeric: "tabular-nums",
      }, cell ? cell[1] : "");
      if (cell) track.append(make("span", {
        display: "block", height: "100%", width: 100 * cell[0] + "%",
        background: original ? "var(--st-blue-color)" : "var(--st-gray-color)",
      }));
      grid.append(track, figure);
    }
  }
  parentElement.replaceChildren(grid);
}
"""
)

_DOTS = (
    _MAKE
    + """
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes) => {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  return one;
};
const LINE = { fill: "none", "stroke-width": 1.6, stroke: "currentColor" };
const MARKS = {
  open: () => draw("circle", { ...LINE, cx: 8, cy: 8, r: 4 }),
  accepted: () => draw("circle", { fill: "currentColor", cx: 8, cy: 8, r: 4.8 }),
  rejected: () => draw("path", { ...LINE, "stroke-width": 2, d: "M4 4 L12 12 M12 4 L4 12" }),
  disputed: () => draw("path", { fill: "currentColor", d: "M8 2 L14 8 L8 14 L2 8 Z" }),
  missing: () => draw("path", { ...LINE, d: "M5 8 H11" }),
};
const COLOURS = { accepted: "var(--st-link-color)", disputed: "var(--st-yellow-color)" };
const mark = (state, draft) => {
  const svg = draw("svg", { viewBox: "0 0 16 16", width: "100%", "aria-hidden": "true" });
  svg.style.color = COLOURS[state] ?? "var(--st-gray-text-color)";
  svg.style.display = "block";
  svg.append(MARKS[state]());
  if (draft) {
    const corner = draw("path", { d: "M9 0 H16 V7 Z" });
    corner.style.fill = "var(--st-orange-color)";
    svg.append(corner);
  }
  return svg;
};
export default function ({ parentElement, data, setTriggerValue }) {
  const row = make("div", {
    display: "flex", flexWrap: "wrap", alignItems: "center", gap: "0.15rem 0.75rem",
    font: "0.875rem var(--st-font)", color: "var(--st-gray-text-color)",
  });
  const dots = make("div", { display: "flex", flexWrap: "wrap", alignItems: "center" });
  dots.setAttribute("role", "group");
  dots.setAttribute("aria-label", data.words);
  const button = (id, words, style) => {
    const one = make("button", {
      all: "unset", boxSizing: "border-box", cursor: "pointer", ...style,
    });
    one.title = words;
    one.setAttribute("aria-label", words);
    one.tabIndex = -1;
    one.onclick = () => setTriggerValue("opened", id);
    one.onfocus = () => { one.style.outline = "2px solid var(--st-primary-color)"; };
    one.onblur = () => { one.style.outline = "none"; };
    return one;
  };
  const turn = (id, words, sign) => {
    if (!id) return;
    const one = button(id, words, { padding: "0 0.4rem", color: "var(--st-text-color)" });
    one.textContent = sign;
    dots.append(one);
  };
  turn(data.before, data.before_words, "‹");
  const size = data.dots.length > 60 ? "0.68rem" : "1rem";
  for (const { id, words, state, draft, here } of data.dots) {
    const one = button(id, words, {
      width: size, padding: "2px 0 3px",
      borderBottom: "2px solid " + (here ? "var(--st-text-color)" : "transparent"),
    });
    if (here) one.setAttribute("aria-current", "true");
    one.append(mark(state, draft));
    dots.append(one);
  }
  turn(data.after, data.after_words, "›");
  // One stop for the tab key; the arrows go from dot to dot.
  const all = [...dots.children];
  (all.find((one) => one.hasAttribute("aria-current")) ?? all[0]).tabIndex = 0;
  dots.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = by && all[all.indexOf(event.target) + by];
    if (next) { next.focus(); event.preventDefault(); event.stopPropagation(); }
  };
  row.append(dots);
  const legend = make("div", { display: "flex", flexWrap: "wrap", gap: "0 0.75rem" });
  for (const [state, words] of data.legend) {
    const one = make("span", { display: "flex", alignItems: "center", gap: "0.25rem" });
    const sign = make("span", { width: "0.8rem" });
    sign.append(mark(state === "draft" ? "open" : state, state === "draft"));
    one.append(sign, words);
    legend.append(one);
  }
  row.append(legend);
  parentElement.replaceChildren(row);
}
"""
)


def bar_columns(heads: Sequence[str], lines: Sequence[Bar], *, words: str, key: str) -> None:
    """A column of bars for each of ``heads``; ``words`` are the alternative text."""
    browser.component("dcq_bars", _BARS)(
        key=key,
        data={
            "heads": list(heads),
            "words": words,
            "bars": [
                {"name": bar.name, "original": bar.original, "cells": bar.cells} for bar in lines
            ],
        },
    )


def strip(
    dots: Sequence[Dot],
    *,
    open_id: str,
    words: str,
    before: Dot | None,
    after: Dot | None,
    key: str,
    on_open: Callable[[str], None],
) -> None:
    """A row of dots. ``open_id`` is the id of the open record, ``words`` are the alternative text,
    and ``before`` and ``after`` are the records to which its ends lead. ``on_open`` is called with
    the id of the clicked record, as the browser sent it."""
    held = {dot.state for dot in dots}
    legend = [(str(state), str(state)) for state in RecordState if state in held]
    if any(dot.draft for dot in dots):
        legend.append(("draft", "your draft"))
    browser.component("dcq_dots", _DOTS)(
        key=key,
        data={
            "words": words,
            "dots": [
                {
                    "id": dot.id,
                    "state": str(dot.state),
                    "draft": dot.draft,
                    "here": dot.id == open_id,
                    "words": f"Instance {dot.number:,}: {dot.state}"
                    + (", your draft is not saved" if dot.draft else ""),
                }
                for dot in dots
            ],
            "legend": legend,
            "before": before and before.id,
            "before_words": before and f"Back to instance {before.number:,}",
            "after": after and after.id,
            "after_words": after and f"On to instance {after.number:,}",
        },
        on_opened_change=lambda: _call(key, on_open),
    )


def _call(key: str, on_open: Callable[[str], None]) -> None:
    opened = st.session_state[key].opened
    if isinstance(opened, str):
        on_open(opened)
