"""A document as Markdown, and its tables as LaTeX for a paper.

Numbers are those of the screens. Names come from data sets and models, so whatever either format
would interpret is escaped: a pipe, a backtick or a tag in Markdown, a command in LaTeX.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import pandas as pd

from dcq.documents.deck import Deck
from dcq.documents.pictures import alt_of
from dcq.documents.result_tables import cell_text, is_number
from dcq.sections import Example, Exhibit

LONG = 40  # characters of a cell, from which on its column breaks lines
MOST_LINES = 30  # of a table; a longer one runs over several pages

_MARKDOWN = re.compile(r"([\\`*_\[\]|~$<>&]|:(?=//)|^[-+=#]|(?<=^\d)[.)])")
# What a command, an optional argument, a ligature or a missing letter would be made of.
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "−": "$-$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\to$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "§": r"\S{}",
    "•": r"$\bullet$",
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "▲": r"$\triangle$",
    "■": r"\rule{.5em}{.5em}",
    "⚑": r"$\triangleright$",
    "✓": r"$\surd$",
    "✗": r"$\times$",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "‹": r"\guilsinglleft{}",
    "›": r"\guilsinglright{}",
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "…": r"\dots{}",
    "\u00a0": "~",
    "\u202f": r"\,",
}
# The encoding T1 has all of these letters; of no others can every LaTeX be sure.
_SURE = re.compile("[ -~À-ÖØ-öø-ÿ]")
# A letter that the font lacks stops pdfLaTeX, and the two others leave it out in silence. No robust
# command: a list of tables that stands before the tables would not know it.
_LATEX_HEAD = r"""% Made with dcq. Needs the packages booktabs, longtable, array, and fontenc (T1).
% A letter that your font does not have is printed as its number, for example [U+4E2D].
% XeLaTeX and LuaLaTeX print names in all scripts if you choose a font that has them.
% {title}
\providecommand\dcqletter[2]{{%
  \ifdefined\Umathcode\iffontchar\font"#1 #2\else[U+#1]\fi
  \else\ifcsname u8:\detokenize{{#2}}\endcsname#2\else[U+#1]\fi\fi}}
"""


def markdown(deck: Deck) -> str:
    """A document as Markdown: all sections, charts as their alternative text and their tables."""
    lines = [f"# {markdown_text(deck.title)}", ""]
    if deck.subtitle:
        lines += [markdown_text(deck.subtitle), ""]
    for section in deck.sections:
        lines += [f"## {markdown_text(section.title)}", ""]
        for sentence in section.sentences:
            lines += [markdown_text(sentence), ""]
        if section.example is not None:
            lines += _md_example(section.example)
        for exhibit in section.exhibits:
            lines += _md_exhibit(exhibit)
    return "\n".join(lines).rstrip() + "\n"


def markdown_text(text: object) -> str:
    """A text in Markdown, on one line, as it is; marks that turn the direction of writing are
    dropped."""
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def _md_example(example: Example) -> list[str]:
    lines = [markdown_text(example.instruction), ""]
    for letter, text in example.options:
        lines += [f"- **{letter}** {markdown_text(text)}"]
    caption = "  \n".join(map(markdown_text, example.caption))
    return [*lines, "", f"**{markdown_text(example.answer)}**", "", caption, ""]


def _md_exhibit(exhibit: Exhibit) -> list[str]:
    lines = [f"### {markdown_text(exhibit.title)}", ""]
    for sentence in exhibit.sentences:
        lines += [markdown_text(sentence), ""]
    if exhibit.chart is not None:
        lines += [markdown_text(alt_of(exhibit)), ""]
    names = list(exhibit.table.columns)
    rules = ["---:" if is_number(exhibit.table, name) else "---" for name in names]
    for row in (
        map(markdown_text, names),
        rules,
        *(map(_md_cell, row) for row in _rows(exhibit.table)),
    ):
        lines.append(f"| {' | '.join(row)} |")
    return [*lines, "", "  \n".join(map(markdown_text, exhibit.caption)), ""]


def _md_cell(cell: object) -> str:
    return markdown_text(cell_text(cell))


def latex(deck: Deck) -> str:
    """Every table with a caption and a label, for ``\\input`` into a paper."""
    parts = [_LATEX_HEAD.format(title=_tex(deck.title))]
    for section in deck.sections:
        for number, exhibit in enumerate(section.exhibits, 1):
            parts.append(_latex_table(exhibit, f"tab:dcq-{section.part}-{number}"))
    return "\n".join(parts)


def latex_of(title: str, exhibits: Sequence[Exhibit], part: str) -> str:
    """As ``latex``, of these tables; their labels begin with ``tab:dcq-`` and the ``part``."""
    return "\n".join(
        [
            _LATEX_HEAD.format(title=_tex(title)),
            *(
                _latex_table(exhibit, f"tab:dcq-{part}-{number}")
                for number, exhibit in enumerate(exhibits, 1)
            ),
        ]
    )


def _latex_table(exhibit: Exhibit, label: str) -> str:
    table = exhibit.table
    lines = (line if line.endswith((".", "!", "?")) else f"{line}." for line in exhibit.caption)
    caption = _tex(f"{exhibit.title}. {' '.join(lines)}")
    head = " & ".join(rf"\textbf{{{_tex(name)}}}" for name in table.columns)
    body = "\n".join(
        " & ".join(_tex(cell_text(cell)) for cell in row) + r" \\" for row in _rows(table)
    )
    columns = _columns(table)
    if len(table) > MOST_LINES:
        return (
            f"{{\\footnotesize\n\\begin{{longtable}}{{{columns}}}\n\\caption{{{caption}}}"
            f"\\label{{{label}}} \\\\\n\\toprule\n{head} \\\\\n\\midrule\n\\endhead\n{body}\n"
            "\\bottomrule\n\\end{longtable}}\n"
        )
    return (
        "\\begin{table*}\n\\centering\\footnotesize\n"
        f"\\caption{{{caption}}}\n\\label{{{label}}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table*}\n"
    )


def _columns(table: pd.DataFrame) -> str:
    """Whole numbers to the right; columns with sentences break lines."""
    kinds = []
    for place, name in enumerate(table.columns):
        longest = max((len(str(cell)) for cell in table.iloc[:, place]), default=0)
        if is_number(table, name):
            kinds.append("r")
        else:
            kinds.append(
                r">{\raggedright\arraybackslash}p{0.35\textwidth}" if longest > LONG else "l"
            )
    return "".join(kinds)


def _tex(text: object) -> str:
    line = "".join(map(_tex_letter, unicodedata.normalize("NFC", _one_line(text))))
    return re.sub("-(?=-)", "-{}", line)  # or two hyphens would be drawn as a dash


def _tex_letter(letter: str) -> str:
    if letter in _LATEX or _SURE.fullmatch(letter):
        return _LATEX.get(letter, letter)
    return rf"\dcqletter{{{ord(letter):04X}}}{{{letter}}}"


def _one_line(text: object) -> str:
    """Without line breaks, control characters and marks that turn the direction of writing."""
    letters = (
        " " if letter.isspace() and letter not in "\u00a0\u202f" else letter
        for letter in str(text)
        if letter.isspace() or unicodedata.category(letter) not in {"Cc", "Cf", "Cs"}
    )
    return re.sub(" +", " ", "".join(letters)).strip(" ")


def _rows(table: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(table.itertuples(index=False, name=None))
