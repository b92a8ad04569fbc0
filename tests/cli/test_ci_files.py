"""The ready workflow files of docs/ci.md: they keep to the published schemas, and their commands
pass and fail in a clean folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dcq.places import ROOT
from tests.support import newcomer
from tests.support.provider import FakeProvider

PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
FILES = {
    match[1]: match[0]
    for match in (
        re.match(r"# (\S+)\n.*", block, re.DOTALL)
        for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    )
    if match
}
GITHUB, GITLAB = ".github/workflows/contamination.yml", ".gitlab-ci.yml"
SCHEMAS = {GITHUB: "vendor.github-workflows", GITLAB: "vendor.gitlab-ci"}
INSTALLS = "python -m pip install"  # what is tried is the checkout


def read(name: str) -> Any:
    return yaml.load(FILES[name], yaml.BaseLoader)  # noqa: S506  (texts alone, also of `on`)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_workflow_keeps_to_its_published_schema(name: str, tmp_path: Path) -> None:
    path = tmp_path / Path(name).name
    for text, code in ((FILES[name], 0), (FILES[name].replace("script:", "scripts:"), 1)):
        path.write_text(text if code == 0 or name == GITLAB else text.replace("jobs:", "job:"))
        done = subprocess.run(
            [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMAS[name], path],
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stdout


def github_commands(event: str) -> list[str]:
    """What the steps of a job run on an event."""
    holds = {
        "": True,
        "github.event_name != 'pull_request'": event != "pull_request",
        "github.event_name == 'pull_request'": event == "pull_request",
    }
    steps = read(GITHUB)["jobs"]["study"]["steps"]
    return [
        step["run"]
        for step in steps
        if "run" in step and holds[step.get("if", "")] and INSTALLS not in step["run"]
    ]


def test_both_files_run_the_same_commands() -> None:
    job = read(GITLAB)["contamination"]
    asked, checked = github_commands("schedule")
    assert job["script"][0] == asked
    options = " ".join(checked.replace("\\\n", " ").split()).partition(" --markdown")[0]
    assert job["script"][1].startswith(options)
    assert all(INSTALLS in command for command in job["before_script"])


def test_a_pull_request_gets_no_key_and_asks_nothing() -> None:
    workflow = read(GITHUB)
    assert "pull_request_target" not in workflow["on"]
    [checked] = github_commands("pull_request")
    assert "study check" in checked
    assert "--probe" not in checked
    steps = workflow["jobs"]["study"]["steps"]
    with_key = [step for step in steps if "secrets." in str(step)]
    assert [step["if"] for step in with_key] == ["github.event_name != 'pull_request'"]
    assert "secrets." not in str(workflow["jobs"]["study"]["env"])


def test_every_key_of_the_file_is_described() -> None:
    from dcq.study.shape import schema

    table = PAGE.partition("## All keys")[2].partition("\n## ")[0]
    for shape in schema()["$defs"].values():
        for key in shape["properties"]:
            assert f"`{key}`" in table, key


class Clone:
    """A clean folder with a study, and a job that runs commands in it."""

    def __init__(self, folder: Path, provider: FakeProvider) -> None:
        self.folder, self.provider = folder, provider
        folder.mkdir(exist_ok=True)
        (folder / ".dcq").mkdir()
        (folder / "prices.toml").write_text("[models]\nforgets = [1, 1]\nremembers = [1, 1]\n")
        newcomer.write_benchmark(folder / "my.csv", 16)
        self.environment = {
            **os.environ,
            "DCQ_STORE": ".dcq/dcq.duckdb",
            "DCQ_PRICES": "prices.toml",
            "OPENAI_BASE_URL": provider.base_url,
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "PYTHONPATH": str(ROOT),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }

    def job(self, commands: list[str]) -> int:
        """The exit code of the first command that fails, as bash ends a step; 0 if none does."""
        (self.folder / "summary.md").touch()
        for command in commands:
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", command],
                cwd=self.folder,
                env=self.environment,
                capture_output=True,
                text=True,
            )
            assert "Traceback" not in done.stderr
            if done.returncode:
                return done.returncode
        return 0

    @property
    def calls(self) -> int:
        return len(self.provider.bodies)


@pytest.mark.slow
@pytest.mark.ci
@pytest.mark.timeout(1800)  # it rewords 136 texts, and a machine may have other work
def test_the_commands_pass_and_fail_night_after_night(
    tmp_path: Path, provider: FakeProvider
) -> None:
    provider.seen = tuple(newcomer.known(1.0))
    clone = Clone(tmp_path / "first", provider)
    first = "study init --file my.csv --text question --label answer --model forgets"
    assert clone.job([f"python -m dcq {first}"]) == 0
    [snapshot] = re.findall(r"^    (python -m dcq study run .* > conclusions.json)$", PAGE, re.M)
    assert clone.job([snapshot]) == 0
    asked = clone.calls
    assert asked > 100

    # Another night: a clean clone, with the store as the cache gives it back.
    again = Clone(tmp_path / "second", provider)
    for name in ("study.toml", "conclusions.json"):
        shutil.copy(clone.folder / name, again.folder / name)
    shutil.copytree(clone.folder / ".dcq", again.folder / ".dcq", dirs_exist_ok=True)
    assert again.job(github_commands("schedule")) == 0
    assert again.calls == asked  # it is one's own store, so nothing is asked again
    summary = (again.folder / "summary.md").read_text()
    assert "passed, 1 conclusion" in summary
    assert "<testcase" in (again.folder / "junit.xml").read_text()

    # A pull request adds a model: nobody asked it yet, which is no failure, and asks nothing.
    text = (again.folder / "study.toml").read_text()
    (again.folder / "study.toml").write_text(f'{text}\n[[model]]\nname = "remembers"\n')
    assert again.job(github_commands("pull_request")) == 0
    assert again.calls == asked
    assert again.job(github_commands("schedule")[1:]) == 5

    # The next night asks that model alone, and fails.
    assert again.job(github_commands("schedule")) == 3
    assert {body["model"] for body in provider.bodies[asked:]} == {"remembers"}
    assert "failed by a conclusion" in (again.folder / "summary.md").read_text()
    assert again.job(github_commands("pull_request")) == 1  # its own test, that it is no 5
    assert again.job(read(GITLAB)["contamination"]["script"]) == 3
