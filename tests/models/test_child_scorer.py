from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dcq.errors import EndpointBusyError, EndpointRefusedError, RequestRejectedError
from dcq.models.embedded import find_weights
from dcq.models.endpoints import resolve
from dcq.models.scorers.child import LLAMA_CPP, NUMPY
from dcq.models.scorers.child_scorer import ChildScorer
from dcq.models.scorers.gguf_file import GgufFile
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.llama_cpp import LlamaCpp
from dcq.models.scorers.scoring import open_scorer
from dcq.settings import ROOT, load
from tests.support import tiny_gguf
from tests.support.tiny_gguf import WINDOW, random_weights

TEXTS = [ScoredText("the cat of the house 42"), ScoredText("the end", "near \U0001f600")]
MINUTES_OF_WORK = [ScoredText("so " * 40)] * 100_000
VERSES = [
    ScoredText("In the beginning God created the heaven and the earth."),
    ScoredText("In the start God made the sky and the world."),
    ScoredText("And the evening and the morning were the first day.", "God called the light Day."),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf.write(tmp_path_factory.mktemp("m") / "tiny.gguf", random_weights())


@pytest.fixture
def scorer(tiny: Path) -> Iterator[ChildScorer]:
    scorer = ChildScorer(NUMPY, tiny)
    yield scorer
    scorer.close()


def all_numbers(found: list[Likelihood]) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    parts = [(one.logprobs, one.means, one.spreads) for one in found]
    return [number for one in parts for number in one if number is not None]


async def test_llama_cpp_finds_what_numpy_finds(tiny: Path, scorer: ChildScorer) -> None:
    other = ChildScorer(LLAMA_CPP, tiny)
    ours, theirs = await scorer.score(TEXTS), await other.score(TEXTS)
    other.close()
    assert len(all_numbers(ours)) == len(all_numbers(theirs)) == 6
    for a, b in zip(all_numbers(ours), all_numbers(theirs), strict=True):
        np.testing.assert_allclose(a, b, atol=0.02)  # its attention reads 16-bit keys
    assert [one.pieces for one in ours] == [one.pieces for one in theirs]
    assert ["".join(one.pieces) for one in ours] == [one.text for one in TEXTS]
    assert scorer.settings == {
        "file": "tiny.gguf",
        "dtype": "float32",
        "beginning_token": "<s>",
        "computed_by": "numpy",
    }
    assert other.settings["computed_by"] == "llama.cpp"
    assert other.settings["beginning_token"] == "<s>"


async def test_its_memory_is_limited(scorer: ChildScorer) -> None:
    await scorer.score(TEXTS)
    limits = Path(f"/proc/{scorer.pid}/limits").read_text()
    [line] = [line for line in limits.splitlines() if line.startswith("Max address space")]
    assert 2**32 < int(line.split()[3]) < 2**34


@pytest.mark.parametrize("capped", [True, False])
async def test_a_cap_of_logits_is_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capped: bool
) -> None:
    """Gemma 2 has one: with it llama.cpp's own numbers come out, without it they do not."""
    path = tiny_gguf.write_gemma(tmp_path / "gemma.gguf", cap=3.0)
    if capped:
        off = LlamaCpp(path).settings["off"]
        assert isinstance(off, float)
        assert off < 0.05
    else:
        monkeypatch.setattr(GgufFile, "number", _uncapped)
        with pytest.raises(EndpointRefusedError, match=r"off those of llama\.cpp"):
            LlamaCpp(path)


def _uncapped(file: GgufFile, key: str, default: float | None = None) -> float:
    if key.endswith("final_logit_softcapping"):
        return 0.0
    value = file._metadata.get(key, default)
    assert isinstance(value, int | float)
    return value


@pytest.mark.parametrize("scale", [8.0, 0.25])
async def test_the_scale_of_logits_is_found_by_the_servers_own_numbers(
    tmp_path: Path, scale: float
) -> None:
    """Granite divides by it: a product of the weights' own says what must come out."""
    weights = random_weights()
    scaled = weights | {"output": weights["output"] / np.float32(scale)}
    found = []
    for name, kind, held, said in (("a", "granite", weights, scale), ("b", "llama", scaled, None)):
        path = tiny_gguf.write(tmp_path / f"{name}.gguf", held, kind=kind, logit_scale=said)
        scorer = ChildScorer(LLAMA_CPP, path)
        found.append(all_numbers(await scorer.score(TEXTS)))
        scorer.close()
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, atol=0.02)


async def test_a_longer_text_gets_a_larger_server(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dcq.models.scorers import llama_cpp
    from dcq.models.scorers.engine import score

    monkeypatch.setattr(llama_cpp, "_FIRST_TOKENS", 32)
    monkeypatch.setattr(llama_cpp, "_HELD", 0)  # and slices of the output matrix are read anew
    model = llama_cpp.LlamaCpp(tiny)
    long = ScoredText("so " * 40)
    [before, after] = [score(model, [text])[0] for text in (TEXTS[0], long)]
    assert after.tokens == 120
    np.testing.assert_allclose(score(model, TEXTS)[0].logprobs, before.logprobs, atol=1e-3)
    with pytest.raises(RequestRejectedError, match=f"the model reads {WINDOW}"):
        score(model, [ScoredText("x" * WINDOW)])


@pytest.mark.parametrize("kind", [NUMPY, LLAMA_CPP])
async def test_a_file_that_is_no_model_ends_in_a_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model" * 100)
    scorer = ChildScorer(kind, path)
    with pytest.raises(EndpointRefusedError, match=r"^broken\.gguf cannot be used as a GGUF model"):
        await scorer.score(TEXTS)
    scorer.close()


async def test_a_model_that_llama_cpp_does_not_know_ends_in_a_sentence(tmp_path: Path) -> None:
    path = tiny_gguf.write(tmp_path / "new.gguf", random_weights(), kind="unheard-of")
    scorer = ChildScorer(LLAMA_CPP, path)
    with pytest.raises(EndpointRefusedError, match=r"cannot load it \(architecture unheard-of\)"):
        await scorer.score(TEXTS)
    scorer.close()


async def test_one_text_that_cannot_be_scored_leaves_the_process_alive(scorer: ChildScorer) -> None:
    with pytest.raises(RequestRejectedError, match=f"the model reads {WINDOW}"):
        await scorer.score([ScoredText("x" * 1000)])
    pid = scorer.pid
    assert len(await scorer.score(TEXTS)) == 2
    assert scorer.pid == pid
    assert await scorer.score([]) == []


async def test_a_process_that_dies_is_an_error_and_replaced(scorer: ChildScorer) -> None:
    before = await scorer.score(TEXTS)
    pid = scorer.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)  # as the system does where memory runs out
    while not _has_ended(scorer):
        time.sleep(0.01)
    again = await scorer.score(TEXTS)  # it was seen to be gone
    asked = asyncio.create_task(scorer.score(MINUTES_OF_WORK))
    await asyncio.sleep(0.1)
    assert scorer.pid is not None
    os.kill(scorer.pid, signal.SIGKILL)
    with pytest.raises(EndpointBusyError, match="ended unexpectedly, as it does when memory"):
        await asked
    once_more = await scorer.score(TEXTS)
    for a, b, c in zip(*map(all_numbers, (before, again, once_more)), strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


async def test_closing_ends_a_computation(tiny: Path) -> None:
    scorer = ChildScorer(NUMPY, tiny)
    await scorer.score(TEXTS)
    pid = scorer.pid
    asked = asyncio.create_task(scorer.score(MINUTES_OF_WORK))
    await asyncio.sleep(0.2)
    began = time.monotonic()
    scorer.close()
    assert time.monotonic() - began < 15
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(EndpointBusyError):
        await asked


def test_it_ends_with_its_parent(tiny: Path) -> None:
    code = (
        "import asyncio, sys, threading, time; from pathlib import Path\n"
        "from dcq.models.scorers.child_scorer import ChildScorer as C\n"
        "from dcq.models.scorers.likelihood import ScoredText as T\n"
        "s = C('numpy', Path(sys.argv[1])); asyncio.run(s.score([T('so')]))\n"
        "print(s.pid, flush=True); asyncio.run(s.score([T('so ' * 40)] * 100_000))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, tiny], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.5)  # amid a computation
        parent.send_signal(signal.SIGKILL)
    end = time.monotonic() + 30
    while time.monotonic() < end and _runs(child):
        time.sleep(0.05)
    assert not _runs(child)


def _has_ended(scorer: ChildScorer) -> bool:
    """As the scorer sees it: with the last of its threads, of which the first may be gone."""
    return scorer.pid is None


def _runs(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except FileNotFoundError:
        return False


def test_no_key_reaches_the_process(scorer: ChildScorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    asyncio.run(scorer.score(TEXTS))
    environment = Path(f"/proc/{scorer.pid}/environ").read_bytes()
    assert b"sk-secret" not in environment
    assert b"OPENBLAS_NUM_THREADS=1" in environment


@pytest.mark.embedded
async def test_the_embedded_model_knows_its_genesis() -> None:
    async with open_scorer(resolve("likelihood:embedded", load())) as scorer:
        verse, reworded, _ = await scorer.score(VERSES)
        assert scorer.settings["computed_by"] == "numpy"
    assert verse.per_token > reworded.per_token
    # Sums over its eleven tokens as transformers 5.24 computes them from the same file.
    assert verse.pieces[:3] == ("In", " the", " beginning")
    assert [part.sum() for part in all_numbers([verse])] == pytest.approx(
        [-48.40541, -42.50678, 30.19917], abs=1e-3
    )


@pytest.mark.embedded
async def test_llama_cpp_comes_close_on_the_embedded_models_file() -> None:
    """Its kernels compute with activations of 8 bits."""
    found = []
    for name in ("likelihood:embedded", f"likelihood:{find_weights()}"):
        async with open_scorer(resolve(name, load())) as scorer:
            found.append(await scorer.score(VERSES))
    ours, theirs = (np.concatenate(all_numbers(one)) for one in found)
    assert np.abs(ours - theirs).mean() < 0.15
    assert np.corrcoef(ours, theirs)[0, 1] > 0.999
    assert [one.pieces for one in found[0]] == [one.pieces for one in found[1]]
