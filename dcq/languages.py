"""Codes of languages, as people and datasets write them."""

from __future__ import annotations


def primary(code: str) -> str:
    """The language of a code without script and region: ``pt`` of ``pt-BR`` or ``PT_br``."""
    return code.strip().replace("_", "-").split("-")[0].lower()
