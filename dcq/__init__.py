"""dcq: has this language model seen this benchmark? See docs/method.md."""

__version__ = "0.1.0"
