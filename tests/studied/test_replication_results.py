"""Results of replications: scores, matches, people's labels, controls and verdicts."""

from collections.abc import Sequence
from typing import Any

import pytest

from dcq.asking import prepare
from dcq.asking.chain import go_on
from dcq.asking.options import Options, Terms
from dcq.documents.replication_document import document
from dcq.errors import InputError
from dcq.evidence.agreement import agree
from dcq.evidence.check import Mark, Topic
from dcq.files import export
from dcq.judging.judged import Ruling
from dcq.judging.replication import alarms_on_controls, of_run, results
from dcq.judging.replication_quiz import cross_check_of
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.cheat import CheatFinding
from dcq.replication.completion import ReplyKind
from dcq.replication.evidence import replication_row
from dcq.replication.judge import MatchLevel
from dcq.replication.method import CHEAT, METHODS
from dcq.replication.prompts import Instruction, Version
from dcq.replication.replicate import Design, replicate
from dcq.replication.scores import ScoreArray, rouge_l
from dcq.store import Store, replications
from tests.support import runs as support
from tests.support.behaviours import MODELS, says
from tests.support.provider import FakeProvider
from tests.support.replications import run_of, save


async def test_a_seen_target_against_unseen_controls_is_contaminated(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target, texts = save(fresh_store, 12)
    provider.seen = tuple(texts)
    control_ids = [
        save(fresh_store, 12, key=key, role=PartitionRole.CONTROL)[0]
        for key in ("lakes", "ponds", "seas")
    ]
    done = [
        await replicate(fresh_store, sample_id, "recites", Design(judge="judges"))
        for sample_id in (target, *control_ids)
    ]
    found = {one.evidence.run: one for one in results(fresh_store)}
    own = found[done[0].run]
    row = replication_row(own.evidence)
    assert own.verdict is not None
    assert own.verdict.ruling is Ruling.CONTAMINATED
    assert {one.run for one in own.controls} == {one.run for one in done[1:]}
    assert (row.n, row.questions, row.run.asked) == (12, 24, 24)
    assert (own.evidence.finished, own.evidence.unusable) == (True, 0.0)
    assert (row.measured.matches.exact, row.measured.matches.n) == (12, 12)
    assert row.measured.matches.near_exact == 0
    assert row.rouge_l[Instruction.GUIDED] == 1.0
    assert row.measured.guidance.contaminated
    assert row.outcomes == {ReplyKind.COMPLETION: 24}
    assert own.sentence.startswith(
        "recites on Brooks test: 100.0 % of the instances were completed"
    )
    assert alarms_on_controls(own)[1].partitions == 3
    assert (own.evidence.role, own.evidence.task, own.evidence.language, row.sample.placebo_of) == (
        "target",
        "classification",
        "en",
        None,
    )
    control = found[done[1].run]
    row = replication_row(control.evidence)
    assert (control.verdict, row.measured.matches.exact, row.judge) == (None, 0, "judges")
    assert row.judge_outcomes == {"inexact": 12}
    assert of_run(fresh_store, own.evidence.run) is own


async def test_without_controls_or_with_few_answers_it_is_inconclusive(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target, texts = save(fresh_store, 12)
    provider.seen = tuple(texts)
    alone = await replicate(fresh_store, target, "recites")
    found = of_run(fresh_store, alone.run)
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    assert "only exact matches count" in found.sentence
    for key in ("lakes", "ponds", "seas"):
        other, _ = save(fresh_store, 12, key=key, role=PartitionRole.CONTROL)
        await replicate(fresh_store, other, "recites")
    now = of_run(fresh_store, alone.run)
    assert now.verdict is not None
    assert now.verdict.ruling is Ruling.CONTAMINATED
    pilot = await replicate(fresh_store, target, "recites", options=Options(Terms(limit=6)))
    unfinished = of_run(fresh_store, pilot.run)
    assert unfinished.verdict is not None
    assert unfinished.verdict.ruling is Ruling.INCONCLUSIVE
    assert "12 of 24 completions" in unfinished.verdict.checks[0].sentence
    shown = {one.evidence.run for one in results(fresh_store)}
    assert alone.run in shown  # a pilot does not replace the whole
    assert pilot.run not in shown


async def test_silence_is_no_evidence_of_anything(
    fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    target, _ = save(fresh_store, 4)
    control, _ = save(fresh_store, 4, key="lakes", role=PartitionRole.CONTROL)
    await replicate(fresh_store, control, "refuses", Design(judge="judges"))
    done = await replicate(fresh_store, target, "refuses", Design(judge="judges"))
    found = of_run(fresh_store, done.run)
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    row = replication_row(found.evidence)
    assert (row.measured.guidance.n, row.measured.matches.n) == (0, 0)
    assert (row.measured.unusable, found.evidence.unusable) == (1.0, 1.0)
    assert row.outcomes == {ReplyKind.REFUSED: 8}
    assert "no usable completion" in found.sentence


async def test_a_judge_that_does_not_say_makes_instances_unusable(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    monkeypatch.setitem(MODELS, "mumbles", says("Perhaps."))
    target, _ = save(fresh_store, 4)
    done = await replicate(fresh_store, target, "recites", Design(judge="mumbles"))
    found = run_of(fresh_store, done.run)
    measured = found.measured
    assert (measured.unusable, measured.matches.n, measured.guidance.n) == (1.0, 0, 4)
    assert found.judge_outcomes == {"neither yes nor no": 4}
    assert all(
        row.match is None and row.judge_reply == "Perhaps."
        for row in run_of(fresh_store, done.run).rows
    )


async def test_controls_were_asked_in_the_same_words_and_judged_by_the_same(
    fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    target, _ = save(fresh_store, 4)
    control, _ = save(fresh_store, 4, key="lakes", role=PartitionRole.CONTROL)
    await replicate(fresh_store, control, "recites", Design(judge="judges"))
    done = await replicate(fresh_store, target, "recites")
    found = of_run(fresh_store, done.run)
    assert found.controls == ()
    assert found.verdict is not None
    fits = [check for check in found.verdict.checks if check.topic is Topic.CONTROLS]
    assert [check.mark for check in fits] == [Mark.CAUTION, Mark.BAD]
    released = await replicate(fresh_store, target, "recites", Design(version=Version.RELEASE))
    assert of_run(fresh_store, released.run).controls == ()


async def test_labels_of_people_are_counted_and_compared(
    fresh_store: Store, provider: FakeProvider
) -> None:
    assert provider.base_url
    target, _ = save(fresh_store, 4)
    run_id = (await replicate(fresh_store, target, "recites")).run
    assert run_of(fresh_store, run_id).people.counts == {}
    said = {
        "Ada": [MatchLevel.EXACT, MatchLevel.NEAR_EXACT, MatchLevel.INEXACT, MatchLevel.INEXACT],
        "Bob": [MatchLevel.EXACT, MatchLevel.EXACT, MatchLevel.INEXACT],
    }
    for who, labels in said.items():
        for place, label in enumerate(labels):
            replications.add(fresh_store, run_id, place, who, label)
    replications.add(fresh_store, run_id, 3, "Ada", "")  # taken back
    replications.add(fresh_store, run_id, 0, "Cyd", MatchLevel.INEXACT)
    people = run_of(fresh_store, run_id).people
    assert people.counts["Ada"] == {
        MatchLevel.EXACT: 1,
        MatchLevel.NEAR_EXACT: 1,
        MatchLevel.INEXACT: 1,
    }
    assert people.agreement == agree([*said["Ada"][:3], None], [*said["Bob"], None])
    assert people.matches is not None
    assert (people.matches.n, people.matches.exact, people.matches.near_exact) == (3, 1, 1)
    assert run_of(fresh_store, run_id).rows[0].people == {
        "Ada": MatchLevel.EXACT,
        "Bob": MatchLevel.EXACT,
        "Cyd": MatchLevel.INEXACT,
    }


async def test_rows_have_every_score_and_an_export_has_them_all(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target, texts = save(fresh_store, 3)
    provider.seen = (texts[0],)
    done = await replicate(
        fresh_store, target, "recites", Design(judge="judges", instructions=tuple(Instruction))
    )
    first, second, _ = run_of(fresh_store, done.run).rows
    assert (first.is_exact, first.match, first.judge_reply, first.judge_label) == (
        True,
        MatchLevel.EXACT,
        "",
        None,
    )
    assert (second.is_exact, second.match, second.judge_reply) == (False, MatchLevel.INEXACT, "No")
    assert first.score(Instruction.GUIDED) == 1.0
    assert first.score(Instruction.GUIDED, meaning=True) == pytest.approx(1.0, abs=1e-5)
    assert set(first.completions) == set(Instruction)
    assert 0 <= first.score(Instruction.GENERAL) < 0.5
    data = export.frame(fresh_store, export.ExportTable.REPLICATION, done.run[:10])
    assert list(data["match"]) == ["exact", "inexact", "inexact"]
    assert data["name_swapped_completion"].notna().all()
    assert data["wrong_label"].notna().all()
    with pytest.raises(InputError, match="is a judge run"):
        export.frame(fresh_store, export.ExportTable.REPLICATION, done.follower)


async def test_only_new_completions_are_scored(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    scored: list[int] = []

    def count(references: Sequence[str], *others: Any) -> ScoreArray:
        scored.append(len(references))
        return rouge_l(references, *others)

    monkeypatch.setattr("dcq.replication.run_scores.rouge_l", count)
    target, _ = save(fresh_store, 5)
    done = await replicate(fresh_store, target, "recites", options=Options(Terms(limit=2)))
    first = run_of(fresh_store, done.run).rows
    await replicate(fresh_store, target, "recites", resume=True)
    every = run_of(fresh_store, done.run).rows
    assert scored == [4, 6]
    assert every[:2] == first
    assert all(0 <= row.score(one) <= 1 for row in every for one in row.completions)


async def test_the_document_has_its_keys_from_the_start(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target, texts = save(fresh_store, 10)
    provider.seen = tuple(texts)
    done = await replicate(fresh_store, target, "recites")
    made = document(fresh_store, done)
    assert made["rouge_l"]["guided"] == 1.0
    assert (made["n"], made["exact"], made["near_exact"]) == (10, 10, None)
    assert (made["algorithm1"]["rouge_l"], made["algorithm2"]) == (True, True)
    assert made["cost_usd"] is None  # the price of the model is not known
    stopped = await replicate(fresh_store, target, "quota")
    empty = document(fresh_store, stopped)
    assert list(empty) == list(made)
    assert (empty["n"], empty["verdict"]) == (None, None)
    with pytest.raises(InputError, match="replicates nothing yet"):
        of_run(fresh_store, stopped.run)


async def test_what_the_first_instances_show_is_beside_it(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.base_url
    target, texts = save(fresh_store, 2)
    monkeypatch.setitem(MODELS, "says", says(texts[1]))
    done = await replicate(fresh_store, target, "says")
    assert run_of(fresh_store, done.run).cheat is None
    endpoint = CHEAT.endpoint("says")
    cheat = prepare.plan_run(fresh_store, CHEAT, target, endpoint)
    whole = await go_on(fresh_store, METHODS.values(), cheat)
    assert run_of(fresh_store, done.run).cheat is CheatFinding.CONTAMINATED
    assert document(fresh_store, whole)["first_instances"] == "contaminated"


async def test_beside_the_quiz(fresh_store: Store, provider: FakeProvider, sample_id: str) -> None:
    assert provider.base_url
    done = await replicate(fresh_store, sample_id, "always-d")
    lacking = cross_check_of(fresh_store, done.run)
    assert (lacking.cross_check, lacking.quiz) == (None, None)
    assert "took no quiz" in lacking.why
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    run_id, _ = await support.take(fresh_store, quiz, "always-d")
    beside = cross_check_of(fresh_store, done.run)
    assert beside.cross_check is not None
    assert beside.quiz is not None
    assert beside.quiz.run == run_id
    found = beside.cross_check
    assert (found.n, found.match_right, found.other_right, found.other_wrong) == (6, 0, 6, 0)
