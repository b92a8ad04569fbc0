from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.store import Store, studies
from dcq.store.studies import EVERYTHING, Study


def test_the_newest_of_a_name_counts_and_can_be_taken_off(fresh_store: Store) -> None:
    first = Study("News", partitions=("a/test", "a/test"), author="Ada")
    assert studies.save(fresh_store, first).partitions == ("a/test",)
    studies.save(fresh_store, Study("Books", methods=("overlap", "quiz"), controls=()))
    kept = studies.save(fresh_store, Study(" News ", models=("m",), author="Ben"))
    assert (kept.partitions, kept.models, kept.controls, kept.methods) == (
        None,
        ("m",),
        None,
        None,
    )
    assert [one.name for one in studies.listing(fresh_store)] == ["News", "Books"]
    books = studies.load(fresh_store, "Books")
    assert (books.methods, books.controls) == (("overlap", "quiz"), ())
    studies.remove(fresh_store, "News", author="Ben")
    assert [one.name for one in studies.listing(fresh_store)] == ["Books"]
    with pytest.raises(InputError, match=r"“News”.*“Books”"):
        studies.load(fresh_store, "News")
    studies.save(fresh_store, first)
    assert studies.load(fresh_store, "News").author == "Ada"


@pytest.mark.parametrize(
    "study",
    [
        Study(""),
        Study("x" * 81),
        Study("a\x00b"),
        Study("s", partitions=()),
        Study("s", models=()),
        Study("s", methods=()),
    ],
)
def test_what_makes_no_study_is_refused(fresh_store: Store, study: Study) -> None:
    with pytest.raises(InputError):
        studies.save(fresh_store, study)
    assert studies.listing(fresh_store) == []


def test_membership() -> None:
    assert EVERYTHING.has("m", "p", is_control=True)
    narrowed = Study("s", partitions=("p",), models=("m",), controls=("c",))
    assert narrowed.has("m", "p", is_control=False)
    assert narrowed.has("m", "c", is_control=True)
    assert not narrowed.has("m", "c", is_control=False)
    assert not narrowed.has("n", "p", is_control=False)
    assert not Study("s", controls=()).has("m", "c", is_control=True)
