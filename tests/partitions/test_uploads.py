from __future__ import annotations

from pathlib import Path

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
