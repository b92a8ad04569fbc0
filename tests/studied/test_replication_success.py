"""Each method against what two people see."""

from dcq.judging.replication import results
from dcq.judging.replication_success import agreement_with_people
from dcq.replication.judge import MatchLevel
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, replications
from tests.support.provider import FakeProvider
from tests.support.replications import run_of, save


async def test_methods_are_counted_where_two_people_have_labelled(
    fresh_store: Store, provider: FakeProvider
) -> None:
    seen, texts = save(fresh_store, 6)
    provider.seen = tuple(texts)
    unseen, _ = save(fresh_store, 6, key="lakes")
    done = [
        await replicate(fresh_store, sample_id, "recites", Design(judge="judges"))
        for sample_id in (seen, unseen)
    ]
    assert agreement_with_people(results(fresh_store)) == {}
    for one in done:
        for row in run_of(fresh_store, one.run).rows:
            replications.add(
                fresh_store, one.run, row.place, "Ada", row.match or MatchLevel.INEXACT
            )
    assert agreement_with_people(results(fresh_store)) == {}  # one person alone decides nothing
    for one in done:
        for row in run_of(fresh_store, one.run).rows:
            replications.add(fresh_store, one.run, row.place, "Ben", MatchLevel.INEXACT)
    found = {
        method: (count.agreed, count.total)
        for method, count in agreement_with_people(results(fresh_store)).items()
    }
    # Ben sees no match at all, so people call neither contaminated; the rules call the seen one so.
    assert found["Algorithm 2"] == (1, 2)
    assert found["Algorithm 1, ROUGE-L"] == (1, 2)
    for one in done[:1]:
        for row in run_of(fresh_store, one.run).rows:
            replications.add(fresh_store, one.run, row.place, "Ben", MatchLevel.EXACT)
    found = {
        method: (count.agreed, count.total)
        for method, count in agreement_with_people(results(fresh_store)).items()
    }
    assert found["Algorithm 2"] == (2, 2)
