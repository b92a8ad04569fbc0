"""The commands of ``python -m dcq``, a few per file; ``dcq/cli.py`` puts them together."""
