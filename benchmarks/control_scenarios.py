"""What breaks a comparison with controls: the rule before and the rule now, with known truth.

    python -m benchmarks.controls --scenarios 60

Each row is one scenario, number of controls and rule: false alarms among unseen targets at p ≤ .05
with their Monte Carlo error (over studies, whose targets share their controls), and the power on
seen ones. Rotated quizzes of seven invented models (``dcq.invented``) unless the
scenario says shares, which are counts of yes/no answers.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.control_models import N, answers, new_rule, old_rule, right_chances
from dcq.evidence.controls import EASIER, calibrate, expect
from dcq.evidence.share_prediction import MATCHES, QUIZ, Prior
from dcq.invented import SLOTS, Array

ALPHA = 0.05
CONTROLS = (3, 10, 20)
TARGETS = 20  # of a study, unseen and seen
COLUMNS = ("scenario", "controls", "rule", "false_alarms", "error", "power")

Rows = dict[tuple[str, int, str], list[tuple[float, float]]]  # false alarms and power by study
Rule = Callable[[Array, Array], list[float]]


def write(out: Path, repeats: int, models: int) -> None:
    """Simulate ``repeats`` studies of each of the first ``models`` in each scenario, write the csv,
    print it."""
    rows: Rows = {}
    for seed, scenario in enumerate(
        (spreads, tails, easier, seen_controls, doubled, refusals, shares, probabilities)
    ):
        rng = np.random.default_rng(seed)
        for _ in range(repeats):
            for model in range(models):
                for key, alarms, power in scenario(rng, model):
                    rows.setdefault(key, []).append((alarms, power))
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for (name, count, rule), rates in rows.items():
            values = np.array(rates)
            error = values[:, 0].std(ddof=1) / np.sqrt(len(values))
            means = (values[:, 0].mean(), error, values[:, 1].mean())
            line = [name, count, rule, *(f"{value:.3f}" for value in means)]
            table.writerow(line)
            print(*line, sep="\t")


Found = Iterator[tuple[tuple[str, int, str], float, float]]


def spreads(rng: np.random.Generator, model: int) -> Found:
    """Unseen partitions differ by .02 to .12."""
    for spread in (0.02, 0.04, 0.06, 0.08, 0.10, 0.12):
        controls, unseen, seen = (_drawn(rng, model, k, spread) for k in (0, 1, 2))
        yield from _both(f"spread .{round(100 * spread):02}", controls, unseen, seen)


def tails(rng: np.random.Generator, model: int) -> Found:
    """Scores of unseen partitions have Student's distribution with three degrees of freedom."""

    def drawn(size: int, known_shares: Array) -> Array:
        far = 0.06 * rng.standard_t(3, size=size) / np.sqrt(3)
        parts = [
            answers(rng, model, known_shares[[i]], 0.0, shift=float(far[i])) for i in range(size)
        ]
        return np.concatenate(parts)

    controls, unseen = drawn(max(CONTROLS), np.zeros(20)), drawn(TARGETS, np.zeros(TARGETS))
    yield from _both("heavy tails", controls, unseen, drawn(TARGETS, _known(rng)))


def easier(rng: np.random.Generator, model: int) -> Found:
    """The target's originals are easier to tell than those of the controls, seen or not."""
    for shift in (0.05, 0.1):
        controls = _drawn(rng, model, 0, 0.05)
        unseen, seen = (_drawn(rng, model, k, 0.05, shift) for k in (1, 2))
        name = f"target easier by .{round(100 * shift):02}"
        yield from _both(name, controls, unseen, seen)
        for count in CONTROLS:
            survive = [_share(_careful(part, controls[:count])) for part in (unseen, seen)]
            yield (name, count, "now, without caution"), survive[0], survive[1]


def _careful(targets: Array, controls: Array) -> list[float]:
    """The larger of both p-values: as it is, and with the target .05 easier."""
    expected = expect(list(controls))
    assert expected is not None
    scores = (targets @ expected.weights).mean(axis=1)
    return [expected.prediction.p_value(float(score) - EASIER, N) for score in scores]


def seen_controls(rng: np.random.Generator, model: int) -> Found:
    """Of the controls some were seen themselves; what naming the odd one tells."""
    for bad, count in ((1, 3), (2, 10)):
        known_shares = np.zeros(count)
        known_shares[:bad] = 0.5
        controls = answers(rng, model, known_shares, 0.05)
        unseen, seen = (_drawn(rng, model, k, 0.05) for k in (1, 2))
        name = f"{bad} of {count} controls seen"
        for rule, find in (("before", old_rule), ("now", new_rule), ("without the odd one", _odd)):
            yield (name, count, rule), _share(find(unseen, controls)), _share(find(seen, controls))


def _odd(targets: Array, controls: Array) -> list[float]:
    expected = expect(list(controls))
    assert expected is not None
    assert expected.odd is not None
    others = expected.odd[2]
    scores = (targets @ expected.weights).mean(axis=1)
    return [others.p_value(float(score), N) for score in scores]


def doubled(rng: np.random.Generator, model: int) -> Found:
    """Each instance of a target stands in it twice."""
    controls, unseen, seen = (_drawn(rng, model, k, 0.05) for k in (0, 1, 2))
    unseen, seen = (np.repeat(part[:, : N // 2 + 1], 2, axis=1)[:, :N] for part in (unseen, seen))
    yield from _both("target's instances twice", controls, unseen, seen)


def refusals(rng: np.random.Generator, model: int) -> Found:
    """A target refuses a quarter of the calls that it would get wrong."""
    controls, unseen, seen = (_drawn(rng, model, k, 0.05) for k in (0, 1, 2))
    parts = [
        np.where((part == 0) & (rng.random(part.shape) < 0.25), np.nan, part)
        for part in (unseen, seen)
    ]
    for count in CONTROLS:
        used = list(controls[:count])
        calibrations = [[calibrate(target, used) for target in part] for part in parts]
        alone = [[c.p_value for c in part if c is not None] for part in calibrations]
        bound = [
            [max(c.p_value, c.p_refused) for c in part if c is not None] for part in calibrations
        ]
        for rule, (false, true) in (("before", alone), ("now", bound)):
            yield ("refuses a quarter of what is wrong", count, rule), _share(false), _share(true)


def shares(rng: np.random.Generator, model: int) -> Found:
    """Match rates that are mostly 0, and quizzes with one slot; of seen ones a fifth is known."""
    del model  # a share has no slots
    kinds: tuple[tuple[str, int, Prior, Callable[[int], Array]], ...] = (
        (
            "match rates, mostly 0",
            100,
            MATCHES,
            lambda m: rng.choice([0, 0.005, 0.02, 0.06, 0.16], m, p=[0.6, 0.2, 0.1, 0.06, 0.04]),
        ),
        ("match rates, all 0", 100, MATCHES, np.zeros),
        ("one slot, share .30", N, QUIZ, lambda m: rng.beta(0.3 * 57, 0.7 * 57, m)),
        ("one slot, share .03", N, QUIZ, lambda m: rng.beta(0.03 * 57, 0.97 * 57, m)),
    )
    for name, n, prior, draw in kinds:
        controls = _counted(rng, n, draw(max(CONTROLS)))
        unseen, other = _counted(rng, n, draw(TARGETS)), draw(TARGETS)
        seen = _counted(rng, n, other + 0.2 * (1 - other))
        yield from _both(name, controls, unseen, seen, partial(_counts, prior))


def _counts(prior: Prior, targets: Array, controls: Array) -> list[float]:
    expected = expect(list(controls), prior=prior)
    assert expected is not None
    n = targets.shape[1]
    return [expected.prediction.p_value(float(target.mean()), n) for target in targets]


def probabilities(rng: np.random.Generator, model: int) -> Found:
    """Letters, and the probability of the original that they are the largest of."""
    parts = [_believed(rng, model, k) for k in (0, 1, 2)]
    for place, rule in ((0, "letters"), (1, "probabilities")):
        controls, unseen, seen = (part[place] for part in parts)
        for count in CONTROLS:
            used = controls[:count]
            alarms, power = (_share(new_rule(part, used)) for part in (unseen, seen))
            yield ("letters and probabilities", count, rule), alarms, power


def _believed(rng: np.random.Generator, model: int, kind: int) -> tuple[Array, Array]:
    """Letters and probabilities (partitions, instances, slots). An option's utility is the slot's,
    the original's advantage and Gumbel noise, so that the chances of letters are those of
    ``right_chances``; an instance that is known adds 3."""
    size, known_shares = _sizes(rng, kind)
    per_instance = right_chances(rng, model, np.zeros(size), 0.05)
    slots = np.exp(SLOTS[model])
    advantage = np.log(per_instance / (1 - per_instance) * (slots.sum() - slots) / slots)
    advantage += 3.0 * (rng.random((size, N)) < known_shares[:, None])[:, :, None]
    utility = SLOTS[model] + rng.gumbel(size=(size, N, 4, 4))  # original's slot, option's slot
    utility[..., np.arange(4), np.arange(4)] += advantage
    weight = np.exp(utility - utility.max(axis=3, keepdims=True))
    share = np.diagonal(weight / weight.sum(axis=3, keepdims=True), axis1=2, axis2=3)
    right = np.argmax(utility, axis=3) == np.arange(4)
    return right.astype(np.float64), np.asarray(share)


def _sizes(rng: np.random.Generator, kind: int) -> tuple[int, Array]:
    """How many partitions, and the share that is known of each: controls, unseen, seen."""
    if kind == 2:
        return TARGETS, _known(rng)
    size = TARGETS if kind else max(CONTROLS)
    return size, np.zeros(size)


def _known(rng: np.random.Generator) -> Array:
    return rng.uniform(0.05, 0.7, size=TARGETS)


def _drawn(
    rng: np.random.Generator, model: int, kind: int, spread: float, shift: float = 0.0
) -> Array:
    _, known_shares = _sizes(rng, kind)
    return answers(rng, model, known_shares, spread, shift=shift)


def _counted(rng: np.random.Generator, n: int, share: Array) -> Array:
    """Yes/no answers (partitions, instances, 1)."""
    return (rng.random((len(share), n)) < share[:, None]).astype(np.float64)[:, :, None]


def _both(name: str, controls: Array, unseen: Array, seen: Array, now: Rule = new_rule) -> Found:
    for count in CONTROLS:
        for rule, find in (("before", old_rule), ("now", now)):
            used = controls[:count]
            yield (name, count, rule), _share(find(unseen, used)), _share(find(seen, used))


def _share(p_values: Sequence[float]) -> float:
    return float((np.array(p_values) <= ALPHA).mean())
