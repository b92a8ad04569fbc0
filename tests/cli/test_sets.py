from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.files import sample_file
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, samples, sets, variants
from dcq.store.variants import NewVariant
from dcq.variants.sets import new_set
from tests.conftest import small_sample
from tests.support import commands
from tests.support.runs import answer

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


def test_sets_are_compared_on_the_command_line(store_path: Path, fresh_store: Store) -> None:
    first = samples.save(fresh_store, small_sample(20))
    here = {"DCQ_STORE": str(store_path)}
    made = new_set(fresh_store, first, "second")
    variants.add(
        fresh_store,
        made,
        [
            NewVariant(instance, slot, one.text.replace("long", "deep"), "person")
            for instance, slots in variants.current(fresh_store, first).items()
            for slot, one in slots.items()
        ],
    )
    nothing = commands.run("consistency", first, environment=here)
    assert nothing.returncode == 0
    assert "Nothing to compare yet" in nothing.stdout
    for sample, tally in ((first, {"D": 10, "A": 10}), (made, {"D": 12, "A": 8})):
        answer(
            fresh_store,
            freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz,
            tally,
        )
    done = commands.run("consistency", first, "--stand", "second", "--json", environment=here)
    assert done.returncode == 0, done.stderr
    [study] = json.loads(done.stdout)
    assert [one["name"] for one in study["sets"]] == ["first", "second"]
    assert study["n"] == 20
    assert sets.members(fresh_store)[made].named is not None
    wrong = commands.run("consistency", first, "--stand", "third", environment=here)
    assert wrong.returncode == 2
    assert "the sets are: first, second" in wrong.stderr


def test_results_are_broken_down_on_the_command_line(store_path: Path, fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(20))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
    here = {"DCQ_STORE": str(store_path)}
    assert "Nothing" in commands.run("results", "--by", "label", environment=here).stdout
    answer(fresh_store, quiz, {"D": 15, "refused": 5})
    done = commands.run("results", "--by", "provider", "--json", environment=here)
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)
    assert (row["provider"], row["asked"], row["refused_share"]) == ("127.0.0.1", 20, 0.25)
    shown = commands.run("results", "--by", "provider", environment=here)
    assert "127.0.0.1" in shown.stdout
    both = commands.run("results", "--by", "label", "--compare", environment=here)
    assert both.returncode == 2
    assert "not both" in both.stderr
