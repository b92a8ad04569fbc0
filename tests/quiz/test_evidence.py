"""What verdicts on stored runs rest on: complete instances, refused calls, probabilities."""

from __future__ import annotations

import math

import pytest

from dcq.evidence.check import Mark, Topic
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import findings
from dcq.quiz import freeze
from dcq.quiz.results import quiz_row
from dcq.records import LETTERS, PartitionRole, QuizKind
from dcq.store import Store, quizzes, samples
from tests.conftest import small_sample
from tests.support.runs import answer, answer_each

pytestmark = pytest.mark.slow

N = 40
CONTROLS = ("lakes", "ponds", "seas")


def rotated(
    store: Store,
    key: str,
    role: PartitionRole,
    *,
    right: int,
    refused: int = 0,
    belief: float | None = None,
    without: int = 0,
) -> None:
    """The first ``right`` of four instances found in every slot, A said to the rest; ``refused``
    instances lack one answer. The original has a probability of ``belief`` in each call; the last
    ``without`` calls have no log-probabilities."""
    sample_id = samples.save(store, small_sample(N, key=key, role=role))
    quiz = freeze.freeze(store, sample_id, QuizKind.ROTATED).quiz
    items = quizzes.load(store, quiz).items
    order = {one: i for i, one in enumerate(dict.fromkeys(item.instance_id for item in items))}
    said, chances = [], {}
    for position, item in enumerate(items):
        place, slot = order[item.instance_id], item.correct or 0
        known = place < right
        said.append(
            "refused" if place >= N - refused and slot == 3 else LETTERS[slot] if known else "A"
        )
        if belief is not None and position < len(items) - without:
            rest = (1 - belief) / 3
            chances[position] = {
                letter: math.log(belief if i == slot else rest)
                for i, letter in enumerate(LETTERS[:4])
            }
    answer_each(store, quiz, said, logprobs=chances)


def standard(store: Store, key: str, role: PartitionRole, tally: dict[str, int]) -> None:
    sample_id = samples.save(store, small_sample(100, key=key, role=role))
    answer(store, freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz, tally)


def of(store: Store, key: str = "rivers") -> JudgedResult:
    [found] = [one for one in findings(store) if one.evidence.partition == f"{key}/test"]
    assert found.verdict is not None
    return found


def sentences(found: JudgedResult, topic: Topic) -> str:
    assert found.verdict is not None
    return " ".join(one.sentence for one in found.verdict.checks if one.topic is topic)


def test_a_rotated_quiz_is_as_usable_as_its_complete_instances(fresh_store: Store) -> None:
    for key in CONTROLS:
        rotated(fresh_store, key, PartitionRole.CONTROL, right=2)
    rotated(fresh_store, "rivers", PartitionRole.TARGET, right=19, refused=21)
    found = of(fresh_store)
    assert quiz_row(found.evidence).n == 19
    assert quiz_row(found.evidence).unusable == pytest.approx(21 / 40)
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    assert "52 % of the instances lack a usable reply" in sentences(found, Topic.REPLIES)


def test_a_verdict_that_rests_on_what_was_refused_is_inconclusive(fresh_store: Store) -> None:
    for key in CONTROLS:
        standard(fresh_store, key, PartitionRole.CONTROL, {"D": 25, "A": 75})
    standard(fresh_store, "rivers", PartitionRole.TARGET, {"D": 37, "A": 45, "refused": 18})
    standard(fresh_store, "dunes", PartitionRole.TARGET, {"D": 75, "A": 10, "refused": 15})
    found, clear = of(fresh_store), of(fresh_store, "dunes")
    assert found.calibration is not None
    assert found.calibration.p_value <= 0.05 < found.calibration.p_refused
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    assert "so the result depends on what was refused" in sentences(found, Topic.REPLIES)
    assert clear.verdict is not None
    assert clear.verdict.ruling is Ruling.CONTAMINATED


def test_calls_that_were_never_made_are_not_refused(fresh_store: Store) -> None:
    for key in CONTROLS:
        rotated(fresh_store, key, PartitionRole.CONTROL, right=2)
    sample_id = samples.save(fresh_store, small_sample(N))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    items = quizzes.load(fresh_store, quiz).items
    first = {item.instance_id for item in items[:80]}
    said = [LETTERS[item.correct or 0] for item in items if item.instance_id in first]
    answer_each(fresh_store, quiz, said[:80])
    found = of(fresh_store)
    assert found.calibration is not None
    assert found.calibration.p_refused == pytest.approx(found.calibration.p_value)


def test_one_control_that_was_seen_is_named(fresh_store: Store) -> None:
    for key, right in zip(CONTROLS, (2, 2, 24), strict=True):
        rotated(fresh_store, key, PartitionRole.CONTROL, right=right)
    rotated(fresh_store, "rivers", PartitionRole.TARGET, right=20)
    found = of(fresh_store)
    assert found.verdict is not None
    assert found.verdict.ruling is not Ruling.CONTAMINATED
    [odd] = [one for one in found.verdict.checks if "disagrees" in one.sentence]
    assert odd.mark is Mark.CAUTION
    assert "the verdict would be contaminated" in odd.sentence


def test_probabilities_decide_where_all_have_them(fresh_store: Store) -> None:
    for key, belief in zip(CONTROLS, (0.28, 0.3, 0.32), strict=True):
        rotated(fresh_store, key, PartitionRole.CONTROL, right=4, belief=belief)
    rotated(fresh_store, "rivers", PartitionRole.TARGET, right=4, belief=0.6)
    found = of(fresh_store)
    assert found.calibration is not None
    assert found.verdict is not None
    assert found.calibration.score == pytest.approx(0.6)
    assert found.verdict.ruling is Ruling.CONTAMINATED
    assert found.verdict.finding.startswith("The originals had 60.0 % of the options' probability")
    assert "by letters" in found.verdict.finding
    # Letters stay what the result says.
    assert quiz_row(found.evidence).correct == 4 * 4 + 36
    assert quiz_row(found.evidence).score == pytest.approx(52 / 160)


@pytest.mark.parametrize("whose", ["target", "control"])
def test_letters_decide_where_a_single_answer_has_no_probability(
    fresh_store: Store, whose: str
) -> None:
    for key in CONTROLS:
        missing = 1 if (whose, key) == ("control", "seas") else 0
        rotated(fresh_store, key, PartitionRole.CONTROL, right=4, belief=0.3, without=missing)
    rotated(
        fresh_store,
        "rivers",
        PartitionRole.TARGET,
        right=4,
        belief=0.6,
        without=int(whose == "target"),
    )
    found = of(fresh_store)
    assert found.verdict is not None
    assert found.verdict.ruling is not Ruling.CONTAMINATED
    assert "of the originals were found" in found.verdict.finding


def test_none_of_these_said_less_often_is_a_caution(fresh_store: Store) -> None:
    def asked(key: str, role: PartitionRole, chosen: int) -> None:
        sample_id = samples.save(fresh_store, small_sample(100, key=key, role=role))
        bdq = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
        answer(fresh_store, bdq, {"A": 90, "B": 10})
        bcq = freeze.freeze(fresh_store, sample_id, QuizKind.BCQ, slot="B").quiz
        answer(fresh_store, bcq, {"B": chosen, "E": 100 - chosen})

    for key in CONTROLS:
        asked(key, PartitionRole.CONTROL, 30)
    asked("rivers", PartitionRole.TARGET, 80)
    [found] = [
        one
        for one in findings(fresh_store)
        if one.evidence.partition == "rivers/test" and quiz_row(one.evidence).kind is QuizKind.BCQ
    ]
    said = "“None of these” is 20 % of the answers here and 70 % on the controls"
    assert said in sentences(found, Topic.SLOT)
