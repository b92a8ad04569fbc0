"""Checks started on the page: how, by whom, what they cost, and their progress.

A process of its own reads the secret from its file. Nobody else's passphrase is kept for it, so a
secret behind one is checked on the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from dcq.asking import launch, prepare
from dcq.asking.options import Options, Terms
from dcq.errors import DcqError, InputError
from dcq.incoming.plain_file import read_bytes
from dcq.models.presets import EMBEDDED
from dcq.protect import NAME, make
from dcq.protect import secret as private
from dcq.protect.check import open_check
from dcq.protect.commitment import merkle_root
from dcq.protect.method import WORDINGS, ProtectMethod, ProtectTask
from dcq.protect.secret import Secret
from dcq.protect.shuffle import LETTERED, By, Sheet, shuffle
from dcq.quiz.prompts import QUIZ_V1
from dcq.store import Store, frozen, runs
from dcq.ui import model_picker, notice, run_limits, run_panel, start_button
from dcq.ui.protect import folders
from dcq.ui.run_panel import FrozenWords, ListedRun, Panel

_HOW = {By.LETTER: "By letter", By.LIKELIHOOD: "By likelihood"}
_WORDS = FrozenWords(
    run="protected benchmark", units="items", again="Check again", unusable="without a choice"
)


def show(store: Store, folder: Path) -> None:
    """The form, the price and the button; the command alone for a secret behind a passphrase."""
    path = folder / make.SECRET
    try:
        if private.is_sealed(read_bytes(path, private.MOST_BYTES), path.name):
            st.caption("This secret is behind a passphrase, so it is checked by the command below.")
            return
        secret = private.read(path)
        by = By(
            st.segmented_control(
                "How",
                list(By),
                format_func=_HOW.__getitem__,
                default=By.LETTER,
                required=True,
                key="protect_by",
                persist_state="page",
                help="By letter any model can be asked, and what it memorised is found. By "
                "likelihood more is found, of models that give log-probabilities.",
            )
        )
        sheet, _ = shuffle(secret, by, LETTERED)
    except (DcqError, OSError) as error:
        notice.error(error if isinstance(error, DcqError) else InputError(str(error)))
        return
    first = [EMBEDDED] if by is By.LIKELIHOOD else []
    chosen = model_picker.choose(store, key=f"protect_models_{by}", first=first)
    options = run_limits.choose(chosen, page="protect", batches=False)
    if not start_button.has_models(chosen):
        return
    _show_price(chosen, sheet, options)
    method = ProtectMethod(sheet, path)
    start_button.offer(
        start_button.Start(
            panel="protect",
            key="protect_start",
            label=f"Check in {len(chosen)} runs" if len(chosen) > 1 else "Check the model",
            begin=lambda: _begin(store, secret, path, by, chosen, options),
            obstacles=prepare.unready(((method, model) for model in chosen), options.terms),
        )
    )


def _show_price(chosen: Sequence[str], sheet: Sheet, options: Options) -> None:
    task = ProtectTask(sheet, QUIZ_V1 if sheet.by is By.LETTER else WORDINGS)
    start_button.show_task_price(
        chosen,
        task,
        task.prompt.max_tokens,
        options.terms.limit,
        key="protect_estimates",
        alt="What a check takes: calls, tokens and money, by model.",
    )


def _begin(
    store: Store, secret: Secret, path: Path, by: By, chosen: Sequence[str], options: Options
) -> list[str]:
    opened = open_check(store, secret, by, path=path)
    subject = opened.subject(store, opened.sample)
    return launch.begin(store, opened.method, [subject], chosen, options)


def panel() -> Panel[ListedRun]:
    """The checks and their live progress. The result is below the form, which comes back."""
    return run_panel.of_frozen(
        "protect", NAME, _WORDS, _resume, lambda run: run_panel.forget("protect")
    )


def _resume(store: Store, run: str, terms: Terms, all_of_it: bool) -> None:
    """With the secret of this machine that the run is about."""
    design = frozen.design_of(store, runs.load(store, run).plan.subject)
    for folder in folders.every(store):
        path = folder / make.SECRET
        try:
            if private.is_sealed(read_bytes(path, private.MOST_BYTES), path.name):
                continue
            secret = private.read(path)
        except (DcqError, OSError):  # that of another benchmark is damaged
            continue
        if merkle_root(secret) == design.get("root"):
            opened = open_check(store, secret, By(design["by"]), int(design["asks"]), path)
            launch.resume(store, opened.method, run, terms, all_of_it=all_of_it)
            return
    raise InputError(
        "The secret of this run is not on this machine, or behind a passphrase; go on with: python "
        f"-m dcq protect check SECRET --run {run}"
    )
