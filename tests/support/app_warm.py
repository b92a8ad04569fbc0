"""What every app does once after its start, and comes to the same: done before they are forked.

``tests/support/app_server.py`` has this imported, after all else, by the process that it forks.
"""

from __future__ import annotations

import functools
import inspect

from streamlit.components.v2 import manifest_scanner

from dcq.variants import wording
from tests.support import app_server, commands

__all__ = ["app_server", "commands"]  # what a forked process imports to find its work

# Streamlit reads what each installed package says of itself.
manifest_scanner.scan_component_manifests = functools.cache(
    manifest_scanner.scan_component_manifests
)
manifest_scanner.scan_component_manifests()
# It also looks through its stack, for which Python notes the file of every module.
inspect.stack()
wording.mean_zipf("", "en")  # reads how often each word is used
