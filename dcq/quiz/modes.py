"""The two ways to get the answers of a quiz: the model names the letter of an option, or each
option is scored by its likelihood and the likeliest is the choice.

Everything that depends on the mode is here. Outcomes are stored alike, so that every statistic
applies to both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dcq.asking.prompt import Prompt
from dcq.errors import InputError
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.kappa import Kappa
from dcq.evidence.leak import CHANCE
from dcq.models.endpoints import model_itself
from dcq.quiz import parse, prompts, wording
from dcq.records import Mode, Outcome, QuizKind, Reading, Reply
from dcq.store.studies import LIKELIHOOD, QUIZ

if TYPE_CHECKING:
    from dcq.store.quizzes import StoredQuiz

OPTIONS = Prompt(
    name="options",
    version="v1",
    wording="The text of each option alone, after the model's beginning-of-text token if any.",
    temperature=0.0,
    max_tokens=4,  # an endpoint has to generate one after each of the four options
)


@dataclass(frozen=True)
class QuizMode(ABC):
    """One way to get answers. ``method`` is the method of detection for which they are evidence.
    ``lettered``: the options stand side by side under letters, so a model may prefer a slot,
    log-probabilities of a reply are those of letters, and one in four guesses is right. ``suffix``
    marks such a quiz in names, and ``untested`` says why there is no test against guessing; both
    may be empty."""

    method: str
    lettered: bool
    suffix: str = ""
    untested: str = ""

    @abstractmethod
    def prompt_now(self, kind: QuizKind) -> Prompt:
        """The prompt that a new quiz of this kind is asked with."""

    @abstractmethod
    def prompt_of(self, quiz: StoredQuiz) -> Prompt:
        """The prompt that a new run of a quiz is asked with. Raises InputError where it cannot be
        asked."""

    @abstractmethod
    def prompt_as_stored(self, prompt_id: str, wording: str) -> Prompt:
        """The prompt of a stored run. Raises InputError if this release does not know it."""

    @abstractmethod
    def text(self, prompt: Prompt, dataset: str, split: str, options: Sequence[str]) -> str:
        """The exact text sent."""

    @abstractmethod
    def read(self, reply: Reply, options: int) -> Reading:
        """The letter of the choice among so many options, if there is one."""

    @abstractmethod
    def text_to_price(
        self, prompt: Prompt, dataset: str, split: str, options: Sequence[str]
    ) -> str:
        """The text whose tokens an estimate counts."""

    @abstractmethod
    def most_tokens(self, prompt: Prompt) -> int:
        """How many tokens may come back for a question of a quiz with this prompt."""

    @abstractmethod
    def model(self, name: str) -> str:
        """The model's name in results, from the name by which it was asked."""

    @abstractmethod
    def chance(self, kind: QuizKind) -> float | None:
        """The share of originals that guessing finds; None where it is no baseline."""

    @abstractmethod
    def tested(self, kappa: Kappa) -> Kappa:
        """κ with its p-value against guessing, if there is one."""

    @abstractmethod
    def slot_check(self) -> Check | None:
        """The check on a preference for a slot, where it does not depend on answers."""


class _ByLetter(QuizMode):
    def prompt_now(self, kind: QuizKind) -> Prompt:
        return prompts.prompt_for(kind)

    def prompt_of(self, quiz: StoredQuiz) -> Prompt:
        try:
            return prompts.QUIZ_PROMPTS[quiz.prompt]
        except KeyError:
            raise InputError(
                f"Quiz {quiz.id} uses the prompt {quiz.prompt}, which this release of dcq does not "
                "have; update dcq to run it."
            ) from None

    def prompt_as_stored(self, prompt_id: str, wording: str) -> Prompt:
        return prompts.as_stored(prompt_id, wording)

    def text(self, prompt: Prompt, dataset: str, split: str, options: Sequence[str]) -> str:
        return prompts.quiz_prompt(prompt, dataset, split, options)

    def read(self, reply: Reply, options: int) -> Reading:
        return parse.read_reply(reply, options)

    def text_to_price(
        self, prompt: Prompt, dataset: str, split: str, options: Sequence[str]
    ) -> str:
        return self.text(prompt, dataset, split, options)

    def most_tokens(self, prompt: Prompt) -> int:
        return prompt.max_tokens

    def model(self, name: str) -> str:
        return name

    def chance(self, kind: QuizKind) -> float | None:
        """A bcq is compared with the same model's bdq."""
        return None if kind is QuizKind.BCQ else CHANCE

    def tested(self, kappa: Kappa) -> Kappa:
        return kappa

    def slot_check(self) -> Check | None:
        return None


class _ByLikelihood(QuizMode):
    """Of the published measures of a text's likelihood the choice is by the mean log-probability
    per token alone: nothing else is kept of an option."""

    def prompt_now(self, kind: QuizKind) -> Prompt:
        return OPTIONS

    def prompt_of(self, quiz: StoredQuiz) -> Prompt:
        if quiz.kind in {QuizKind.BDQ, QuizKind.BCQ}:
            raise InputError(
                f"A {quiz.kind} quiz has the option “none of these”, which has no likelihood; use "
                "a standard or a rotated quiz."
            )
        return OPTIONS

    def prompt_as_stored(self, prompt_id: str, wording: str) -> Prompt:
        return OPTIONS

    def text(self, prompt: Prompt, dataset: str, split: str, options: Sequence[str]) -> str:
        # Here, because it imports the clients of models, and whoever judges asks none.
        from dcq.asking.calls import write_texts

        return write_texts(options)

    def read(self, reply: Reply, options: int) -> Reading:
        """The highest score per token; none if the highest scores are equal."""
        scores = reply.logprobs or {}
        best = [letter for letter, score in scores.items() if score == max(scores.values())]
        if len(best) != 1:
            return Reading(Outcome.INVALID, None, f"{' and '.join(best)} are equally likely")
        return Reading(Outcome.ANSWERED, best[0], "highest log-likelihood per token")

    def text_to_price(
        self, prompt: Prompt, dataset: str, split: str, options: Sequence[str]
    ) -> str:
        return "".join(options)

    def most_tokens(self, prompt: Prompt) -> int:
        return OPTIONS.max_tokens

    def model(self, name: str) -> str:
        return model_itself(name)

    def chance(self, kind: QuizKind) -> float | None:
        return None

    def tested(self, kappa: Kappa) -> Kappa:
        return replace(kappa, p_value=None)

    def slot_check(self) -> Check | None:
        return Check(Topic.SLOT, Mark.GOOD, wording.scored_separately)


_MODES = {
    Mode.LETTER: _ByLetter(QUIZ, lettered=True),
    Mode.LIKELIHOOD: _ByLikelihood(
        LIKELIHOOD,
        lettered=False,
        suffix=", likelihood",
        untested="Guessing is not a baseline in likelihood mode, so there is no test against it.",
    ),
}
METHODS = tuple(mode.method for mode in _MODES.values())  # that quizzes are evidence of


def of(mode: Mode) -> QuizMode:
    """The way to get answers in this mode."""
    return _MODES[mode]
