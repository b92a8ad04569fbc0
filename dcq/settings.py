"""Settings from the environment and ``.env``; keys are ``SecretStr`` and stay in this process."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from dcq import environment, naming
from dcq.environment import STORE_VARIABLE, read_variable
from dcq.errors import InputError
from dcq.places import DATA as DATA
from dcq.places import DEFAULT_STORE, ENV_FILE
from dcq.places import ROOT as ROOT

DAY = 86_400.0  # seconds


class Settings(BaseSettings):
    """Read by each process. Variables: ``DCQ_STORE``, ``DCQ_AUTHOR``, ``DCQ_ROLES``, ``DCQ_URL``,
    ``DCQ_TIMEOUT`` (seconds for one call, instead of what suits the endpoint), ``DCQ_PRICES`` (a
    file, see ``dcq.models.prices``), ``DCQ_CUTOFFS`` (another, see ``dcq.models.cutoffs``),
    ``DCQ_BLEURT`` (the folder of a checkpoint, see ``dcq.models.bleurt``), ``DCQ_CORPUS`` (what
    investigations look through, a file or folder), ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``;
    the keys of other providers are read by name where they are used."""

    model_config = SettingsConfigDict(
        env_file=ENV_FILE, extra="ignore", frozen=True, env_ignore_empty=True
    )

    store: Path = Field(default=DEFAULT_STORE, validation_alias=STORE_VARIABLE)
    author: str = Field(default="", validation_alias="DCQ_AUTHOR")
    url: str = Field(default="http://localhost:8501", validation_alias="DCQ_URL")  # of the app
    roles: Path | None = Field(default=None, validation_alias="DCQ_ROLES")  # docs/sharing.md
    prices: Path | None = Field(default=None, validation_alias="DCQ_PRICES")
    cutoffs: Path | None = Field(default=None, validation_alias="DCQ_CUTOFFS")
    bleurt: Path | None = Field(default=None, validation_alias="DCQ_BLEURT")  # a checkpoint
    corpus: Path | None = Field(default=None, validation_alias="DCQ_CORPUS")  # file or folder
    timeout: float | None = Field(default=None, validation_alias="DCQ_TIMEOUT", gt=0, le=DAY)
    openai_base_url: str = Field(
        default="https://api.openai.com/v1", validation_alias="OPENAI_BASE_URL"
    )
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")

    @field_validator("author")
    @classmethod
    def _author(cls, given: str) -> str:
        try:
            return naming.read_name(given, "person", naming.LONGEST_PERSON) if given else ""
        except InputError as error:
            raise ValueError(str(error)) from None


def load() -> Settings:
    """The settings now in force. Raises InputError for one that cannot be understood."""
    return _read(environment.state())


@lru_cache(maxsize=2)
def _read(state: tuple[object, ...]) -> Settings:
    """``state`` is only the key of the cache: a page asks ten times a draw, and reading takes
    milliseconds."""
    read_variable(STORE_VARIABLE)  # says so if .env cannot be read
    try:
        return Settings()
    except ValidationError as error:
        [variable, *_] = error.errors()[0]["loc"]
        raise InputError(
            f"The variable {variable} cannot be understood; see its meaning in docs/cli.md."
        ) from None
