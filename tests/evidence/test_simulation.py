"""Does it come out right where the truth is known? Nuisances as in ``simulate``."""

import numpy as np
import pytest

from dcq.evidence.controls import calibrate
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.rotated import rotated_kappa
from tests.support.simulate import Nuisance, simulate

pytestmark = pytest.mark.simulation

N, CONTROLS, REPEATS = 100, 10, 150


@pytest.fixture(scope="module")
def results() -> dict[float, dict[str, float]]:
    """By contamination: how often the controlled interval covers it, and each rule says yes."""
    rng = np.random.default_rng(20)
    found = {}
    for truth in (0.0, 0.1, 0.2, 0.3, 0.4, 0.7, 1.0):
        rows = []
        for _ in range(REPEATS if truth else 4 * REPEATS):
            controls = [simulate(rng, N, 0.0, Nuisance()).right for _ in range(CONTROLS)]
            target = simulate(rng, N, truth, Nuisance())
            known = calibrate(target.right, controls)
            assert known is not None
            assert known.kappa_low is not None
            assert known.kappa_high is not None
            rows.append(
                (
                    known.kappa_low <= truth <= known.kappa_high,
                    known.p_value <= 0.05,
                    (rotated_kappa(target.right).p_value or 0.0) <= 0.05,
                    (kappa_fixed(*target.fixed(3)).p_value or 0.0) <= 0.05,
                )
            )
        means = np.mean(rows, axis=0)
        found[truth] = dict(zip(("covered", "controlled", "chance", "paper"), means, strict=True))
    return found


def test_the_controlled_interval_covers_at_its_nominal_rate(
    results: dict[float, dict[str, float]],
) -> None:
    covered = [row["covered"] for row in results.values()]
    assert np.mean(covered) >= 0.94
    assert min(covered) >= 0.9  # 150 repeats scatter by about 1.8 points


def test_false_alarms_stay_at_five_per_cent(results: dict[float, dict[str, float]]) -> None:
    scatter = (0.05 * 0.95 / (4 * REPEATS)) ** 0.5
    assert results[0.0]["controlled"] <= 0.05 + 2 * scatter
    assert (
        results[0.0]["chance"] > 0.9
    )  # chance alone takes a preference for the wording for memory


def test_power_grows_with_contamination(results: dict[float, dict[str, float]]) -> None:
    power = [row["controlled"] for row in results.values()]
    assert power[0] < power[1] < power[2] < power[3] <= 1
    assert min(power[4:]) > 0.99


def test_a_slot_the_model_avoids_hides_memory_from_the_papers_rule(
    results: dict[float, dict[str, float]],
) -> None:
    assert results[0.2]["paper"] < results[0.2]["chance"]
