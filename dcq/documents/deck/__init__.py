"""A study as a document: its sections in reading order.

Files are written from it (``dcq.documents.html_report``, ``dcq.documents.tables``), and slides are
drawn from it: one exhibit is one chart or table with its words.
"""

from dcq.documents.deck.build import build
from dcq.documents.deck.model import Deck, Part
from dcq.sections import Example, Exhibit, Section

__all__ = ["Deck", "Example", "Exhibit", "Part", "Section", "build"]
