"""The manifest of a bundle: which files it has, and the outcomes that were computed where it was
made.

A bundle is a zip of ``manifest.json`` and a parquet file for each table (``tables/NAME.parquet``),
on request also as csv for people (``csv/NAME.csv``), which is never read back.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from dcq.errors import InputError
from dcq.incoming.strict_json import read_strictly
from dcq.store import migrations
from dcq.store.studies import FIRST_RULE, RULE

VERSION = 1
FORMAT = f"dcq bundle {VERSION}"
MANIFEST = "manifest.json"
MOST_PACKED = 1_000_000_000  # bytes of the file
MOST_UNPACKED = 1_500_000_000  # bytes of all that is in it
MOST_MANIFEST = 50_000_000  # bytes
MOST_DIRECTORY = 100_000  # bytes of the list of its files, of which there are some sixty at most
MOST_MEMORY = 4_000_000_000  # bytes that all rows would take in Python: some two million answers
WHOLE, WITHHELD = "whole", "withheld"

_STRICT = ConfigDict(strict=True, extra="forbid")
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0)]
_Sentence = Annotated[str, Field(max_length=500, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
_Member = Annotated[str, Field(pattern=r"^(tables/[a-z_]+\.parquet|csv/[a-z_]+\.csv)$")]


@checked(frozen=True, config=_STRICT)
class BundleFile:
    """A file of the bundle."""

    rows: _Count
    bytes: _Count
    sha256: _Sha256


@checked(frozen=True, config=_STRICT)
class Wording:
    """A prompt as it was sent, with its placeholders."""

    id: str
    wording: str


@checked(frozen=True, config=_STRICT)
class Seed:
    """What was drawn with a seed: ``of`` is a sample, a rewording or a replication."""

    of: str
    id: str
    seed: int


@checked(frozen=True, config=_STRICT)
class Baseline:
    """What a strategy without memory scores on a quiz: see ``dcq.evidence.kappa.Kappa``."""

    name: str
    n: _Count
    correct: _Count
    score: float | None
    kappa_fixed: float | None
    kappa_low: float | None
    kappa_high: float | None
    p_value: float | None


@checked(frozen=True, config=_STRICT)
class Outcomes:
    """The outcomes of a study: a dict for each result, with its ``run``. ``results`` are those of
    quizzes, with the keys of ``dcq.judging.every_method.document``; ``others`` those of methods
    that were added later, with the keys of its ``of_judged``. ``answers`` are those on models and
    partitions, None in bundles of releases that had none."""

    results: list[dict[str, Any]]
    replications: list[dict[str, Any]]
    overlaps: list[dict[str, Any]]
    others: list[dict[str, Any]] = Field(default_factory=list)
    answers: list[dict[str, Any]] | None = None


@checked(frozen=True, config=_STRICT)
class BundleManifest:
    """The manifest. ``study`` is None for everything in the store; ``text`` is ``whole`` or
    ``withheld``; ``steps`` are the migrations of the store; ``files`` are by name, ``baselines`` by
    quiz. ``sentences`` say what cannot be computed again from the bundle. ``rule`` is that of its
    conclusions (``dcq.store.studies.RULE``)."""

    format: str
    dcq: str
    made_at: str
    study: str | None
    text: Annotated[str, Field(pattern=f"^({WHOLE}|{WITHHELD})$")]
    steps: list[str]
    libraries: dict[str, str]
    prompts: list[Wording]
    seeds: list[Seed]
    files: dict[_Member, BundleFile]
    baselines: dict[str, list[Baseline]]
    outcomes: Outcomes
    sentences: list[_Sentence]
    rule: Annotated[int, Field(ge=FIRST_RULE, le=RULE)] = FIRST_RULE


_ADAPTER = TypeAdapter(BundleManifest)


def dump(manifest: BundleManifest) -> bytes:
    """The manifest as JSON, always the same for the same manifest."""
    text = json.dumps(asdict(manifest), ensure_ascii=False, indent=1, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


def parse(data: bytes, name: str) -> BundleManifest:
    """The manifest in ``data``, from the file ``name``. Raises InputError for anything else, and
    for one of a later release."""
    try:
        text = data.decode("utf-8")
        document = read_strictly(text, name)
        _check_version(document, name)
        return _ADAPTER.validate_json(data)
    except ValidationError as error:
        where = ".".join(str(part)[:40] for part in error.errors(include_input=False)[0]["loc"])
        raise damaged(name, f"its manifest is damaged at {where}") from None
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise damaged(name, "its manifest is not valid JSON") from None


def damaged(name: str, what: str) -> InputError:
    """The error for a bundle that was changed after it was made."""
    return InputError(f"{name} cannot be trusted: {what}; ask for another copy of it.")


def _check_version(document: object, name: str) -> None:
    version_text = document.get("format") if isinstance(document, dict) else None
    match = (
        re.fullmatch(r"dcq bundle (\d{1,6})", version_text)
        if isinstance(version_text, str)
        else None
    )
    if match is None:
        raise InputError(f"{name} is not a bundle of dcq; `export bundle` makes one.")
    steps = document.get("steps") if isinstance(document, dict) else None
    unknown = set(map(str, steps)) - set(migrations.names()) if isinstance(steps, list) else set()
    if int(match[1]) != VERSION or unknown:
        raise InputError(f"{name} was written by a later release of dcq; update dcq to import it.")
