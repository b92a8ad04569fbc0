from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.overlap.domains import (
    Avoided,
    avoided,
    blocked,
    by_domain,
    domain_counts,
    domains_of,
    read_blocklist,
)

PAGES = {
    "1": ["https://www.a.org/x/", "http://b.org/y?z=1"],
    "2": ["https://a.org/other"],
    "3": ["https://c.org"],
    "4": [],
}


def test_a_blocklist_must_have_every_page_of_an_instance() -> None:
    found = blocked(PAGES, ["http://a.org/x", "https://b.org/y"])
    assert (found.n, found.by_address, found.by_domain) == (3, 1 / 3, 2 / 3)
    assert blocked(PAGES, ["c.org"]).by_address == 1 / 3
    assert blocked({}, ["a"]).by_address is None


def test_domains_are_counted_by_instance() -> None:
    assert domain_counts(PAGES) == {"a.org": 2, "b.org": 1, "c.org": 1}
    assert by_domain(PAGES) == {"a.org": ["1", "2"], "b.org": ["1"], "c.org": ["3"]}


def test_leaving_out_the_commonest_domains() -> None:
    assert avoided(PAGES, (1, 2, 10, 100)) == (
        Avoided(1, 3, 1),  # instance 1 stands on b.org as well
        Avoided(2, 3, 2),
        Avoided(3, 3, 3),  # no more domains: the next steps say the same
    )
    assert avoided({"1": []}) == ()


def test_only_web_addresses_have_a_domain() -> None:
    addresses = ["corpus/a.jsonl", "C:/texts/b.txt", "http://[bad", "https://", "HTTPS://WWW.X.org"]
    assert domains_of(addresses) == {"x.org"}


@given(
    st.dictionaries(st.text(), st.lists(st.text() | st.just("http://a.b/c"))), st.lists(st.text())
)
def test_any_addresses_can_be_blocked(pages: dict[str, list[str]], listed: list[str]) -> None:
    found = blocked(pages, listed)
    assert found.n <= len(pages)
    if found.by_address is not None and found.by_domain is not None:
        assert 0 <= found.by_address <= found.by_domain <= 1


def test_a_blocklist_is_a_file_of_addresses(tmp_path: Path) -> None:
    path = tmp_path / "block.txt"
    path.write_text("# found in 2020\nhttps://a.org/x\n\n  b.org \n")
    assert read_blocklist(path) == ["https://a.org/x", "b.org"]
    path.write_text("\n# nothing\n")
    with pytest.raises(InputError, match="no address"):
        read_blocklist(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read as text"):
        read_blocklist(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_blocklist(tmp_path / "nowhere.txt")
