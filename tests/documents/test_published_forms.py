"""Each form as its own reader takes it: the Hub's library, the schema, the index's own rows.

``tests/fixtures/every_eval_ever_0_3_0.json`` is ``schemas/eval.schema.json`` of the package
every-eval-ever 0.3.0 on PyPI (MIT, Copyright (c) 2026 EvalEval), its newest, without its words
(titles, descriptions, examples), which constrain nothing. It is no dependency, as it needs Python
3.12; the schema of 0.2.1, which we name, was never published as a package.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import jsonschema
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from dcq.documents import published_forms
from dcq.documents.published_forms import Facts, Form
from dcq.errors import InputError
from dcq.judging.answer import Answer
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.places import ROOT
from dcq.store import Store
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = pytest.mark.slow

REVISION = "eb185aade064a813bc0b7f42de02595523103ca4"
FACTS = Facts(
    sources={"ag_news/test": f"hub:fancyzhx/ag_news@{REVISION}", "rivers/train": "file:rivers.csv"},
    url="https://example.org/passport.json",
    author="Ada",
    now=datetime(2026, 11, 25, 12),
)
SCHEMA, NEWEST = (
    json.loads((ROOT / f"tests/fixtures/every_eval_ever_{version}.json").read_text())
    for version in ("0_2_1", "0_3_0")
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    store = Store(tmp_path_factory.mktemp("forms") / "dcq.duckdb")
    put_controls(store)
    put(store, "ag_news", SEEN)
    put(store, "rivers", UNSEEN)
    return answers(store)


def written(form: Form, found: list[Answer], facts: Facts = FACTS) -> Any:
    return yaml.safe_load(published_forms.to_bytes(form, found, facts))


def named(found: list[Answer], partition: str) -> Answer:
    [answer] = [one for one in found if one.partition == partition]
    return answer


def test_the_hub_reads_its_entries_back(found: list[Answer]) -> None:
    [entry] = parse_eval_result_entries(written(Form.HUB, found))
    [quiz] = named(found, "ag_news/test").voting
    assert (entry.dataset_id, entry.dataset_revision) == ("fancyzhx/ag_news", REVISION)
    assert entry.task_id == "dcq-quiz-test"
    assert entry.value == pytest.approx(quiz.estimate, abs=1e-4)
    assert entry.source_url == FACTS.url
    assert entry.notes is not None
    assert "contaminated" in entry.notes
    assert "n = 100" in entry.notes
    assert entry.date is not None
    assert datetime.fromisoformat(entry.date).tzinfo is not None


def test_what_is_not_on_the_hub_has_no_place_there(found: list[Answer]) -> None:
    with pytest.raises(InputError, match="every-eval-ever"):
        written(Form.HUB, [named(found, "rivers/test")])
    with pytest.raises(InputError, match="no answer"):
        written(Form.HUB, [])
    other = replace(found[0], model="another")
    with pytest.raises(InputError, match="name one with --model"):
        written(Form.HUB, [*found, other])


def test_every_eval_ever_is_valid_by_its_schema(found: list[Answer]) -> None:
    open_ = replace(named(found, "rivers/test"), ruling=Ruling.INCONCLUSIVE)
    document = written(Form.EVERY_EVAL_EVER, [named(found, "ag_news/test"), open_])
    assert document["schema_version"] == SCHEMA["version"]
    for schema in (SCHEMA, NEWEST):
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(document, schema)
    levels = [
        one for one in document["evaluation_results"]
        if one["metric_config"]["score_type"] == "levels"
    ]  # fmt: skip
    assert [one["metric_config"]["level_names"] for one in levels] == [
        ["no evidence", "contaminated"]
    ] * 2
    assert [one["score_details"]["score"] for one in levels] == [1, -1]
    kappa = document["evaluation_results"][1]
    [quiz] = named(found, "ag_news/test").voting
    details = kappa["score_details"]
    assert details["score"] == pytest.approx(quiz.estimate)
    interval = details["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"]) == (quiz.low, quiz.high)
    assert kappa["metric_config"]["min_score"] == pytest.approx(-1 / 3)


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for name, inner in pairs:
        yield (*path, name)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, name))


def test_the_schema_would_notice(found: list[Answer]) -> None:
    """Leaving out what it requires is refused, so that passing it says something."""
    document = written(Form.EVERY_EVAL_EVER, found)
    refused = set()
    for place in places(document):
        new = copy.deepcopy(document)
        inner = new
        for name in place[:-1]:
            inner = inner[name]
        del inner[place[-1]]
        if not jsonschema.Draft7Validator(SCHEMA).is_valid(new):
            refused.add(place[-1])
    assert {
        *("schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"),
        *("model_info", "eval_library", "evaluation_results", "score", "source_data"),
        *("metric_config", "level_names", "has_unknown_level", "min_score", "lower", "id"),
    } <= refused


def test_the_index_gets_rows_of_its_own_columns(found: list[Answer]) -> None:
    [row, other] = sorted(
        written(Form.CONTAMINATION_INDEX, found), key=lambda one: str(one["dataset"])
    )
    # The keys of the published data.json, such as its first row on GPT-3.
    assert set(row) == {
        *("model", "dataset", "train_split", "dev_split", "test_split"),
        *("train_percent", "dev_percent", "test_percent", "guidelines", "source"),
    }
    assert (row["dataset"], row["test_split"], row["train_split"]) == (
        "AG News", "contaminated", None,
    )  # fmt: skip
    [quiz] = named(found, "ag_news/test").voting
    assert quiz.estimate is not None
    assert row["test_percent"] == pytest.approx(100 * quiz.estimate, abs=0.05)
    assert (other["test_split"], other["test_percent"]) == (None, None)
    assert "clean" not in json.dumps([row, other])


def test_the_index_has_per_cents_with_a_source_alone(found: list[Answer]) -> None:
    rows = written(Form.CONTAMINATION_INDEX, found, replace(FACTS, url=""))
    assert [row["test_percent"] for row in rows] == [None, None]
    open_ = replace(named(found, "ag_news/test"), ruling=Ruling.INCONCLUSIVE)
    [row] = written(Form.CONTAMINATION_INDEX, [open_])
    assert (row["test_split"], row["test_percent"]) == ("suspicious", None)
    with pytest.raises(InputError, match="train, dev and test"):
        written(Form.CONTAMINATION_INDEX, [replace(open_, partition="ag_news/all")])


def test_an_address_in_a_name_stays_here(found: list[Answer]) -> None:
    model = "mine@http://10.0.0.7:8000/v1"
    hidden = [replace(one, model=model, sentence=f"{model} has seen it.") for one in found]
    for form in Form:
        assert b"10.0.0.7" not in published_forms.to_bytes(form, hidden, FACTS)


def test_a_file_called_like_a_dataset_is_not_published_as_it(found: list[Answer]) -> None:
    """The name alone gave it the catalog's id on the Hub."""
    for source in ("file:my-news.csv", "placebo:14a6", "hub:ada/ag_news@main", ""):
        facts = replace(FACTS, sources={"ag_news/test": source})
        seen = [named(found, "ag_news/test")]
        index = written(Form.CONTAMINATION_INDEX, seen, facts)
        data = written(Form.EVERY_EVAL_EVER, seen, facts)["evaluation_results"][0]["source_data"]
        assert index[0]["dataset"] != "AG News"
        if source.startswith("hub:"):
            assert data["hf_repo"] == "ada/ag_news"
            continue
        assert data["source_type"] == "other"
        assert index[0]["dataset"] == "ag_news (own data)"
        with pytest.raises(InputError, match="every-eval-ever"):
            written(Form.HUB, seen, facts)


def test_a_path_in_a_name_stays_here(found: list[Answer]) -> None:
    for model, shown in (
        ("likelihood:/home/ada/secret/toy.gguf", "likelihood:toy.gguf"),
        ("/srv/ada/toy@http://10.0.0.7:8000/v1", "toy"),
        ("org/toy@main", "org/toy@main"),
    ):
        mine = [replace(one, model=model, sentence=f"{model} has seen it.") for one in found]
        for form in Form:
            content = published_forms.to_bytes(form, mine, FACTS)
            assert b"ada/" not in content
            if form is not Form.HUB:
                assert shown.encode() in content
