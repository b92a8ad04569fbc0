"""Writes ``data/synsets.tsv.gz``, the part of WordNet 3.0 that METEOR's synonym stage needs.

    python data/extract_synsets.py /usr/share/wordnet     # Debian: apt-get install wordnet-base

After WordNet's licence, in lines that start with ``#``, each line is one of two kinds, with
``pos`` one of n, v, a, r:

- ``pos TAB word word …``: a set of synonyms, without expressions of several words unless a single
  word is an irregular form of one (``comics`` of ``comic_strip``). Sets in which every word has a
  capital are left out: lower-cased text never equals one.
- ``pos! TAB form lemma …``: an irregular form and what it is a form of.
"""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parent / "synsets.tsv.gz"
FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def licence(folder: Path) -> list[str]:
    """The notice at the head of WordNet's own files, without its line numbers."""
    head = (folder / "data.noun").read_text("utf-8").splitlines()[:29]
    return [re.sub(r"^\s*\d+ ?", "", line).rstrip() for line in head]


def synsets(folder: Path, name: str, kept: set[str]) -> list[str]:
    """The lines of one part of speech; ``kept`` are the expressions to keep."""
    lines = []
    for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        _, _, _, size, *rest = line.partition(" | ")[0].split()
        names = [re.sub(r"\(.*\)$", "", word) for word in rest[: 2 * int(size, 16) : 2]]
        single = [word for word in names if "_" not in word]
        if any(word == word.lower() for word in single):
            shown = [word for word in names if "_" not in word or word in kept]
            lines.append(f"{FILES[name]}\t{' '.join(shown)}")
    return lines


def main(folder: Path) -> None:
    """Writes the extract of the WordNet in ``folder``."""
    lines = [f"# {line}".rstrip() for line in licence(folder)]
    for name, pos in FILES.items():
        irregular = [line.split() for line in (folder / f"{name}.exc").read_text().splitlines()]
        irregular = [words for words in irregular if "_" not in words[0]]
        kept = {base for _, *bases in irregular for base in bases if "_" in base}
        lines += sorted(set(synsets(folder, name, kept)))
        lines += [f"{pos}!\t{' '.join(words)}" for words in irregular]
    with gzip.GzipFile(TARGET, "wb", mtime=0) as file:  # no time stamp: the same bytes every time
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
