"""What an earlier ``study run --json`` or ``study check --json`` said, read from its file.

The file comes from a cache or from another job, so it is a stranger's: only what is compared is
read, and each of it by its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dcq import naming
from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.incoming.strict_json import read_strictly
from dcq.judging.answer import Pair
from dcq.judging.judged import Ruling
from dcq.study.state import ServedVersion, pair_key

MOST_BYTES = 100_000_000
_Text = Annotated[str, Field(max_length=2 * naming.LONGEST_MODEL)]


class _EarlierPart(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Version(_EarlierPart):
    served_model: _Text | None = None
    fingerprint: _Text | None = None


class _Answer(_EarlierPart):
    model: _Text
    partition: _Text
    ruling: _Text


class _Document(_EarlierPart):
    study: _Text
    answers: list[_Answer]
    versions: dict[_Text, list[_Version]] = {}


@dataclass(frozen=True)
class EarlierState:
    """An earlier state of a study: its name, the conclusion on each pair (by ``pair_key``) with the
    pair as it was written, and the versions that replied, by model."""

    study: str
    rulings: Mapping[Pair, tuple[Pair, Ruling]]
    versions: Mapping[str, tuple[ServedVersion, ...]]


def read_earlier(path: Path) -> EarlierState:
    """The state in the JSON of an earlier run or check. Raises InputError for anything else, and
    OSError as ``open`` does."""
    try:
        document = read_strictly(read_bytes(path, MOST_BYTES).decode("utf-8-sig"), path.name)
        read = _Document.model_validate(document)
        rulings = {
            pair_key((each.model, each.partition)): (
                (each.model, each.partition),
                Ruling(each.ruling),
            )
            for each in read.answers
        }
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is no JSON of an earlier study run or check{_why(error)}; write one with: "
            "python -m dcq study check FILE --json."
        ) from None
    return EarlierState(read.study, rulings, _versions(read.versions))


def _versions(read: Mapping[str, list[Any]]) -> dict[str, tuple[ServedVersion, ...]]:
    return {
        model: tuple(ServedVersion(each.served_model, each.fingerprint) for each in each_of)
        for model, each_of in read.items()
    }


def _why(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))[:80]
    return f" (see {where})" if where else ""
