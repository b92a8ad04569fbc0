"""The form for asking models originals and rewordings, and the runs with their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dcq.asking import launch, prepare
from dcq.asking.options import Options
from dcq.effect import task
from dcq.effect.method import METHOD, check_roles
from dcq.effect.questions import NAME, freeze, prompt_of, task_of
from dcq.errors import InputError
from dcq.store import Store, variants
from dcq.store.moment import until_written
from dcq.ui import (
    links,
    model_picker,
    notice,
    page,
    run_limits,
    run_panel,
    sample_picker,
    start_button,
)
from dcq.ui.run_panel import FrozenWords, ListedRun, Panel
from dcq.words import counted

PAGE = "effect"
SAMPLE = "effect_sample"
_WORDS = FrozenWords(
    run="originals and rewordings",
    units="replies",
    again="Ask more models",
    unusable="without an answer",
    reasons_title="Why some replies count as wrong",
)


def show(store: Store, read: Callable[[str], None]) -> None:
    """The form and the runs, the last thing on its page; ``read`` shows the scores of a partition,
    in a callback."""
    accepted = variants.with_accepted(store)
    listed = [sample for sample in sample_picker.list_samples(store) if sample.id in accepted]
    if not listed:
        notice.caption("No sample has an accepted rewording yet; accept some under Variants.")
        page.link("variants", "Accept rewordings")
        return
    with run_panel.show(store, _panel(read)):
        chosen = sample_picker.sample(listed, key=SAMPLE)
        links.remember(SAMPLE)
        try:
            made = _questions(store, chosen)
        except InputError as error:
            notice.warning(error)
            page.link("variants", "Accept rewordings", variants_sample=chosen)
            return
        _form(store, chosen, made)


@until_written
def _questions(store: Store, sample: str) -> task.HarnessTask:
    """What would be asked; each click draws the form, and 10,000 instances take most of a second
    to be made."""
    return task.make(store, sample)


def is_under_way(store: Store) -> bool:
    """Whether runs are in progress, or were started on this visit and may have stopped."""
    return run_panel.are_kept(PAGE) or run_panel.any_live(store, _panel(lambda benchmark: None))


def _form(store: Store, sample: str, made: task.HarnessTask) -> None:
    left_out = sum(made.left_out.values())
    words = f"{counted(len(made.items), 'instance')}, each in two wordings."
    if left_out:
        words += f" {left_out:,} left out: {', '.join(made.left_out)}."
    notice.caption(words)
    targets = model_picker.choose(store, key="effect_models")
    references = model_picker.choose(
        store,
        key="effect_clean",
        further=(
            "Reference models",
            "Clean by their dates, and as good as the target: at least three, better five.",
        ),
    )
    models = [*targets, *references]
    options = run_limits.choose(models, page=PAGE, batches=False)
    if not start_button.has_models(models):
        return
    start_button.show_task_price(
        models,
        task_of(made),
        prompt_of(made.choices).max_tokens,
        options.terms.limit,
        key="effect_estimates",
        alt="What scores take: calls, tokens and money, by model.",
    )
    obstacles = prepare.unready(((METHOD, model) for model in models), options.terms)
    try:
        check_roles(targets, references)
    except InputError as error:  # a model that is not ready says so once
        obstacles += [str(error)] if str(error) not in obstacles else []
    start_button.offer(
        start_button.Start(
            panel=PAGE,
            key="effect_start",
            label=f"Ask {counted(len(models), 'model')}",
            begin=lambda: _begin(store, sample, models, references, options),
            remarks=["Refused and unusable replies count as wrong."],
            obstacles=obstacles,
        )
    )


def _begin(
    store: Store,
    sample: str,
    models: Sequence[str],
    references: Sequence[str],
    options: Options,
) -> list[str]:
    named = [METHOD.endpoint(model).name for model in references]
    subject = freeze(store, sample, named, options.author)
    return launch.begin(store, METHOD, [subject], models, options)


def _panel(read: Callable[[str], None]) -> Panel[ListedRun]:
    return run_panel.of_frozen(
        PAGE, NAME, _WORDS, run_panel.resume_with(METHOD), lambda run: read(run.partition)
    )
