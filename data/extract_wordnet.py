"""Writes ``data/wordnet.tsv.gz``, the part of WordNet 3.0 that the offline rewordings need.

    python data/extract_wordnet.py /usr/share/wordnet     # Debian: apt-get install wordnet-base

After WordNet's licence, in lines that start with ``#``, each line is one of two kinds:

- ``pos TAB word:share …``: a set of synonyms. ``share`` is the part, in per cent, that
  this meaning has among the uses of the word as this part of speech, from WordNet's tagged texts.
- ``collocation TAB word word``: an expression of two words, which is not to be taken apart.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import defaultdict
from pathlib import Path

from wordfreq import zipf_frequency

TARGET = Path(__file__).parent / "wordnet.tsv.gz"
FILES = {"noun": "1", "verb": "2", "adj": "3", "adv": "4"}
MIN_SHARE = 5  # per cent: below, a reader does not think of this meaning
MIN_ZIPF = 2.5  # log10 of uses in a billion words: about the word "forsake"
COLLOCATION_ZIPF = 3.0
WORD = re.compile(r"[a-z]+")


def licence(folder: Path) -> list[str]:
    """The notice at the head of WordNet's own files, without its line numbers."""
    head = (folder / "data.noun").read_text("utf-8").splitlines()[:29]
    return [re.sub(r"^\s*\d+ ?", "", line).rstrip() for line in head]


def counts(folder: Path) -> dict[tuple[str, str, int], int]:
    """How often each sense was tagged, by word, part of speech and number of the sense."""
    found = {}
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        key, sense, count = line.split()
        word, rest = key.split("%", 1)
        found[word, "3" if rest[0] == "5" else rest[0], int(sense)] = int(count)
    return found


def shares(
    folder: Path, pos: str, tagged: dict[tuple[str, str, int], int]
) -> dict[str, dict[str, int]]:
    """For each set of synonyms (by offset) its words with the share of this meaning."""
    members: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / f"index.{pos}").read_text("utf-8").splitlines():
        word, _, size, *rest = line.split() if not line.startswith(" ") else ("", "", "0")
        if not WORD.fullmatch(word) or zipf_frequency(word, "en") < MIN_ZIPF:
            continue
        offsets = rest[-int(size) :]
        weights = [tagged.get((word, FILES[pos], n), 0) + 1 / n for n in range(1, len(offsets) + 1)]
        for offset, weight in zip(offsets, weights, strict=True):
            if (share := round(100 * weight / sum(weights))) >= MIN_SHARE:
                members[offset][word] = share
    return members


def main(folder: Path) -> None:
    """Writes the extract of the WordNet in ``folder``."""
    tagged = counts(folder)
    lines = [f"# {line}".rstrip() for line in licence(folder)]
    collocations = set()
    for pos in FILES:
        known = shares(folder, pos, tagged)
        for line in (folder / f"data.{pos}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            facts = line.partition(" | ")[0]
            offset, _, _, size, *rest = facts.split()
            names = rest[: 2 * int(size, 16) : 2]
            for name in names:
                parts = name.lower().split("_")
                if len(parts) == 2 and all(
                    WORD.fullmatch(p) and zipf_frequency(p, "en") >= COLLOCATION_ZIPF for p in parts
                ):
                    collocations.add(" ".join(parts))
            # Brackets after an adjective limit where it can stand; such words are left out.
            words = {w: known.get(offset, {}).get(w) for w in names if WORD.fullmatch(w)}
            usable = [f"{word}:{share}" for word, share in words.items() if share]
            if len(usable) > 1:
                lines.append(f"{pos}\t{' '.join(usable)}")
    lines += [f"collocation\t{pair}" for pair in sorted(collocations)]
    with gzip.GzipFile(TARGET, "wb", mtime=0) as file:  # no time stamp: the same bytes every time
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
