"""Sets of variants of the same instances."""

from __future__ import annotations

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, quizzes, samples, variants
from dcq.store.variants import NewVariant
from dcq.variants.sets import new_set
from tests.conftest import small_sample
from tests.support.runs import answer_each

N = 40


def prepare(store: Store, *names: str) -> list[str]:
    first = samples.save(store, small_sample(N))
    made = [first]
    for name in names:
        made.append(new_set(store, first, name))
        variants.add(
            store,
            made[-1],
            [
                NewVariant(instance, slot, one.text.replace("long", name), "person")
                for instance, slots in variants.current(store, first).items()
                for slot, one in slots.items()
            ],
        )
    return made


def take(store: Store, sample: str, found: int, slot: str = "D") -> str:
    """A run that finds the original of the first ``found`` instances of the sample."""
    quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot=slot).quiz
    order = [one.id for one in samples.load(store, sample).instances]
    wrong = "B" if slot == "A" else "A"
    return answer_each(
        store,
        quiz,
        [
            slot if order.index(item.instance_id) < found else wrong
            for item in quizzes.load(store, quiz).items
        ],
    )
