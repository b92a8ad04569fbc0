"""Each outcome of a check in words, as people read it: ``wording.txt`` has them in this order.

python -m tests.judging.test_wording    # writes it again, for a change that is meant
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dcq.evidence.check import CheckWords
from dcq.judging import wording, wording_controls

SENTENCES = Path(__file__).with_name("wording.txt")
Call = tuple[Callable[..., CheckWords | str], tuple[Any, ...]]

CALLS: list[Call] = [
    (wording.share_found, (None,)),
    (wording.share_found, (0.12345,)),
    (wording.no_answer, ()),
    (wording.unusable, (0.25,)),
    (wording.controls_unusable, (0.01, 0.3)),
    (wording.all_usable, ()),
    (wording.mostly_usable, (0.0625,)),
    (wording.mostly_usable, (0.0625, 0.0312)),
    (wording.refused_decide, (0.0625, 0.012, 0.23)),
    (wording.refused_decide_among_others, (0.0312, 0.081)),
    (wording.no_options, ()),
    (wording.options_unseen, ()),
    (wording.leaky, (0.45, {"longest": 0.45, "shortest": 0.4})),
    (wording.no_leak, ("longest", 0.31, 40, None, None)),
    (wording.no_leak, ("longest", 0.31, 1200, 0.42, None)),
    (wording.no_leak, ("longest", 0.31, 1200, 0.42, 0.39, True)),
    (wording.no_leak, ("longest", 0.31, 1200, 0.42, 0.95)),
    (wording.none_of_these, (0.04, 0.2, True)),
    (wording.none_of_these, (0.04, 0.06, False)),
    (wording.found_with_power, (1200, 0.125, "a κ")),
    (wording.found_with_power, (1200, None, "a κ")),
    (wording.too_small_alone, (12, 0.5, "a κ")),
    (wording.too_small_alone, (3, None, "a κ")),
    (wording.no_room, (0.5, "a κ")),
    (wording.no_room, (None, "a κ")),
    (wording.controls_too_different, (0.5, "a κ")),
    (wording.too_few_controls, (0.5, "a κ", 3)),
    (wording.too_small, (0.5, 1234, "a κ")),
    (wording.only_result, (0.012,)),
    (wording.among_results, (0.012, 1234)),
    (wording.not_among_so_many, (0.081, 1234)),
    (wording.not_by_holm, (0.04, 12, 0.0712)),
    (wording_controls.compared, (["Rivers", "Lakes"], 1)),
    (wording_controls.compared, (["A", "B", "C", "D", "E", "F"], 6)),
    (wording_controls.none_needed, ()),
    (wording_controls.compared_with_few, (["Rivers", "Lakes"], 2)),
    (wording_controls.too_few_instances, (["Rivers"], 1, 9, 19)),
    (wording_controls.control_set_aside, (["Rivers"], 1, ["Lakes"])),
    (wording_controls.control_set_aside, (["Rivers"], 1, ["Lakes"], 0.0321)),
    (wording_controls.same_kind_of_text, (1.25, 0.4, 0.4, ["a file"], "the Hub")),
    (wording_controls.same_kind_of_text, (1.25, 0.4, 0.5, ["a file"], "a file")),
    (
        wording_controls.other_kind_of_text,
        (4.1, 0.1, 0.5, ["a file", "the Hub"], "a file", {"Rivers": "4.1 times longer"}, 3),
    ),
    (wording_controls.other_text, (["reviews, German"], "news, English")),
    (wording_controls.controls_changed, (["A", "B", "C", "D"],)),
    (wording_controls.controls_changed, (["A", "B", "C", "D", "E"],)),
    (wording_controls.silent_controls, (["Rivers"],)),
    (wording_controls.own_baseline, ()),
    (wording_controls.no_control, ("nobody knows what unseen text scores",)),
    (wording_controls.none_alike, (["slot"],)),
    (wording_controls.none_alike, (["slot", "prompt"],)),
    (wording_controls.unusable_left_out, (["A", "B", "C", "D", "E", "F"],)),
    (wording_controls.controls_today, (7, 0.0312)),
    (wording_controls.odd_control, ("Rivers", 0.4321, 0.25, 0.0312)),
    (
        wording_controls.odd_control,
        ("Rivers", 0.4321, 0.25, 0.0312, "would be inconclusive", "zlib"),
    ),
    (wording_controls.easier_text, (0.03, 0.04, False, 0.05)),
    (wording_controls.easier_text, (0.03, 0.08, True, 0.05)),
    (wording_controls.easier_text, (0.05, 0.08, True, 0.05)),
    (wording_controls.easier_text, (0.06, 0.08, True, 0.05)),
    (wording_controls.easier_text, (0.03, 0.05, True, 0.05)),
    (wording_controls.controls_may_be_seen, ("2024-05", ["Rivers"])),
    (wording_controls.controls_may_be_seen, ("2024-05", ["Rivers", "Lakes"])),
    (wording_controls.too_new_to_be_seen, ("2024-05", "2025-01-02", True)),
    (wording_controls.too_new_to_be_seen, ("2024-05", "2025-01-02", False)),
    (wording_controls.several_served, (1200, "different models", "gpt-a in the target")),
    (wording_controls.same_writer, ("by hand",)),
    (wording_controls.other_writer, ("by hand", ["by gpt-a", "by rules"])),
    (wording_controls.other_writer_left_out, (["Rivers", "Lakes"],)),
]


def said() -> Iterator[str]:
    """Each call, and what comes of it, on one line each."""
    for function, given in CALLS:
        words = function(*given)
        yield f"{function.__name__}({', '.join(map(repr, given))})"
        parts = [words] if isinstance(words, str) else words
        yield from (f"    {part}" for part in parts if part)


def test_each_outcome_is_said_in_its_words() -> None:
    assert list(said()) == SENTENCES.read_text("utf-8").splitlines()


if __name__ == "__main__":
    SENTENCES.write_text("\n".join(said()) + "\n", "utf-8")
