"""Roles as an administrator writes them."""

from __future__ import annotations

ROLES = """
[people]
"Rita@example.org" = "runner"
"vic@example.org" = "viewer"
[domains]
"example.org" = "annotator"
"""
