"""The code blocks of the page on Python."""

from __future__ import annotations

import re

from dcq.places import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text("utf-8")


INSTANCES = 4  # of each sample; rewording the twenty of the page takes half a minute


BLOCKS = [
    block.replace("n=20", f"n={INSTANCES}")
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
]
