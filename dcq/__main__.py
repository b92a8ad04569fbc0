"""``python -m dcq``."""

from dcq.cli import main

main()
