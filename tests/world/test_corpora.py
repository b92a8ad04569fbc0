"""Corpora as people have them: of each, what stands in it is found, or the file is named as not
read. Each case names the thread that it was rebuilt from."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from dcq.overlap.scan.index import ScanQuery
from dcq.overlap.scan.scan import Scan, scan

TEXT = "The harbour master counted seventeen boats before the fog closed over the eastern mole."
CHINESE = "港务长在浓雾笼罩东边的防波堤之前一共数出了十七条渔船。"
GERMAN = "Der Hafenmeister zählte siebzehn Kähne, ehe der Nebel über die östliche Mole kröche."
CHAT = [{"role": "user", "content": TEXT}, {"role": "assistant", "content": "Seventeen."}]


def scanned(path: Path, text: str = TEXT) -> Scan:
    return scan([ScanQuery("q", text, "")], [path], workers=1)


def column(values: Any, kind: Any = None) -> Callable[[Path], None]:
    """Writes a parquet file of one column."""
    return lambda path: parquet.write_table(pa.table({"body": pa.array(values, kind)}), path)


def arrow_file(path: Path) -> None:
    table = pa.table({"messages": [CHAT]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def arrow_stream(path: Path) -> None:
    table = pa.table({"text": [TEXT]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize(
    ("thread", "write"),
    [
        ("huggingface/open-r1#416: chats", column([CHAT])),
        ("allenai/open-instruct#392", column([{"turns": [{"value": TEXT}]}])),
        ("apache/arrow#1688", column([TEXT, TEXT], pa.dictionary(pa.int32(), pa.string()))),
        ("apache/arrow: large_string", column([TEXT], pa.large_string())),
        ("apache/arrow: string_view", column([TEXT], pa.string_view())),
        ("apache/druid#3381: binary", column([TEXT.encode()], pa.binary())),
        ("apache/druid#3381: large binary", column([TEXT.encode()], pa.large_binary())),
        ("a map", column([[("q", TEXT)]], pa.map_(pa.string(), pa.string()))),
        ("a map by question", column([[(TEXT, "17")]], pa.map_(pa.string(), pa.string()))),
        ("lists of lists", column([[["no"], [TEXT]]])),
        ("dictionaries in lists", column([[TEXT]], pa.list_(pa.dictionary(pa.int8(), pa.utf8())))),
        ("allenai/open-instruct#421: a chat kept as JSON", column([json.dumps(CHAT)])),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_type_of_column_is_read(
    tmp_path: Path, thread: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / "a.parquet")
    assert len(scanned(tmp_path).hits) >= 1


@pytest.mark.parametrize("write", [arrow_file, arrow_stream])
@pytest.mark.parametrize("name", ["a.arrow", "cache-0a"])
def test_arrow_files_are_read(tmp_path: Path, write: Callable[[Path], None], name: str) -> None:
    """huggingface/datasets keeps its cache as Arrow streams; Feather is the file format."""
    write(tmp_path / name)
    assert len(scanned(tmp_path).hits) == 1


@pytest.mark.parametrize(
    "line",
    [
        {"text": "", "question": TEXT},
        {"text": "  ", "question": TEXT},
        {"text": None, "question": TEXT},
        {"text": [], "question": TEXT},
        {"text": "see the chat", "messages": CHAT},
        {"text": {"en": TEXT}},
        CHAT,
        {TEXT: "17"},
    ],
)
def test_no_field_hides_another(tmp_path: Path, line: Any) -> None:
    """The decontamination threads of open-r1 and open-instruct: `text` is there and empty."""
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    assert len(scanned(tmp_path).hits) == 1


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.jsonl.gz", gzip.compress),
        ("a.jsonl.bz2", bz2.compress),
        ("a.jsonl.xz", lzma.compress),
        ("a.jsonl", lzma.compress),
    ],
)
def test_packed_files_are_read(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    """As the dumps of Wikipedia, OSCAR and Stack Exchange are packed."""
    (tmp_path / name).write_bytes(pack(json.dumps({"text": TEXT}).encode()))
    assert len(scanned(tmp_path).hits) == 1
    (tmp_path / name).write_bytes(pack(json.dumps({"text": TEXT}).encode())[:-20])
    found = scanned(tmp_path)
    assert found.broken or found.skipped


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.csv", f"sep=;\nid;body\n1;{TEXT}\n".encode(), TEXT),
        ("a.csv", f"id\tbody\r\n1\t{TEXT}\r\n".encode("utf-16"), TEXT),
        ("a.csv", f"id|body\n1|{TEXT}\n".encode(), TEXT),
        ("a.csv", f'1,"{TEXT}"\n2,"other"\n'.encode(), TEXT),
        ("a.jsonl", json.dumps({"text": TEXT}).encode("utf-16"), TEXT),
        ("a.txt", GERMAN.encode("cp1252"), GERMAN),
        ("a.txt", CHINESE.encode("gb18030") * 3, CHINESE),
        ("a.csv", f"id,body\n1,{CHINESE * 3}\n".encode("gb18030"), CHINESE),
    ],
)
def test_other_encodings_and_separators(tmp_path: Path, name: str, data: bytes, text: str) -> None:
    """PowerShell writes UTF-16, Excel its own csv, and older corpora the code pages of a
    country."""
    (tmp_path / name).write_bytes(data)
    assert len(scanned(tmp_path, text).hits) == 1


def test_what_was_not_read_is_named(tmp_path: Path) -> None:
    """NVIDIA/Megatron-LM: corpora are kept as numbers of tokens; bytes need not be texts."""
    table = pa.table(
        {
            "text": ["a"],
            "image": pa.array([b"\xff\xd8\xff\xe0"], pa.binary()),
            "input_ids": [[1, 2]],
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    parquet.write_table(pa.table({"input_ids": [[1, 2]]}), tmp_path / "b.parquet")
    (tmp_path / "c.zip").write_bytes(b"PK\3\4\0\0")
    (tmp_path / "d.jsonl").write_text('{"input_ids": [101, 7592]}\n')
    found = scanned(tmp_path)
    assert [(path.name, what) for path, what, _ in found.missed] == [
        ("a.parquet", "column image (bytes that are not UTF-8)"),
        ("a.parquet", "column input_ids (lists of numbers, perhaps tokens)"),
        ("b.parquet", "column input_ids (lists of numbers, perhaps tokens)"),
    ]
    assert sorted((path.name, why) for path, why in found.skipped) == [
        ("b.parquet", "no text was read in it"),
        ("c.zip", "a kind of file that is not read"),
        ("d.jsonl", "no text was read in it"),
    ]
    assert [path.name for path, _ in found.read] == ["a.parquet"]


def test_one_value_that_is_no_utf8_hides_no_other(tmp_path: Path) -> None:
    """apache/arrow: a column of texts may hold bytes of another encoding."""
    bad = pa.array([b"caf\xe9", TEXT.encode()]).view(pa.string())
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), bad)
    parquet.write_table(pa.table({"turns": lists}), tmp_path / "a.parquet")
    found = scanned(tmp_path)
    assert len(found.hits) == 1
    assert [count for *_, count in found.missed] == [1]


LFS = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.txt", LFS, "a pointer of Git LFS, not the data"),
        ("a.csv", LFS, "a pointer of Git LFS, not the data"),
        ("a.parquet", LFS, "a pointer of Git LFS, not the data"),
        ("a.jsonl.zst", LFS, "a pointer of Git LFS, not the data"),
        ("a", LFS, "a pointer of Git LFS, not the data"),
        (
            "a.txt",
            b"../../.git/annex/objects/zK/7m/SHA256E-s9--ab.txt/SHA256E-s9--ab.txt\n",
            "a pointer of git-annex, not the data",
        ),
        ("a.pdf", b"%PDF-1.4 no byte of this one is null", "a kind of file that is not read"),
        ("a.txt", b"PK\3\4 an archive that was renamed", "a kind of file that is not read"),
        ("a.parquet", b"PARE of apache/arrow: encrypted PARE", "a kind of file that is not read"),
        ("a.avro", b"Obj\x01 of Apache Avro", "a kind of file that is not read"),
        ("a.parquet", b"", "empty"),
        ("a.jsonl", b"", "empty"),
    ],
)
def test_what_stands_in_the_place_of_data_is_named(
    tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    """huggingface/datasets: clones without Git LFS, and downloads that broke off. As texts these
    were read, and all instances called clean."""
    (tmp_path / name).write_bytes(data)
    found = scanned(tmp_path)
    assert found.skipped == ((tmp_path / name, why),)
    assert found.read == ()


def test_a_parquet_file_under_another_name_is_read(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"text": [TEXT]}), tmp_path / "a.jsonl")
    assert len(scanned(tmp_path).hits) == 1


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(
    ("name", "text"), [("a.txt", TEXT), ("a.csv", f"id,body\n1,{TEXT}\n"), ("a.jsonl", "")]
)
def test_utf16_without_a_mark_and_utf32_are_read(
    tmp_path: Path, coding: str, name: str, text: str
) -> None:
    """PowerShell's `Out-File -Encoding` and "Unicode" of Windows programs."""
    text = text or json.dumps({"text": TEXT}) + "\n"
    (tmp_path / name).write_bytes(text.encode(coding))
    assert len(scanned(tmp_path).hits) == 1


def warc(body: bytes, headers: bytes = b"") -> bytes:
    content = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + headers + b"\r\n" + body
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n"
        b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(content), content)
    )


HTML = b"<html><body><p>" + TEXT.encode() + b"</p></body></html>"
HALVES = b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (
    *(40, HTML[:40]),
    *(len(HTML) - 40, HTML[40:]),
)


@pytest.mark.parametrize(
    ("crawler", "body", "headers"),
    [
        ("wget and Heritrix keep gzip", gzip.compress(HTML), b"Content-Encoding: gzip\r\n"),
        ("a header that is left over", HTML, b"Content-Encoding: gzip\r\n"),
        ("deflate", zlib.compress(HTML), b"Content-Encoding: deflate\r\n"),
        ("zstd", zstandard.compress(HTML), b"Content-Encoding: zstd\r\n"),
        ("chunks", HALVES, b"Transfer-Encoding: chunked\r\n"),
        ("chunks that were joined", HTML, b"Transfer-Encoding: chunked\r\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_pages_as_servers_sent_them(
    tmp_path: Path, crawler: str, body: bytes, headers: bytes
) -> None:
    (tmp_path / "a.warc").write_bytes(warc(body, headers))
    assert len(scanned(tmp_path).hits) == 1


@pytest.mark.parametrize(
    "data",
    [
        warc(HTML)[:-60],
        warc(b"\x0b\x02\x80\xff", b"Content-Encoding: br\r\n"),
        warc(gzip.compress(HTML)[:30], b"Content-Encoding: gzip\r\n"),
    ],
)
def test_a_page_that_was_cut_off_or_cannot_be_unpacked_is_counted(
    tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "a.warc").write_bytes(data)
    found = scanned(tmp_path)
    assert found.broken == ((tmp_path / "a.warc", 1),)
    assert found.skipped == ((tmp_path / "a.warc", "no text was read in it"),)
