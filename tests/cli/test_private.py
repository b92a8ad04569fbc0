"""Private wordings leave by no command, unless their items were burnt. Each command of the command
line is here, so that a new one needs a line, and what would send or write them is shown to do so
once they are burnt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dcq.cli import COMMANDS, app
from dcq.errors import InputError
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, private_wordings, samples
from tests.conftest import small_sample
from tests.support.accepted_sample import accept, saved
from tests.support.provider import FakeProvider

N = 8
WORDS = (  # so long that the first half, which replication sends, is private too
    "lengthy indeed for whoever rows upon it all through a summer's day",
    "drawn out far beyond what its modest spring would lead one to think",
    "anything but short and bends around more hills than people can count",
    "of great extent and carries barges from the mountains down to the sea",
)
M = ("--model", "always-d")
# By command: its calls, each with whether it would give private wordings away.
CALLS: dict[str, list[tuple[bool, tuple[str, ...]]]] = {
    "quiz": [(False, ("SAMPLE", "--kind", "standard"))],  # frozen here
    "run": [(True, ("QUIZ", *M)), (True, ("QUIZ", *M, "--limit", "2"))],
    "v2": [(True, ("SAMPLE", *M))],
    "investigate": [(True, ("SAMPLE", *M))],
    "replicate": [(False, ("SAMPLE", *M)), (True, ("FROM_PRIVATE", *M))],
    "likelihood": [(True, ("SAMPLE", "--model", "likelihood:words"))],
    "perturb": [(False, ("SAMPLE", *M)), (True, ("FROM_PRIVATE", *M))],
    "score": [(True, ("SAMPLE", *M))],
    "export": [
        (True, ("variants", "SAMPLE", "--to", "OUT/v.csv")),
        (True, ("variants", "SAMPLE", "--to", "OUT/v.parquet")),
        (True, ("quiz", "QUIZ", "--to", "OUT/q.jsonl")),
        (True, ("sample", "SAMPLE", "--to", "OUT/s.json")),
        (True, ("label-studio", "SAMPLE", "--to", "OUT/l.json")),
        (True, ("task", "SAMPLE", "--to", "OUT/task")),
        (False, ("results", "--to", "OUT/r.csv")),
        (False, ("opinions", "SAMPLE", "--to", "OUT/o.csv")),
        (True, ("bundle", "--to", "OUT/b.zip")),
        (False, ("report", "--to", "OUT/report.html")),
    ],
    "results": [(False, ())],
    "answer": [(False, ())],
    "status": [(False, ())],
    "consistency": [(False, ("SAMPLE",))],
    "people": [(False, ("SAMPLE",))],
}
# What neither sends nor writes anything of a sample, or does so by the commands above.
ELSEWHERE = {
    "app": "its pages call the same functions",
    "datasets": "names of the catalog",
    "sample": "reads what it is given",
    "ask": "asks by the engine, as run does; no method of today is without its own command",
    "balance": "moves rewordings within the store",
    "study": "asks by investigations, and writes reports and bundles as export does",
    "kappa": "a number of two numbers",
    "agreement": "reads a file",
    "audit": "reads a file",
    "overlap": "searches by the engine, as run does; scans read files",
    "matter": "reads a file",
    "protect": "check is told the secret on purpose; make writes what is published and the secret",
    "passport": "its bundle is written as export bundle writes it",
    "import": "reads a file",
    "imported": "what came with bundles, told and decided about",
    "backup": "a copy of one's own store, to be kept like the secret",
    "restore": "as backup",
    "doctor": "what is installed",
}


def call(*words: str) -> Result:
    return CliRunner().invoke(app, words)


class Owner:
    """A store with a protected benchmark, and all that has left it."""

    def __init__(self, store: Store, provider: FakeProvider, folder: Path) -> None:
        self.store, self.provider, self.out = store, provider, folder / "out"
        self.sample = saved(store, N, words=WORDS)
        accept(store, self.sample)
        for key in ("becks", "creeks", "streams"):  # an investigation has controls
            samples.save(store, small_sample(N, key=key, role=PartitionRole.CONTROL))
        self.quiz = freeze.freeze(store, self.sample, QuizKind.STANDARD, slot="D").quiz
        made = call("protect", "make", self.sample, "--out", str(folder / "p"), "--json")
        assert made.exit_code == 0, made.output
        self.hidden = [w for w in private_wordings.listing(store) if not w.burnt]
        rows = "".join(json.dumps({"text": wording.text}) + "\n" for wording in self.hidden)
        (folder / "private.jsonl").write_text(rows, "utf-8")
        drawn = call(
            *("sample", "mine", "test", "--file", str(folder / "private.jsonl"), "--text", "text"),
            *("--n", "4", "--json"),
        )
        self.from_private = json.loads(drawn.stdout)["sample"]
        self.out.mkdir()

    def call(self, command: str, words: tuple[str, ...]) -> Result:
        named = {"SAMPLE": self.sample, "QUIZ": self.quiz, "FROM_PRIVATE": self.from_private}
        filled = [named.get(w, w.replace("OUT/", f"{self.out}/")) for w in words]
        return call(command, *filled)

    def left(self) -> str:
        """Everything that servers were sent or files hold, and what was printed for others."""
        from tests.protect.test_echoes import unpacked

        files = [path for path in self.out.rglob("*") if path.is_file()]
        texts = [text for p in files for _, text in unpacked(p.read_bytes(), p.name)]
        return json.dumps(self.provider.bodies, ensure_ascii=False) + "\n".join(texts)


@pytest.fixture
def owner(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Owner:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    return Owner(fresh_store, provider, tmp_path)


def test_every_command_is_here() -> None:
    assert set(CALLS) | set(ELSEWHERE) == set(COMMANDS)
    assert not set(CALLS) & set(ELSEWHERE)


def test_nothing_private_leaves_by_any_command(owner: Owner) -> None:
    hidden = [wording.text.partition("\n")[0] for wording in owner.hidden]  # no line end to escape
    assert len(hidden) == 3 * N
    for command, calls in CALLS.items():
        for gives, words in calls:
            done = owner.call(command, words)
            if gives:
                told = str(done.exception) + done.output
                assert "private wordings" in " ".join(told.split()), (command, words, told)
            left = owner.left()
            assert not any(text in left for text in hidden), (command, words)
    backed = call("backup", str(owner.out / "own.duckdb"))
    assert backed.exit_code == 0
    assert "secret wordings of protected benchmarks; keep it like the store" in backed.stderr


GIVING = [(c, words) for c, calls in CALLS.items() for gives, words in calls if gives]
# Whether an investigation or protocol goes on to wordings depends on replies.
QUICK = [pair for pair in GIVING if pair[0] in {"run", "likelihood", "score", "export"}]


@pytest.mark.slow
def test_what_is_burnt_leaves_by_all_of_them(owner: Owner) -> None:
    """Otherwise the test above would show nothing."""
    items = sorted({wording.item for wording in owner.hidden})
    done = call("protect", "burn", owner.sample, *items, "--by", "Ann", "--json")
    assert json.loads(done.stdout)["burnt"] == 3 * N
    hidden = [wording.text.partition("\n")[0] for wording in owner.hidden]  # no line end to escape
    for command, words in QUICK:
        owner.provider.bodies.clear()
        for path in owner.out.glob("*"):
            if path.is_file():
                path.unlink()
        done = owner.call(command, words)
        assert "private wordings" not in str(done.exception), (command, words)
        if command in {"run", "export"}:
            assert any(text in owner.left() for text in hidden), (command, words)


def test_burning_is_item_by_item_and_recorded(owner: Owner) -> None:
    with pytest.raises(InputError, match="--by"):
        CliRunner().invoke(app, ["protect", "burn", owner.sample, "0001"], catch_exceptions=False)
    with pytest.raises(InputError, match="no private item '9'"):
        CliRunner().invoke(
            app, ["protect", "burn", owner.sample, "9", "--by", "A"], catch_exceptions=False
        )
    call("protect", "burn", owner.sample, "0001", "--by", "Ann")
    listed = json.loads(call("protect", "burn", owner.sample, "--json").stdout)
    assert listed["items"][0] == {"item": "0001", "private": 0, "given_up": 3}
    assert listed["items"][1] == {"item": "0002", "private": 3, "given_up": 0}
    assert "private wordings" in str(owner.call("run", ("QUIZ", *M)).exception)
    with owner.store.read() as db:
        kept = db.execute(
            "SELECT DISTINCT item, author FROM burnt_wording WHERE why = 'given up'"
        ).fetchall()
    assert kept == [("0001", "Ann")]


def test_a_copy_of_the_store_keeps_them_private(owner: Owner, tmp_path: Path) -> None:
    assert call("backup", str(owner.out / "own.duckdb")).exit_code == 0
    restored = call("restore", str(owner.out / "own.duckdb"), "--force")
    assert restored.exit_code == 0, restored.exception
    assert private_wordings.listing(owner.store) == private_wordings.listing(
        Store(owner.store.path)
    )
    assert "private wordings" in str(owner.call("run", ("QUIZ", *M)).exception)
