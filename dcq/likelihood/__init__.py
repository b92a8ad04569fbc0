"""Likelihood: whether a model finds the original of an instance likelier than its rewordings, by
each of several published measures."""

from __future__ import annotations

NAME = "likelihood"  # of the method, its runs and their prompt
