from __future__ import annotations

import contextlib
import resource
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import EndpointRefusedError
from dcq.models.scorers.gguf_file import GgufFile
from dcq.models.scorers.llama import Llama
from dcq.settings import ROOT
from tests.support import tiny_gguf

TEXT, LIST, U32, U64 = 8, 9, 4, 10


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf.write(tmp_path_factory.mktemp("m") / "whole.gguf", tiny_gguf.random_weights())


def test_it_reads_what_the_library_reads(whole: Path) -> None:
    ours, theirs = GgufFile(whole), gguf.GGUFReader(whole)
    assert set(ours.tensors) == {one.name for one in theirs.tensors}
    for one in theirs.tensors:
        shape = tuple(int(size) for size in reversed(one.shape))
        np.testing.assert_array_equal(ours.weights(one.name, shape), one.data.reshape(shape))
    assert ours.texts("tokenizer.ggml.tokens") == theirs.fields["tokenizer.ggml.tokens"].contents()
    assert ours.count("llama.context_length") == tiny_gguf.WINDOW
    assert ours.number("llama.attention.layer_norm_rms_epsilon") == pytest.approx(1e-5)


def test_rows_are_read_in_slices(whole: Path) -> None:
    file = GgufFile(whole)
    parts = list(file.slices("output.weight", 100))
    assert [len(part) for part in parts] == [100, 100, len(tiny_gguf.TOKENS) - 200]
    np.testing.assert_array_equal(
        np.concatenate(parts), file.weights("output.weight", (len(tiny_gguf.TOKENS), 64))
    )


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def head(tensors: int, pairs: int, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, pairs)


def tensor(*sizes: int, kind: int = 0, offset: int = 0) -> bytes:
    said = struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)
    return head(1, 0) + text("output.weight") + said


def listed(kind: int, count: int) -> bytes:
    return head(0, 1) + text("a") + struct.pack("<IIQ", LIST, kind, count)


MANY = 2**62
HOSTILE = {
    "empty": b"",
    "no model": b"no model" * 100,
    "begins and ends": b"GGUF",
    "version": head(0, 0, 99),
    "tensors": head(MANY, 0),
    "pairs": head(0, MANY),
    "pairs that are not there": head(0, 50_000),
    "a name without end": head(0, 1) + struct.pack("<Q", MANY) + b"a",
    "a text without end": head(0, 1) + text("a") + struct.pack("<IQ", TEXT, MANY),
    "a list without end": listed(U32, MANY),
    "a list beyond the end": listed(U64, 4_000_000),
    "texts without end": listed(TEXT, MANY),
    "texts beyond the end": listed(TEXT, 4_000_000),
    "lists of lists": listed(LIST, 2) + struct.pack("<IQ", LIST, MANY) * 2,
    "unknown value": head(0, 1) + text("a") + struct.pack("<I", 77),
    "no text": head(0, 1) + struct.pack("<Q", 2) + b"\xff\xff" + struct.pack("<II", U32, 1),
    "alignment": head(0, 1) + text("general.alignment") + struct.pack("<II", U32, 0),
    "a matrix without end": tensor(2**32, 2**32),
    "a matrix whose size overflows": tensor(2**32, 2**31, 2, 2**63),
    "a matrix of nothing": tensor(0, 4),
    "many dimensions": head(1, 0) + text("x") + struct.pack("<I", 2**31),
    "unknown numbers": tensor(4, 4, kind=9999),
    "a block cut in two": tensor(33, 4, kind=8) + bytes(1000),
    "matrices upon each other": head(3, 0)
    + b"".join(text(name) + struct.pack("<IQQIQ", 2, 10, 10, 0, 0) for name in "abc")
    + bytes(1000),
    "far away": tensor(4, 4, offset=MANY) + bytes(1000),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_lies_ends_in_a_sentence(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "hostile.gguf"
    path.write_bytes(body)
    with pytest.raises(EndpointRefusedError, match=r"^hostile\.gguf cannot be used .*another\.$"):
        GgufFile(path)


@pytest.mark.parametrize("share", [0.001, 0.02, 0.3, 0.9, 0.999])
def test_a_file_cut_off_ends_in_a_sentence(whole: Path, tmp_path: Path, share: float) -> None:
    body = whole.read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(body[: int(len(body) * share)])
    with pytest.raises(EndpointRefusedError, match="cut off"):
        GgufFile(path)


@given(st.data())
def test_a_damaged_file_is_read_or_refused(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Also where the damage is in the metadata that the model's shape comes from."""
    body = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(4, 6000))
        body[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    path.write_bytes(body)
    with contextlib.suppress(EndpointRefusedError):
        Llama(path)


def limited(megabytes: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    return limit


def test_no_file_takes_much_more_memory_than_it_has_bytes(tmp_path: Path) -> None:
    """Of the worst that still passes: four million texts, each of no letter."""
    path = tmp_path / "texts.gguf"
    path.write_bytes(listed(TEXT, 4_000_000) + bytes(8 * 4_000_000))
    code = (
        "import sys; from pathlib import Path\n"
        "from dcq.models.scorers.gguf_file import GgufFile\n"
        "print(len(GgufFile(Path(sys.argv[1])).texts('a')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=limited(1000),
    )
    assert done.stdout == "4000000\n", done.stderr
