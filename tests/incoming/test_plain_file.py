"""Whatever a name leads to, the answer comes at once: the file, or one sentence."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.incoming import plain_file
from dcq.settings import ROOT
from tests.support.no_plain_files import NO_PLAIN_FILES, make

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are POSIX's")


@pytest.mark.parametrize("kind", NO_PLAIN_FILES)
@pytest.mark.timeout(10)
def test_what_is_no_plain_file_is_one_sentence(kind: str, tmp_path: Path) -> None:
    path = make(kind, tmp_path / "given.json")
    for read in (plain_file.open_plain, plain_file.read_bytes, plain_file.read_text):
        with pytest.raises(InputError, match=r"given\.json cannot be read: it is not a file but a"):
            read(path)
    with pytest.raises(InputError, match="name a plain file"):
        plain_file.check_plain(path)


def test_a_plain_file_is_read_also_through_links(tmp_path: Path) -> None:
    file = tmp_path / "plain"
    file.write_bytes("é\r\n".encode())
    link, second, hard = tmp_path / "link", tmp_path / "second", tmp_path / "hard"
    link.symlink_to(file)
    second.symlink_to(link)
    hard.hardlink_to(file)
    with file.open("rb") as held:
        for path in (file, link, second, hard, Path(f"/proc/self/fd/{held.fileno()}")):
            if path.exists():  # not every system has the last
                assert plain_file.read_bytes(path) == "é\r\n".encode()
                assert plain_file.read_text(path) == path.read_text("utf-8")
                plain_file.check_plain(path)


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (tmp_path / "absent", loop, tmp_path / ("n" * 300), tmp_path / "absent" / "x"):
        with pytest.raises(OSError, match=r"\w"):
            plain_file.read_bytes(path)
        plain_file.check_plain(path)  # that it is not there is its reader's to say
    with pytest.raises(InputError, match=r"\\x00"):
        plain_file.read_bytes(Path("a\0b"))


def test_more_than_asked_for_is_not_read(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="has more than 500 MB"):
        plain_file.read_bytes(sparse)
    ten = tmp_path / "ten"
    ten.write_bytes(b"0123456789")
    assert plain_file.read_bytes(ten, 10) == b"0123456789"
    with pytest.raises(InputError, match="has more than 9 bytes"):
        plain_file.read_bytes(ten, 9)


def test_a_file_that_grows_while_it_is_read_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = tmp_path / "growing"
    growing.write_bytes(b"x")
    status = growing.stat()
    monkeypatch.setattr(os, "fstat", lambda _descriptor: status)
    growing.write_bytes(b"x" * 5_000_000)  # after it was looked at
    with pytest.raises(InputError, match="has more than 2 MB"):
        plain_file.read_bytes(growing, 2_000_000)


@pytest.mark.parametrize("how", ["pipe", "file", "socket"])
def test_standard_input_is_read_where_it_can_be(how: str, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from dcq.incoming.plain_file import read_bytes\n"
        "print(read_bytes(Path('/dev/stdin')))"
    )
    words = [sys.executable, "-c", code]
    if how == "pipe":
        done = subprocess.run(words, cwd=ROOT, input=b"abc", capture_output=True, check=True)
    elif how == "file":
        (tmp_path / "in").write_bytes(b"abc")
        with (tmp_path / "in").open("rb") as file:
            done = subprocess.run(words, cwd=ROOT, stdin=file, capture_output=True, check=True)
    else:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            done = subprocess.run(
                words, cwd=ROOT, stdin=theirs.fileno(), capture_output=True, check=False, timeout=20
            )
        assert b"not a file but a socket" in done.stderr
        return
    assert done.stdout.strip() == b"b'abc'"


def test_standard_input_without_end_is_refused() -> None:
    code = "from pathlib import Path\nfrom dcq.incoming.plain_file import read_bytes\n"
    code += "read_bytes(Path('/dev/stdin'), 1_000_000)"
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, stdin=endless, capture_output=True, check=False
        )
    assert b"not a file but a device" in done.stderr


def test_an_open_file_is_not_left_behind(tmp_path: Path) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0

    pipe = make("pipe", tmp_path / "given.json")
    before = open_files()
    for _ in range(5):
        with pytest.raises(InputError):
            plain_file.read_bytes(pipe)
    assert open_files() == before
