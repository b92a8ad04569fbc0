from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.report import sample_file
from dcq.store import Store, samples, variants
from dcq.variants.sets import new_set
from tests.conftest import small_sample
from tests.support import commands

pytestmark = pytest.mark.slow


def test_perturb_writes_a_new_set_beside_the_first(store_path: Path, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    here = {"DCQ_STORE": str(store_path)}
    asked = ("perturb", sample_id, "--new-set", "turned", "--kind", "order", "--json")
    done = commands.run(*asked, environment=here)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["sample"] != sample_id
    assert samples.load(fresh_store, made["sample"]).set_name == "turned"
    assert len(variants.current(fresh_store, sample_id)) == 6
    again = commands.run(*asked, environment=here)
    assert again.returncode == 2
    assert "turned" in again.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--kind", "paraphrase"), "add --model"),
        (("--kind", "order", "--model", "m@http://127.0.0.1:9/v1"), "drop --model"),
        (("--kind", "letters"), "letters"),
    ],
)
def test_a_kind_that_the_writer_does_not_write_is_refused(
    store_path: Path, fresh_store: Store, options: tuple[str, ...], said: str
) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    done = commands.run("perturb", sample_id, *options, environment={"DCQ_STORE": str(store_path)})
    assert done.returncode == 2
    assert said in done.stderr


def test_a_set_comes_back_from_a_file_as_a_set(tmp_path: Path, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    made = new_set(fresh_store, sample_id, "second")
    file = tmp_path / "set.json"
    file.write_text(sample_file.dump(fresh_store, made), "utf-8")
    back = sample_file.read(file)
    assert back.set_name == "second"
    assert samples.save(fresh_store, back) == made
    elsewhere = Store(tmp_path / "elsewhere" / "dcq.duckdb")
    assert samples.save(elsewhere, back) == made
    assert samples.load(elsewhere, made).set_of == sample_id
    file.write_text(file.read_text("utf-8").replace('"second"', '" "'), "utf-8")
    with pytest.raises(InputError, match="set_name"):
        sample_file.read(file)
