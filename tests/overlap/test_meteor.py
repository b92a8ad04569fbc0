from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.overlap.meteor import PAPER, RELEASE, MeteorSettings, find_preset, meteor
from tests.overlap.nltk_reference import nltk_meteor
from tests.support.meteor_words import WORDS

TEXTS = st.lists(st.sampled_from(WORDS), max_size=25)
SETTINGS = st.builds(
    MeteorSettings,
    alpha=st.floats(0, 1),
    beta=st.floats(1, 5),
    gamma=st.floats(0, 1),
)


@given(TEXTS, TEXTS, SETTINGS)
def test_the_score_is_nltks(query: list[str], text: list[str], settings: MeteorSettings) -> None:
    assert meteor(query, text, settings) == pytest.approx(
        nltk_meteor(query, text, settings), abs=1e-9
    )


def test_presets_are_the_papers_and_the_releases() -> None:
    assert (PAPER.gamma, PAPER.threshold, PAPER.window) == (0.8, 0.75, 2.0)
    assert (RELEASE.gamma, RELEASE.threshold, RELEASE.window) == (0.5, 0.7, None)
    for preset in (PAPER, RELEASE):
        assert (preset.alpha, preset.beta, preset.label_gamma) == (1, 3, 0)


def test_order_costs_with_gamma_alone() -> None:
    query = ["which", "of", "these", "is", "the", "largest", "planet", "known"]
    shuffled = query[::2] + query[1::2]
    assert meteor(query, shuffled, MeteorSettings(gamma=0)) == 1
    assert meteor(query, shuffled, MeteorSettings(gamma=0.8)) < 0.4
    assert meteor(query, query, MeteorSettings(gamma=0.8)) > 0.99


@pytest.mark.parametrize(
    "wrong",
    [
        {"gamma": 1.5},
        {"gamma": float("nan")},
        {"beta": 0.5},
        {"window": 0.2},
        {"threshold": -1},
        {"threshold": 0},
        {"threshold": 1.01},
        {"threshold": float("nan")},
        {"threshold": float("inf")},
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    [name] = wrong
    with pytest.raises(InputError, match=f"{name} is .*; give a number"):
        replace(PAPER, **wrong)  # type: ignore[arg-type]  # wrong values, of the right type


def test_a_preset_may_have_another_threshold() -> None:
    assert find_preset("release", 0.65) == replace(RELEASE, threshold=0.65)
    assert find_preset("release") is RELEASE
    with pytest.raises(InputError, match="threshold is nan"):
        find_preset("paper", float("nan"))
