"""A random part of the mutants: ``make mutants SAMPLE=400``, in minutes where all take hours.

``mutmut`` writes all mutants, then tries those that are drawn. Printed are, by module, how many
there are, were tried and were noticed by a test, and the share noticed with its interval.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from mutmut import __main__ as mutmut
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import (
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
    walk_mutatable_files,
)

from dcq.evidence.interval import wilson

_UNNOTICED = {"survived", "no tests"}


def write_all() -> None:
    """Write the mutants into the folder ``mutants``, as ``mutmut run`` does at first."""
    set_mutant_under_test("mutant_generation")
    Path("mutants").mkdir(exist_ok=True)
    with contextlib.redirect_stdout(None):  # it names each file
        copy_src_dir()
        copy_also_copy_files()
        setup_source_paths()
        mutmut.create_mutants(1)


def results() -> dict[str, tuple[str, str]]:
    """Each mutant's module, and what became of it."""
    found = {}
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        for name, code in data.exit_code_by_key.items():
            found[name] = str(path), status_by_exit_code[code]
    return found


def table(drawn: Mapping[str, tuple[str, str]], there: Counter[str]) -> list[str]:
    """Rows of a Markdown table: a row a module, and the sum."""
    tried = Counter(module for module, _ in drawn.values())
    noticed = Counter(module for module, status in drawn.values() if status not in _UNNOTICED)
    rows = [f"| `{m}` | {there[m]} | {tried[m]} | {noticed[m]} |" for m in sorted(tried)]
    k, n = noticed.total(), tried.total()
    around = wilson(k, n)
    assert around is not None
    share = f"{k / n:.1%}, {around.low:.1%} to {around.high:.1%}"
    return [*rows, f"| all | {there.total():,} | {n} | {k} ({share}) |"]


def main() -> None:
    """Draw, try and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.mutants", description=__doc__)
    parser.add_argument("size", type=int, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write_all()
    there = results()
    names = random.Random(given.seed).sample(sorted(there), min(given.size, len(there)))
    subprocess.run([sys.executable, "-m", "mutmut", "run", *names], check=True)
    after = results()
    drawn = {name: after[name] for name in names}
    print("| module | mutants | tried | noticed |\n|---|---|---|---|")
    print(*table(drawn, Counter(module for module, _ in there.values())), sep="\n")
    for name, (_, status) in drawn.items():
        if status in _UNNOTICED:
            print(f"{name}: {status}")


if __name__ == "__main__":
    main()
