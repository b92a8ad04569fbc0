from __future__ import annotations

from pathlib import Path

import pytest

from dcq import environment, settings
from dcq.errors import InputError
from dcq.settings import Settings


def test_settings_follow_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".env"
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    monkeypatch.setattr(environment, "ENV_FILE", file)
    monkeypatch.delenv("DCQ_AUTHOR", raising=False)
    assert settings.load().author == ""
    file.write_text("DCQ_AUTHOR=Ada\n")
    assert settings.load().author == "Ada"
    file.write_text("DCQ_AUTHOR=Bea\n")
    assert settings.load().author == "Bea"
    assert settings.load() is settings.load()  # read once
    monkeypatch.setenv("DCQ_AUTHOR", "Cleo")
    assert settings.load().author == "Cleo"


def test_a_huge_file_of_variables_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".env"
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    monkeypatch.setattr(environment, "ENV_FILE", file)
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(InputError, match=r"\.env has more than 10 MB"):
        settings.load()
