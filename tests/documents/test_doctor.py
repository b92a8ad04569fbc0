from pathlib import Path

import pytest

from dcq.documents import doctor
from dcq.store import Store


@pytest.mark.parametrize(
    ("rights", "ok"), [(0o600, True), (0o400, True), (0o644, False), (0o640, False), (0o602, False)]
)
def test_a_file_of_keys_that_others_can_read(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rights: int, ok: bool
) -> None:
    path = tmp_path / "a folder" / ".env"
    path.parent.mkdir()
    path.write_text("OPENAI_API_KEY=sk-secret")
    path.chmod(rights)
    monkeypatch.setattr(doctor, "ENV_FILE", path)
    [check] = [one for one in doctor.machine(fresh_store) if one.name == "keys in .env"]
    assert check.ok is ok
    assert (f"chmod 600 '{path}'" in check.detail) is not ok
    assert "sk-secret" not in check.detail
    assert check.extra  # nothing is less ready for it


def test_without_a_file_of_keys_nothing_is_said(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "ENV_FILE", tmp_path / ".env")
    assert "keys in .env" not in [one.name for one in doctor.machine(fresh_store)]
