"""What is written is whole or not there, and only where it was asked for."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dcq import writer
from dcq.errors import InputError
from dcq.passport import keys
from dcq.settings import ROOT
from dcq.store import Store
from dcq.writer import Kept
from tests.support.no_plain_files import NO_PLAIN_FILES, make

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and modes are POSIX's")


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """Within, no file can grow beyond ``size``: what a full disk does, at a place that is known."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for content in (b"one", b"another"):
        writer.write(path, content)
        assert path.read_bytes() == content
    assert left(tmp_path) == ["a.txt"]


def test_a_full_disk_keeps_the_good_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"good")
    long = b"x" * 50_000
    attempts: tuple[Callable[[], None], ...] = (
        lambda: writer.write(path, long),
        lambda: writer.write_all({tmp_path / "b.txt": b"short", path: long}),
        lambda: writer.write(tmp_path / "c.txt", long, private=True, new=True),
    )
    for write in attempts:
        with file_limit(10_000), pytest.raises(InputError, match="cannot be written"):
            write()
        assert path.read_bytes() == b"good"
        assert left(tmp_path) == ["a.txt"]


def test_a_disk_without_room_keeps_the_good_file(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can be made by root alone")
    try:
        path = disk / "a.txt"
        writer.write(path, b"good" * 5_000)
        with pytest.raises(InputError, match="No space left on device"):
            writer.write(path, b"x" * 100_000)
        assert path.read_bytes() == b"good" * 5_000
        assert left(disk) == ["a.txt"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.timeout(60)
def test_a_killed_writer_leaves_the_good_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"good")
    code = f"""
from pathlib import Path
from dcq import writer
with writer.opened(Path({str(path)!r})) as file:
    file.write(b"x" * 100_000)
    file.flush()
    print("half", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) as half:
        assert half.stdout is not None
        assert half.stdout.readline() == b"half\n"
        half.send_signal(signal.SIGKILL)
    assert path.read_bytes() == b"good"
    assert all(name.startswith(".dcq-") for name in left(tmp_path) if name != "a.csv")
    assert not list(tmp_path.glob("*.csv.*"))
    writer.write(path, b"better")
    assert path.read_bytes() == b"better"


def test_a_block_that_fails_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"

    def write_half() -> None:
        with writer.opened(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert left(tmp_path) == []


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    there, link = tmp_path / "there.txt", tmp_path / "link.txt"
    there.write_bytes(b"old")
    link.symlink_to("there.txt")
    writer.write(link, b"new")
    assert link.is_symlink()
    assert there.read_bytes() == b"new"


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    link, second, loop = tmp_path / "link", tmp_path / "second", tmp_path / "loop"
    link.symlink_to(tmp_path / "absent")
    second.symlink_to(link)
    loop.symlink_to(loop)
    for path in (link, second):
        with pytest.raises(InputError, match=r"is a link to .*absent, which is not there"):
            writer.write(path, b"x")
        with pytest.raises(InputError, match="is not there"):
            writer.write_all({tmp_path / "other": b"x", path: b"x"})
    with pytest.raises(InputError, match="cannot be written"):
        writer.write(loop, b"x")
    folder = tmp_path / "folder"
    folder.symlink_to(tmp_path / "no-folder")
    with pytest.raises(InputError, match="cannot be written"):
        writer.write(folder / "a.txt", b"x")
    assert left(tmp_path) == ["folder", "link", "loop", "second"]


def test_a_hard_link_is_replaced_under_its_own_name(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"old")
    second.hardlink_to(first)
    writer.write(second, b"new")
    assert (first.read_bytes(), second.read_bytes()) == (b"old", b"new")


@pytest.mark.parametrize("how", ["itself", "link", "hard link", "linked hard link"])
def test_own_keys_secrets_and_stores_are_kept(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    keys.make(own / "key")
    monkeypatch.setenv(keys.PASSPHRASE, "river bank")
    keys.make(own / "closed")
    store = Store(own / "old.duckdb")
    with store.write():
        pass
    (own / "old.duckdb.wal").write_bytes(b"log")
    (own / "plain.dcqsecret").write_text('{\n "format": "dcq-secret",\n "version": 1}')
    (own / "sealed.dcqsecret").write_text('{"format": "dcq-secret", "version": 1, "salt": ""}')
    (own / "moved.dcqsecret").write_text('  {"version": 2,\n "\\u0066ormat" : "dcq-secret"}')
    (own / "long.dcqsecret").write_text(f'{{"items": "{"x" * 3_000_000}", "format": "dcq-secret"}}')
    (own / "named key").write_text("Ana's key\n" + (own / "key").read_text())
    broken = own / "broken.duckdb"  # only its name says that it is a store
    broken.write_bytes(b"broken")
    monkeypatch.setenv("DCQ_STORE", str(broken))
    (store.runs_folder / "x.jsonl").write_text("{}")
    for file in [path for path in own.rglob("*") if path.is_file()]:
        path = tmp_path / "out.csv"
        if how == "itself":
            path = file
        elif how == "link":
            path.symlink_to(file)
        else:
            if file.parent != own or file.suffix == ".wal":
                continue  # known by their place
            hard = path if how == "hard link" else tmp_path / "hard"
            hard.hardlink_to(file)
            if hard != path:
                path.symlink_to(hard)
        before = file.read_bytes()
        with pytest.raises(InputError, match="would be lost; name another"):
            writer.write(path, b"x")
        with pytest.raises(InputError, match="would be lost; name another"):
            writer.put(make("pipe", tmp_path / "made"), path)
        assert file.read_bytes() == before
        for name in ("out.csv", "hard", "made"):
            (tmp_path / name).unlink(missing_ok=True)


def test_what_may_replace_a_kept_file_says_so(tmp_path: Path) -> None:
    secret = tmp_path / "a.dcqsecret"
    secret.write_text('{"format": "dcq-secret"}')
    writer.write(secret, b"new", private=True, over=Kept.SECRET)
    assert secret.read_bytes() == b"new"
    keys.make(tmp_path / "key")
    with pytest.raises(InputError, match="is a key"):
        writer.write(tmp_path / "key", b"new", over=Kept.SECRET)


def test_modes_are_kept_and_secrets_are_the_owners_alone(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        writer.write(tmp_path / "new", b"x")
        writer.write(tmp_path / "private", b"x", private=True)
        (tmp_path / "group").write_bytes(b"x")
        (tmp_path / "group").chmod(0o664)
        writer.write(tmp_path / "group", b"y")
        writer.write_all({tmp_path / "s": b"x", tmp_path / "c": b"x"}, private=tmp_path / "s")
    finally:
        os.umask(mask)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"new": 0o644, "private": 0o600, "group": 0o664, "s": 0o600, "c": 0o644}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.write_bytes(b"x")
    path.chmod(0o640)
    os.chown(path, 12345, 23456)
    writer.write(path, b"y")
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 23456, 0o640)
    writer.write(path, b"z", private=True)
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 23456, 0o600)


@pytest.mark.parametrize("kind", NO_PLAIN_FILES)
@pytest.mark.timeout(10)
def test_what_is_no_plain_file_is_never_written(kind: str, tmp_path: Path) -> None:
    path = make(kind, tmp_path / "out.csv")
    with pytest.raises(InputError, match="cannot be written, because it is"):
        writer.write(path, b"x")
    assert not [name for name in left(tmp_path) if name.startswith(".dcq-")]


def test_names_that_are_none_are_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / ("n" * 300), tmp_path / "a\0b", tmp_path / "absent" / "x"):
        with pytest.raises(InputError):
            writer.write(path, b"x")
    longest = tmp_path / ("n" * 255)
    writer.write(longest, b"x")
    lines = tmp_path / "two\nlines"
    writer.write(lines, b"y")
    assert (longest.read_bytes(), lines.read_bytes()) == (b"x", b"y")


def test_a_new_file_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"old")
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    for name in ("there", "nowhere"):
        with pytest.raises(InputError, match="never overwritten"):
            writer.write_all({tmp_path / "first": b"x", tmp_path / name: b"x"}, new=True)
    assert (tmp_path / "there").read_bytes() == b"old"
    assert left(tmp_path) == ["nowhere", "there"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pytest.raises(InputError, match="never overwritten"), writer.opened(path, new=True):
        path.write_bytes(b"other")
    assert path.read_bytes() == b"other"
    assert left(tmp_path) == ["a"]


def test_without_a_right_to_the_folder_it_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"old")
    (folder / "a.txt").chmod(0o666)
    folder.chmod(0o555)
    tmp_path.chmod(0o755)
    code = f"""
import os
from pathlib import Path
from dcq import writer
from dcq.errors import InputError
if os.geteuid() == 0:
    os.setuid(65534)
try:
    writer.write(Path({str(folder / "a.txt")!r}), b"new")
except InputError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True
    )
    folder.chmod(0o755)
    assert "cannot be written (Permission denied)" in done.stdout
    assert (folder / "a.txt").read_bytes() == b"old"


@pytest.mark.parametrize("write", ["write(to, content)", "write_all({to: content})"])
@pytest.mark.parametrize("redirected", [False, True])
def test_standard_output_is_written_as_it_is(redirected: bool, write: str, tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from dcq import writer
print("before")
to, content = Path("/dev/stdout"), b"content\\n"
writer.{write}
print("after")
"""
    words = [sys.executable, "-c", code]
    if redirected:
        with (tmp_path / "out").open("wb") as out:
            subprocess.run(words, cwd=ROOT, stdout=out, check=True)
        shown = (tmp_path / "out").read_bytes()
    else:
        shown = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout
    assert shown == b"before\ncontent\nafter\n"


def test_a_made_file_takes_a_name(tmp_path: Path) -> None:
    made, path = tmp_path / "made", tmp_path / "path"
    made.write_bytes(b"x")
    writer.put(made, path)
    assert left(tmp_path) == ["path"]
    made.write_bytes(b"y")
    with pytest.raises(InputError, match="cannot be written"):
        writer.put(made, tmp_path / "absent" / "path")
    assert path.read_bytes() == b"x"
