"""A protected benchmark from end to end: published, trained on, and found.

    python -m studies.protect --work FOLDER

Control texts are reworded eight ways by the offline generator, and lots are drawn twice over the
same wordings. The embedded model is trained on what lot A published (its state after one and three
exposures is kept) and on what lot B published; every model is checked by likelihood against A, and
that of B against B as well. FOLDER takes 2 GB; started again, it goes on where it was. Needs
requirements-likelihood.txt. The figures are in docs/method.md, "By lot".
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from dcq.asking.options import NO_TERMS
from dcq.asking.plan import RunJob, ask_rest, plan_pairs
from dcq.evidence.lot import LotTest
from dcq.judging.study import judged_results
from dcq.partitions import draw_sample, open_partition
from dcq.partitions.sample import draw
from dcq.protect import NAME, make
from dcq.protect import secret as private
from dcq.protect.check import open_check
from dcq.protect.published import rows
from dcq.protect.secret import Secret
from dcq.protect.shuffle import By
from dcq.records import DatasetTask, Instance, Partition, PartitionRole
from dcq.store import Store, runs, samples
from dcq.store.runs import Event
from dcq.variants import reword
from dcq.variants.reword import RewordingDesign
from dcq.words import p_number, percent
from studies.local_model import expose

SOURCES, EACH, WORDINGS = ("control-notices", "control-reviews", "control-requests"), 90, 8
DOSES = (0, 1, 3)


def main() -> None:
    """Run what is not there yet and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--n", type=int, default=250, help="texts at most (250)")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    store = Store(args.work / "study.duckdb")
    first, second = (draw_lot(store, args.work / name, args.n) for name in ("a", "b"))
    of_a = train(args.work / "trained-a", first, DOSES)
    of_b = train(args.work / "trained-b", second, DOSES[-1:])
    asked = [(f"lot A, {dose} exposures", path, first) for dose, path in of_a.items()]
    asked += [(f"lot B, {dose} exposures", path, first) for dose, path in of_b.items()]
    asked += [(f"lot B, {dose} exposures", path, second) for dose, path in of_b.items()]
    print("| trained on | checked against | items | picked | by lot | recognised | p | E |")
    print("|---|---|---|---|---|---|---|---|")
    for name, path, secret in asked:
        lot_test = check(store, secret, path)
        print(
            f"| {name} | {'A' if secret is first else 'B'} | {lot_test.items} "
            f"| {percent(lot_test.share, 1)} | {percent(1 / WORDINGS, 1)} "
            f"| {percent(lot_test.recognised)} [{percent(lot_test.recognised_low)}, "
            f"{percent(lot_test.recognised_high)}] | {p_number(lot_test.p_value)} "
            f"({lot_test.p_value:.2g}) | {lot_test.e_value:.3g} |",
            flush=True,
        )


def draw_lot(store: Store, folder: Path, n: int) -> Secret:
    """A secret over the wordings of the store, which are written first; always the same one."""
    if not (folder / make.SECRET).is_file():
        sample = write_wordings(store, n)
        make.write(make.propose(store, sample, WORDINGS).secret, folder)
    return private.read(folder / make.SECRET)


def write_wordings(store: Store, n: int) -> str:
    """The sample, with eight accepted wordings of most of its texts."""
    drawn = [
        instance
        for source in SOURCES
        for instance in draw_sample(open_partition(source, "test"), EACH).instances
    ]
    partition = Partition(
        "towpath", "test", "Towpath", "test", PartitionRole.TARGET, DatasetTask.CLASSIFICATION
    )
    texts = (
        Instance(instance.text, label=instance.label, protected=instance.protected)
        for instance in drawn
    )
    sample = samples.save(store, draw(partition, texts, n))
    design = RewordingDesign(candidates=WORDINGS)
    asyncio.run(reword.reword_sample(store, sample, None, design, resume=True))
    make.accept_open(store, sample, "the study")
    return sample


def train(work: Path, secret: Secret, doses: tuple[int, ...]) -> dict[int, Path]:
    """The embedded model after each of ``doses`` exposures to the published texts."""
    return expose(work, [row["text"] for row in rows(secret)], list(doses))


def check(store: Store, secret: Secret, weights: Path) -> LotTest:
    """What the published wordings are to a model, asked once."""
    opened = open_check(store, secret, By.LIKELIHOOD)
    endpoint = opened.method.endpoint(str(weights))

    async def ask() -> str:
        earlier_results = [
            result
            for result in judged_results(store, NAME, every_run=True)
            if (result.evidence.model, result.evidence.sample) == (endpoint.name, opened.sample)
        ]
        if earlier_results:
            run = earlier_results[0].evidence.run
        else:
            subject = opened.subject(store, opened.sample)
            [(run, _)] = await plan_pairs(store, opened.method, [(subject, endpoint)], NO_TERMS)
        if runs.load(store, run).event is not Event.FINISHED:
            await ask_rest(store, RunJob(run, endpoint, opened.method))
        return run

    run = asyncio.run(ask())
    opened.conclude(store, run)
    [judged] = [
        result
        for result in judged_results(store, NAME, every_run=True)
        if result.evidence.run == run
    ]
    lot_test = judged.evidence.figures["test"]
    assert isinstance(lot_test, LotTest)  # noqa: S101  (the detection keeps it)
    (Path(str(store.path)).parent / f"{run}.json").write_text(
        json.dumps({"model": endpoint.name, "p": lot_test.p_value, "sentence": judged.sentence})
    )
    return lot_test


if __name__ == "__main__":
    main()
