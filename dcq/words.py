"""Numbers and names as people read them, the same on screens, on the command line and in files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

# What a terminal obeys instead of showing it: control characters, those that end a line, those that
# turn the direction of a text, and halves of a surrogate pair. Marks that scripts need stay.
_OBEYED = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_ANY = re.compile(f"[{_OBEYED}]")
_ANY_BUT_LINES = re.compile(rf"(?!\n)[{_OBEYED}]")
_UNITS = (("year", 365.25 * 86_400), ("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0))


def kappa_words(value: float | None, low: float | None, high: float | None) -> str:
    """κ with its 95 % interval, as far as it has one; ``no value`` without κ."""
    if value is None:
        return "no value"
    if low is None or high is None:
        return two_decimals(value)
    return f"{two_decimals(value)} {interval_words(low, high)}"


def interval_words(low: float, high: float) -> str:
    """``[0.12, 0.34]``."""
    return f"[{two_decimals(low)}, {two_decimals(high)}]"


def two_decimals(value: float) -> str:
    """With a true minus sign; a zero has none."""
    return _true_minus(f"{value:z.2f}")


def points(share: float, decimals: int = 0) -> str:
    """A difference of shares in percentage points, signed: ``+69``."""
    return _true_minus(f"{100 * share:+z.{decimals}f}")


def points_words(difference: float, low: float | None, high: float | None) -> str:
    """A difference in percentage points with its interval, as far as it has one: ``+78 [+68,
    +85]``."""
    if low is None or high is None:
        return points(difference)
    return f"{points(difference)} [{points(low)}, {points(high)}]"


def percent(share: float, decimals: int = 0) -> str:
    """``25 %``."""
    return _true_minus(f"{100 * share:z.{decimals}f} %")


def p_number(p_value: float) -> str:
    """``0.012``, or ``< 0.001``."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def p_words(p_value: float, name: str = "p") -> str:
    """``p = 0.012``, or ``p < 0.001``."""
    number = p_number(p_value)
    return f"{name} {number}" if number.startswith("<") else f"{name} = {number}"


def usd_words(amount: float | None) -> str:
    """A cost; an unknown price is said to be unknown."""
    if amount is None:
        return "price unknown"
    if amount == 0:
        return "nothing"
    return f"${amount:.2f}" if amount >= 0.01 else "under $0.01"


def counted(count: int, name: str) -> str:
    """``1 call``, ``2,000 calls``."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def visible(text: str, *, lines: bool = False) -> str:
    """``text`` made safe for a terminal: control characters are written as in JSON, ``\\u001b``. So
    are the ends of lines, unless ``lines`` says that they are ours."""
    obeyed = _ANY_BUT_LINES if lines else _ANY
    return obeyed.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def about_so_long(seconds: float) -> str:
    """``about 3 years``: a time in its largest unit, to the nearest."""
    if seconds >= 1_000 * _UNITS[0][1]:
        return "more than 1,000 years"
    unit, size = next((entry for entry in _UNITS if seconds >= entry[1]), ("second", 1.0))
    count = round(seconds / size)
    return f"about {counted(count, unit)}"


def place(title: str, split_title: str) -> str:
    """A partition as people read it: title and split, which is empty where it is the only one."""
    return visible(f"{title} {split_title}".rstrip())


# ``likelihood:`` before a model's name, the address behind it, the folder before a file's name.
_SCORED = "likelihood:"
_ELSEWHERE = re.compile(r"@\w+://")
_FOLDER = re.compile(r"(?:[/~.]|[A-Za-z]:\\).*[/\\](?=[^/\\]+)", re.DOTALL)


def model_title(model: str) -> str:
    """The short name of a model, without how it is asked, its address and its folder."""
    name, _ = _split_address(model)
    return visible(_FOLDER.sub("", name, count=1) if _FOLDER.match(name) else name)


def model_badge(model: str) -> str:
    """How and where a model is asked, as far as its name says; empty where it does not."""
    _, host = _split_address(model)
    how = ("by likelihood",) if model.startswith(_SCORED) else ()
    return ", ".join((*how, *((f"at {visible(host)}",) if host else ())))


def _split_address(model: str) -> tuple[str, str]:
    """The name of a model at its endpoint, and the host of the address behind it, or nothing."""
    name = model.removeprefix(_SCORED).strip()
    match = _ELSEWHERE.search(name, 1)
    if match is None:
        return name, ""
    return name[: match.start()], name[match.end() :].partition("/")[0]


_ON_DISK = re.compile(r"[/~]|\.{1,2}[/\\]|[A-Za-z]:[/\\]")
_SEPARATORS = re.compile(r"[/\\]+")


def names_for_others(models: Iterable[str]) -> dict[str, str]:
    """The name of each of several models in what is given away: a path on somebody's disk is shown
    by its last part, or by as many of its last parts as tell it from the others. Whatever is no
    path stays as it is."""
    names = dict.fromkeys(models)
    on_disk = {model: split for model in names if (split := _split_path(model))}
    shown = {model: model for model in names if model not in on_disk}
    for model, (scored, parts, address) in on_disk.items():
        for count in range(1, len(parts) + 1):
            shown[model] = f"{scored}{'/'.join(parts[-count:])}{address}"
            paths = {tuple(other) for _, other, _ in on_disk.values()}
            same_end = [other for other in paths if list(other[-count:]) == parts[-count:]]
            if len(same_end) == 1 and shown[model] not in names:
                break
    return shown


def _split_path(model: str) -> tuple[str, list[str], str] | None:
    """``likelihood:`` where it stands there, the parts of a path, and the address behind it; None
    for a model that is no path."""
    scored = _SCORED if model.startswith(_SCORED) else ""
    name = model.removeprefix(_SCORED).strip()
    match = _ELSEWHERE.search(name, 1)
    path, address = (name, "") if match is None else (name[: match.start()], name[match.start() :])
    parts = [part for part in _SEPARATORS.split(path) if part not in {"", "~", ".", ".."}]
    return (scored, parts, address) if parts and _ON_DISK.match(path) else None


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """``text`` with each of some ``names`` by what it is mapped to, the longest first."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return text


def without_address(model: str) -> str:
    """A model's name without the address of its endpoint."""
    match = _ELSEWHERE.search(model, 1)
    return model if match is None else model[: match.start()]


def model_titles(models: Iterable[str]) -> dict[str, str]:
    """The title of each of several models that stand side by side: where two have the same, with
    its badge, and where that is the same too, the name for others."""
    names = names_for_others(models)
    titles = {model: model_title(model) for model in names}
    badges = {
        model: f"{titles[model]} ({badge})" if (badge := model_badge(model)) else titles[model]
        for model in names
    }
    shared, alike = Counter(titles.values()), Counter(badges.values())
    return {
        model: title
        if shared[title] == 1
        else badges[model]
        if alike[badges[model]] == 1
        else visible(names[model])
        for model, title in titles.items()
    }


def listed(names: Sequence[str], most: int | None = None) -> str:
    """``A, B and C``; ``A, B and 7 more`` where there are more than ``most``; empty for no name."""
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    *head, last = names or [""]
    return f"{', '.join(head)} and {last}" if head else last


_LONGEST_NAME = 80  # characters of a name in a list


def choices(names: Iterable[str], most: int = 40) -> str:
    """Names to choose from, in a message: ``A, B, C``, or the first ``most`` and how many more."""
    known = [name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…" for name in names]
    more = len(known) - most
    return ", ".join(known[:most]) + (f" and {more:,} more" if more > 0 else "") or "none"


def ranges(numbers: Sequence[int], most: int = 20) -> str:
    """Rising numbers with consecutive ones joined, ``1–3, 7``; at most ``most`` ranges."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [str(first) if first == last else f"{first}–{last}" for first, last in runs[:most]]
    remaining = sum(last - first + 1 for first, last in runs[most:])
    return f"{', '.join(parts)} and {remaining:,} more" if remaining else ", ".join(parts)


def _true_minus(number: str) -> str:
    return number.replace("-", "−")
