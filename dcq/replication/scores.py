"""How similar a completion is to the second piece: ROUGE-L, and closeness in meaning.

ROUGE-L is F1 without stemmer, as rouge-score computes it and as the paper's release uses it, on the
completed part alone. Its tokenizer keeps only a–z and 0–9, so texts of other languages and scripts
have the words of ``dcq.scripts``. The meaning is BLEURT's where a checkpoint is present, else the
cosine of sentence vectors, which is never called BLEURT.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq
from rouge_score import tokenize as rouge_tokenize

from dcq import scripts
from dcq.errors import InputError
from dcq.languages import primary
from dcq.models import similarity
from dcq.models.bleurt import Bleurt
from dcq.replication.pieces import PieceForm, Pieces
from dcq.replication.prompts import Version

ScoreArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MeaningScorer:
    """A score of how close candidates are to references in meaning, and its name."""

    name: str
    score: Callable[[Sequence[str], Sequence[str]], ScoreArray]


def rouge_l(
    references: Sequence[str], candidates: Sequence[str], language: str = "en"
) -> ScoreArray:
    """ROUGE-L F1 of each candidate, shape (n,): 1 the same words in the same order, 0 none in
    common or none at all (Lin 2004).

    Of a reference in English, by ``language``, and in Latin letters it is equal to
    ``rouge_score.rouge_scorer`` without stemmer; the longest common subsequence is rapidfuzz's,
    which is faster. Raises ``InputError`` where the lengths differ.
    """
    if len(references) != len(candidates):
        raise InputError("There is not one completion for each reference; score complete pairs.")
    f1_scores = []
    for reference, candidate in zip(references, candidates, strict=True):
        words = _words_for(reference, language)
        f1_scores.append(_f1(words(reference), words(candidate)))
    return np.array(f1_scores, dtype=np.float64)


def _words_for(reference: str, language: str) -> Callable[[str], list[str]]:
    """How a reference and its candidate become words: by the script, too, because a text in Greek
    whose language was left at English would have none."""
    if primary(language) == "en" and scripts.is_latin(reference):
        return lambda text: rouge_tokenize.tokenize(text, None)
    return scripts.words


def _f1(reference: list[str], candidate: list[str]) -> float:
    if not reference or not candidate:
        return 0.0
    common = LCSseq.similarity(reference, candidate)
    precision, recall = common / len(candidate), common / len(reference)
    return 2 * precision * recall / (precision + recall) if common else 0.0


def meaning_for(language: str, checkpoint: Path | None = None) -> MeaningScorer | None:
    """BLEURT with this ``checkpoint`` folder, else the cosine of MiniLM's sentence vectors; None
    where neither can be had, as for a language that MiniLM does not know.

    Raises ``InputError`` where a checkpoint is named and cannot be used.
    """
    if checkpoint is not None:
        model = Bleurt(checkpoint)
        return MeaningScorer(f"BLEURT ({checkpoint.name})", model.score)
    if similarity.unavailable(language) is not None:
        return None
    return MeaningScorer("cosine similarity of MiniLM embeddings", _cosine)


def joined(pieces: Pieces, candidate: str, version: Version) -> tuple[str, str]:
    """Reference and candidate as the meaning is scored on them; ROUGE-L is on the pieces alone.

    The paper (§4) joins the first piece to both where the cut is inside a sentence, the release
    wherever there is a single text; the sentences of a pair are joined by neither.
    """
    single = pieces.form is not PieceForm.NLI
    if single and (version is Version.RELEASE or pieces.inside_sentence):
        return pieces.text, f"{pieces.first}{pieces.gap}{candidate}"
    return pieces.second, candidate


def exact(reference: str, candidate: str) -> bool:
    """True if both are equal but for white space and case; needs no judge."""
    return _folded(reference) == _folded(candidate)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _cosine(references: Sequence[str], candidates: Sequence[str]) -> ScoreArray:
    return similarity.similarity(list(zip(references, candidates, strict=True)))
