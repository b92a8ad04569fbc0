import pytest

from dcq.languages import primary


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("PT_br", "pt"),
        (" zh-Hant-TW ", "zh"),
        ("", ""),
        ("fil", "fil"),
    ],
)
def test_script_and_region_are_left_out(code: str, language: str) -> None:
    assert primary(code) == language
