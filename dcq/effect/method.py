"""Questions in two wordings as a kind of run. It tells what a score is worth and not whether a text
was seen, so it is no method of detection, and is on no list of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dcq import settings
from dcq.asking.task import Method, Proposal, Stages, Task
from dcq.effect.questions import NAME, ScoreTask, prompt_of
from dcq.errors import InputError
from dcq.models.endpoints import LIKELIHOOD
from dcq.records import Mode
from dcq.store import Store, frozen, runs
from dcq.store.runs import Plan


class _Score(Method):
    name = NAME
    command = NAME

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        if mode is Mode.LIKELIHOOD:
            raise InputError(f"Questions are asked in words; name the model without {LIKELIHOOD}.")
        frozen_requests = frozen.load(store, subject)
        prompt = prompt_of(frozen_requests.design.get("choices") or ())
        task = ScoreTask.of(prompt.wording, frozen_requests)
        return Proposal(prompt, task, frozen_requests.sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return ScoreTask.of(plan.wording, frozen.load(store, plan.subject))

    def stages(
        self, store: Store, run_id: str, task: Task, note: Callable[..., None]
    ) -> Stages | None:
        """Keep the scores before the run is said to have finished: who waits for that reads them
        next."""

        def keep() -> str:
            from dcq.effect.asked import keep_runs  # here: the judge loads much

            keep_runs(store, [run_id], settings.load().author)
            return ""

        return Stages([range(runs.load(store, run_id).plan.items)], keep)


METHOD = _Score()


def check_roles(targets: Sequence[str], references: Sequence[str]) -> None:
    """Raise InputError where one model is named twice, in whatever way: a reference that is the
    target too would hide its drop, one that counts twice narrows what is expected."""
    named: dict[tuple[str, str], tuple[str, str]] = {}
    for role, names in (("model", targets), ("reference", references)):
        for name in dict.fromkeys(names):
            endpoint = METHOD.endpoint(name)
            key = endpoint.model, endpoint.base_url.rstrip("/")
            earlier, its_role = named.setdefault(key, (name, role))
            if its_role != role:
                raise InputError(
                    f"{name} is named as a model and as a reference; give it one role."
                )
            if earlier != name:
                raise InputError(f"{earlier} and {name} are one model; name it once.")
