"""Words with synonyms and stems."""

from __future__ import annotations

# Words with stems and synonyms in common, so that all three stages have something to do.
_LISTED = """the a of to in 7 数 car auto automobile cars machine machines running run ran runs
large big bigger begin start started starting begins answer reply response answers buy purchase
bought child kid children kids small little"""


WORDS = _LISTED.split()
