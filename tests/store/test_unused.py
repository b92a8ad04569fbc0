from __future__ import annotations

import pytest

from dcq.errors import DcqError
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, partitions, samples
from dcq.store.unused import discard_unused
from dcq.variants import placebo, placebo_writing, reword, sets
from dcq.variants.freeze import freeze as freeze_rewording
from dcq.variants.prompts import Protocol
from tests.conftest import small_sample
from tests.support import commands

NOBODY = "tester@http://127.0.0.1:9/v1"


def test_what_nothing_was_made_of_goes_with_its_partition(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample())
    made = placebo.make(fresh_store, sample).sample
    assert freeze_rewording(fresh_store, made, Protocol.V1) is not None  # and nobody was asked
    assert discard_unused(fresh_store, made)
    assert [one.id for one in samples.listing(fresh_store)] == [sample]
    assert partitions.ids(fresh_store) == ["rivers/test"]
    assert placebo.make(fresh_store, sample).sample == made  # the store is as it was


def test_what_something_was_made_of_stays(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample())
    assert not discard_unused(fresh_store, sample)  # it has variants
    placebo.make(fresh_store, sample)
    other = samples.save(fresh_store, small_sample(key="lakes"))
    freeze.freeze(fresh_store, other, QuizKind.STANDARD, slot="D")
    further = sets.new_set(fresh_store, sample, "further")
    assert not discard_unused(fresh_store, other)
    assert not discard_unused(fresh_store, sample)
    assert discard_unused(fresh_store, further)
    assert "rivers/test" in partitions.ids(fresh_store)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--placebo", "--variants", "9"),
        ("--new-set", "deep", "--variants", "2"),
        ("--placebo", "--new-set", ""),
        ("--placebo", "--new-set", "deep", "--candidates", "99"),
        ("--new-set", "deep", "--model", NOBODY, "--budget", "1"),
        ("--placebo", "--model", NOBODY, "--batch"),
    ],
    ids=" ".join,
)
def test_a_command_that_fails_leaves_no_empty_sample(
    fresh_store: Store, words: tuple[str, ...]
) -> None:
    sample = samples.save(fresh_store, small_sample())
    done = commands.run("perturb", sample, *words, environment={"DCQ_STORE": str(fresh_store.path)})
    assert done.returncode in {1, 2}, done.stdout
    assert [one.id for one in samples.listing(fresh_store)] == [sample]


@pytest.mark.slow
def test_a_set_that_stayed_empty_is_begun_again(fresh_store: Store) -> None:
    """The same command may be typed again after a run that stopped."""
    sample = samples.save(fresh_store, small_sample())
    empty = sets.new_set(fresh_store, sample, "deep")
    here = {"DCQ_STORE": str(fresh_store.path)}
    done = commands.run("perturb", sample, "--new-set", "deep", environment=here)
    assert done.returncode == 0, done.stderr
    assert f"investigate {empty}" in done.stdout
    again = commands.run("perturb", sample, "--new-set", "deep", environment=here)
    assert again.returncode == 2
    assert "There is a set named" in again.stderr


def test_a_placebo_that_the_app_cannot_begin_is_not_left(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = samples.save(fresh_store, small_sample())

    def refuse(*_: object) -> None:
        raise DcqError("No process could be started.")

    monkeypatch.setattr(reword, "start", refuse)
    with pytest.raises(DcqError):
        placebo_writing.start(fresh_store, sample, placebo_writing.PlaceboWriter(None))
    assert [one.id for one in samples.listing(fresh_store)] == [sample]
