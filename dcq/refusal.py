"""Phrases with which a model refuses a request."""

from __future__ import annotations

import re

REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|i apologi[sz]e|i can(?:'|’)?t|i cannot|i can not|"
    r"i(?:'|’)?m (?:unable|not able)|i am (?:unable|not able)|i won(?:'|’)?t|"
    r"i do(?:n(?:'|’)t| not) (?:have|know|feel)|as an ai)\b",
    re.IGNORECASE,
)
