from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.errors import PartitionError
from dcq.partitions import uploads


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=80))
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    kept = uploads.keep(tmp_path, f"{name}.csv", b"a\n1\n")
    assert kept.parent == tmp_path
    assert kept.read_bytes() == b"a\n1\n"


def test_the_same_file_is_kept_once_and_another_beside_it(tmp_path: Path) -> None:
    first = uploads.keep(tmp_path, "../../My data.CSV", b"a\n1\n")
    assert first.name.startswith("My-data-")
    assert first.suffix == ".csv"
    assert uploads.keep(tmp_path, "My data.csv", b"a\n1\n") == first
    second = uploads.keep(tmp_path, "My data.csv", b"a\n2\n")
    assert set(uploads.listing(tmp_path)) == {first, second}


@pytest.mark.parametrize(
    ("name", "data", "fix"),
    [("a.exe", b"1", "give csv"), ("noending", b"1", "give csv"), ("a.csv", b"", "empty")],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, data: bytes, fix: str) -> None:
    with pytest.raises(PartitionError, match=fix):
        uploads.keep(tmp_path, name, data)
    assert uploads.listing(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way")
    with pytest.raises(PartitionError, match="cannot be written"):
        uploads.keep(tmp_path / "uploads", "a.csv", b"a\n1\n")
    assert uploads.listing(tmp_path / "nowhere") == []


def test_a_folder_and_a_person_have_room_for_so_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_OF_ONE", 10)
    monkeypatch.setattr(uploads, "MOST_IN_ALL", 16)
    first = uploads.keep(tmp_path, "a.csv", b"a\n12345", owner="ana@example.org")
    assert uploads.keep(tmp_path, "a.csv", b"a\n12345", owner="ana@example.org") == first
    with pytest.raises(PartitionError, match="Your uploads would take"):
        uploads.keep(tmp_path, "b.csv", b"b\n12345", owner="ana@example.org")
    second = uploads.keep(tmp_path, "b.csv", b"b\n12345", owner="bob@example.org")
    assert second.parent != first.parent
    with pytest.raises(PartitionError, match="All uploads would take"):
        uploads.keep(tmp_path, "c.csv", b"c\n12345", owner="eve@example.org")
    assert set(uploads.listing(tmp_path)) == {first, second}
    alone = uploads.keep(tmp_path, "d.csv", b"d")  # whoever is alone has all the room there is
    assert alone.parent == tmp_path


def test_the_quota_is_one_for_all_parts_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_OF_ONE", 10)
    monkeypatch.setattr(uploads, "MOST_IN_ALL", 16)
    ana, bob = {"owner": "ana@example.org"}, {"owner": "bob@example.org"}
    first = uploads.keep(tmp_path, "a.csv", b"a\n12345", **ana)
    for part in ("audit", "quizzes"):
        with pytest.raises(PartitionError, match="Your uploads would take"):
            uploads.keep(tmp_path, "b.csv", b"b\n12345", part=part, **ana)
    second = uploads.keep(tmp_path, "b.csv", b"b\n12345", part="audit", **bob)
    with pytest.raises(PartitionError, match="All uploads would take"):
        uploads.keep(tmp_path, "c.csv", b"c\n12345", part="quizzes", owner="eve@example.org")
    assert uploads.listing(tmp_path) == [first]
    assert uploads.listing(tmp_path, "audit") == [second]
    assert uploads.listing(tmp_path, "quizzes") == []


def test_uploads_at_one_moment_share_one_quota(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_IN_ALL", 300_000)
    check = uploads._check_room

    def check_slowly(root: Path, of_owner: str, size: int) -> None:
        check(root, of_owner, size)
        time.sleep(0.05)  # the other uploads come meanwhile

    monkeypatch.setattr(uploads, "_check_room", check_slowly)
    together = Barrier(8)

    def give(number: int) -> bool:
        together.wait()
        try:
            uploads.keep(tmp_path, "a.csv", b"%d" % number * 100_000, owner=f"{number}@x.org")
        except PartitionError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(give, range(8))) == 3
