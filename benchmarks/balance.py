"""What choosing among candidates does for quizzes that their text alone gives away.

    python -m benchmarks.balance [--instances 60] [--candidates 8] [PARTITION/SPLIT …]

For each partition and its split (by default some that need no download), the worst slot of each
strategy without memory, in per cent, with the first four texts of each instance and with four
chosen among all of them. ``offline``: all texts by the offline generator. ``leaky``: the first four
made to reveal the original, as each replaces another quarter of its words by longer synonyms.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from benchmarks import read_options
from dcq.partitions import draw_sample, open_partition
from dcq.records import Instance
from dcq.variants import offline
from dcq.variants.balance import SLOTS, Pool, Ranks, balance
from dcq.variants.checks import check, passes
from dcq.variants.prose import is_code, prose
from dcq.variants.synonyms import find_groups

PARTITIONS = ("control-news/test", "control-summaries/test", "control-nli/test", "kjv/verses")


def leaky(instance: Instance) -> Iterator[str]:
    """Rewordings of the original, each longer than it, that share what they leave as it is."""
    text = instance.text
    groups = find_groups(text, prose(text, instance.protected), code=is_code(text))
    places = [place for group in groups for place in group.places]
    longest = [(p.start, p.end, max(p.replacements, key=len)) for p in places]
    longer = [change for change in longest if len(change[2]) > change[1] - change[0]]
    for at in range(min(SLOTS, len(longer))):
        rewording = text
        for start, end, word in reversed(longer[at::SLOTS]):
            rewording = rewording[:start] + word + rewording[end:]
        yield rewording


def pool_of(instance: Instance, first: list[str], candidates: int) -> Pool:
    """The usable ones of four texts and of the offline generator's candidates."""
    more = offline.reword(
        instance.text, candidates, protected=instance.protected, prefer_common=True
    )
    texts: list[str] = []
    for text in [*first, *more]:
        if len(texts) < candidates and passes(check(instance, text, texts)):
            texts.append(text)
    return Pool(instance.text, tuple(texts), {slot: slot for slot in range(min(SLOTS, len(texts)))})


def worst(ranks: Ranks) -> str:
    """The worst slot of each strategy, in per cent."""
    return "  ".join(f"{100 * max(shares):9.0f}" for shares in ranks.strategies().values())


def main() -> None:
    """Print one row a partition, writer and state."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("partitions", nargs="*", default=PARTITIONS)
    parser.add_argument("--instances", type=int, default=60)
    parser.add_argument("--candidates", type=int, default=8)
    asked = read_options(parser, partitions=["control-news/test"], instances=2, candidates=4)
    print(f"{'partition':23}{'first four':12}{'':8}  n  shortest    longest     medoid   frequent")
    for key in asked.partitions:
        opened = open_partition(*key.split("/"))
        sample = draw_sample(opened, min(asked.instances, opened.row_count))
        for name in ("offline", "leaky"):
            pools = []
            for instance in sample.instances:
                if name == "leaky":
                    first = list(leaky(instance))
                else:
                    first = offline.reword(instance.text, SLOTS, protected=instance.protected)
                pools.append(pool_of(instance, first, asked.candidates))
            began = time.perf_counter()
            outcome = balance(pools, sample.partition.language)
            took = time.perf_counter() - began
            print(f"{key:23}{name:12}{'before':8}{outcome.before.n:3} {worst(outcome.before)}")
            print(
                f"{'':23}{'':12}{'after':8}{outcome.after.n:3} {worst(outcome.after)}  "
                f"({took:.1f} s)"
            )


if __name__ == "__main__":
    main()
