"""Speed and memory, each beside a peer. A package, because pysbd installs one of this name too.

``python -m benchmarks.NAME --quick`` runs any of them with sizes that take seconds: whether it
works, not how fast. Targets are not checked then, and no published figure is written.
"""

from __future__ import annotations

import argparse


def read_options(parser: argparse.ArgumentParser, **quick: object) -> argparse.Namespace:
    """The options given; with ``--quick`` the values of ``quick`` take the place of defaults."""
    parser.add_argument("--quick", action="store_true", help="sizes that take seconds; no targets")
    arguments = parser.parse_args()
    if arguments.quick:
        parser.set_defaults(**quick)
        arguments = parser.parse_args()
    return arguments
