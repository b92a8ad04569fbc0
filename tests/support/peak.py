"""What reading a file takes at most, measured where nothing else is counted: another process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dcq.settings import ROOT

_CHILD = """
import json, resource, sys
opened = []
sys.addaudithook(lambda event, words: opened.append(str(words[0])) if event == "open" else None)
{warm_up}
def own():  # not ru_maxrss, which a process takes over from the one that started it
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    return int(line.split()[1])
before = own()
said = ""
try:
    {work}
except dcq.errors.DcqError as error:
    said = str(error)
peak = max(own(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(json.dumps({{"before": before / 1024, "peak": peak / 1024, "said": said,
                   "opened": opened}}))
"""


@dataclass(frozen=True)
class Peak:
    """``before`` and ``peak`` in MB of resident memory, of the process or its largest child;
    ``said`` is the error's sentence, empty without one; ``opened`` the files that Python opened."""

    before: float
    peak: float
    said: str
    opened: tuple[str, ...]


def measure(work: str, path: Path, *, imports: str) -> Peak:
    """Run ``work``, a statement in which ``path`` is the file, after ``imports``."""
    warm_up = f"import dcq.errors\nfrom pathlib import Path\n{imports}\npath = Path({str(path)!r})"
    code = _CHILD.format(warm_up=warm_up, work=work)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return Peak(found["before"], found["peak"], found["said"], tuple(found["opened"]))
