"""A study as a document: its sections in the order in which they are told.

Files are written from it (``dcq.report.html_report``, ``dcq.report.tables``), and whatever shows
findings full-screen can draw its slides from it: one exhibit is one chart or table with its words.
"""

from dcq.report.deck.build import build
from dcq.report.deck.model import Deck, Example, Exhibit, Part, Section

__all__ = ["Deck", "Example", "Exhibit", "Part", "Section", "build"]
