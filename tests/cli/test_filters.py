"""A name that is misspelt is a mistake; one that exists and has no result yet is none."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import dcq
from dcq.errors import InputError
from dcq.judging import known
from dcq.partitions import draw_sample, open_partition
from dcq.store import Store, samples, studies
from dcq.store.studies import Study
from tests.support import commands
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = pytest.mark.slow

ALPHA = "alpha-70b@http://127.0.0.1:9/v1"
Done = subprocess.CompletedProcess[str]
Call = Callable[..., Done]


@pytest.fixture
def store(fresh_store: Store) -> Store:
    put_controls(fresh_store, 2)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", UNSEEN, model=ALPHA)
    samples.save(fresh_store, draw_sample(open_partition("control-nli", "test"), 6))
    return fresh_store


@pytest.fixture
def call(store: Store) -> Call:
    here = {"DCQ_STORE": str(store.path)}
    return lambda *words: commands.run(*words, environment=here)


_FILE = ("--to", "out.csv")


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("answer", "--model", "alpha-70b"), ALPHA),
        (("answer", "--model", "alpha-70b", "--json"), ALPHA),
        (("answer", "--partition", "rivrs/test"), "rivers/test"),
        (("results", "--model", "alhpa-70b@http://127.0.0.1:9/v1"), ALPHA),
        (("results", "--partition", "rivers/tset", "--json"), "rivers/test"),
        (("results", "--compare", "--partition", "rivers"), "rivers/test"),
        (("results", "--by", "length", "--model", "alpha"), ALPHA),
        (("results", "--partition", "control-nil/test"), "control-nli/test"),
        (("export", "findings", "--format", "hub", "--model", "alpha-70", *_FILE), ALPHA),
        (("export", "clean", "{sample}", "--model", "alpha-70", *_FILE), ALPHA),
        (("export", "release", "{sample}", "--model", "alpha-70", *_FILE), ALPHA),
        (("study", "mine", "--partition", "rivers/tset"), "rivers/test"),
        (("study", "mine", "--control", "unseen-1/tset"), "unseen-1/test"),
        (("study", "mine", "--model", ALPHA, "--model", "alpha-70b"), ALPHA),
        (("consistency", "{sample}", "--model", "alpha-70b"), ALPHA),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_ones(
    call: Call, store: Store, words: tuple[str, ...], near: str
) -> None:
    sample = samples.listing(store)[0].id
    done = call(*(word.replace("{sample}", sample) for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no " in done.stderr
    assert "Did you mean" in done.stderr
    assert near in done.stderr
    assert studies.listing(store) == []


def test_a_dataset_like_no_other_is_not_told_apart_by_its_split(call: Call) -> None:
    said = call("answer", "--partition", "zzzzz/test").stderr
    assert "partitions that you can name: control-nli/test, rivers/test, unseen-0/test" in said


def test_a_name_like_no_other_is_told_which_there_are(call: Call) -> None:
    said = call("answer", "--model", "zzzzz").stderr
    assert "models that you can name: alpha-70b@http://127.0.0.1:9/v1, tester@" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("answer", "--partition", "control-nli/test"), "no conclusion on control-nli/test yet"),
        (("answer", "--model", "gpt-4o"), "no conclusion of gpt-4o yet"),
        (("results", "--partition", "ag_news/test"), "no result on ag_news/test yet"),
        (
            ("results", "--model", ALPHA, "--partition", "unseen-0/test"),
            f"no result of {ALPHA} on unseen-0/test yet",
        ),
    ],
)
def test_what_exists_without_a_result_is_no_mistake(
    call: Call, words: tuple[str, ...], said: str
) -> None:
    for more in ((), ("--json",)):
        done = call(*words, *more)
        assert done.returncode == 0, done.stderr
        assert said in (done.stderr if more else done.stdout)
    assert json.loads(done.stdout) == []


def test_an_address_may_be_written_in_capitals(call: Call, store: Store) -> None:
    loud = "alpha-70b@HTTP://127.0.0.1:9/v1"
    for command in ("results", "answer"):
        rows = json.loads(call(command, "--model", loud, "--json").stdout)
        assert {row["model"] for row in rows} == {ALPHA}
    assert call("study", "Loud", "--model", loud).returncode == 0
    assert studies.load(store, "Loud").models == (ALPHA,)


def test_findings_of_a_model_without_a_conclusion_say_so(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "out.yaml"
    words = ("export", "findings", "--format", "hub", "--model", "gpt-4o", "--to", str(file))
    done = call(*words)
    assert done.returncode == 2
    assert "no conclusion of gpt-4o yet" in done.stderr
    assert not file.exists()


def test_what_is_shown_of_a_study_names_it(call: Call) -> None:
    assert call("study", "Rivers", "--model", ALPHA).returncode == 0
    words = ("--model", "tester@http://127.0.0.1:9/v1", "--study", "Rivers")
    for command in ("answer", "results"):
        assert "in the study “Rivers” yet" in call(command, *words).stdout


def test_a_study_takes_what_the_store_or_the_catalog_has(call: Call, store: Store) -> None:
    words = ("--partition", "ag_news/test", "--control", "control-nli/test", "--model", "gpt-4o")
    done = call("study", "Plan", *words)
    assert done.returncode == 0, done.stderr
    [saved] = studies.listing(store)
    assert (saved.partitions, saved.models) == (("ag_news/test",), ("gpt-4o",))


def test_an_own_model_is_named_in_a_study_once_it_was_asked(store: Store) -> None:
    """Any name behind the preset of an own server is free, and says nothing."""
    with pytest.raises(InputError, match="no model “ollama:lama3”"):
        known.named_study(store, Study("s", models=("ollama:lama3",)))
    known.named_study(store, Study("s", models=("embedded",)))


@pytest.mark.parametrize("read", [dcq.answer, dcq.read_results])
def test_python_refuses_an_unknown_name_too(store: Store, read: Callable[..., object]) -> None:
    with pytest.raises(InputError, match=r"Did you mean .*rivers/test"):
        read(store, partition="rivers/tets")
    with pytest.raises(InputError, match="Did you mean alpha-70b@http"):
        read(store, model="alpha-70b")
    assert len(read(store, model=ALPHA)) == 1  # type: ignore[arg-type]
    assert len(read(store, partition="control-nli/test")) == 0  # type: ignore[arg-type]


def test_an_answer_is_signed_of_a_known_pair_alone(call: Call, tmp_path: Path) -> None:
    key = tmp_path / "mine.key"
    assert call("passport", "key", "--out", str(key)).returncode == 0
    words = ("passport", "make", "--out", str(tmp_path / "p.json"), "--key", str(key))
    done = call(*words, "--model", "alpha-70b")
    assert done.returncode == 2
    assert f"Did you mean {ALPHA}?" in done.stderr
