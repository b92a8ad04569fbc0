"""Likelihood: whether a model finds the original of an instance likelier than its rewordings, by
each of several published measures."""

from __future__ import annotations

from dcq.store import studies

NAME = studies.LIKELIHOOD  # of the method, its runs and their prompt
