"""A scan on a real Ray cluster of one node. Commands run in processes of their own, so that Ray's
threads and settings do not stay in the process of the tests."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.planted import Planted, make
from dcq.errors import InputError
from dcq.overlap.scan import cluster
from dcq.overlap.scan.scan import scan
from tests.support import commands

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Cluster:
    """Its address, and what has to be in the environment of who uses it."""

    address: str
    environment: Mapping[str, str]

    def scan(self, queries: Path, corpus: Sequence[Path], *more: str) -> Any:
        """What the command prints with ``--json``."""
        words = ["overlap", "scan", queries, *corpus, "--ray", self.address, *more, "--json"]
        done = commands.run(*map(str, words), environment=self.environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with two processes, which ends with its own process: ``ray stop`` would end the
    clusters of others too. It lets in only who has its token."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    command = str(Path(sysconfig.get_path("scripts"), "ray"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    head = [command, "start", "--head", "--block", "--num-cpus=2", "--include-dashboard=false"]
    where = ["--node-ip-address=127.0.0.1", f"--port={port}"]
    output = tmp_path_factory.mktemp("ray") / "output"
    with (
        output.open("wb") as file,
        subprocess.Popen(
            [*head, *where], env=environment, stdout=file, stderr=file, start_new_session=True
        ) as node,
    ):
        until = time.monotonic() + 90
        # To ask ``ray health-check`` takes two seconds of work each time.
        while "Ray runtime started" not in (words := output.read_text("utf-8", "replace")):
            assert node.poll() is None, words
            assert time.monotonic() < until, words
            time.sleep(0.1)
        yield Cluster(f"127.0.0.1:{port}", environment)
        os.killpg(node.pid, signal.SIGKILL)  # asked to end, it takes half a minute


def _planted(folder: Path) -> tuple[Planted, Path]:
    corpus = folder / "corpus"
    corpus.mkdir()
    planted = make(corpus, 2_000_000, queries=70)
    lines = folder / "queries.jsonl"
    lines.write_text("".join(json.dumps(asdict(one)) + "\n" for one in planted.queries), "utf-8")
    return planted, lines


def test_a_cluster_finds_what_one_process_finds_and_goes_on_from_a_manifest(
    ray: Cluster, tmp_path: Path
) -> None:
    planted, queries = _planted(tmp_path)
    manifest = tmp_path / "done.jsonl"
    first = scan(planted.queries, planted.files[:1], workers=1, manifest=manifest)
    begun = manifest.read_bytes()
    whole = ray.scan(queries, planted.files, "--manifest", str(manifest))
    done = manifest.read_bytes()
    assert len(done) > len(begun)
    assert done.startswith(begun)
    # All that the cluster has found is kept there, so that nothing is left to be added.
    assert scan(planted.queries, planted.files, workers=1, manifest=manifest).complete
    assert manifest.read_bytes() == done
    here = scan(planted.queries, planted.files, workers=1)
    assert 0 < first.documents < here.documents
    found = {(hit["id"], hit["source"], hit["score"], hit["text"]) for hit in whole["hits"]}
    assert found == {(hit.id, hit.source, hit.score, hit.text) for hit in here.hits}
    assert (whole["documents"], whole["bytes"]) == (here.documents, here.bytes)
    assert found


def test_without_ray_it_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted, _ = _planted(tmp_path)
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install"):
        scan(planted.queries, planted.files, cluster="auto")


def test_no_cluster_is_said_with_the_way_to_start_one(tmp_path: Path) -> None:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    _, queries = _planted(tmp_path)
    words = ["overlap", "scan", str(queries), str(tmp_path), "--ray", "auto"]
    done = commands.run(*words, environment=os.environ | {"RAY_TMPDIR": str(tmp_path / "none")})
    assert done.returncode == 2
    assert "ray start --head" in done.stderr.splitlines()[-1]
