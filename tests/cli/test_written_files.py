"""What commands write is whole or not there, and never in place of one's own key or store."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import InputError
from dcq.passport import keys
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support import commands
from tests.support.accepted_sample import accept, saved
from tests.support.judged import SEEN, put, put_controls

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(os.name != "posix", reason="links and limits are POSIX's"),
]

EXPORTS = (
    "export results --to OUT.csv",
    "export results --to OUT.jsonl",
    "export results --to OUT.parquet",
    "export variants SAMPLE --to OUT.csv",
    "export sample SAMPLE --to OUT.json",
    "export label-studio SAMPLE --to OUT.json",
    "export findings --format every-eval-ever --to OUT.json",
    "export report --to OUT.html",
    "export report --to OUT.md",
    "export bundle --to OUT.zip",
    "passport make --key KEY --partition rivers/test --out OUT.json",
    "backup OUT.duckdb --force",
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("good")
    store = Store(folder / "dcq.duckdb")
    put_controls(store)
    put(store, "rivers", SEEN)
    sample = saved(store, key="brooks")
    accept(store, sample)
    keys.make(folder / "key")
    return {"STORE": str(store.path), "SAMPLE": sample, "KEY": str(folder / "key")}


@pytest.fixture(autouse=True)
def _in_the_store(good: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", good["STORE"])


def call(line: str, good: dict[str, str], path: Path) -> int:
    words = [str(path) if word.startswith("OUT") else good.get(word, word) for word in line.split()]
    return CliRunner().invoke(app, words, catch_exceptions=False).exit_code


def target(line: str, folder: Path) -> Path:
    [word] = [word for word in line.split() if word.startswith("OUT")]
    return folder / word


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("line", EXPORTS)
def test_a_full_disk_keeps_the_good_file(line: str, good: dict[str, str], tmp_path: Path) -> None:
    path = target(line, tmp_path)
    path.write_bytes(b"good")
    with full_disk(100), pytest.raises(InputError, match="cannot be written"):
        call(line, good, path)
    assert path.read_bytes() == b"good"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert call(line, good, path) == 0
    assert path.stat().st_size > 100


@pytest.mark.parametrize("how", ["link", "hard link", "link to a hard link"])
@pytest.mark.parametrize("own", ["STORE", "KEY", "KEY.pub", ".env"])
@pytest.mark.parametrize("line", [EXPORTS[0], EXPORTS[4], EXPORTS[10], EXPORTS[11]])
def test_own_files_are_not_written_over_by_any_name(
    line: str,
    own: str,
    how: str,
    good: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variables = tmp_path / ".env"
    variables.write_text("OPENAI_API_KEY=sk-test-not-a-real-key\n")
    monkeypatch.setattr("dcq.writer.ENV_FILE", variables)
    name = good["KEY"] + ".pub" if own == "KEY.pub" else good.get(own, str(variables))
    path = target(line, tmp_path)
    if how == "link":
        path.symlink_to(name)
    else:
        hard = path if how == "hard link" else tmp_path / "hard"
        hard.hardlink_to(name)
        if hard != path:
            path.symlink_to(hard)
    before = Path(name).read_bytes()
    with pytest.raises(InputError, match="name another"):
        call(line, good, path)
    assert Path(name).read_bytes() == before
    assert os.path.samefile(path, name)


@pytest.mark.parametrize("line", EXPORTS)
def test_a_link_that_leads_nowhere_is_not_followed(
    line: str, good: dict[str, str], tmp_path: Path
) -> None:
    path = target(line, tmp_path)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is not there; name the file itself"):
        call(line, good, path)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("line", EXPORTS)
def test_links_to_ordinary_files_are_used(line: str, good: dict[str, str], tmp_path: Path) -> None:
    path = target(line, tmp_path)
    there, other = tmp_path / "there", tmp_path / "other"
    there.write_bytes(b"old")
    other.hardlink_to(there)
    path.symlink_to(there)
    assert call(line, good, path) == 0
    assert path.is_symlink()
    assert there.stat().st_size > 100
    assert other.read_bytes() == b"old"


def test_a_new_key_follows_no_link(tmp_path: Path) -> None:
    for taken in ("key", "key.pub"):
        folder = tmp_path / f"of-{taken}"
        folder.mkdir()
        (folder / taken).symlink_to(tmp_path / "elsewhere")
        with pytest.raises(InputError, match="never overwritten"):
            CliRunner().invoke(
                app, ["passport", "key", "--out", str(folder / "key")], catch_exceptions=False
            )
        assert [path.name for path in folder.iterdir()] == [taken]
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "taken", ["commitment.json", "private.dcqsecret", "published.csv", "croissant.json", "."]
)
def test_a_benchmark_is_made_through_no_link(
    taken: str, fresh_store: Store, tmp_path: Path
) -> None:
    sample = samples.save(fresh_store, small_sample(12))
    folder = tmp_path / "p"
    if taken == ".":
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        (folder / taken).symlink_to(tmp_path / "elsewhere")
    done = commands.run(
        *("protect", "make", sample, "--out", str(folder), "--accepted-by", "R"),
        environment={"DCQ_STORE": str(fresh_store.path)},
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert not (tmp_path / "elsewhere").exists()
    if taken != ".":
        assert [path.name for path in folder.iterdir()] == [taken]


def test_an_export_onto_a_disk_that_is_full(good: dict[str, str], tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can be made by root alone")
    try:
        path = disk / "bundle.zip"
        path.write_bytes(b"good" * 1000)
        environment = {"DCQ_STORE": good["STORE"]}
        done = commands.run("export", "bundle", "--to", str(path), environment=environment)
        assert done.returncode == 2, done.stderr
        assert "No space left on device" in done.stderr
        assert path.read_bytes() == b"good" * 1000
        assert [file.name for file in disk.iterdir()] == ["bundle.zip"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
