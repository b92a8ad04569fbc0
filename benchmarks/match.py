"""The best window of a page beside nltk's METEOR on every window of it.

    python -m benchmarks.match [--words 10000] [--query 30] [--windows 300]

nltk is timed on some of the windows, because all of them take minutes; both find the same score
on those. Words come as often as in English (wordfreq).
"""

from __future__ import annotations

import argparse
import random
import time

from wordfreq import top_n_list, word_frequency

from benchmarks import read_options
from dcq.overlap.match import best_match
from dcq.overlap.meteor import PAPER, Reference
from dcq.overlap.tokens import WordSpans, split
from tests.overlap.nltk_reference import nltk_meteor


def page_of(words: int, query: int, seed: int = 0) -> tuple[WordSpans, Reference]:
    """A page with the query once in its middle, where every seventh word of it is another: what
    stands there to the letter is found without any alignment."""
    rng = random.Random(seed)
    vocabulary = top_n_list("en", 20_000)
    weights = [word_frequency(word, "en") for word in vocabulary]
    drawn = rng.choices(vocabulary, weights, k=words)
    middle = words // 2
    page = split(" ".join(drawn))
    asked = list(page.words[middle : middle + query])
    asked[::7] = rng.choices(vocabulary, weights, k=len(asked[::7]))
    return page, Reference(tuple(asked))


def main() -> None:
    """Print seconds, windows a second and the ratio."""
    parser = argparse.ArgumentParser(description="METEOR over the windows of a page.")
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--query", type=int, default=30)
    parser.add_argument("--windows", type=int, default=300)
    asked = read_options(parser, words=300, query=12, windows=40)
    page, query = page_of(asked.words, asked.query)
    best_match(query, page_of(asked.words, asked.query, seed=1)[0])  # reads WordNet, and many words
    began = time.perf_counter()
    match = best_match(query, page)
    ours = time.perf_counter() - began
    first = page.part(0, asked.windows)
    longest = int(PAPER.window or 1) * len(query)
    began = time.perf_counter()
    scores = [
        nltk_meteor(query.words, first.words[start : start + longest], PAPER)
        for start in range(len(first) - longest + 1)
    ]
    peer = (time.perf_counter() - began) * len(page) / len(scores)
    assert abs(max(scores) - best_match(query, first).score) < 1e-9
    print(f"{len(page):,} windows, query of {len(query)} words, best score {match.score:.4f}")
    print(f"dcq   {ours:9.4f} s  {len(page) / ours:12,.0f} windows/s")
    print(
        f"nltk  {peer:9.4f} s  {len(page) / peer:12,.0f} windows/s (from {len(scores):,} windows)"
    )
    print(f"ratio {peer / ours:.0f}")


if __name__ == "__main__":
    main()
