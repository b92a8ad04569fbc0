import pytest

from dcq.errors import InputError
from dcq.store import Store, score_sets


def test_the_newest_scores_of_a_benchmark_count(fresh_store: Store) -> None:
    assert score_sets.current(fresh_store) == []
    assert score_sets.state(fresh_store) == 0
    score_sets.keep(fresh_store, "a/test", {"x": 1}, "Ada")
    score_sets.keep(fresh_store, "a/test", {"x": 2})
    score_sets.keep(fresh_store, "b/test", {"x": 3})
    assert [(one.benchmark, one.scores) for one in score_sets.current(fresh_store)] == [
        ("a/test", {"x": 2}),
        ("b/test", {"x": 3}),
    ]
    score_sets.keep(fresh_store, "a/test", None)
    assert [one.benchmark for one in score_sets.current(fresh_store)] == ["b/test"]
    assert score_sets.state(fresh_store) == 4


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x00b"])
def test_a_benchmark_has_a_name(name: str) -> None:
    with pytest.raises(InputError, match="Name the benchmark"):
        score_sets.checked_name(name)


def test_a_name_has_single_spaces() -> None:
    assert score_sets.checked_name("  a \t b ") == "a b"
