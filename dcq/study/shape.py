"""The shape of a study's file: its tables, keys and values. The reader goes by these declarations,
and ``schema`` is made of them, so that both agree.

``dcq.study.file`` checks what a schema cannot say: names that look like others, targets and models
that are named twice, weights that are no shares of one error, and where paths lead.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from dcq import methods, naming
from dcq.asking.options import MOST_IN_FLIGHT
from dcq.models.pacing.limits import LEAST_A_MINUTE, MOST_A_MINUTE
from dcq.store.studies import LONGEST_NAME, QUIZ
from dcq.study.spec import ControlSpec

SCHEMA_ID = "urn:dcq:study:1"
OFFLINE = "offline"
MOST = 2**31 - 1  # of instances, and the largest seed
MOST_USD = 1e9
MOST_ENTRIES = 1_000  # of an array
LONGEST_TEXT = 10_000
_MONTH = r"^(19|20)\d\d-(0[1-9]|1[0-2])$"
_NO_CONTROL = r"^[^\x00-\x1f\x7f]*$"
_TABLE = "csv|jsonl|parquet"
# What `export` writes of a whole study, each with the endings of its forms.
_ENDINGS = {
    "report": "html|pdf|pptx|md|tex|yaml",
    "bundle": "zip",
    "results": _TABLE,
    "pairs": _TABLE,
    "hub": "yaml",
    "every-eval-ever": "json",
    "contamination-index": "json",
}


def _whole(value: object) -> object:
    """A float without a fraction as a whole number, as a schema takes it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_WHOLE = BeforeValidator(_whole)
_Line = Annotated[str, Field(min_length=1, max_length=naming.LONGEST, pattern=_NO_CONTROL)]
_Model = Annotated[str, Field(min_length=1, max_length=naming.LONGEST_MODEL, pattern=_NO_CONTROL)]
_File = Annotated[str, Field(min_length=1, max_length=1_000, pattern=_NO_CONTROL)]
_Usd = Annotated[float, Field(gt=0, le=MOST_USD)]
_Share = Annotated[float, Field(gt=0, le=1)]
_Count = Annotated[int, Field(ge=1, le=MOST), _WHOLE]
_PerMinute = Annotated[float, Field(ge=LEAST_A_MINUTE, le=MOST_A_MINUTE)]
_Kind = Literal["standard", "rotated"]
_Task = Literal["classification", "nli", "summarisation", "question-answering", "text", "template"]
_Role = Literal["target", "control", "positive"]
_Source = Literal["bundled", "placebo", "own", "later"]

_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class _Table(BaseModel):
    model_config = _STRICT


class StudyTable(_Table):
    """The table ``[study]``."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=_NO_CONTROL)]
    budget: _Usd | None = None


class TargetTable(_Table):
    """An entry of ``[[target]]``."""

    dataset: _Line
    split: _Line = "test"
    file: _File | None = None
    text: _Line | None = None
    label: _Line | None = None
    template: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)] | None = None
    task: _Task | None = None
    n: _Count = 100
    seed: Annotated[int, Field(ge=-MOST, le=MOST), _WHOLE] = 0
    revision: _Line | None = None
    language: _Line | None = None
    role: _Role | None = None


class RewordingsTable(_Table):
    """The table ``[rewordings]``."""

    model: _Model = OFFLINE
    accepted: bool = False


class ControlsTable(_Table):
    """The table ``[controls]``."""

    source: Annotated[_Source, Field(alias="from")] = "bundled"
    count: Annotated[int, Field(ge=1, le=MOST_ENTRIES), _WHOLE] = ControlSpec().count
    n: _Count = ControlSpec().n
    samples: Annotated[list[_Line], Field(min_length=1, max_length=MOST_ENTRIES)] | None = None
    date_column: _Line | None = None


class SettingsTable(_Table):
    """The settings of a model: the pace at which it is asked, by the names of the command line."""

    concurrency: Annotated[int, Field(ge=1, le=MOST_IN_FLIGHT), _WHOLE] | None = None
    rpm: _PerMinute | None = None
    tpm: _PerMinute | None = None


class ModelTable(_Table):
    """An entry of ``[[model]]``."""

    name: _Model
    settings: SettingsTable = SettingsTable()
    cutoff: Annotated[str, Field(max_length=7, pattern=_MONTH)] | None = None
    budget: _Usd | None = None


def asked_methods() -> tuple[str, ...]:
    """The methods that a study's file can give a weight."""
    return (QUIZ, *(method.name for method in methods.beside_the_quiz() if method.judged))


# A method and its weight a line; and files to write.
MethodsTable = create_model(
    "MethodsTable",
    __config__=_STRICT,
    kind=(_Kind, "standard"),
    **dict.fromkeys(asked_methods(), (_Share | None, None)),  # type: ignore[call-overload]  # by name
)
ExportTable = create_model(
    "ExportTable",
    __config__=_STRICT,
    **{  # type: ignore[call-overload]  # by name
        name.replace("-", "_"): (
            Annotated[_File, Field(pattern=rf"^[^\x00-\x1f\x7f]+\.({ends})$")] | None,
            Field(None, alias=name),
        )
        for name, ends in _ENDINGS.items()
    },
)


class StudyFile(_Table):
    """What a study is to know, as ``study.toml`` says it."""

    study: StudyTable
    target: Annotated[list[TargetTable], Field(min_length=1, max_length=MOST_ENTRIES)]
    model: Annotated[list[ModelTable], Field(min_length=1, max_length=MOST_ENTRIES)]
    rewordings: RewordingsTable = RewordingsTable()
    controls: ControlsTable = ControlsTable()
    methods: MethodsTable = MethodsTable()  # type: ignore[valid-type]  # made by create_model
    export: ExportTable = ExportTable()  # type: ignore[valid-type]  # made by create_model


def schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of ``study.toml``."""
    made = _cleaned(StudyFile.model_json_schema())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "A dcq study",
        **made,
    }


def export_endings(name: str) -> tuple[str, ...]:
    """How a file may end that a study exports under this name."""
    return tuple(f".{ending}" for ending in _ENDINGS[name].split("|"))


def _cleaned(part: Any) -> Any:
    """A schema without what TOML does not have, such as null, and with ends that all readers of
    patterns find: Python lets ``$`` match before a last line end."""
    if isinstance(part, list):
        return [_cleaned(each) for each in part]
    if not isinstance(part, dict):
        return part
    kept = {key: value for key, value in part.items() if key not in ("title", "default")}
    kept = {_ended(key): _cleaned(value) for key, value in kept.items()}
    if "anyOf" in kept:
        kept["anyOf"] = [each for each in kept["anyOf"] if each != {"type": "null"}]
        if len(kept["anyOf"]) == 1:
            kept |= kept.pop("anyOf")[0]
    if "pattern" in kept:
        kept["pattern"] = _ended(kept["pattern"])
    return kept


def _ended(pattern: str) -> str:
    return f"{pattern[:-1]}(?![\\s\\S])" if re.fullmatch(r"\^.*\$", pattern) else pattern
