"""The command line as a test types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import KEY
from tests.support import commands


class Shell:
    """Runs ``python -m dcq`` on one store; ``new_python``: in a new Python each time."""

    def __init__(
        self,
        store: Path,
        base_url: str = "http://127.0.0.1:9/v1",
        key: str = KEY,
        *,
        new_python: bool = False,
    ) -> None:
        self.new_python = new_python
        self.environment = os.environ | {
            "DCQ_STORE": str(store),
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": key,
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        if not self.new_python:
            return commands.run(*words, environment=self.environment)
        return subprocess.run(
            [sys.executable, "-m", "dcq", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def fails(self, *words: str) -> tuple[int, str]:
        done = self.run(*words)
        assert "Traceback" not in done.stderr
        assert done.returncode != 0
        return done.returncode, done.stderr.strip()
