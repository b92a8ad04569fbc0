"""From a subject and a model to a planned run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace

from dcq.asking import exclusive
from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.task import Method, Proposal, Task
from dcq.errors import DcqError, InputError
from dcq.models import prices
from dcq.models.batch import PRICE_SHARE
from dcq.models.endpoints import Endpoint
from dcq.models.price import Price
from dcq.store import Store, runs
from dcq.store.private_wordings import refuse_private
from dcq.version import __version__
from dcq.words import counted

DEFAULT_CONCURRENCY = 16


def check(store: Store, method: Method, subject: str, endpoint: Endpoint, terms: Terms) -> Proposal:
    """What a run on these terms would ask. Raises InputError if there can be none."""
    proposed = method.propose(store, subject, endpoint.mode)
    check_price(endpoint, terms)
    check_private(store, method, endpoint, proposed.task, _count(proposed.task, terms))
    return proposed


def check_private(store: Store, method: Method, endpoint: Endpoint, task: Task, count: int) -> None:
    """Raise InputError if one of the first ``count`` requests would tell a private wording to
    whoever is at the endpoint. What runs within this program may read all."""
    if endpoint.base_url and not method.gives_private:
        refuse_private(store, lambda: map(task.text, range(count)), "Some of these requests")


def allow(plan: runs.Plan, terms: Terms) -> Terms:
    """The limits of a resumed run: those of its plan, where ``terms`` set no others."""
    return replace(
        terms,
        budget_usd=terms.budget_usd or plan.budget_usd,
        max_calls=terms.max_calls or plan.max_calls,
        concurrency=terms.concurrency or plan.concurrency,
    )


def check_limit(store: Store, method: Method, run_id: str, terms: Terms) -> None:
    """Raise InputError for a limit below what a run was planned for: it goes on to the end of its
    plan, so such a limit would stop nothing."""
    plan = runs.load(store, run_id).plan
    if terms.limit is not None and _count(method.reopen(store, plan), terms) < plan.items:
        raise InputError(
            f"Run {run_id} was planned for more than {counted(terms.limit, 'instance')} "
            f"({counted(plan.items, 'question')}); leave the limit out, give a higher one, or "
            "start a new run."
        )


def planned_instances(store: Store, method: Method, run_id: str) -> int:
    """The lowest limit, in instances, that is not below what a run was planned for."""
    plan = runs.load(store, run_id).plan
    task = method.reopen(store, plan)
    return 1 + bisect_left(range(1, plan.items + 1), plan.items, key=task.count_first)


def check_price(endpoint: Endpoint, terms: Terms) -> None:
    """Raise InputError if a budget cannot be kept because the model's price is not known."""
    if terms.budget_usd is not None and _price(endpoint) is None:
        raise InputError(
            f"The price of {endpoint.name} is not known, so a budget cannot be kept; "
            "add it to your own prices (DCQ_PRICES) or leave the budget out."
        )


def unready(asked: Iterable[tuple[Method, str]], terms: Terms) -> list[str]:
    """Why models cannot be asked these requests on these terms, a sentence each; empty if all
    can."""
    sentences = []
    for method, model in asked:
        try:
            check_price(method.endpoint(model), terms)
        except DcqError as error:
            sentences.append(f"{model}: {error}")
    return sentences


def plan_run(
    store: Store,
    method: Method,
    subject: str,
    endpoint: Endpoint,
    terms: Terms = NO_TERMS,
    *,
    by_batch: bool = False,
) -> str:
    """Save a new run, nothing asked yet; returns its id. ``by_batch``: at the price of a batch.
    Raises AskedAlreadyError where this model is being asked the same."""
    proposal = check(store, method, subject, endpoint, terms)
    prompt = proposal.prompt
    price = _price(endpoint, by_batch=by_batch)
    planned = runs.Plan(
        subject=subject,
        sample_id=proposal.sample_id,
        model=endpoint.name,
        base_url=endpoint.base_url,
        prompt=prompt.id,
        wording=prompt.wording,
        temperature=prompt.temperature,
        max_tokens=prompt.max_tokens,
        items=_count(proposal.task, terms),
        concurrency=terms.concurrency or endpoint.concurrency or DEFAULT_CONCURRENCY,
        budget_usd=terms.budget_usd,
        price_in=price.tokens_in if price else None,
        price_out=price.tokens_out if price else None,
        price_date=price.as_of if price else None,
        version=__version__,
        mode=endpoint.mode,
        max_calls=terms.max_calls,
        method=method.name,
        by_batch=by_batch,
    )
    with exclusive.claiming(store):
        exclusive.check_unasked(store, method.name, subject, endpoint)
        run_id = runs.create(store, planned)
        exclusive.note_planned(store, run_id)
    return run_id


def _price(endpoint: Endpoint, *, by_batch: bool = False) -> Price | None:
    """The price of a model; what runs on the person's own machine has none to be looked up."""
    price = prices.find_price(endpoint.name)
    if price is None:
        return Price(0.0, 0.0) if endpoint.free else None
    share = PRICE_SHARE if by_batch else 1.0
    return replace(
        price,
        tokens_in=price.tokens_in * share,
        tokens_out=price.tokens_out * share,
    )


def _count(task: Task, terms: Terms) -> int:
    return task.size if terms.limit is None else task.count_first(terms.limit)


def amend(store: Store, method: Method, run_id: str, endpoint: Endpoint, terms: Terms) -> None:
    """Adapt a run that is resumed to the present terms: all questions unless limited, never fewer
    than were planned; other limits stay as they were unless given. Its price is looked up again,
    since the run may come from someone else's bundle. Raises InputError as ``check_price``, for the
    run's own budget too."""
    plan = runs.load(store, run_id).plan
    allowed = allow(plan, terms)
    check_price(endpoint, allowed)
    items = _count(method.reopen(store, plan), terms)
    runs.replan(
        store,
        run_id,
        items=max(items, plan.items),
        budget_usd=allowed.budget_usd,
        max_calls=allowed.max_calls,
        concurrency=allowed.concurrency or DEFAULT_CONCURRENCY,
    )
    reprice(store, run_id, endpoint)


def reprice(store: Store, run_id: str, endpoint: Endpoint) -> None:
    """Give a run the price that its model has now, on this machine."""
    plan = runs.load(store, run_id).plan
    price = _price(endpoint, by_batch=plan.by_batch)
    now = (price.tokens_in, price.tokens_out, price.as_of) if price else (None, None, None)
    if now != (plan.price_in, plan.price_out, plan.price_date):
        price_in, price_out, price_date = now
        runs.reprice(store, run_id, price_in=price_in, price_out=price_out, price_date=price_date)
