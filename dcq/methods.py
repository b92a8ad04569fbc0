"""The methods of detection: a line each. Studies, verdicts, the matrix, tables, slides, reports,
bundles and investigations follow from this list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dcq.detection import DetectionMethod
from dcq.errors import InputError
from dcq.likelihood.detection import LIKELIHOOD_DETECTION
from dcq.overlap.detection import OVERLAP_DETECTION
from dcq.protect.detection import PROTECT_DETECTION
from dcq.quiz.detection import QUIZ_DETECTION
from dcq.replication.detection import REPLICATION_DETECTION
from dcq.store.studies import QUIZ, Study

if TYPE_CHECKING:
    from dcq.asking.task import Method
    from dcq.store.bundle_take import Kinds

METHODS: tuple[DetectionMethod[Any], ...] = (
    QUIZ_DETECTION,
    REPLICATION_DETECTION,
    OVERLAP_DETECTION,
    LIKELIHOOD_DETECTION,
    PROTECT_DETECTION,
)


def names() -> tuple[str, ...]:
    """The names of all methods, as studies use them."""
    return tuple(method.name for method in METHODS)


def of_study(within: Study) -> tuple[DetectionMethod[Any], ...]:
    """The methods that a study uses."""
    return tuple(method for method in METHODS if within.uses(method.name))


def readers(within: Study) -> tuple[DetectionMethod[Any], ...]:
    """The methods whose runs are evidence for a method that a study uses."""
    return tuple(method for method in METHODS if within.uses(*method.reads))


def named(name: str) -> DetectionMethod[Any]:
    """The method with this name. Raises InputError if there is none."""
    detection_method = next((method for method in METHODS if method.name == name), None)
    if detection_method is None:
        raise InputError(f"There is no method {name!r}; choose from {', '.join(names())}.")
    return detection_method


def check(chosen: Iterable[str] | None) -> tuple[str, ...] | None:
    """The ``chosen`` methods in the order of the list; None, which stands for all of them, if none
    is chosen. Raises InputError for an unknown name."""
    chosen_names = {named(name).name for name in chosen or ()}
    return tuple(name for name in names() if name in chosen_names) or None


def kinds_of(within: Study) -> Kinds:
    """The kinds of runs that the evidence of a study is read from."""
    from dcq.store.bundle_take import Kinds  # here, because only bundles need it

    used = readers(within)
    return Kinds(
        tuple(kind.name for method in used for kind in method.kinds if not kind.follows),
        tuple(kind.name for method in used if method.judged for kind in method.kinds),
    )


def run_names() -> frozenset[str]:
    """The names of all kinds of runs, including rewordings."""
    from dcq.variants.method import REWORDING  # here, as in dcq.detection

    return frozenset({REWORDING.name, *(kind.name for method in METHODS for kind in method.kinds)})


def kind_of(name: str) -> Method:
    """The kind of run with this name, as stored with runs. Raises InputError if no method has
    it."""
    run_kind = next(
        (kind for method in METHODS for kind in method.kinds if kind.name == name), None
    )
    if run_kind is None:
        raise InputError(f"No method of this release has {name} runs; update dcq.")
    return run_kind


def beside_the_quiz() -> tuple[DetectionMethod[Any], ...]:
    """The methods besides the quiz that an investigation can run."""
    return tuple(method for method in METHODS if method.investigated and method.name != QUIZ)


def check_beside_the_quiz(chosen: Iterable[str] | None) -> tuple[str, ...]:
    """The ``chosen`` methods besides the quiz that an investigation can run. Raises InputError for
    an unknown name, and for a method that asks no model or needs more than a sample."""
    chosen_names = check(chosen) or ()
    for name in chosen_names:
        if not named(name).judged:
            raise InputError(f"{named(name).title} asks no model, so it cannot be investigated by.")
        if not named(name).investigated:
            raise InputError(
                f"{named(name).title} takes its secret; use: python -m dcq {name} check"
            )
    return tuple(name for name in chosen_names if name != QUIZ)
