"""Names that lead to something else than a plain file."""

from __future__ import annotations

import os
import socket
from pathlib import Path

NO_PLAIN_FILES = ("pipe", "endless", "linked pipe", "linked terminal", "socket", "folder")


def make(kind: str, path: Path) -> Path:
    """Something of this kind at ``path``, which nothing lies at yet; returns ``path``."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "linked pipe":
        beside = path.with_name(f"{path.name}-pipe")
        os.mkfifo(beside)
        path.symlink_to(beside)
    elif kind == "linked terminal":
        path.symlink_to("/dev/tty")
    elif kind == "socket":
        folder = os.open(path.parent, os.O_RDONLY)
        try:  # by a short name: those of sockets have a limit
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)
    else:
        path.mkdir()
    return path
