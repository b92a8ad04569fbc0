"""The exported tasks, run by the harnesses themselves on texts with every kind of separator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dcq.effect import task as tasks
from dcq.effect.scores import ItemVersion, read_scores, versioned_id
from dcq.effect.task import HarnessTask, TaskItem
from tests.support.behaviours import MODELS, says
from tests.support.provider import FakeProvider

# In the environment of the tests: make .venv/harnesses (requirements-bench.txt).
HARNESSES = Path(sys.prefix) / "harnesses" / "bin"
STRANGE = (
    "Line\u2028separator and \u2029 paragraph",
    "next\x85line, file\x1cseparator, form\x0cfeed, vertical\x0btab",
    "right \u202eto left\u202c, \u2067isolated\u2069, \u200fmark",
    "carriage\r\nreturn\rand tab\t, then a new\nline",
    'braces {{ question }} {% raw %} {0} "quotes" \\n \\u2028 $\\alpha$',
    "zero\u200bwidth\ufeff and no\u00a0break, emoji 👩\u200d🔬 中文",
)


def _task() -> HarnessTask:
    items = [
        TaskItem(
            f"i{place}",
            (versioned_id(f"i{place}", ItemVersion.ORIGINAL), f"{text}\nAnswer:"),
            (versioned_id(f"i{place}", ItemVersion.REWORDED, "A.1"), f"Now {text}\nAnswer:"),
            "A" if place % 2 else "B",
        )
        for place, text in enumerate(STRANGE)
    ]
    return HarnessTask("dcq_strange", tuple(items), (), {})


def _run(folder: Path, *words: str | Path) -> None:
    done = subprocess.run(
        [HARNESSES / words[0], *words[1:]],
        cwd=folder,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    if not HARNESSES.is_dir() and "CI" not in os.environ:
        pytest.skip("the harnesses are not installed: make .venv/harnesses")
    tasks.write(_task(), tmp_path / "task")
    return tmp_path / "task"


def _check(logs: list[Path], model: str) -> None:
    [scores] = read_scores(map(str, logs)).models
    assert scores.model == model
    assert scores.original == scores.reworded
    assert scores.original == {f"i{place}": place % 2 for place in range(len(STRANGE))}


@pytest.mark.ci
@pytest.mark.slow
def test_inspect_ai(exported: Path, provider: FakeProvider) -> None:
    address = ("--model", "openai/always-a", "-M", "responses_api=false")
    _run(exported, "inspect", "eval", "inspect_task.py", *address, "--display", "none")
    logs = [*(exported / "logs").glob("*.eval")]
    assert len(logs) == 2
    _check(logs, "openai/always-a")


@pytest.mark.ci
@pytest.mark.slow
def test_lm_evaluation_harness(
    exported: Path, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is called as its provider calls it, with a sign that no folder has."""
    monkeypatch.setitem(MODELS, "always-a:latest", says("A"))
    arguments = f"model=always-a:latest,base_url={provider.base_url}/chat/completions"
    names = "dcq_strange_original,dcq_strange_reworded"
    _run(
        exported,
        *("lm_eval", "--include_path", ".", "--tasks", names, "--log_samples"),
        *("--model", "local-chat-completions", "--model_args", f"{arguments},num_concurrent=1"),
        *("--apply_chat_template", "--output_path", exported / "out"),
    )
    logs = [*(exported / "out").rglob("samples_*.jsonl")]
    assert len(logs) == 2
    _check(logs, "always-a:latest")
