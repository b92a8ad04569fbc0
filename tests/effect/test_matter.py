from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dcq.effect import wording
from dcq.effect.matter import EffectRuling, LeftOut, MatterFinding, ScoreContext, findings
from dcq.effect.scores import VersionedAnswer, gather
from tests.support.matter import answers


def _one(known: ScoreContext | None = None, **options: Any) -> MatterFinding:
    found = findings(gather(answers(**options)), known or ScoreContext({}, {}, chance=0.25))
    return found[0]


def test_an_inflated_score_is_called() -> None:
    one = _one(gain=0.3)
    assert one.ruling is EffectRuling.INFLATED
    assert one.inflation is not None
    assert one.inflation.low > 0
    assert one.constat is not None
    assert one.constat.p_value <= 0.05
    assert len(one.used) == 6


def test_no_inflation_is_said_only_where_ten_points_would_have_been_found() -> None:
    finding = _one(n=900)
    assert finding.ruling is EffectRuling.NOT_INFLATED
    assert any("on rewordings, too" in reason for reason in wording.reasons(finding))
    assert _one(n=60).ruling is EffectRuling.NOT_ENOUGH
    assert _one(n=900, references=2).ruling is EffectRuling.NOT_ENOUGH


def test_seen_is_said_of_what_was_recognised_or_called() -> None:
    for known in (
        ScoreContext({"target": "contaminated"}, {}, 0.25),
        ScoreContext({}, {"target": {"i0": True, "i1": False}}, 0.25),
    ):
        assert _one(known, n=900).ruling is EffectRuling.SEEN_NOT_INFLATED


def test_references_that_cannot_be_compared_are_left_out_with_the_reason() -> None:
    found = answers(n=300)
    weak = answers(n=300, target="weak", references=0, ability=-6.0)
    strong = answers(n=300, target="strong", references=0, ability=5.0)
    few = answers(n=100, target="few", references=0)
    scores = gather([*found, *weak, *strong, *few], ["weak", "strong", "few", "ref-0"])
    one = findings(scores, ScoreContext({"ref-0": "contaminated"}, {}, 0.25))[0]
    reasons = {other.model: other.left_out for other in one.references}
    assert reasons["weak"] is LeftOut.GUESSING
    assert reasons["strong"] is LeftOut.UNLIKE
    assert reasons["few"] is LeftOut.FEW
    assert reasons["ref-0"] is LeftOut.CONTAMINATED
    assert one.inflation is not None
    assert one.inflation.references == 5


def test_only_instances_in_the_same_rewording_are_common() -> None:
    plain = answers(n=300)

    def worded(answer: VersionedAnswer) -> VersionedAnswer:
        number = int(answer.instance_id[1:])
        other = answer.model == "ref-1" and number % 10 == 0  # a tenth: enough are common
        far = answer.model == "ref-2" and number % 3 == 0
        return replace(answer, wording="B" if other or far else "A")

    one = findings(gather([worded(answer) for answer in plain]))[0]
    reasons = {other.model: other.left_out for other in one.references}
    assert [name for name, reason in reasons.items() if reason] == ["ref-2"]
    assert reasons["ref-2"] is LeftOut.OTHER_WORDING
    assert one.inflation is not None
    assert one.inflation.n == 270
    assert "Left out, asked other rewordings: ref-2; ask all models again." in wording.reasons(one)
    [second] = [other for other in one.references if other.model == "ref-1"]
    assert second.drop.n == 270
    known = findings(gather([worded(a) if a.model == "target" else a for a in plain]))[0]
    assert known.inflation == findings(gather(plain))[0].inflation  # what is unknown may be equal


def test_a_contaminated_reference_counts_by_force_and_is_named() -> None:
    one = _one(ScoreContext({"ref-0": "contaminated"}, {}, 0.25, forced=True), n=300)
    assert one.forced == ("ref-0",)
    assert len(one.used) == 6


def test_a_reference_has_its_own_drop_and_no_ruling() -> None:
    found = findings(gather(answers(n=100)))
    assert [one.ruling is None for one in found] == [False] + [True] * 6
    assert found[1].drop.n == 100


def test_the_comparison_within_a_model() -> None:
    rng = np.random.default_rng(0)
    seen = {f"i{k}": bool(rng.random() < 0.5) for k in range(600)}
    scores = gather(answers(n=600, gain=0.5, seen=seen))
    one = findings(scores, ScoreContext({}, {"target": seen}, 0.25))[0]
    assert one.within is not None
    assert one.within.difference is not None
    assert one.within.p_value is not None
    assert one.within.p_value < 0.01


def test_several_targets_are_corrected_together(tmp_path: Path) -> None:
    both = [*answers(n=400, gain=0.3), *answers(n=400, target="second", references=0, seed=9)]
    found = {one.model: one for one in findings(gather(both))}
    first = found["target"]
    assert first.inflation is not None
    assert first.q_value is not None
    assert first.q_value == pytest.approx(2 * first.inflation.p_value)
    assert found["ref-0"].q_value is None
