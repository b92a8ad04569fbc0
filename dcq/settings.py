"""Settings from the environment and ``.env``; keys are ``SecretStr`` and stay in this process."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"


class Settings(BaseSettings):
    """Read anew by each process. Variables: ``DCQ_STORE``, ``DCQ_AUTHOR``, ``DCQ_ROLES``,
    ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``; the keys of other providers are read by name where they
    are used."""

    model_config = SettingsConfigDict(env_file=ROOT / ".env", extra="ignore", frozen=True)

    store: Path = Field(default=DATA / "dcq.duckdb", validation_alias="DCQ_STORE")
    author: str = Field(default="", validation_alias="DCQ_AUTHOR")
    roles: Path | None = Field(default=None, validation_alias="DCQ_ROLES")  # docs/sharing.md
    openai_base_url: str = Field(
        default="https://api.openai.com/v1", validation_alias="OPENAI_BASE_URL"
    )
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")


def load() -> Settings:
    """The settings now in force."""
    return Settings()
