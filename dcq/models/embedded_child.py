"""The process that serves the embedded model: it writes its port into a file once it is ready, and
ends with its standard input."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path


def main(name: str, model: str, address: str, slots: str, context: str) -> None:
    """Serve until standard input closes. ``context`` is in tokens for each of the ``slots``."""
    # Ctrl-C reaches the whole process group; our parent ends us when it is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Imported here, so that a damaged native library fails in this process and into its log.
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # the system chooses a free one
    params.n_parallel = int(slots)
    params.n_ctx = int(context) * int(slots)
    # With a cache the log-probabilities of a prompt depend on the prompts before it.
    params.cache_prompt = False
    params.cache_ram_mib = 0
    for threads in (params.cpuparams, params.cpuparams_batch):
        # Threads wait for each other by spinning. With both of 2 cores taken, two threads were four
        # times slower than one; on idle cores only twice as fast. So one core is left to the rest.
        threads.n_threads = max(1, (os.cpu_count() or 1) - 1)
        threads.poll = 0
    server = xllamacpp.Server(params)
    port = server.listening_address.rpartition(":")[2]
    ready = Path(address + ".new")
    ready.write_text(port, "ascii")
    ready.rename(address)  # atomic
    sys.stdin.read()
    # The server's threads would delay a normal exit until their requests are done.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
