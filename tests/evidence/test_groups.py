from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.groups import GroupResult, compare_groups
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.rotated import rotated_kappa

COUNTS = {"a": (18, 20), "b": (8, 20), "c": (9, 30)}  # right, asked
TABLE = np.concatenate([np.repeat([1.0, 0.0], [k, n - k]) for k, n in COUNTS.values()])[:, None]
NAMES = [name for name, (_, n) in COUNTS.items() for _ in range(n)]


def p_value(group: GroupResult) -> float:
    assert group.comparison is not None
    assert group.comparison.p_value is not None
    return group.comparison.p_value


def test_each_group_has_its_kappa_and_is_tested_against_the_rest() -> None:
    found = compare_groups(TABLE, NAMES)
    assert [one.name for one in found] == list(COUNTS)
    right, asked = (sum(column) for column in zip(*COUNTS.values(), strict=True))
    for one, (k, n) in zip(found, COUNTS.values(), strict=True):
        assert one.kappa == kappa_fixed(k, n)
        rest = [[k, n - k], [right - k, asked - n - right + k]]
        assert p_value(one) == pytest.approx(fisher_exact(np.array(rest)).pvalue)
    assert found[0].comparison is not None
    assert found[0].comparison.difference == pytest.approx(18 / 20 - 17 / 50)


def test_p_is_corrected_over_the_groups_as_another_library_does() -> None:
    found = compare_groups(TABLE, NAMES)
    theirs = multipletests([p_value(one) for one in found], method="holm")[1]
    assert [one.p_holm for one in found] == pytest.approx(list(theirs))


def test_two_groups_are_one_test() -> None:
    one, other = compare_groups(TABLE[:40], NAMES[:40])
    assert one.p_holm == other.p_holm == p_value(one) == p_value(other)


def test_a_small_group_keeps_its_interval_and_is_no_member_of_the_family() -> None:
    names = [*NAMES[:-9], *["d"] * 9]
    *tested, small = compare_groups(TABLE, names)
    assert (small.kappa.n, small.comparison, small.p_holm) == (9, None, None)
    assert small.kappa.kappa_low is not None
    theirs = multipletests([p_value(one) for one in tested], method="holm")[1]
    assert [one.p_holm for one in tested] == pytest.approx(list(theirs))


def test_instances_without_an_answer_do_not_count() -> None:
    table = TABLE.copy()
    table[:15] = np.nan
    assert compare_groups(table, NAMES)[0].kappa == kappa_fixed(3, 5)
    table[:20] = np.nan
    assert compare_groups(table, NAMES)[0].kappa.n == 0


def test_a_rotated_quiz_counts_instances() -> None:
    rotated = np.random.default_rng(0).integers(0, 2, (40, 4)).astype(float)
    found = compare_groups(rotated, ["x"] * 20 + ["y"] * 20)
    assert found[0].kappa == rotated_kappa(rotated[:20])
    assert found[0].comparison is not None
    assert found[0].comparison.method == "Welch, by instance"


def test_nothing_gives_no_group_and_a_missing_name_is_refused() -> None:
    assert compare_groups(np.zeros((0, 1)), []) == []
    with pytest.raises(InputError, match="name of its group"):
        compare_groups(TABLE, NAMES[1:])
