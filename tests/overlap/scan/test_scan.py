from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import pytest
import zstandard

from benchmarks.planted import make
from dcq.errors import InputError, ScanError
from dcq.overlap import match
from dcq.overlap.meteor import RELEASE
from dcq.overlap.scan import blocks, documents, shards
from dcq.overlap.scan.index import ScanQuery
from dcq.overlap.scan.pool import Scanners
from dcq.overlap.scan.records import Documents
from dcq.overlap.scan.scan import Scan, ScanProgress, scan

QUESTION = "The flaw in Anderson's ACT theory was that some considered it"
ANSWER = "untestable and thus of uncertain scientific value"
QUERY = ScanQuery("mmlu-1", QUESTION, ANSWER)
PAGE = f"Notes of last week. {QUESTION}: {ANSWER}. See you."


def _scan(path: Path, queries: Sequence[ScanQuery] = (QUERY,), **options: int) -> Scan:
    return scan(queries, [path], workers=options.get("workers", 1))


def test_each_way_of_planting_is_found_or_not_as_promised(tmp_path: Path) -> None:
    planted = make(tmp_path, 3_000_000, queries=280)
    found = {hit.id: str(hit.category) for hit in _scan(tmp_path, planted.queries).hits}
    counted = Counter(
        (way, found.get(query.id)) for query, way in zip(planted.queries, planted.ways, strict=True)
    )
    assert counted["verbatim", "input-and-label"] == 40
    assert counted["respaced", "input-and-label"] == 40
    assert counted["inserted", "input-and-label"] >= 38
    assert counted["replaced", "input-and-label"] >= 38
    assert counted["input only", "input-only"] == 40
    assert counted["shuffled", None] == counted["absent", None] == 40


def _write(path: Path, data: bytes) -> Path:
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        data = zstandard.compress(data)
    path.write_bytes(data)
    return path


LINE = json.dumps({"id": "a", "question": QUESTION, "answer": ANSWER}).encode()
WARC = b"".join(
    [
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/a\r\n",
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n",
    ]
)
HTML = f"<html><script>var x</script><p>{PAGE}</p></html>".encode()
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML


@pytest.mark.parametrize(
    ("name", "data", "document"),
    [
        ("a.jsonl", LINE + b"\n", "a"),
        ("a.jsonl.gz", LINE, "a"),
        ("a.jsonl.zst", LINE, "a"),
        ("a.json", b'[{"text": "none"}, ' + LINE + b"]", "a"),
        ("a.json", LINE, "a"),
        ("a.csv", f'id,text\n7,"{PAGE}"\n'.encode(), "7"),
        ("a.tsv", f"q\ta\n{QUESTION}\t{ANSWER}\n".encode(), None),
        ("a.txt", PAGE.encode(), None),
        ("a.txt", PAGE.encode("utf-16"), None),
        ("README", PAGE.encode(), None),
        ("a.txt.gz", PAGE.encode(), None),
        ("a.html", HTML, None),
        ("a.warc.gz", WARC % len(HTTP) + HTTP + b"\r\n\r\n", "https://example.org/a"),
    ],
)
def test_every_form_is_read(tmp_path: Path, name: str, data: bytes, document: str | None) -> None:
    found = _scan(_write(tmp_path / name, data))
    [hit] = found.hits
    assert (hit.id, str(hit.category), hit.name) == ("mmlu-1", "input-and-label", document)
    assert hit.text.startswith("The flaw in")
    assert not found.broken
    assert not found.skipped


def test_broken_records_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": \n\xff\xfe\n[1]\n"\\ud800"\n' + b"[" * 100_000 + b"\n\n" + LINE)
    found = _scan(path)
    assert found.broken == ((path, 4),)
    assert found.documents == 2
    assert [hit.document for hit in found.hits] == [5]


@pytest.mark.parametrize("form", ["gz", "zst"])
def test_a_packed_file_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path, form: str) -> None:
    lines = LINE + b"\n" + b"".join(b'{"text": "%d"}\n' % (n * 7919) for n in range(100_000))
    path = _write(tmp_path / f"a.jsonl.{form}", lines)
    path.write_bytes(path.read_bytes()[:-20_000])
    found = _scan(path)
    assert len(found.hits) == 1
    assert found.broken == ((path, 1),)


def test_what_unpacks_to_far_too_much_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcq.overlap.scan.streams.FREE_BYTES", 1_000_000)
    path = _write(tmp_path / "a.txt.zst", bytes(300_000_000))
    assert path.stat().st_size < 100_000
    assert _scan(path).broken == ((path, 1),)


def test_a_file_that_is_no_text_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / ".hidden").write_text(PAGE)
    found = _scan(tmp_path)
    assert found.skipped == (
        (tmp_path / "a.bin", documents.NOT_READ),
        (tmp_path / "empty", documents.EMPTY),
    )
    assert found.hits == ()


@pytest.mark.parametrize("name", ["a.parquet", "a.json", "a.warc.gz", "a.html", "a.csv"])
def test_a_damaged_file_stops_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x1f\x8b\x08\x00 PAR1 \xff\x00\x00 not what it says")
    (tmp_path / "z.txt").write_text(PAGE)
    found = _scan(tmp_path)
    assert len(found.hits) == 1
    assert [number for _, number in found.broken] == [1]


def test_a_page_of_40_mb_is_found_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>" + "all of them were here before " * 1_400_000 + PAGE)
    assert path.stat().st_size > 40_000_000
    assert len(_scan(path).hits) == 1


def test_a_query_across_two_parts_of_a_long_text_is_found_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    filler = "all of them were here before "
    path.write_text(filler * (1_999_970 // len(filler)) + PAGE + filler * 70_000)
    assert len(_scan(path).hits) == 1


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("grey quartz", "some Grey quartz here", 1),
        ("quartz", "some quartz here", 0),  # the order penalty of one word is gamma itself
        ("grey quartz veins", "of grey, quartz veins.", 1),
        ("grey quartz veins", "veins of quartz", 0),
        ("", "anything", 0),
        ("下列关于税法基本原则的表述", "题：下列，关于税法基本原则的表述中", 1),
        ("Straße über Café Ærø", "STRASSE straße ÜBER Cafe\u0301 ærø", 1),
        ("=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", 1),
    ],
)
def test_short_and_foreign_queries(tmp_path: Path, query: str, text: str, found: int) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert len(_scan(tmp_path, [ScanQuery("1", query)]).hits) == found


def test_a_run_of_words_that_many_queries_share_hides_none(tmp_path: Path) -> None:
    shared = "which of the following is true of the"
    queries = [ScanQuery(str(n), f"{shared} number{n} here") for n in range(60)]
    (tmp_path / "a.txt").write_text("\n".join(query.query for query in queries))
    found = scan(queries, [tmp_path])
    assert {hit.id for hit in found.hits} == {query.id for query in queries}


def test_documents_are_counted_through_a_file_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "SHARD_BYTES", 1_000)
    lines = [json.dumps({"text": "filler " * (n % 30)}) for n in range(300)]
    for at in (0, 150, 299):
        lines[at] = json.dumps({"text": PAGE})
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    found = _scan(path)
    assert found.documents == 300
    assert [hit.document for hit in found.hits] == [0, 150, 299]
    assert found.bytes == path.stat().st_size
    assert _scan(path, workers=2).hits == found.hits


def test_a_scan_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, manifest = tmp_path / "corpus", tmp_path / "manifest.jsonl"
    corpus.mkdir()
    for number in range(4):
        (corpus / f"{number}.txt").write_text(f"{PAGE} {number}")
    seen: list[ScanProgress] = []
    first = scan(
        [QUERY],
        [corpus],
        cancelled=lambda: seen[-1].documents >= 2,
        workers=1,
        manifest=manifest,
        progress=seen.append,
    )
    assert (first.complete, first.documents) == (False, 2)
    with manifest.open("a") as file:
        file.write('{"shard": ["half of a l')
    (corpus / "0.txt").write_text("changed since")
    read: list[str] = []
    real = documents.read

    def watched(path: Path, *rest: Any) -> Documents:
        read.append(path.name)
        return real(path, *rest)

    monkeypatch.setattr(documents, "read", watched)
    again = scan([QUERY], [corpus], workers=1, manifest=manifest)
    assert again.complete
    assert read == ["0.txt", "2.txt", "3.txt"]
    assert [Path(hit.source).name for hit in again.hits] == ["1.txt", "2.txt", "3.txt"]
    with pytest.raises(InputError, match="other queries or with other settings"):
        scan([QUERY], [corpus], RELEASE, manifest=manifest)
    (tmp_path / "notes.txt").write_text("some notes\n")
    with pytest.raises(InputError, match="not the manifest of a scan"):
        scan([QUERY], [corpus], manifest=tmp_path / "notes.txt")


def test_a_manifest_among_the_corpus_is_not_scanned(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PAGE)
    for _ in range(2):
        found = scan([QUERY], [tmp_path], manifest=tmp_path / "manifest.jsonl")
        assert [Path(hit.source).name for hit in found.hits] == ["a.txt"]


def test_a_record_of_a_web_archive_that_is_too_long_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MOST_RECORD", 500)
    records = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"x" * 600, HTTP]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(WARC % len(one) + one + b"\r\n\r\n" for one in records))
    found = _scan(path)
    assert found.broken == ((path, 1),)
    assert len(found.hits) == 1


def test_paths_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file or folder .*nowhere"):
        _scan(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no file in the folders"):
        _scan(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("moment", ["shared out", "shared", "at work"])
def test_a_lost_process_is_said_and_what_is_finished_is_kept(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    # The queries are more than fits into the pipe to a process that does not read yet.
    planted = make(corpus, 0, queries=140, forms=("jsonl", "wet.gz"))
    for number in range(4):
        (corpus / f"{number}.txt").write_text(PAGE)
    manifest = tmp_path / "done.jsonl"
    before = set(multiprocessing.active_children())
    parts: list[Future[Any]] = []
    submit = Scanners.submit

    def started() -> list[Any]:
        return [process for process in multiprocessing.active_children() if process not in before]

    def watched(scanners: Scanners, shard: Any) -> Future[Any]:
        if moment == "shared out" and len(parts) == 1:  # the one that is there has not read it yet
            started()[0].kill()
            wait(parts)
        parts.append(submit(scanners, shard))
        if moment == "at work" and len(parts) == 1:
            wait(parts)
        for process in started():  # or they might be done before one is lost
            os.kill(process.pid, signal.SIGSTOP)
        if len(parts) == 6:
            started()[0].kill()
        return parts[-1]

    monkeypatch.setattr(Scanners, "submit", watched)
    with pytest.raises(ScanError, match="fewer processes"):
        scan(planted.queries, [corpus], workers=2, manifest=manifest)
    assert len(parts) == (1 if moment == "shared out" else 6)
    finished = len(manifest.read_text("utf-8").splitlines()) - 1  # the first line is the scan's
    assert finished == (1 if moment == "at work" else 0)
    monkeypatch.setattr(Scanners, "submit", submit)
    assert scan(planted.queries, [corpus], workers=1, manifest=manifest).complete


@pytest.mark.slow
def test_a_script_that_scans_is_not_run_again_by_each_process(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(PAGE)
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from dcq.overlap.scan.index import ScanQuery\n"
        "from dcq.overlap.scan.scan import scan\n"
        "print('once')\n"
        f"queries = [ScanQuery('mmlu-1', {QUESTION!r}, {ANSWER!r})]\n"
        f"files = [Path({str(tmp_path)!r}, name) for name in ('a.txt', 'b.txt')]\n"
        "print(len(scan(queries, files, workers=2).hits))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("once\n2\n", 0), done.stderr


def test_a_document_that_repeats_a_query_is_compared_with_it_a_bounded_number_of_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []
    real = match.find

    def counted(query: Any, label: Any, text: Any, settings: Any) -> Any:
        compared.append(len(text))
        return real(query, label, text, settings)

    monkeypatch.setattr(blocks, "find", counted)
    path = tmp_path / "a.txt"
    path.write_text(f"{QUESTION}. " * 10_000)
    [hit] = _scan(path).hits
    assert (hit.text, str(hit.category)) == (QUESTION, "input-only")
    assert max(compared) < 2_000
    assert sum(compared) < 45_000  # of 120,000 words
    compared.clear()
    path.write_text(f"{PAGE} " * 1_000)
    [hit] = _scan(path).hits
    assert str(hit.category) == "input-and-label"
    assert len(compared) == 1


def test_a_query_across_two_stretches_of_a_repetition_is_found_as_it_is(tmp_path: Path) -> None:
    near = QUESTION.replace("theory", "notion")
    for before in range(84, 92):  # words of which end near the first thousand
        (tmp_path / "a.txt").write_text(f"{near}. " * before + PAGE + f" {near}." * 90)
        [hit] = _scan(tmp_path).hits
        assert hit.text == QUESTION
        assert str(hit.category) == "input-and-label"


@pytest.mark.slow
def test_what_is_found_to_the_letter_needs_neither_stems_nor_synonyms(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PAGE)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from dcq.overlap.scan.index import ScanQuery\nfrom dcq.overlap.scan.scan import scan\n"
        f"found = scan([ScanQuery('1', {QUESTION!r}, {ANSWER!r})], [Path({str(tmp_path)!r})])\n"
        "print(len(found.hits), 'nltk' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 False\n"
