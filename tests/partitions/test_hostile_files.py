"""Files made to do harm: small ones that become huge, and ones that name what to fetch."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import datasets  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dcq.errors import PartitionError
from dcq.partitions import read_file
from dcq.partitions.table import from_dataset
from tests.support import bombs
from tests.support.peak import measure

pytestmark = pytest.mark.slow

MOST = 1300  # MB of memory: twice the limit in dcq.incoming.memory, and Python's own on top


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a server on this machine, and the paths it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/x.png", paths
    server.shutdown()
    server.server_close()


KINDS = {
    "image": datasets.Image(),
    "audio": datasets.Audio(),
    "video": datasets.Video(),
    "pdf": datasets.Pdf(),
    "nifti": datasets.Nifti(),
}


def _write_features(path: Path, column: str, cells: list[str], feature: object) -> Path:
    """A file whose own account calls ``column`` a thing to fetch, whatever its cells are."""
    data = pa.table(
        {
            column: pa.array(
                [{"bytes": None, "path": cell} for cell in cells],
                pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
            ),
            "text": [f"text {i}" for i in range(len(cells))],
        }
    )
    features = datasets.Features({column: feature, "text": datasets.Value("string")})
    said = {"huggingface": json.dumps({"info": {"features": features.to_dict()}})}
    pq.write_table(data.replace_schema_metadata(said), path)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_parquet_file_calls_an_image_is_neither_fetched_nor_opened(
    tmp_path: Path, asked: tuple[str, list[str]], kind: str
) -> None:
    address, paths = asked
    secret = tmp_path / "secret.txt"
    secret.write_text("the root password")
    cells = [address, str(secret), f"zip://x::{address}"]
    path = _write_features(tmp_path / "a.parquet", "picture", cells, KINDS[kind])
    table = read_file(path)
    rows = list(table.read(["picture", "text"]))
    assert [row["picture"] for row in rows] == [{"bytes": None, "path": cell} for cell in cells]
    assert table.head(1)[0]["picture"] == rows[0]["picture"]
    found = measure(
        "list(read_file(path).read(['picture']))", path,
        imports="from dcq.partitions import read_file",
    )  # fmt: skip
    assert found.said == ""
    assert str(secret) not in found.opened
    assert paths == []


def test_a_column_of_a_dataset_on_the_hub_is_not_fetched_either(
    tmp_path: Path, asked: tuple[str, list[str]]
) -> None:
    address, paths = asked
    path = _write_features(tmp_path / "a.parquet", "picture", [address], datasets.Image())
    dataset = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "cache"))
    assert isinstance(dataset.features["picture"], datasets.Image)
    table = from_dataset(dataset, "hub:owner/name@1")
    assert next(table.read(["picture"]))["picture"]["path"] == address
    assert table.head(1)[0]["picture"]["path"] == address
    assert paths == []


def _repeated_text(path: Path) -> None:
    """Ten million times one text: a few hundred bytes of run lengths."""
    with pq.ParquetWriter(path, pa.schema([("text", pa.string())]), compression="zstd") as writer:
        writer.write_table(pa.table({"text": pa.repeat("the same text", 10_000_000)}))


def _nothing(path: Path) -> None:
    """Ten million rows of nothing."""
    pq.write_table(pa.table({"text": pa.nulls(10_000_000, pa.string())}), path)


def _long_list(path: Path) -> None:
    """One row that holds a list of 130 million nothings, in some hundred bytes."""
    values = pa.nulls(130_000_000, pa.bool_())
    pq.write_table(pa.table({"text": pa.ListArray.from_arrays([0, len(values)], values)}), path)


def _one_wide_cell(path: Path) -> None:
    """One cell that no slice can split, whose last character makes Python take four bytes for
    each."""
    text = pa.array([["a" * 140_000_000 + "\U0001f600"]])
    pq.write_table(pa.table({"text": text}), path, compression="zstd")


BOMBS: dict[str, Callable[[Path], None]] = {
    "one wide character": bombs.parquet,
    "one wide cell": _one_wide_cell,
    "repeated text": _repeated_text,
    "nothing": _nothing,
    "long list": _long_list,
    "one large page": bombs.parquet_page,
}


@pytest.mark.ci
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_parquet_file_does_not_fill_the_memory(
    tmp_path: Path, bomb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bomb.parquet"
    BOMBS[bomb](path)
    found = measure("read_file(path)", path, imports="from dcq.partitions import read_file")
    with capsys.disabled():
        print(f"\n{bomb}: {path.stat().st_size:,} bytes, peak {found.peak:.0f} MB")
    assert "keep some thousand rows" in found.said
    assert found.peak < MOST


def test_text_of_every_width_comes_out_as_it_went_in(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = [
        start * 30_000 + end
        for start in ("a", "é", "語")
        for end in ("", "ÿ", "€", "\U0001f600", "\0")
    ] * 80  # one batch of the file, which is handed on in parts
    cells: list[str | None] = [*texts[:7], None, *texts[8:]]
    pq.write_table(pa.table({"text": pa.array(cells), "parts": [[c] for c in cells]}), path)
    rows = list(read_file(path).read(["text", "parts"]))
    assert [row["text"] for row in rows] == cells
    assert [row["parts"] for row in rows] == [[cell] for cell in cells]


def test_broken_utf_8_in_a_parquet_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    broken = pa.array([b"a\xff\xf0", b"\xc3"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 2, broken.buffers())
    pq.write_table(pa.table({"text": text}), path)
    with pytest.raises(PartitionError, match="not a parquet file that can be read"):
        read_file(path)


def _write_repeated(path: Path, start: str, part: str, times: int, end: str) -> None:
    with path.open("w", encoding="ascii") as file:
        file.write(start)
        for _ in range(100):
            file.write(part * (times // 100))
        file.write(end)


def _empty_objects(path: Path) -> None:
    _write_repeated(path, '[{"text": [' if path.suffix == ".json" else '{"text": [', "{},",
                    60_000_000, "{}]}" + "]" * (path.suffix == ".json"))  # fmt: skip


def _short_rows(path: Path) -> None:
    _write_repeated(path, "a\n", "b\n", 90_000_000, "")


def _many_columns(path: Path) -> None:
    _write_repeated(path, "", ",", 190_000_000, "")


def _wide_text(path: Path) -> None:
    _write_repeated(path, '[{"text": "', "a", 190_000_000, '\\ud83d\\ude00"}]')


TEXTS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "objects in one line": ("a.jsonl", _empty_objects),
    "objects in one list": ("a.json", _empty_objects),
    "short rows": ("a.csv", _short_rows),
    "many columns": ("a.csv", _many_columns),
    "wide text": ("a.json", _wide_text),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_file_below_the_limit_does_not_fill_the_memory(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, write = TEXTS[kind]
    path = tmp_path / name
    write(path)
    found = measure("read_file(path)", path, imports="from dcq.partitions import read_file")
    with capsys.disabled():
        print(f"\n{kind}: {path.stat().st_size / 1e6:.0f} MB, peak {found.peak:.0f} MB")
    assert found.said.startswith(name)
    assert found.peak < MOST


def test_compressed_text_is_no_kind_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"text\nx\n"))
    with pytest.raises(PartitionError, match="not one of the kinds"):
        read_file(path)


def test_a_file_that_lies_about_its_class_names_is_read_without_them(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for said in ("[" * 100_000, '{"info": 3}', '{"info": {"features": {"text": '
                 '{"_type": "ClassLabel", "names": [1]}}}}'):  # fmt: skip
        table = pa.table({"text": ["a"]}).replace_schema_metadata({"huggingface": said})
        pq.write_table(table, path)
        assert read_file(path).label_names == {}
        assert list(read_file(path).rows) == [{"text": "a"}]
