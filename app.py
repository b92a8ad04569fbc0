"""The app: its navigation, and nothing else. Start it with ``make run``."""

from dcq.ui import page

page.run()
