"""The models and partitions that a person may name, and what is said of a name that is none.

A filter selects nothing where it is misspelt, and nothing looks like an answer. So a name is
checked here before anything is selected. What exists and has no result yet is no mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rapidfuzz import fuzz, utils

from dcq import methods
from dcq.errors import InputError
from dcq.models.endpoints import model_itself
from dcq.models.presets import EMBEDDED
from dcq.naming import LONGEST_MODEL, find, is_meant
from dcq.records import PartitionRole
from dcq.store import Store, partitions, run_progress, samples
from dcq.store.studies import Study
from dcq.words import choices

_MOST_NEAR, _LEAST_LIKENESS = 3, 60
_MOST_LISTED = 8


def models_here(store: Store) -> list[str]:
    """The models that were asked anything in this store, the latest first, by each of their
    names."""
    asked = run_progress.models(store, imported=True)
    return list(dict.fromkeys(name for model in asked for name in (model, model_itself(model))))


def partitions_here(store: Store) -> list[str]:
    """The partitions of this store and of the catalog, as ``key/split``, the store's first."""
    from dcq.partitions import catalog  # here, because most commands filter nothing

    listed = (f"{entry.key}/{split}" for entry in catalog.entries() for split in entry.splits)
    return list(dict.fromkeys([*partitions.ids(store), *listed]))


def check(store: Store, *, model: str | None = None, partition: str | None = None) -> None:
    """Raise InputError with the nearest names where ``model`` was never asked in this store and is
    on no list of prices, or ``partition`` (``key/split``) is neither in the store nor in the
    catalog. None stands for all."""
    if model is not None:
        check_models(store, [model])
    if partition is not None:
        check_partitions(store, [partition])


def model_named(store: Store, model: str | None) -> str | None:
    """The model by the name that the store has for it. Raises InputError as ``check``."""
    check(store, model=model)
    return None if model is None else find(model, models_here(store))


def named_study(store: Store, study: Study) -> Study:
    """The study with its models, partitions and controls by the names that the store has for them.
    What is not narrowed down becomes all that there is now; where there is nothing yet, it stays
    open. Raises InputError as ``check`` for an unknown one."""
    check_models(store, study.models or ())
    check_partitions(store, [*(study.partitions or ()), *(study.controls or ())])
    unseen, tested = set[str](), set[str]()
    for sample in samples.listing(store):
        (unseen if sample.role is PartitionRole.CONTROL else tested).add(sample.partition)
    by = methods.kinds_of(study).used
    asked = set(map(model_itself, run_progress.models(store, imported=True, by=by)))
    return replace(
        study,
        models=_as_stored(study.models, models_here(store), asked),
        partitions=_as_stored(study.partitions, partitions_here(store), tested),
        methods=methods.names() if study.methods is None else study.methods,
        controls=_as_stored(study.controls, partitions_here(store), unseen),
    )


def _as_stored(
    given: Sequence[str] | None, names: Sequence[str], there: Iterable[str]
) -> tuple[str, ...] | None:
    """What was ``given``, by the ``names`` of the store; all that is ``there`` where nothing was,
    and None where there is nothing."""
    if given is None:
        return tuple(sorted(there)) or None
    return tuple(find(name, names) for name in given)


def check_models(store: Store, models: Sequence[str]) -> None:
    """Raise InputError as ``check`` for the first of ``models`` that is unknown."""
    here = models_here(store) if models else []
    for model in models:
        if not is_meant(model, here) and not _is_listed(model):
            raise InputError(_unknown("model", model, here))


def check_partitions(store: Store, names: Sequence[str]) -> None:
    """Raise InputError as ``check`` for the first of ``names`` that is unknown."""
    here = partitions_here(store) if names else []
    for name in names:
        if not is_meant(name, here):
            raise InputError(_unknown("partition", name, here))


def _is_listed(model: str) -> bool:
    """Whether a model exists that nobody asked here: it has a list price or one of the user's own,
    or comes with dcq. Any name behind the preset of an own server costs nothing and says
    nothing."""
    from dcq.models import prices  # as above

    if model_itself(model) == EMBEDDED:
        return True
    price = prices.find_price(model)
    return price is not None and bool(price.source)


def _unknown(what: str, given: str, names: Iterable[str]) -> str:
    known, given = list(names), given[:LONGEST_MODEL]
    likeness = {name: _likeness(what, given, name) for name in known}
    near = [name for name in known if likeness[name] >= _LEAST_LIKENESS]
    near.sort(key=lambda name: -likeness[name])
    opening = f"There is no {what} “{given}” here"
    if near:
        named = " or ".join(choices([name]) for name in near[:_MOST_NEAR])
        return f"{opening}. Did you mean {named}?"
    return f"{opening}; {what}s that you can name: {choices(known, _MOST_LISTED)}."


def _likeness(what: str, given: str, name: str) -> float:
    """From 0 to 100. Of partitions the dataset counts most: many have a split of the same name."""
    if what != "partition":
        return fuzz.WRatio(given, name, processor=utils.default_process)
    (key, _, split), (given_key, _, given_split) = name.rpartition("/"), given.rpartition("/")
    if not given_key:
        given_key, given_split = given_split, split
    of_key = fuzz.WRatio(given_key, key, processor=utils.default_process)
    return of_key * 0.9 + fuzz.ratio(given_split, split) * 0.1
