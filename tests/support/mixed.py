"""A store in which the methods that were asked about a pair do not say the same: what is one
conclusion must be one conclusion in every file."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.quiz import freeze
from dcq.records import Instance, PartitionRole, QuizKind, Sample
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, samples
from tests.conftest import KEY
from tests.support import kept_open, once, replications
from tests.support.judged import put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import answer

N = 40
MODEL, OTHER = "recites", "knows"  # both complete what the provider has seen
BY_QUIZ = {"D": 36, "A": 4}
NOT_BY_QUIZ = {"D": 11, "A": 29}
_WORDS = ("emerges", "appears", "bubbles", "trickle")  # as long as what they stand for


def fill(store: Store, provider: FakeProvider) -> None:
    """Needs the fake provider's models in the environment.

    Of Fells the model's quiz finds nothing and its completions give it away, of Moors it is the
    other way round, and of Vales neither finds anything. Another model was asked about Fells by a
    quiz that has no controls."""
    put_controls(store, model=MODEL)
    for name in ("glens", "dales", "combes"):
        control = samples.save(store, _sample(name, PartitionRole.CONTROL))
        asyncio.run(replicate(store, control, MODEL, Design(judge="judges")))
    _ask(store, provider, "fells", NOT_BY_QUIZ, completed=30)
    _ask(store, provider, "moors", BY_QUIZ, completed=0)
    _ask(store, provider, "vales", NOT_BY_QUIZ, completed=0)
    answer(store, _quiz(store, "fells"), BY_QUIZ, OTHER)


def made(factory: pytest.TempPathFactory) -> Store:
    """The store, filled once; whoever changes it takes a copy."""

    def make(folder: Path) -> Path:
        store = Store(folder / "dcq.duckdb")
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as provider:
            patch.setenv("OPENAI_BASE_URL", provider.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            fill(store, provider)
        kept_open.close()
        return store.path

    return Store(once.made(factory, "mixed", make))


def _ask(
    store: Store, provider: FakeProvider, key: str, letters: dict[str, int], *, completed: int
) -> None:
    quiz, sample = _quiz(store, key), _sample(key)
    answer(store, quiz, letters, MODEL)
    provider.seen = tuple(one.fields["text"] for one in sample.instances[:completed])
    asyncio.run(replicate(store, _save(store, key), MODEL, Design(judge="judges")))


def _sample(key: str, role: PartitionRole = PartitionRole.TARGET) -> Sample:
    """Texts of many lengths, so that no two prompts in three have as many tokens."""
    plain = replications.sample(N, key=key, role=role)
    return replace(
        plain, instances=tuple(_lengthened(one, at) for at, one in enumerate(plain.instances))
    )


def _lengthened(one: Instance, at: int) -> Instance:
    def longer(text: str) -> str:
        return text.replace("old mill", f"old{' and grey' * (at % 20)} mill")

    return replace(
        one, text=longer(one.text), fields={**one.fields, "text": longer(str(one.fields["text"]))}
    )


def _save(store: Store, key: str) -> str:
    """The sample with rewordings: a quiz and completions rest on one."""
    plain = _sample(key)
    variants = {
        one.id: tuple(one.text.replace("springs", word) for word in _WORDS)
        for one in plain.instances
    }
    return samples.save(store, replace(plain, variants=variants))


def _quiz(store: Store, key: str) -> str:
    return freeze.freeze(store, _save(store, key), QuizKind.STANDARD, slot="D").quiz
