"""What a plan would find, before anything is asked: how often it would call partitions contaminated
that a model has seen in part, by simulation from the rule itself.

Invented models (``dcq.invented``) answer about controls and targets. What they answer is compared,
combined and corrected by the functions that judge replies: ``dcq.evidence.controls``,
``dcq.evidence.combine`` and ``Family``. No reply is refused, and no check of replies fails.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.combine import weighted_holm
from dcq.evidence.controls import FEWEST_CONTROL, FEWEST_TARGET, Expected, expect
from dcq.evidence.power import ALPHA, ENOUGH_POWER, minimum_kappa
from dcq.invented import InventedMeasure, Texts, draw_texts
from dcq.judging.verdict import Family

Array = NDArray[np.float64]

SEEN = (0.0, 0.2, 0.5, 1.0)  # shares of a target that the model has seen
REPEATS = 200  # studies that are simulated; the Monte Carlo error of a share is at most .036
_SILENT = 50  # of them are looked at for "no evidence", which takes longer
_MOST_VALUES = 20_000_000  # simulated for one model; larger plans are simulated less often
_FEWEST = 60


@dataclass(frozen=True)
class MethodDesign:
    """A method as it is planned for a pair: ``n`` instances of the target, those of each of its
    ``controls``, its ``weight`` in the conclusion, and what it measures: for each measure the
    models of which one answers. ``blocked``: a check is known to fail, so that it cannot count."""

    name: str
    weight: float
    n: int
    controls: tuple[int, ...]
    measures: tuple[tuple[InventedMeasure, ...], ...]
    blocked: bool = False

    @property
    def asked_alike(self) -> Hashable:
        """A value that is equal for what is compared with the same controls."""
        return self.name, self.controls, self.measures

    @property
    def counts(self) -> bool:
        """Whether its p-value can count."""
        enough = self.n >= FEWEST_TARGET and sum(self.controls) >= FEWEST_CONTROL
        return enough and bool(self.measures) and not self.blocked


@dataclass(frozen=True)
class PairDesign:
    """A model and a target, and the ``methods`` that are planned. Pairs of one ``model`` with the
    same ``controls`` share them. Pairs of one ``study`` are corrected together. ``in_family``: the
    others are corrected with it, which is not so of a partition that was surely seen."""

    model: str
    controls: Hashable
    methods: tuple[MethodDesign, ...]
    study: str = ""
    in_family: bool = True


@dataclass(frozen=True)
class Power:
    """The shares of partitions that would be called contaminated, after correction over the pairs:
    ``unseen`` ones (false alarms), and those of which the model has seen a ``fifth``, a ``half`` or
    the ``whole``. ``error`` is their largest Monte Carlo error, a standard deviation.
    ``no_evidence`` is the share of unseen partitions of which the conclusion would be "no
    evidence". All are 0 where no method counts."""

    unseen: float
    fifth: float
    half: float
    whole: float
    error: float
    no_evidence: float

    def document(self) -> dict[str, float]:
        """The power with the keys documented for the command line."""
        names = ("unseen", "fifth", "half", "whole", "error")
        return {name: round(getattr(self, name), 4) for name in names}


NONE = Power(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def simulate(
    pairs: Sequence[PairDesign],
    others: Sequence[tuple[str, float]] = (),
    *,
    repeats: int = REPEATS,
    seed: int = 0,
) -> tuple[Power, ...]:
    """The power of each pair of a plan. In each simulated study one pair is seen in part and the
    others are not, which is the hardest case for the correction; ``others`` are the p-values of
    pairs that were asked already, each with its study."""
    counting = [pair for pair in pairs if any(method.counts for method in pair.methods)]
    if not counting:
        return (NONE,) * len(pairs)
    repeats = min(repeats, *(_affordable(pair) for pair in counting))
    p_values, silent = _p_values(counting, repeats, np.random.default_rng(seed))
    called = _called(counting, p_values, others)
    powers = iter([_power(called[:, i], silent[:, i]) for i in range(len(counting))])
    return tuple(
        next(powers) if any(method.counts for method in pair.methods) else NONE for pair in pairs
    )


def _affordable(pair: PairDesign) -> int:
    values = sum(
        len(method.measures) * (sum(method.controls) + len(SEEN) * method.n)
        for method in pair.methods
    )
    return max(_FEWEST, _MOST_VALUES // max(1, 4 * values))


def _power(called: NDArray[np.bool_], silent: Array) -> Power:
    """Of one pair: ``called`` has shape (repeats, shares), ``silent`` (repeats,)."""
    repeats, shares = len(called), called.mean(axis=0)
    inner = np.clip(shares[1:], 0.5 / repeats, 1 - 0.5 / repeats)  # one that is 0 is not certain
    error = float(np.sqrt(inner * (1 - inner) / repeats).max())
    unseen, fifth, half, whole = map(float, shares)
    return Power(unseen, fifth, half, whole, error, float(np.nanmean(silent)))


def _called(
    pairs: Sequence[PairDesign], p_values: Array, others: Sequence[tuple[str, float]]
) -> NDArray[np.bool_]:
    """Which are called contaminated, shape (repeats, pairs, shares): each pair among the others as
    if these were unseen."""
    keys = [*range(len(pairs)), *((place, "asked") for place in range(len(others)))]
    inside = [*(pair.in_family for pair in pairs), *(True for _ in others)]
    studies = [*(pair.study for pair in pairs), *(study for study, _ in others)]
    known = [p for _, p in others]
    called = np.zeros(p_values.shape, dtype=np.bool_)
    for row, table in zip(called, p_values, strict=True):
        significant = table <= ALPHA  # no q-value is below its p-value
        if not significant.any():
            continue
        family = Family(keys, [*map(float, table[:, 0]), *known], inside, studies)
        for i, k in zip(*np.nonzero(significant), strict=True):
            row[i, k] = family.q_with(int(i), float(table[i, k])) <= ALPHA
    return called


def _p_values(
    pairs: Sequence[PairDesign], repeats: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """The p-values of all methods together, shape (repeats, pairs, shares); and whether nothing is
    found in an unseen partition by methods that would find it, (repeats, pairs), NaN where that was
    not looked at. Models with the same design are simulated once, and their studies are put
    together in another order each time."""
    p_values = np.empty((repeats, len(pairs), len(SEEN)))
    silent = np.full((repeats, len(pairs)), np.nan)
    places: dict[Hashable, list[int]] = {}
    for place, pair in enumerate(pairs):
        places.setdefault((pair.model, pair.controls), []).append(place)
    known: dict[Hashable, tuple[Array, Array]] = {}
    for columns in places.values():
        designs = tuple(pairs[place].methods for place in columns)
        order = np.arange(repeats)
        if designs in known:
            order = rng.permutation(repeats)
        else:
            known[designs] = _of_one_model(designs, repeats, rng)
        found, nothing = known[designs]
        p_values[:, columns], silent[:, columns] = found[order], nothing[order]
    return p_values, silent


def _of_one_model(
    designs: Sequence[tuple[MethodDesign, ...]], repeats: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """As ``_p_values``, of the targets of one model, which share its controls."""
    p_values = np.empty((repeats, len(designs), len(SEEN)))
    silent = np.full((repeats, len(designs)), np.nan)
    counting = [[method for method in methods if method.counts] for methods in designs]
    alike = {method.asked_alike: method for methods in counting for method in methods}
    controls = max(len(method.controls) for method in alike.values())
    largest = max(max(method.controls) for method in alike.values())
    for r in range(repeats):
        texts = draw_texts(rng, np.zeros(controls), largest)
        expected = {key: _expected(rng, method, texts, r) for key, method in alike.items()}
        for place, methods in enumerate(counting):
            target = draw_texts(rng, np.array(SEEN), max(method.n for method in methods))
            by_method = [
                _compared(rng, method, expected[method.asked_alike], target, r)
                for method in methods
            ]
            weights = [method.weight for method in methods]
            p_values[r, place] = [
                weighted_holm(p_of_share, weights) for p_of_share in zip(*by_method, strict=True)
            ]
            if r < _SILENT:
                able = any(_is_able(method, expected[method.asked_alike]) for method in methods)
                silent[r, place] = able and all(p[0] > ALPHA for p in by_method)
    return p_values, silent


def _expected(
    rng: np.random.Generator, method: MethodDesign, texts: Texts, r: int
) -> list[Expected]:
    """What the controls of a method lead to expect of each of its measures."""
    found = []
    for models in method.measures:
        measure = models[r % len(models)]
        drawn = measure.draw(rng, texts)
        tables = [table[:n] for table, n in zip(drawn, method.controls, strict=False)]
        expected = expect(tables, gains=measure.gains, prior=measure.prior)
        assert expected is not None  # noqa: S101  (a method that counts has controls)
        found.append(expected)
    return found


def _compared(
    rng: np.random.Generator,
    method: MethodDesign,
    expected: Sequence[Expected],
    target: Texts,
    r: int,
) -> list[float]:
    """The p-value of a method for each share: the smallest of its measures, times their number."""
    texts, by_measure = target.first(method.n), []
    for models, known in zip(method.measures, expected, strict=True):
        scores = (models[r % len(models)].draw(rng, texts) @ known.weights).mean(axis=1)
        by_measure.append([known.prediction.p_value(float(score), method.n) for score in scores])
    return [min(1.0, len(by_measure) * min(p)) for p in zip(*by_measure, strict=True)]


def _is_able(method: MethodDesign, expected: Sequence[Expected]) -> bool:
    """Whether its silence would mean something: it finds an effect of the usual size."""
    least = minimum_kappa(expected[0].prediction, method.n)
    return least is not None and least <= ENOUGH_POWER
