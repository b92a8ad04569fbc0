"""A study as a document: its sections, and that their numbers are the store's."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from dcq.documents.deck import Deck, Part, build
from dcq.documents.pictures import alt_of, picture_of
from dcq.judging import replication, study
from dcq.judging.answers import answers
from dcq.quiz import freeze
from dcq.quiz.results import quiz_row
from dcq.records import Instance, PartitionRole, QuizKind
from dcq.replication.evidence import replication_row
from dcq.replication.replicate import Design, replicate
from dcq.sections import Exhibit, Section
from dcq.store import Store, samples, studies
from dcq.store.studies import Study
from dcq.words import kappa_words, percent
from tests.conftest import small_sample
from tests.support import replications, scanned
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import answer

pytestmark = pytest.mark.slow

OTHER = "other@http://127.0.0.1:9/v1"


def part(deck: Deck, which: Part) -> Section:
    [found] = [one for one in deck.sections if one.part == which]
    return found


def exhibit(section: Section, title: str) -> Exhibit:
    [found] = [one for one in section.exhibits if one.title.startswith(title)]
    return found


def test_a_quiz_is_told_from_its_question_to_its_limits(fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN)
    put(fresh_store, "seen", {"A": 60, "B": 30, "D": 10}, kind=QuizKind.MODIFIED, slot=None)
    put_controls(fresh_store)
    put(fresh_store, "seen", UNSEEN, model=OTHER)
    deck = build(fresh_store)
    assert [one.part for one in deck.sections] == [
        Part.QUESTION,
        Part.ANSWER,
        Part.METHOD,
        Part.VERDICT,
        Part.QUIZ,
        Part.COMPARISONS,
        Part.LIMITS,
    ]
    found = study.findings(fresh_store)
    concluded = {one.pair: one.ruling.word for one in answers(fresh_store)}
    verdict = part(deck, Part.VERDICT)
    assert verdict.title == "The verdict: contaminated"
    table = exhibit(part(deck, Part.QUIZ), "Quiz: κ").table.set_index("Run")
    scored = [one for one in found if quiz_row(one.evidence).kind is QuizKind.STANDARD]
    assert set(table.index) == {one.evidence.run for one in scored}
    for one in scored:
        row, kappa = table.loc[one.evidence.run], quiz_row(one.evidence).kappa
        assert row["n"] == quiz_row(one.evidence).n
        assert row["Score"] == percent(quiz_row(one.evidence).score or 0.0, 1)
        assert f"{row['κ']} {row['95 % interval']}" == kappa_words(
            kappa.kappa_fixed, kappa.kappa_low, kappa.kappa_high
        )
        assert row["Answer"] == concluded.get((one.evidence.model, one.evidence.partition), "")
    [bars] = [one for one in part(deck, Part.QUIZ).exhibits if "n = 100: A 60" in alt_of(one)]
    assert bars.table.set_index("Quiz").loc["standard", "D"] == SEEN["D"]
    assert bars.table.set_index("Quiz").loc["modified", "A"] == 60
    ablation = exhibit(part(deck, Part.QUIZ), "Is the slot chosen for the original in it?")
    assert "chose slot D in 80 % of 100" in ablation.sentences[0]
    compared = exhibit(part(deck, Part.COMPARISONS), "All comparisons")
    assert len(compared.table) == len(study.comparisons(fresh_store))
    limits = part(deck, Part.LIMITS).sentences
    assert any(sentence.startswith("There is 1 result on tested text") for sentence in limits)
    unused = "Not used in this study: replication, overlap, likelihood and protected benchmark."
    assert unused in limits
    put(fresh_store, "seen", SEEN, model=f"likelihood:{OTHER}")
    limits = part(build(fresh_store), Part.LIMITS).sentences
    assert "Not used in this study: replication, overlap and protected benchmark." in limits


def test_every_chart_has_words_a_table_and_the_runs_that_it_shows(
    seen: Store, seen_deck: Deck
) -> None:
    [run] = {one.evidence.run for one in study.findings(seen) if one.verdict is not None}
    shown = [one for section in seen_deck.sections for one in section.exhibits]
    drawn = [one for one in shown if one.chart is not None]
    assert len(drawn) == 5  # answers, the verdict, bars, all findings, strategies without memory
    for one in drawn:
        assert alt_of(one)
    for one in shown:
        assert len(one.table)
        told = one in part(seen_deck, Part.ANSWER).exhibits  # of answers, not of runs
        assert told or one.caption[-1].startswith("Made with dcq ")
    [line, _] = exhibit(part(seen_deck, Part.QUIZ), "tester on").caption
    for words in ("tester · ", "Seen test", "original at D", "quiz/v1", "n = 100"):
        assert words in line
    assert "@" not in line
    assert run not in line  # it is named in the table of all results
    assert run in set(exhibit(part(seen_deck, Part.QUIZ), "Quiz: κ").table["Run"])
    assert seen_deck.title == "Has tester seen Seen test?"


def test_the_real_question_comes_with_its_options_and_then_the_answer(seen_deck: Deck) -> None:
    example = part(seen_deck, Part.METHOD).example
    assert example is not None
    assert [letter for letter, _ in example.options] == list("ABCD")
    texts = [text for _, text in example.options]
    assert sum("brook" in text for text in texts) == 1
    assert texts[3].startswith("Text: the brook number")
    assert (example.original, example.chosen, example.hidden) == ("D", "D", False)
    assert example.answer == "The original is D; tester chose D."
    assert "test split of the Seen dataset" in example.instruction


def test_without_texts_hashes_stand_in_their_place(seen: Store) -> None:
    deck = build(seen, with_text=False)
    example = part(deck, Part.METHOD).example
    assert example is not None
    assert example.hidden
    assert all(text.startswith("hash ") for _, text in example.options)
    assert len({text for _, text in example.options}) == 4
    every = [example.instruction, *(s for one in deck.sections for s in one.sentences)]
    every += [str(one.table.to_dict()) for section in deck.sections for one in section.exhibits]
    assert not [text for text in [*every, str(deck.data)] if "brook" in text]


def test_a_long_text_is_cut_and_a_question_that_can_be_read_goes_first(fresh_store: Store) -> None:
    drawn = small_sample(3)
    long = "x" * 100_000
    first = Instance(f"Text: brook {long}\nLabel: 0", label="0")
    variants = {first.id: tuple(first.text.replace("brook", w) for w in ("a", "b", "c", "d"))}
    alone = replace(drawn, instances=(first,), variants=variants, requested=1, available=1)
    quiz = freeze.freeze(fresh_store, samples.save(fresh_store, alone), QuizKind.STANDARD, slot="D")
    answer(fresh_store, quiz.quiz, {"D": 1})
    example = part(build(fresh_store), Part.METHOD).example
    assert example is not None
    assert [len(text) < 2_100 for _, text in example.options] == [True] * 4
    assert example.options[0][1].endswith("more characters)")

    both = replace(
        drawn, instances=(first, *drawn.instances), variants={**variants, **drawn.variants}
    )
    quiz = freeze.freeze(fresh_store, samples.save(fresh_store, both), QuizKind.STANDARD, slot="D")
    answer(fresh_store, quiz.quiz, {"D": 4}, OTHER)
    shown = part(build(fresh_store, Study("", models=(OTHER,))), Part.METHOD).example
    assert shown is not None
    assert max(len(text) for _, text in shown.options) < 100


def test_a_study_has_only_what_belongs_to_it(fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN)
    put(fresh_store, "other", UNSEEN)
    put_controls(fresh_store)
    within = studies.save(fresh_store, Study("Rivers", partitions=("seen/test",), author="Ada"))
    deck = build(fresh_store, within)
    assert deck.subtitle == "Study “Rivers”"
    assert {one["partition"] for one in deck.data["results"]} == {
        "seen/test",
        *(f"unseen-{number}/test" for number in range(3)),
    }
    assert "by Ada" in " ".join(part(deck, Part.QUESTION).sentences)


def test_an_empty_store_says_so(fresh_store: Store) -> None:
    deck = build(fresh_store)
    assert [one.part for one in deck.sections] == [Part.QUESTION, Part.LIMITS]
    assert deck.sections[0].sentences == (
        "No model has answered yet, so there is nothing to report.",
    )
    kinds = (
        *("answers", "results", "replications", "others", "overlaps", "comparisons", "effects"),
        "datasets",
    )
    assert deck.data == {kind: [] for kind in kinds}


@pytest.mark.parametrize("tally", [{"D": 3, "A": 6}, {"error": 9}, {"refused": 9}])
def test_one_unfinished_run_is_named_as_such(fresh_store: Store, tally: dict[str, int]) -> None:
    put(fresh_store, "seen", tally)
    deck = build(fresh_store)
    [row] = exhibit(part(deck, Part.QUIZ), "Quiz: κ").table.to_dict("records")
    assert row["Unfinished"].endswith(" of 100")
    limits = part(deck, Part.LIMITS).sentences
    assert "Runs that are not finished: 1; their numbers may still change." in limits


def test_a_quiz_without_originals_alone_makes_no_verdict(fresh_store: Store) -> None:
    put(fresh_store, "seen", {"A": 60, "B": 40}, kind=QuizKind.MODIFIED, slot=None)
    deck = build(fresh_store)
    assert [one.part for one in deck.sections] == [Part.QUESTION, Part.LIMITS]
    assert len(deck.data["results"]) == 1


def test_replication_and_overlap_have_their_sections(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path
) -> None:
    sample_id = scanned.save(fresh_store)
    run = scanned.scan(fresh_store, sample_id, tmp_path / "corpus", range(6), range(6, 8))
    texts = [one.fields["text"] for one in samples.load(fresh_store, sample_id).instances]
    provider.seen = tuple(texts[:7])
    asyncio.run(replicate(fresh_store, sample_id, "recites", Design(judge="judges")))
    control, _ = replications.save(fresh_store, 6, key="lakes", role=PartitionRole.CONTROL)
    asyncio.run(replicate(fresh_store, control, "recites", Design(judge="judges")))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 12, "A": 8})
    deck = build(fresh_store)

    copied = part(deck, Part.REPLICATION)
    every = {one.evidence.run: one for one in replication.results(fresh_store)}
    table = exhibit(copied, "Replication: match rate").table.set_index("Run")
    assert set(table.index) == set(every)
    for name, one in every.items():
        measured = replication_row(one.evidence).measured
        assert table.loc[name, "Exact"] == measured.matches.exact
        assert table.loc[name, "n"] == measured.guidance.n
    drawn = exhibit(copied, "recites on Leads test")
    assert picture_of(drawn) is not None
    assert any("recites · Leads test · judge judges" in line for line in drawn.caption)
    assert {one["exact"] for one in deck.data["replications"]} == {7, 0}

    overlap = part(deck, Part.OVERLAP)
    assert "Leads test: 6 of 20 instances stand in the corpus" in " ".join(overlap.sentences)
    [searched] = deck.data["overlaps"]
    assert (searched["run"], searched["found"], searched["input_only"]) == (run, 8, 2)
    effect = exhibit(overlap, "Originals picked by what was found")
    assert list(effect.table["n"]) == [12, 2, 6]
    assert any("found instances" in sentence for sentence in overlap.sentences)
    without = build(fresh_store, Study("quiz alone", methods=(studies.QUIZ,)))
    assert not {Part.REPLICATION, Part.OVERLAP} & {one.part for one in without.sections}


def test_cells_are_texts_and_whole_numbers(fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN)
    put(fresh_store, "seen", {"refused": 100}, model=OTHER)
    put_controls(fresh_store)
    for section in build(fresh_store).sections:
        for one in section.exhibits:
            for cell in pd.unique(one.table.to_numpy().ravel()):
                assert isinstance(cell, str | int), (one.title, cell)
                assert cell not in {"nan", "None"}
