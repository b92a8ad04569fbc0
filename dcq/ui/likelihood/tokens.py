"""A text token by token, each shaded by how much it surprised the model; tokens of words that the
compared text lacks are bold.

A component draws it from data, never from markup, in the colours of the theme. The most surprising
tokens are underlined too, and a tooltip gives each token's probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from dcq.models.scorers.likelihood import Likelihood
from dcq.ui import browser
from dcq.ui.text import alignment
from dcq.variants.concerns import word_diff
from dcq.words import two_decimals

MOST, LONGEST = 600, 200  # tokens of a text, and characters of a token, that are drawn
_COMPARED = 20_000  # characters up to which words are compared
# Surprise in nats from which on a step begins, −log of the probabilities in words.
_STEPS = (0.693, 2.303, 4.605, 6.908)
_WORDS = ("50 % and more", "10 to 50 %", "1 to 10 %", "0.1 to 1 %", "below 0.1 %")
_NOT_SCORED = -1

# Shades are of the text's own colour, the darkest of which leave it a contrast of 4.9 in both
# themes.
_DRAW = """
const SHADES = [0, 9, 18, 27, 36];
export default function ({ parentElement, data }) {
  const text = document.createElement("p");
  Object.assign(text.style, {
    margin: 0, font: "0.9rem/1.75 var(--st-code-font)", color: "var(--st-text-color)",
    whiteSpace: "pre-wrap", overflowWrap: "anywhere",
  });
  text.dir = data.direction;
  for (const {words, step, tip, differs} of data.tokens) {
    const one = document.createElement("span");
    // A space before a word is not shaded: at the end of a line it would be a box of its own.
    const word = words.trimStart();
    if (word) text.append(words.slice(0, words.length - word.length));
    one.textContent = word || words;
    if (tip) one.title = tip;
    const shade = SHADES[step] || 0;
    Object.assign(one.style, {
      borderRadius: "2px", marginInlineEnd: "1px", padding: "0.1em 0",
      background: "color-mix(in srgb, var(--st-text-color) " + shade + "%, transparent)",
    });
    if (step === 4) Object.assign(one.style, {
      textDecoration: "underline", textDecorationThickness: "2px", textUnderlineOffset: "3px",
    });
    if (differs) one.style.fontWeight = 700;
    if (step < 0) one.style.color = "var(--st-gray-text-color)";
    text.append(one);
  }
  parentElement.replaceChildren(text);
}
"""


@dataclass(frozen=True)
class _Shown:
    """A token as it is drawn: how surprising it is, what it says of itself, and whether another
    text differs there."""

    words: str
    step: int = _NOT_SCORED
    tip: str = ""
    differs: bool = False


def legend(*, key: str) -> None:
    """The meaning of the shades, with sample tokens."""
    tokens = [_Shown("probability: ")]
    for step, words in enumerate(_WORDS):
        tokens += [_Shown(words, step), _Shown("  ")]
    tokens.append(_Shown("bold", 0, differs=True))
    tokens.append(_Shown(": not in the other text"))
    _draw(tokens, "ltr", key)


def show(text: str, likelihood: Likelihood, other_text: str, *, key: str) -> None:
    """The tokens of a ``text``, compared with ``other_text``; tokens before the first scored one
    are grey."""
    scored_text = "".join(likelihood.pieces)
    before = text.removesuffix(scored_text) if scored_text and text.endswith(scored_text) else ""
    tokens = [_Shown(before[:LONGEST], tip="not scored")] if before else []
    differing, at = _differing(before + scored_text, other_text), len(before)
    for piece, logprob in zip(
        likelihood.pieces[:MOST], likelihood.logprobs[:MOST].tolist(), strict=True
    ):
        differs = any(differing[at : at + len(piece)])
        tokens.append(_Shown(piece[:LONGEST], _step(-logprob), _tip(logprob), differs))
        at += len(piece)
    if len(likelihood.pieces) > MOST:
        tokens.append(_Shown(" …", tip=f"{len(likelihood.pieces) - MOST:,} more tokens"))
    _draw(tokens, "rtl" if alignment(text) == "right" else "ltr", key)


def _differing(text: str, other: str) -> list[bool]:
    """For each character of ``text`` whether it belongs to a word that ``other`` has not there."""
    if max(len(text), len(other)) > _COMPARED:
        return []
    left, _ = word_diff(text, other)
    return [kind != "same" and not letter.isspace() for words, kind in left for letter in words]


def _draw(tokens: Sequence[_Shown], direction: Literal["ltr", "rtl"], key: str) -> None:
    browser.component("dcq_tokens", _DRAW)(
        key=key,
        data={
            "tokens": [asdict(token) for token in tokens],
            "direction": direction,
        },
    )


def _step(surprise: float) -> int:
    return sum(surprise > edge for edge in _STEPS)


def _tip(logprob: float) -> str:
    return f"log p {two_decimals(logprob)}"
