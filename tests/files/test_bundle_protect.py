"""A bundle with a check of a benchmark by lot: nothing private leaves in it, and changed lots are
found."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from dcq.documents import deck, report_file
from dcq.errors import InputError
from dcq.files import bundle_import, bundle_write, export
from dcq.judging import every_method
from dcq.judging.study import findings, judged_results
from dcq.passport import issue, keys
from dcq.protect import NAME
from dcq.protect.check import open_check
from dcq.protect.published import rows
from dcq.protect.secret import Secret
from dcq.protect.shuffle import By
from dcq.store import Store, runs
from dcq.store.studies import EVERYTHING
from tests.conftest import KEY
from tests.support.behaviours import MODELS, says
from tests.support.bundle_edits import members, with_column, with_tables
from tests.support.lot_checks import ask, teach
from tests.support.protected import a_secret
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]


@pytest.fixture(scope="module")
def secret() -> Secret:
    return a_secret(16)


class Checked(NamedTuple):
    """A store with a check, and its bundle."""

    path: Path
    bundle: bytes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, secret: Secret) -> Checked:
    """A model that saw what was published, one that repeats a private wording, and scores."""
    store = Store(tmp_path_factory.mktemp("checked") / "dcq.duckdb")
    with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as provider:
        patch.setenv("OPENAI_BASE_URL", provider.base_url)
        patch.setenv("OPENAI_API_KEY", KEY)
        teach(provider, secret)
        patch.setitem(MODELS, "repeats", says(f"A) {secret.items[0].wordings[2]}"))
        for model in ("knows-original", "repeats"):
            ask(store, open_check(store, secret, By.LETTER), model)
        ask(store, open_check(store, secret, By.LIKELIHOOD), "words")
    return Checked(store.path, bundle_write.to_bytes(store)[0])


@pytest.fixture
def checked(made: Checked, tmp_path: Path) -> Store:
    return Store(shutil.copy(made.path, tmp_path / "checked.duckdb"))


def plainly(packed: bytes) -> str:
    """All that a bundle's tables say, unpacked."""
    texts: list[str] = []

    def read(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
        texts.extend(str(one.to_pylist()) for one in tables.values())
        return tables

    with_tables(packed, read)
    return "".join(texts) + members(packed)["manifest.json"].decode()


def test_nothing_private_leaves(
    made: Checked, checked: Store, secret: Secret, tmp_path: Path
) -> None:
    """In no bundle, report, slide, table or passport; what was published does."""
    packed = made.bundle
    keys.make(tmp_path / "key")
    answer = issue.choose(checked, EVERYTHING, model="knows-original")
    signed = issue.sign(checked, EVERYTHING, answer, keys.private_key(tmp_path / "key"))
    document = deck.build(checked)
    table = every_method.tabulate(findings(checked), {})
    left = {
        "bundle": plainly(packed),
        "bundle without texts": plainly(bundle_write.to_bytes(checked, with_text=False)[0]),
        "bundle with csv": str(members(bundle_write.to_bytes(checked, csv=True)[0])),
        "report": report_file.to_bytes(document, ".html").decode(),
        "markdown": report_file.to_bytes(document, ".md").decode(),
        "table": export.to_bytes(table, ".csv").decode(),
        "passport": str(signed.statement),
        "passport's bundle": plainly(signed.bundle or b""),
    }
    published = {row["text"] for row in rows(secret)}
    assert next(iter(published)) in left["bundle"]
    for name, text in left.items():
        for item in secret.items:
            for wording in set(item.wordings) - published:
                assert wording not in text, name
        for key in (secret.key, secret.order, secret.salt):
            assert key.hex() not in text, name


def bundled(packed: bytes, path: Path, change: Any = None) -> bundle_import.Imported:
    """What becomes of a bundle elsewhere, with changed tables."""
    path.write_bytes(with_tables(packed, change) if change else packed)
    return bundle_import.load(Store(path.with_suffix(".duckdb")), path)


def test_a_check_is_computed_again_elsewhere(made: Checked, checked: Store, tmp_path: Path) -> None:
    assert bundled(made.bundle, tmp_path / "b.zip").differences == ()
    there = Store(tmp_path / "b.duckdb")
    assert [one.sentence for one in judged_results(there, NAME, every_run=True)] == [
        one.sentence for one in judged_results(checked, NAME, every_run=True)
    ]


def other_lots(column: pa.ChunkedArray) -> list[str]:
    """Each item's published wording is another one."""
    turned = {"0": "1", "1": "0"}
    return [turned.get(name, name) for name in column.to_pylist()]


def all_seen(column: pa.ChunkedArray) -> list[float]:
    return [float(place % 4 == 0) for place in range(len(column))]


@pytest.mark.parametrize(
    "change",
    [
        with_column("run_value", "name", other_lots),
        with_column("run_value", "value", all_seen),
        lambda tables: tables | {"run_value": tables["run_value"].slice(0, 8)},
        with_column("frozen", "design", lambda c: [one.replace('"wordings": 4', '"wordings": 2')
                                                   for one in c.to_pylist()]),
    ],
    ids=["other lots", "other scores", "scores missing", "fewer wordings"],
)  # fmt: skip
def test_changed_lots_are_named(made: Checked, tmp_path: Path, change: Any) -> None:
    found = bundled(made.bundle, tmp_path / "b.zip", change)
    models = ("knows-original", "repeats", "words")
    assert any(model in one for one in found.differences for model in models)


@pytest.mark.parametrize(
    "change",
    [
        with_column("run_value", "value", lambda c: [float("nan")] * len(c)),
        with_column("run_value", "position", lambda c: [-1] * len(c)),
        with_column("run_value", "run_id", lambda c: ["elsewhere"] * len(c)),
        with_column("frozen", "design", lambda c: ["{"] * len(c)),
    ],
    ids=["no number", "no place", "no run", "no design"],
)
def test_lots_that_no_store_has_are_refused(made: Checked, tmp_path: Path, change: Any) -> None:
    with pytest.raises(InputError) as caught:
        bundled(made.bundle, tmp_path / "b.zip", change)
    assert "\n" not in str(caught.value)
    assert runs.listing(Store(tmp_path / "b.duckdb")) == []
