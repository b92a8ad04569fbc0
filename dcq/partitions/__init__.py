"""The sources of instances: the catalog, the Hub, local files, bundled data.

``open_partition`` gives rows to look at, ``draw_sample`` a seeded sample of them. Imports no
sibling package, and is the only one to import ``datasets``.
"""

from dcq.partitions.catalog import Entry, entries, find
from dcq.partitions.dates import DateWindow, Days, read_days
from dcq.partitions.files import read_file
from dcq.partitions.format import placeholders
from dcq.partitions.source import (
    OpenPartition,
    bundled_texts,
    draw_sample,
    guess_language,
    likely_columns,
    open_partition,
    text_alone,
)
from dcq.partitions.table import PartitionTable

__all__ = [
    "DateWindow",
    "Days",
    "Entry",
    "OpenPartition",
    "PartitionTable",
    "bundled_texts",
    "draw_sample",
    "entries",
    "find",
    "guess_language",
    "likely_columns",
    "open_partition",
    "placeholders",
    "read_days",
    "read_file",
    "text_alone",
]
