"""A process that reads a stranger's file: ``python -P child.py ROOT MODULE FUNCTION LIMIT MOST …``.

Calls ``FUNCTION(LIMIT, …)`` of ``MODULE``, which writes to stdout; LIMIT is how many bytes the
output may take in Python. The process may take MOST bytes beyond its start. Exit codes: 0 done, 3
too large, 4 unreadable.
"""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from pathlib import Path

TOO_LARGE, UNREADABLE = 3, 4


def limit_memory(more: int) -> None:
    """Limit this process to ``more`` bytes; where the system cannot, only counting protects."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main(root: str, module: str, function: str, limit: int, most: int, *words: str) -> int:
    """Run the reader; returns the exit code."""
    sys.path.insert(0, root)
    reader = getattr(import_module(module), function)
    limit_memory(most)
    try:
        code = int(reader(limit, *words))
        sys.stdout.buffer.flush()
    except MemoryError:  # pyarrow's own is one too
        return TOO_LARGE
    except Exception:  # whatever a damaged file causes
        return UNREADABLE
    return code


if __name__ == "__main__":
    [_, root, module, function, limit, most, *words] = sys.argv
    sys.exit(main(root, module, function, int(limit), int(most), *words))
