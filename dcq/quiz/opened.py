"""Which wordings of one instance the runs of quizzes chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dcq.detection import ChosenText
from dcq.quiz.results import OPTIONS
from dcq.records import LETTERS
from dcq.store import Store, results


def wordings(store: Store, run_ids: Sequence[str], instance_id: str) -> list[ChosenText]:
    """The wordings of an instance, the original first, with the replies that chose each. "None of
    these" is no wording."""
    chosen: dict[str, Counter[str]] = {}
    originals: set[str] = set()
    for run, options, correct, letter in results.instance_questions(store, run_ids, instance_id):
        texts = dict(zip(LETTERS, options[:OPTIONS], strict=False))
        for text in texts.values():
            chosen.setdefault(text, Counter())
        if correct is not None:
            originals.add(options[correct])
        if letter in texts:
            chosen[texts[letter]][run] += 1
    chosen_texts = [ChosenText(text, text in originals, by) for text, by in chosen.items() if text]
    return sorted(chosen_texts, key=lambda chosen_text: not chosen_text.is_original)
