import time

import pytest

from dcq.words import (
    about_so_long,
    counted,
    kappa_words,
    model_badge,
    model_title,
    model_titles,
    names_for_others,
    p_words,
    percent,
    points,
    two_decimals,
)


def test_numbers_are_signed_and_rounded() -> None:
    assert (two_decimals(-0.001), two_decimals(-0.2)) == ("0.00", "−0.20")
    assert (points(0.694), points(-0.2), points(-0.001)) == ("+69", "−20", "+0")
    assert (p_words(0.0004), p_words(0.0276)) == ("p < 0.001", "p = 0.028")
    assert percent(0.256) == "26 %"


def test_kappa_has_as_much_of_an_interval_as_there_is() -> None:
    assert kappa_words(0.5, 0.25, 0.75) == "0.50 [0.25, 0.75]"
    assert kappa_words(0.5, None, 0.75) == "0.50"
    assert kappa_words(None, None, None) == "no value"


def test_a_time_is_said_in_its_largest_unit() -> None:
    assert about_so_long(99_999_999) == "about 3 years"
    assert about_so_long(3_600) == "about 1 hour"
    assert about_so_long(61) == "about 1 minute"
    assert about_so_long(0.4) == "about 0 seconds"
    assert about_so_long(1e300) == "more than 1,000 years"


def test_one_of_a_thing_is_no_plural() -> None:
    assert [counted(n, "call") for n in (0, 1, 2_000)] == ["0 calls", "1 call", "2,000 calls"]


@pytest.mark.parametrize(
    ("model", "title", "badge"),
    [
        ("gpt-4o", "gpt-4o", ""),
        ("ollama:llama3.2:1b", "ollama:llama3.2:1b", ""),
        ("openrouter:maker/model", "openrouter:maker/model", ""),
        ("tester@http://127.0.0.1:9/v1", "tester", "at 127.0.0.1:9"),
        ("likelihood:gpt2", "gpt2", "by likelihood"),
        ("likelihood:x@https://a.org/v1", "x", "by likelihood, at a.org"),
        ("likelihood:/models/our own.gguf", "our own.gguf", "by likelihood"),
        ("C:\\models\\ours", "ours", ""),
        ("name@home", "name@home", ""),
        ("@http://a.org", "@http://a.org", ""),
        ("", "", ""),
        ("/", "/", ""),
    ],
)
def test_a_model_is_called_without_how_and_where_it_is_asked(
    model: str, title: str, badge: str
) -> None:
    assert model_title(model) == title
    assert model_badge(model) == badge


def test_models_that_share_a_title_are_told_apart() -> None:
    models = ["x", "likelihood:x", "y@http://a.org", "y@http://b.org", "y@http://b.org/v2", "z"]
    assert model_titles(models) == {
        "x": "x",
        "likelihood:x": "x (by likelihood)",
        "y@http://a.org": "y (at a.org)",
        "y@http://b.org": "y@http://b.org",
        "y@http://b.org/v2": "y@http://b.org/v2",
        "z": "z",
    }


def test_a_long_hostile_name_takes_no_time() -> None:
    for name in (
        "@http://" * 20_000,
        "@http://" * 20_000 + " x",
        "a" * 100_000 + "@",
        "/" * 100_000,
        "~/" + "a/" * 50_000,
    ):
        began = time.perf_counter()
        model_title(name)
        assert time.perf_counter() - began < 10  # else minutes


def test_models_on_disk_are_named_for_others_by_what_tells_them_apart() -> None:
    names = [
        "likelihood:/home/ada/toy.gguf",
        "likelihood:/srv/a/final",
        "likelihood:/srv/b/final/",
        "likelihood:C:\\models\\big.gguf",
        "/data/llama@http://host/v1",
        "likelihood:embedded",
        "org/model@main",
        "gpt-4o",
    ]
    assert [names_for_others(names)[name] for name in names] == [
        "likelihood:toy.gguf",
        "likelihood:a/final",
        "likelihood:b/final",
        "likelihood:big.gguf",
        "llama@http://host/v1",
        "likelihood:embedded",
        "org/model@main",
        "gpt-4o",
    ]
    served = {"/data/llama@http://host/v1", "likelihood:/data/llama@http://host/v1"}
    assert set(names_for_others(served).values()) == {
        "llama@http://host/v1",
        "likelihood:llama@http://host/v1",
    }
    assert names_for_others([names[1]]) == {names[1]: "likelihood:final"}
