"""A store of an older release."""

from __future__ import annotations

from dcq.settings import ROOT

FOLDER = ROOT / "tests" / "fixtures" / "store_m016"
