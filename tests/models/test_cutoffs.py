"""A model's cut-off is found by the beginning of its name; a person's own file goes before."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.models import cutoffs
from dcq.models.cutoffs import Cutoff, cutoff_of


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "ours.toml"
    monkeypatch.setenv("DCQ_CUTOFFS", str(path))
    return path


def test_each_fact_has_a_page_and_a_month() -> None:
    pages = tomllib.loads(cutoffs.CUTOFFS_FILE.read_text("utf-8"))["page"]
    names = [name for page in pages for name in page["models"]]
    assert len(names) == len(set(names)) > 25
    for page in pages:
        assert page["source"].startswith("https://")
        assert page["stated"] in {"training", "knowledge"}
        for name, month in page["models"].items():
            known = cutoff_of(name)
            assert known is not None
            assert (str(known), known.source) == (month, page["source"])
            assert date(2020, 1, 1) < known.month < date(2026, 11, 21)


@pytest.mark.parametrize(
    ("model", "month"),
    [
        ("gpt-4o", "2023-10"),
        (" openai:GPT-4o-2024-08-06 ", "2023-10"),
        ("openrouter:openai/gpt-4o-mini", "2023-10"),
        ("likelihood:gpt-4o", "2023-10"),
        ("gpt-5-mini-2025-08-07", "2024-05"),
        ("gpt-5", "2024-09"),
        ("claude-haiku-4-5-20251001", "2025-07"),
        ("claude-opus-4-5@20251101", "2025-08"),
        ("claude-opus-5-5", "2026-06"),
        ("ollama:llama3.1:8b", "2023-12"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct@http://127.0.0.1:9/v1", "2023-12"),
        ("llama-4-scout", "2024-08"),
    ],
)
def test_a_name_that_goes_on_has_the_cutoff_of_its_beginning(model: str, month: str) -> None:
    assert str(cutoff_of(model)) == month


@pytest.mark.parametrize(
    "model",
    [
        "",
        " ",
        "gpt-4",  # its snapshots differ
        "gpt-4.7",
        "gpt-4ohm",
        "claude-opus-5-8",  # another version
        "claude-opus-5-8-20270101",
        "llama-3.10",
        "embedded",
        "a-gpt-4o",
    ],
)
def test_another_name_or_version_is_unknown(model: str) -> None:
    assert cutoff_of(model) is None


@given(st.text(max_size=60))
def test_any_name_is_looked_up(model: str) -> None:
    found = cutoff_of(model)
    assert found is None or found.source


def test_a_persons_own_file_goes_before(own: Path) -> None:
    own.write_text(
        '[models]\n"gpt-4o" = "2027-01"\n"our-model@https://models.example.org/v1" = "2025-02"\n'
    )
    assert cutoff_of("gpt-4o-mini") == Cutoff(date(2027, 1, 1), "ours.toml")
    assert str(cutoff_of("our-model@https://models.example.org/v1")) == "2025-02"
    assert str(cutoff_of("claude-haiku-4-5")) == "2025-07"
    before = cutoffs.state()
    own.write_text('[models]\n"gpt-4o" = "2027-02"\n# another size\n')
    assert str(cutoff_of("gpt-4o")) == "2027-02"
    assert cutoffs.state() != before


def test_nobody_needs_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DCQ_CUTOFFS", raising=False)
    monkeypatch.setattr(cutoffs, "DEFAULT", tmp_path / "own_cutoffs.toml")
    assert cutoffs.read_own() == {}
    assert cutoffs.state() == ()
    (tmp_path / "own_cutoffs.toml").write_text('[models]\n"mine" = "2026-12"\n')
    assert str(cutoff_of("mine")) == "2026-12"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no toml", "not valid TOML"),
        ("", "[models]"),
        ("models = 3", "[models]"),
        ('[models]\nm = "2027-13"', "not a month"),
        ('[models]\nm = "2027"', "not a month"),
        ('[models]\nm = "2027-01-15"', "not a month"),
        ('[models]\nm = "0000-01"', "not a month"),
        ('[models]\nm = "２０２７-01"', "not a month"),
        ("[models]\nm = 2027-01-15", "not a month"),
        ("[models]\nm = 2027", "not a month"),
        ("[models]\nm = nan", "not a month"),
        ('[models]\nm = ["2027-01"]', "not a month"),
        ('[models]\n"" = "2027-01"', "not a month"),
        ('[models]\n"a/" = "2027-01"', "not a month"),
    ],
)
def test_a_file_that_cannot_be_understood_says_why(own: Path, text: str, said: str) -> None:
    own.write_text(text, "utf-8")
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        cutoff_of("gpt-4o")
    assert "ours.toml" in str(caught.value)


def test_a_file_in_another_encoding_says_so(own: Path) -> None:
    own.write_bytes('[models]\n"é" = "2027-01"'.encode("latin-1"))
    with pytest.raises(InputError, match="not valid TOML"):
        cutoff_of("gpt-4o")


def test_a_file_that_is_named_and_not_there_is_a_mistake(own: Path) -> None:
    with pytest.raises(InputError, match="DCQ_CUTOFFS"):
        cutoff_of("gpt-4o")
    own.mkdir()
    with pytest.raises(InputError, match="DCQ_CUTOFFS"):
        cutoff_of("gpt-4o")


@pytest.mark.parametrize(
    ("published", "may"),
    [
        (date(2027, 1, 1), True),
        (date(2027, 1, 31), True),
        (date(2026, 12, 31), True),
        (date(2027, 2, 1), False),
        (date(2028, 1, 1), False),
        (date(1611, 1, 1), True),
    ],
)
def test_the_last_month_counts_as_covered(published: date, may: bool) -> None:
    assert Cutoff(date(2027, 1, 1), "us").may_cover(published) is may
