"""A store in which every method has been asked or looked: the quiz of two models, replication,
likelihood, a benchmark by lot, a search of a corpus, and scores on originals and rewordings."""

from __future__ import annotations

import asyncio
from pathlib import Path

from dcq.asking import prepare
from dcq.asking.plan import RunJob, ask_rest
from dcq.effect import stored
from dcq.effect.matter import ScoreContext
from dcq.effect.scores import gather
from dcq.protect.check import open_check
from dcq.protect.published import rows
from dcq.protect.shuffle import By
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, samples
from tests.support import likelihoods, matter, replications, scanned
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.protected import a_secret
from tests.support.provider import FakeProvider
from tests.support.runs import answer

OTHER = "other@http://127.0.0.1:9/v1"


def fill(store: Store, provider: FakeProvider, folder: Path) -> None:
    """Needs the fake provider's models in the environment."""
    _ask_quizzes(store)
    _complete_and_search(store, provider, folder)
    _score(store, provider)
    _draw_lots(store, provider)
    _bring_scores(store)


def _ask_quizzes(store: Store) -> None:
    put_controls(store)
    for key, tally in (("seen", SEEN), ("half seen", {"D": 50, "A": 50}), ("fresh", UNSEEN)):
        put(store, key, tally)
    put(store, "seen", {"D": 60, "A": 40}, model=OTHER)
    put(store, "fresh", UNSEEN, model=OTHER)


def _complete_and_search(store: Store, provider: FakeProvider, folder: Path) -> None:
    sample_id = scanned.save(store)
    scanned.scan(store, sample_id, folder / "corpus", range(6), range(6, 8))
    texts = [one.fields["text"] for one in samples.load(store, sample_id).instances]
    provider.seen = tuple(texts[:7])
    asyncio.run(replicate(store, sample_id, "recites", Design(judge="judges")))
    control, _ = replications.save(store, 20, key="brooks", role=PartitionRole.CONTROL)
    asyncio.run(replicate(store, control, "recites", Design(judge="judges")))
    quiz = freeze.freeze(store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(store, quiz, {"D": 12, "A": 8})
    bare = freeze.freeze(store, sample_id, QuizKind.MODIFIED).quiz
    answer(store, bare, {"A": 12, "B": 6, "D": 2})


def _score(store: Store, provider: FakeProvider) -> None:
    likelihoods.save(store, provider, 12, likelihoods.CONTROLS)
    for one in samples.listing(store):
        if one.partition.partition("/")[0] in ("rivers", *likelihoods.CONTROLS):
            likelihoods.score(store, one.id)


def _draw_lots(store: Store, provider: FakeProvider) -> None:
    secret = a_secret(12)
    provider.seen = tuple(row["text"] for row in rows(secret))
    opened = open_check(store, secret, By.LETTER)
    endpoint = opened.method.endpoint("knows-original")
    subject = opened.subject(store, opened.sample)
    run = prepare.plan_run(store, opened.method, subject, endpoint)
    asyncio.run(ask_rest(store, RunJob(run, endpoint, opened.method)))
    opened.conclude(store, run)


def _bring_scores(store: Store) -> None:
    seen = {f"i{number}": number % 2 == 0 for number in range(300)}
    answers = matter.answers(300, gain=0.3, target="recites", seen=seen)
    stored.keep(store, "leads/test", gather(answers), ScoreContext({}, {"recites": seen}, 0.25))
