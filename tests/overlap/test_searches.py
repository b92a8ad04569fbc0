"""Searches in one go: found, looked up, capped, out of quota, cancelled, reused, resumed."""

from __future__ import annotations

import asyncio
import threading
from datetime import date
from pathlib import Path

import pytest

from dcq.asking.chain import go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.overlap import searches
from dcq.overlap.freeze import SearchDesign
from dcq.overlap.match import Category
from dcq.overlap.method import EXCLUSIVE, METHODS
from dcq.overlap.outcome import NOT_ASKED, of_run
from dcq.overlap.search.service import Window
from dcq.overlap.searches import scan, search
from dcq.store import Store, overlap_hits, run_progress, runs, samples
from dcq.store.runs import Event
from tests.support.replications import sample, save
from tests.support.runs import NOBODY, answer
from tests.support.search_rules import KEY, InfiniIndex, Reply
from tests.support.search_services import FakeWeb, ServiceRequest

YEAR = Window(date(2023, 1, 1), date(2023, 12, 31))
IN_2023 = SearchDesign(window=YEAR)
ALONE = SearchDesign(archive="none")


def put(web: FakeWeb, texts: list[str], *, label: str = "") -> None:
    """Put texts on pages of their own."""
    web.pages |= {f"https://a.org/{n}": f"{text} {label}" for n, text in enumerate(texts)}
    web.crawled = set(web.pages)


def kinds(store: Store, run_id: str) -> list[Category | None]:
    return [row.category for row in of_run(store, run_id).rows]


async def test_pages_are_found_and_then_looked_up(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 3)
    put(web, [texts[0]], label="Wet")
    heard: list[tuple[str, int, int]] = []
    watch = Watch(on_run=lambda *words: heard.append(words))
    done = await search(fresh_store, sample_id[:8], "brave", IN_2023, Options(watch=watch))
    assert done.ended.event is Event.FINISHED
    assert heard == [("search by brave", 0, 3), ("crawl by common-crawl", 0, 1)]
    assert [one.parameters["freshness"] for one in web.searches] == ["2023-01-01to2023-12-31"] * 3
    found = of_run(fresh_store, done.run)
    first = found.rows[0]
    assert first.category is Category.INPUT_AND_LABEL
    [hit] = first.hits
    assert (hit.source, hit.document, hit.crawled, hit.label_score) == (
        "https://a.org/0",
        "",
        True,
        1,
    )
    assert hit.passage.startswith("The brooks number 0")
    assert found.coverage.searched == 3
    assert found.window == YEAR
    again = await search(fresh_store, sample_id, "brave", IN_2023, resume=True)
    assert (again.run, again.follower) == (done.run, done.follower)
    assert len(web.searches) == 3


async def test_a_page_that_no_crawl_has_does_not_count(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 1)
    put(web, texts)
    web.crawled = set()
    done = await search(fresh_store, sample_id, "serpapi", IN_2023)
    assert kinds(fresh_store, done.run) == [Category.CLEAN]
    [hit] = of_run(fresh_store, done.run).rows[0].hits
    assert hit.crawled is False
    wayback = SearchDesign(window=YEAR, archive="wayback")
    web.crawled = set(web.pages)
    other = await search(fresh_store, sample_id, "serpapi", wayback)
    assert kinds(fresh_store, other.run) == [Category.INPUT_ONLY]
    alone = await search(fresh_store, sample_id, "serpapi", ALONE)
    assert kinds(fresh_store, alone.run) == [Category.INPUT_ONLY]
    assert of_run(fresh_store, alone.run).rows[0].hits[0].crawled is None
    assert alone.follower is None


async def test_what_was_found_is_cut_again_at_a_higher_threshold(
    fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, texts = save(fresh_store, 2)
    put(web, [texts[0], texts[1].replace("northern", "south").replace("mill", "farm")])
    run_id = (await search(fresh_store, sample_id, "brave", ALONE)).run
    low = of_run(fresh_store, run_id)
    assert low.coverage.found == 2
    high = of_run(fresh_store, run_id, threshold=0.95)
    assert [row.score for row in high.rows] == [row.score for row in low.rows]
    assert high.coverage.found == 1 + (low.rows[1].score >= 0.95)
    assert high.settings.threshold == 0.95
    for threshold in (0.5, 1.1, float("nan")):
        with pytest.raises(InputError, match=r"0\.75 to 1"):
            of_run(fresh_store, run_id, threshold=threshold)


async def test_a_limit_is_of_instances_and_resume_asks_the_rest(
    fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, texts = save(fresh_store, 5)
    put(web, texts)
    first = await search(fresh_store, sample_id, "brave", ALONE, Options(Terms(limit=2)))
    assert first.ended.event is Event.FINISHED
    found = of_run(fresh_store, first.run)
    assert found.coverage.searched == 2
    assert found.coverage.skipped == ((NOT_ASKED, 3),)
    assert set(found.labels()) == {row.instance_id for row in found.rows[:2]}
    rest = await search(fresh_store, sample_id, "brave", ALONE, resume=True)
    assert rest.run == first.run
    assert len(web.searches) == 5
    assert of_run(fresh_store, first.run).coverage.searched == 5


async def test_an_empty_quota_stops_it_and_resume_goes_on(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 5)
    put(web, texts)
    web.left = 2
    first = await search(fresh_store, sample_id, "brave", IN_2023)
    assert first.ended.event is Event.STOPPED
    assert "no searches left" in first.ended.detail
    assert first.follower is None
    assert of_run(fresh_store, first.run).coverage.searched == 2
    web.left = None
    asked = len(web.searches)
    rest = await go_on(fresh_store, METHODS.values(), first.run)
    assert rest.ended.event is Event.FINISHED
    assert len(web.searches) - asked == 3
    assert kinds(fresh_store, first.run) == [Category.INPUT_ONLY] * 5


async def test_a_refused_key_costs_one_call(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, _ = save(fresh_store, 3)
    web.before = lambda request: (401, {"error": "Invalid API key."})
    done = await search(fresh_store, sample_id, "serpapi", ALONE)
    assert done.ended.event is Event.STOPPED
    assert done.ended.detail.count(".") == 1
    assert "refuses the key" in done.ended.detail
    assert len(web.searches) == 1
    assert of_run(fresh_store, done.run).labels() == {}


async def test_a_rejected_query_is_counted_and_the_others_go_on(
    fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, _ = save(fresh_store, 4)

    def odd(request: ServiceRequest) -> Reply | None:
        return (422, "") if "number 2 " in request.parameters.get("q", "") else None

    web.before = odd
    done = await search(fresh_store, sample_id, "brave", ALONE)
    assert done.ended.event is Event.FINISHED
    found = of_run(fresh_store, done.run)
    assert found.coverage.skipped == (("brave rejected a query (status 422).", 1),)
    assert found.rows[2].category is None
    assert found.rows[2].instance_id not in found.labels()
    web.before = lambda request: None
    await go_on(fresh_store, METHODS.values(), done.run)
    assert of_run(fresh_store, done.run).coverage.searched == 4


async def test_calls_are_shared_with_the_archive(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 3)
    put(web, texts)
    few = await search(fresh_store, sample_id, "brave", IN_2023, Options(Terms(max_calls=2)))
    assert few.ended.event is Event.STOPPED
    assert len(web.server.requests) == 2
    none_left = await search(fresh_store, sample_id, "brave", IN_2023, Options(Terms(max_calls=3)))
    assert "3 calls for all runs are made" in none_left.ended.detail
    more = await search(
        fresh_store, sample_id, "brave", IN_2023, Options(Terms(max_calls=5)), resume=True
    )
    assert more.ended.event is Event.STOPPED  # the list of crawls, and one page
    assert more.follower is not None
    assert run_progress.progress(fresh_store, [more.follower])[0].done == 1
    whole = await go_on(fresh_store, METHODS.values(), more.run, Options(Terms(max_calls=20)))
    assert whole.ended.event is Event.FINISHED
    assert len(overlap_hits.crawled(fresh_store, whole.run)) == 3


async def test_identical_queries_are_reused(fresh_store: Store, web: FakeWeb) -> None:
    first, texts = save(fresh_store, 3)
    second, _ = save(fresh_store, 5)
    put(web, texts)
    await search(fresh_store, first, "brave", ALONE)
    estimate = searches.estimate(fresh_store, second, "brave", SearchDesign(usd_per_call=0.01))
    assert (estimate.instances, estimate.reusable, estimate.calls) == (5, 3, 5)
    saved = searches.estimate(
        fresh_store, second, "brave", SearchDesign(usd_per_call=0.01), reuse=True
    )
    assert (saved.calls, saved.usd) == (2, 0.02)
    assert searches.estimate(fresh_store, second, "brave", IN_2023).reusable == 0
    assert searches.estimate(fresh_store, second, "serpapi", ALONE).reusable == 0
    heard: list[str] = []
    again = await search(
        fresh_store, second, "brave", ALONE, Options(reuse=True, watch=Watch(on_news=heard.append))
    )
    [said] = heard
    assert said.startswith("3 replies are reused from earlier runs; the rest is asked (run ")
    assert len(web.searches) == 5
    assert of_run(fresh_store, again.run).coverage.found == 5


async def test_cancelled_it_keeps_what_it_has(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 20)
    put(web, texts)
    cancelled, loop = asyncio.Event(), asyncio.get_running_loop()
    heard = threading.Event()

    async def cancel() -> None:
        cancelled.set()
        heard.set()

    def at_the_fifth(request: ServiceRequest) -> None:
        if len(web.searches) == 5:  # it is answered after that
            asyncio.run_coroutine_threadsafe(cancel(), loop)
            heard.wait()

    web.before = at_the_fifth
    done = await search(fresh_store, sample_id, "brave", IN_2023, Options(watch=Watch(cancelled)))
    assert (done.ended.event, done.follower) == (Event.CANCELLED, None)
    assert len(web.searches) == 5
    kept = of_run(fresh_store, done.run).coverage.searched
    assert kept in {4, 5}
    web.before = lambda request: None
    rest = await go_on(fresh_store, METHODS.values(), done.run)
    assert rest.ended.event is Event.FINISHED
    assert len(web.searches) == 5 + 20 - kept


async def test_infinigram_is_searched_without_a_window(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 2)
    index = InfiniIndex(["", f"so: {texts[0]}"], "v4_dolma")
    web.before = lambda request: index.answer(request.body)
    done = await search(fresh_store, sample_id, "infini-gram:v4_dolma", SearchDesign())
    found = of_run(fresh_store, done.run)
    assert found.source == "infini-gram:v4_dolma"
    # The other one differs in two numbers alone.
    assert [row.category for row in found.rows] == [Category.INPUT_ONLY] * 2
    assert found.rows[0].score > found.rows[1].score
    assert found.rows[0].hits[0].source == "v4_dolma/0/1"
    assert done.follower is None
    with pytest.raises(InputError, match="a crawl itself"):
        await search(fresh_store, sample_id, "infini-gram", SearchDesign(archive="wayback"))


async def test_a_wrong_key_of_brave_costs_one_call(
    fresh_store: Store, web: FakeWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "another")
    sample_id, _ = save(fresh_store, 3)
    done = await search(fresh_store, sample_id, "brave", ALONE)
    assert done.ended.event is Event.STOPPED
    assert "brave refuses the key" in done.ended.detail
    assert "BRAVE_SEARCH_API_KEY" in done.ended.detail
    assert done.ended.detail.count(".") == 1
    assert len(web.searches) == 1


@pytest.mark.parametrize("service", ["brave", "serpapi"])
@pytest.mark.parametrize("language", ["kk", "ja", "nb"])
async def test_a_sample_in_another_language_is_searched_for(
    fresh_store: Store, web: FakeWeb, service: str, language: str
) -> None:
    made = sample(2, language=language)
    sample_id = samples.save(fresh_store, made)
    put(web, [made.instances[0].fields["text"]])
    done = await search(fresh_store, sample_id, service, ALONE)
    found = of_run(fresh_store, done.run)
    assert found.coverage.skipped == ()
    assert found.rows[0].category is Category.INPUT_ONLY


async def test_a_reply_that_says_nothing_makes_no_instance_clean(
    fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, _ = save(fresh_store, 2)
    web.before = lambda request: (200, {"message": "please log in"})
    done = await search(fresh_store, sample_id, "brave", ALONE)
    found = of_run(fresh_store, done.run)
    assert found.labels() == {}
    assert "another form" in found.coverage.skipped[0][0]


async def test_nothing_is_asked_where_it_cannot_be(
    fresh_store: Store, web: FakeWeb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sample_id, _ = save(fresh_store, 2)
    with (
        lock.hold(fresh_store, EXCLUSIVE.lock_name(sample_id, "brave")),
        pytest.raises(InputError, match="searched for this sample already"),
    ):
        await search(fresh_store, sample_id, "brave", ALONE)
    with pytest.raises(InputError, match="no search service 'bing'"):
        await search(fresh_store, sample_id, "bing", ALONE)
    with pytest.raises(InputError, match="no archive 'x'"):
        await search(fresh_store, sample_id, "brave", SearchDesign(window=YEAR, archive="x"))
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY")
    with pytest.raises(InputError, match="variable BRAVE_SEARCH_API_KEY"):
        await search(fresh_store, sample_id, "brave", ALONE)
    monkeypatch.setenv("SERPAPI_URL", "http://169.254.169.254/latest")
    with pytest.raises(InputError):
        await search(fresh_store, sample_id, "serpapi", ALONE)
    assert web.server.requests == []
    assert runs.listing(fresh_store) == []


async def test_a_run_of_another_method_is_not_gone_on_with(
    fresh_store: Store, web: FakeWeb, quiz_id: str
) -> None:
    run_id = answer(fresh_store, quiz_id, {"A": 1}, NOBODY)
    with pytest.raises(InputError, match="is a quiz run"):
        await go_on(fresh_store, METHODS.values(), run_id)
    with pytest.raises(InputError, match="is a quiz run"):
        of_run(fresh_store, run_id)
    assert run_progress.last_model(fresh_store) == NOBODY


async def test_a_service_is_no_model_and_its_key_is_nowhere(
    fresh_store: Store, web: FakeWeb, tmp_path: Path
) -> None:
    sample_id, texts = save(fresh_store, 2)
    put(web, texts)
    web.before = lambda request: (500, f"bad key {KEY}") if not web.left else None
    web.left = 0
    await search(fresh_store, sample_id, "serpapi", IN_2023)
    web.before = lambda request: None
    web.left = None
    await search(fresh_store, sample_id, "serpapi", IN_2023, resume=True)
    await scan(fresh_store, sample_id, [Path(__file__)])
    assert run_progress.models(fresh_store) == []
    assert run_progress.last_model(fresh_store) is None
    assert (
        KEY.encode() not in fresh_store.path.read_bytes()
    )  # which closes it, and takes its log in
    for path in fresh_store.path.parent.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes()
