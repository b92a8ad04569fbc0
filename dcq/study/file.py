"""``study.toml``: what a study is to know, in one file that a person writes.

The file may come from a stranger, with a pull request. So it is small, its keys and values are
those of ``dcq.study.shape``, its names follow the one rule, its paths stay inside its folder, and a
mistake is one sentence with the key's path (entries of an array are counted from 1), its line and
the nearest key. Which addresses may get a key is said elsewhere (``dcq.models.leave``).
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dcq import languages, naming
from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.models.endpoints import is_path, split_mode
from dcq.models.pacing.limits import Limits
from dcq.records import DatasetTask, PartitionRole, QuizKind
from dcq.store import studies
from dcq.store.studies import QUIZ
from dcq.study import shape
from dcq.study.lines import KeyPath, line_numbers, line_of
from dcq.study.shape import OFFLINE, StudyFile, asked_methods
from dcq.study.spec import (
    ControlSource,
    ControlSpec,
    ModelSpec,
    RewordingSpec,
    StudySpec,
    TargetSpec,
)
from dcq.words import choices, visible

MOST_BYTES = 200_000
_ONE_MODEL = ("hub", "every-eval-ever")  # the forms of which a file is about one model
_SHOWN = 40  # characters of a key or a value in a message
# Names joined by dots: the standard library takes quadratic time to read thousands of them.
_MANY_DOTS = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""", re.ASCII
)


@dataclass(frozen=True)
class _Source:
    """The file that is read: its path, the folder that its paths are inside, and where its keys
    are."""

    path: Path
    folder: Path
    outside: bool
    lines: Mapping[KeyPath, int] = field(default_factory=dict)

    def error(self, path: KeyPath, problem: str) -> InputError:
        """A mistake at ``path``; ``problem`` goes on after its name, with the fix."""
        line = line_of(path, self.lines)
        where = f"{self.path.name}, line {line}" if line else self.path.name
        return InputError(f"{where}: {key_name(path)} {problem}.")


def read_study(path: Path, *, outside: bool = False) -> StudySpec:
    """The study that a file says. ``outside``: its paths may leave its folder.

    Raises InputError, in one sentence, for what is no study, with the key and its line, and OSError
    as ``open`` does.
    """
    return read_text(read_source(path), path, outside=outside)


def read_text(text: str, path: Path, *, outside: bool = False) -> StudySpec:
    """As ``read_study``, of what the file at ``path`` says, or would say."""
    if match := _MANY_DOTS.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise _no_toml(path, f"line {line} joins 32 names or more by dots")
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise _no_toml(path, "a value lies too deep in others") from None
    except ValueError as error:
        raise _no_toml(path, str(error)) from None
    folder = Path(os.path.realpath(path)).parent
    source = _Source(path, folder, outside, line_numbers(text))
    try:
        read = StudyFile.model_validate(document)
    except ValidationError as error:
        raise _first_mistake(source, document, error) from None
    return _spec(source, read)


def key_name(path: KeyPath) -> str:
    """A key as messages name it, ``model[2].budget``; entries are counted from 1."""
    words = ""
    for part in path:
        if isinstance(part, int):
            words += f"[{part + 1}]"
        else:
            words += f"{'.' * bool(words)}{_short(part)}"
    return words or "the file"


def read_source(path: Path) -> str:
    """What a study's file says, as it is written. Raises InputError and OSError as
    ``read_study``."""
    try:
        return read_bytes(path, MOST_BYTES, "a study").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not in UTF-8; save it so.") from None
    except FileNotFoundError:
        raise InputError(
            f"There is no file {path}; write one with: python -m dcq study init."
        ) from None


def _no_toml(path: Path, why: str) -> InputError:
    return InputError(f"{path.name} cannot be read as TOML: {_sentence(why)}; mend it there.")


def _sentence(words: str) -> str:
    """A library's message as part of ours."""
    plain = visible(words)[:200].rstrip(".")
    return plain[:1].lower() + plain[1:]


def _short(text: str) -> str:
    """What a stranger wrote, short enough for a message and without what nobody sees."""
    plain = visible(naming.as_seen(text))
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"


# Mistakes in keys and types


def _first_mistake(
    source: _Source, document: Mapping[str, Any], error: ValidationError
) -> InputError:
    """The first mistake in the file's order. Unknown keys come before missing ones, which they may
    be a misspelling of."""
    found = [
        (_in_document(each["loc"], document, str(each["type"])), each)
        for each in error.errors(include_url=False, include_input=False)
    ]

    def place(entry: tuple[KeyPath, Any]) -> tuple[bool, int]:
        path, each = entry
        return each["type"] == "missing", line_of(path, source.lines) or 0

    path, each = min(found, key=place)
    return source.error(path, _problem(path, each))


def _in_document(loc: tuple[int | str, ...], document: Any, kind: str) -> KeyPath:
    """The path of a mistake without what the library adds to it, such as the kinds of value that
    were tried."""
    path: KeyPath = ()
    here = document
    for part in loc:
        is_key = isinstance(here, dict) and part in here
        if not is_key and not (isinstance(here, list) and isinstance(part, int)):
            return (*path, part) if kind == "missing" else path
        here = here[part]
        path = (*path, part)
    return path


def _problem(path: KeyPath, error: Mapping[str, Any]) -> str:
    """What is wrong, and the fix, as the end of a sentence that begins with the key."""
    kind, given = str(error["type"]), error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind == "missing":
        return f"is missing; {_MISSING.get(path[-1], 'add it')}"
    if path in _ARRAYS and kind == "list_type":
        return f"is no array of tables; write [[{path[0]}]] with two brackets"
    if kind in _TYPES:
        return f"is no {_TYPES[kind][0]}; write {_TYPES[kind][1]}"
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        return f"must be {words} {given[key]:,.0f}; change it"
    if kind == "literal_error":
        return f"has another value than it may have; write {given['expected']}"
    if kind in ("string_too_long", "too_long"):
        what = "entries" if kind == "too_long" else "characters"
        return f"is too long; write at most {given['max_length']:,} {what}"
    if kind in ("string_too_short", "too_short"):
        return "is empty; fill it in, or leave it out"
    if path[0] == "export":
        endings = choices(shape.export_endings(str(path[-1])))
        return f"has another ending than {path[-1]} may have; write {endings}"
    return _PATTERNS.get(path[-1], "has a sign that cannot be used there; write it without")


_ARRAYS = (("target",), ("model",))
_MISSING: Mapping[str | int, str] = {
    "study": "begin with [study] and a name",
    "target": "add [[target]] with a dataset",
    "model": "add [[model]] with a name",
    "name": 'add name = "…"',
    "dataset": "add dataset, a key of the catalog, OWNER/NAME, or with a file any name",
}
_TYPES = {
    "int_type": ("whole number", "it as digits, such as 40"),
    "int_parsing_size": ("usable number", "a smaller one"),
    "float_type": ("number", "it as digits, such as 5"),
    "finite_number": ("finite number", "one such as 5"),
    "string_type": ("text", 'it in quotes, such as "name"'),
    "bool_type": ("switch", "true or false"),
    "list_type": ("list", "it in brackets, or as [[…]] where it has keys"),
    "dict_type": ("table", "it as keys and values"),
    "model_type": ("table", "its keys below a header in brackets"),
}
_BOUNDS = {
    "greater_than": ("above", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("below", "lt"),
    "less_than_equal": ("at most", "le"),
}
_PATTERNS: Mapping[str | int, str] = {
    "cutoff": 'is no month; write year and month, such as "2025-06"',
}


def _unknown_key(path: KeyPath) -> str:
    known = _keys(path[:-1])
    given = str(path[-1])
    if near := _nearest(given, known):
        return f"is no key; write {near}"
    if path[-2:-1] == ("settings",):
        return (
            f"is no setting; write {choices(known)}. What else is sent with a question is the "
            "same for all models; set it on your server, under another model name"
        )
    tables = list(StudyFile.model_fields)
    if given in tables:
        header = f"[[{given}]]" if (given,) in _ARRAYS else f"[{given}]"
        return f"is no key here; write a table {header}"
    if elsewhere := [f"{table}.{given}" for table in tables if given in _keys((table,))]:
        return f"is no key here; write it as {elsewhere[0]}"
    return f"is no key; those of {key_name(path[:-1])} are {choices(known)}"


def _keys(path: KeyPath) -> list[str]:
    """The keys that a table may have."""
    fields = StudyFile.model_fields
    if not path:
        return list(fields)
    for part in path:
        if isinstance(part, str):
            kind = getattr(fields.get(part), "annotation", None)
            kind = next(iter(getattr(kind, "__args__", ())), kind)
            fields = getattr(kind, "model_fields", {})
    return [each.alias or name for name, each in fields.items()]


def _nearest(given: str, known: list[str]) -> str:
    from rapidfuzz import fuzz, process  # here, because few files have a mistake

    found = process.extractOne(given[:_SHOWN].lower(), known, scorer=fuzz.ratio, score_cutoff=60)
    return str(found[0]) if found else ""


# What a shape cannot say


def _spec(source: _Source, read: StudyFile) -> StudySpec:
    study = read.study
    with _told_at(source, ("study", "name")):
        name = naming.read_name(study.name, "study")
        studies.check_free(name)
    targets = tuple(_target(source, number, each) for number, each in enumerate(read.target))
    models = tuple(_model(source, number, each) for number, each in enumerate(read.model))
    _no_doubles(source, ("target",), [(each.dataset, each.split) for each in targets])
    _no_doubles(source, ("model",), [_same_model(each.name) for each in models])
    return StudySpec(
        name=name,
        targets=targets,
        models=models,
        rewordings=_rewordings(source, read),
        controls=_controls(source, read),
        weights=_weights(source, read.methods),
        kind=QuizKind(read.methods.kind),  # type: ignore[attr-defined]  # made by create_model
        budget=study.budget,
        exports=_exports(source, read.export, models),
    )


@contextmanager
def _told_at(source: _Source, path: KeyPath) -> Iterator[None]:
    """A mistake in a name says where it stands."""
    try:
        yield
    except InputError as error:
        raise source.error(path, f"cannot be used: {_sentence(str(error))}") from None


def _target(source: _Source, number: int, read: Any) -> TargetSpec:
    at: KeyPath = ("target", number)

    def line(key: str, what: str) -> str | None:
        given = getattr(read, key)
        with _told_at(source, (*at, key)):
            return None if given is None else naming.read_name(given, what)

    if read.template is not None:
        spaced = read.template.replace("\t", " ")
        if visible(spaced, lines=True) != spaced:
            raise source.error((*at, "template"), "has a control character; leave it out")
        if read.text is not None:
            raise source.error((*at, "template"), "names its columns; leave it or text out")
    if read.label is not None and read.label == read.text:
        raise source.error((*at, "label"), "is the column of the text; name another, or none")
    if read.file is not None and read.revision is not None:
        raise source.error((*at, "revision"), "is a dataset's on the Hub; leave it or file out")
    with _told_at(source, (*at, "language")):
        code = read.language and languages.read_code(read.language)
    return TargetSpec(
        dataset=str(line("dataset", "dataset")),
        split=str(line("split", "split")),
        file=None if read.file is None else _inside(source, (*at, "file"), read.file),
        text=line("text", "column"),
        label=line("label", "column"),
        template=read.template,
        task=read.task and DatasetTask(read.task),
        n=read.n,
        seed=read.seed,
        revision=line("revision", "revision"),
        language=code,
        role=read.role and PartitionRole(read.role),
    )


def _model(source: _Source, number: int, read: Any) -> ModelSpec:
    name = _model_name(source, ("model", number, "name"), read.name)
    limits = Limits(read.settings.rpm, read.settings.tpm)
    return ModelSpec(name, read.settings.concurrency, limits, read.cutoff, read.budget)


def _model_name(source: _Source, path: KeyPath, given: str) -> str:
    """A model's name as for commands; the path of one that lies here, from the file's folder."""
    name, scored = split_mode(given)
    if scored and is_path(name):
        if name.startswith("~"):
            name = os.path.expanduser(name)
        return f"likelihood:{_inside(source, path, name)}"
    checked = given.strip()
    with _told_at(source, path):
        naming.check_model(checked)
    return checked


def _same_model(name: str) -> str:
    return naming.with_plain_address(naming.as_seen(name)).rstrip("/")


def _no_doubles(source: _Source, array: KeyPath, entries: list[Any]) -> None:
    """Raise InputError where two entries of an array name one thing."""
    for number, entry in enumerate(entries):
        first = entries.index(entry)
        if first != number:
            name = key_name((*array, first))
            raise source.error((*array, number), f"names the same as {name}; leave one of them out")


def _rewordings(source: _Source, read: StudyFile) -> RewordingSpec:
    model = read.rewordings.model
    if model.strip().lower() == OFFLINE:
        return RewordingSpec("", read.rewordings.accepted)
    path: KeyPath = ("rewordings", "model")
    if split_mode(model)[1]:
        raise source.error(path, "scores texts and writes none; name a model that replies")
    return RewordingSpec(_model_name(source, path, model), read.rewordings.accepted)


def _controls(source: _Source, read: StudyFile) -> ControlSpec:
    table = read.controls
    source_of = ControlSource(table.source)
    own = source_of is ControlSource.OWN
    if own and table.samples is None:
        raise source.error(("controls", "from"), 'is "own"; name the controls with samples = […]')
    if not own and table.samples is not None:
        raise source.error(("controls", "samples"), 'goes with from = "own"; change one of them')
    later = source_of is ControlSource.LATER
    if later and table.date_column is None:
        raise source.error(
            ("controls", "from"), 'is "later"; name the column of the dates with date_column = "…"'
        )
    if not later and table.date_column is not None:
        raise source.error(
            ("controls", "date_column"), 'goes with from = "later"; change one of them'
        )
    samples: list[str] = []
    for number, each in enumerate(table.samples or ()):
        with _told_at(source, ("controls", "samples", number)):
            samples.append(naming.read_name(each, "sample"))
    _no_doubles(source, ("controls", "samples"), samples)
    with _told_at(source, ("controls", "date_column")):
        column = table.date_column and naming.read_name(table.date_column, "column")
    return ControlSpec(source_of, table.count, table.n, tuple(samples), column or "")


def _weights(source: _Source, table: Any) -> dict[str, float]:
    """How much of the significance threshold each method gets. Raises InputError unless the shares
    come to one."""
    given = {name: getattr(table, name) for name in asked_methods()}
    weights = {name: weight for name, weight in given.items() if weight is not None}
    if weights and QUIZ not in weights:
        raise source.error(("methods",), "leaves out the quiz, which every study asks; add it")
    total = math.fsum(weights.values())
    if weights and not math.isclose(total, 1, abs_tol=1e-6):
        raise source.error(
            ("methods",),
            f"gives weights that come to {total:.6g}; they are shares and must come to 1",
        )
    return weights


def _exports(source: _Source, table: Any, models: Sequence[ModelSpec]) -> dict[str, Path]:
    exports: dict[str, Path] = {}
    for name, given in table.model_dump(by_alias=True, exclude_none=True).items():
        at: KeyPath = ("export", name)
        if name in _ONE_MODEL and len(models) > 1:
            raise source.error(
                at,
                "is a file of one model, and the study has several; write it for each by: "
                "python -m dcq export findings --format "
                f"{name} --model MODEL",
            )
        path = _inside(source, at, given)
        if path in exports.values():
            raise source.error(at, "is the file of another export; name each once")
        if not source.outside and _is_hidden(path.relative_to(source.folder)):
            raise source.error(at, "lies in a hidden file or folder; name another")
        if path == Path(os.path.realpath(source.path)):
            raise source.error(at, "is the study itself; name another file")
        exports[name] = path
    return exports


def _is_hidden(path: Path) -> bool:
    """Whether a path has a name that begins with a dot, as those have that other programs obey."""
    return any(part.startswith(".") for part in path.parts)


def _inside(source: _Source, at: KeyPath, given: str) -> Path:
    """Where a path of the file leads, all links followed. Raises InputError where that is outside
    the file's folder and nobody said that it may be."""
    try:
        path = Path(os.path.realpath(source.folder / given))
    except (OSError, ValueError):
        raise source.error(at, "is no path; name a file") from None
    if not source.outside and not path.is_relative_to(source.folder):
        raise source.error(
            at, "leads out of the study's folder; move what it names there, or give --outside"
        )
    return path
