"""A corpus in which it is known what stands where, of any size.

Words come as often as in English (wordfreq). Each query is planted in one way, in documents of
filler: verbatim with its label, respaced (white space, case and punctuation changed), with a word
inserted after every eight, with every seventh word replaced, without its label, with its words
shuffled, or not at all.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from fastwarc.warc import WarcRecord, WarcRecordType
from pyarrow import parquet
from wordfreq import top_n_list, word_frequency

from dcq.overlap.scan.index import ScanQuery

WAYS = ("verbatim", "respaced", "inserted", "replaced", "input only", "shuffled", "absent")
FORMATS = ("jsonl", "parquet", "wet.gz")
_WORDS = 400  # of filler in a document
_MEMORY = 20_000  # documents written at a time


@dataclass(frozen=True)
class Planted:
    """Queries with the way each was planted, and the files of the corpus."""

    queries: tuple[ScanQuery, ...]
    ways: tuple[str, ...]
    files: tuple[Path, ...]


@functools.cache
def _vocabulary() -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float64]]:
    """Words, and the chance of each and all before it."""
    words = [word for word in top_n_list("en", 30_000) if word.isascii() and word.isalpha()]
    weights = np.array([word_frequency(word, "en") for word in words])
    return np.array(words, dtype=object), np.cumsum(weights / weights.sum())


class _WordSource:
    def __init__(self, seed: int) -> None:
        self._known, self._chances = _vocabulary()
        self._rng = np.random.default_rng(seed)

    def draw(self, count: int) -> list[str]:
        at = np.searchsorted(self._chances, self._rng.random(count))
        return list(self._known[np.minimum(at, len(self._known) - 1)])


def make(
    folder: Path,
    size: int,
    queries: int = 700,
    forms: Sequence[str] = FORMATS,
    seed: int = 0,
) -> Planted:
    """About ``size`` bytes of text in ``folder``, a file of each form in turn."""
    words, rng = _WordSource(seed), random.Random(seed)
    asked = tuple(
        ScanQuery(f"q{n}", " ".join(words.draw(rng.randint(12, 50))), " ".join(words.draw(5)))
        for n in range(queries)
    )
    ways = tuple(WAYS[n % len(WAYS)] for n in range(queries))
    documents = max(queries, round(size / (_WORDS * 5.5)))
    where = dict(zip(rng.sample(range(documents), queries), range(queries), strict=True))
    files = [folder / f"corpus.{form}" for form in forms]
    share = -(-documents // len(files))
    for number, path in enumerate(files):
        part = range(number * share, min((number + 1) * share, documents))
        texts = (_document(at, words, rng, where.get(at), asked, ways) for at in part)
        _write(path, texts)
    return Planted(asked, ways, tuple(files))


def _document(
    at: int,
    words: _WordSource,
    rng: random.Random,
    query: int | None,
    asked: Sequence[ScanQuery],
    ways: Sequence[str],
) -> tuple[str, str]:
    filler = words.draw(_WORDS)
    if query is None or ways[query] == "absent":
        return f"d{at}", " ".join(filler)
    middle = rng.randrange(len(filler))
    planted = _plant(asked[query], ways[query], words, rng)
    before, after = " ".join(filler[:middle]), " ".join(filler[middle:])
    return f"d{at}", f"{before}. {planted} {after}"


def _plant(query: ScanQuery, way: str, words: _WordSource, rng: random.Random) -> str:
    query_words = query.query.split()
    if way == "input only":
        return query.query
    if way == "respaced":
        signs = ("  ", "\n", ", ", " - ", "\t")
        joined = "".join(word.title() + rng.choice(signs) for word in query_words)
        return f"{joined}{query.label}"
    if way == "inserted":
        starts = range(0, len(query_words), 8)
        query_words = [
            word for at in starts for word in (*query_words[at : at + 8], *words.draw(1))
        ]
    elif way == "replaced":
        query_words = [
            words.draw(1)[0] if at % 7 == 6 else word for at, word in enumerate(query_words)
        ]
    elif way == "shuffled":
        rng.shuffle(query_words)
    return f"{' '.join(query_words)} {query.label}"


def _write(path: Path, documents: Iterator[tuple[str, str]]) -> None:
    if path.name.endswith(".jsonl"):
        with path.open("w", encoding="utf-8") as file:
            for name, text in documents:
                file.write(json.dumps({"id": name, "text": text}) + "\n")
    elif path.name.endswith(".parquet"):
        schema = pa.schema([("id", pa.string()), ("text", pa.string())])
        with parquet.ParquetWriter(path, schema) as writer:
            while some := [pair for pair, _ in zip(documents, range(_MEMORY), strict=False)]:
                writer.write_table(
                    pa.table({"id": [a for a, _ in some], "text": [b for _, b in some]})
                )
    else:
        with gzip.open(path, "wb", compresslevel=1) as file:
            for name, text in documents:
                file.write(wet_record(f"https://example.org/{name}", text))


def wet_record(address: str, text: str) -> bytes:
    """A record of a WET file, as Common Crawl publishes extracted texts."""
    record = WarcRecord()
    record.init_headers(record_type=WarcRecordType.conversion)
    record.headers["WARC-Target-URI"] = address
    record.headers["Content-Type"] = "text/plain"
    record.set_bytes_content(text.encode())
    out = io.BytesIO()
    record.write(out)
    return out.getvalue()
