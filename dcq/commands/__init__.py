"""The commands of ``python -m dcq``, a few a file; ``dcq/cli.py`` puts them together."""
