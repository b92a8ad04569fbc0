"""What files for machines say about pairs: a model's card, the forms of others, passports, and the
data in a report, in the shape of ``said_of_pairs.Said``."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from tests.support import rendered
from tests.support.html_page import HtmlPage
from tests.support.said_of_pairs import Conclusion, Pairs, Said, pair_of


def in_card(content: bytes, pairs: Pairs) -> Iterator[Said]:
    """What the card of a model says: one verdict on a pair, and figures of its quizzes."""
    for model, partition, metrics in rendered.model_cards(content):
        one = pairs.named(model, partition)
        assert one is not None, (model, partition)
        where = f"card of {model}"
        yield Said(where, pair_of(one), "ruling", metrics["verdict"])
        [run] = re.findall(r"run (\S+)", metrics["n of"])
        yield Said(where, pair_of(one), "estimate", metrics["kappa_fixed"], run)
        yield Said(where, pair_of(one), "n", metrics["n"], run)


def in_answers(documents: Any, pairs: Pairs, where: str) -> Iterator[Said]:
    """What a list of answers says, as a report and a passport hold them."""
    for document in documents:
        one = pairs.named(document["model"], document["partition"])
        assert one is not None, document
        yield from _members(
            where, one, document, {"ruling": "ruling", "p_value": "p", "q_value": "q"}
        )
        for method in document["methods"]:
            keys = {"n": "n", "estimate": "estimate", "low": "low", "high": "high"}
            keys |= {"p_value": "p", "verdict": "verdict", "votes": "votes", "weight": "weight"}
            yield from _members(where, one, method, keys, method["run"])


def _members(
    where: str,
    one: Conclusion,
    document: Mapping[str, Any],
    keys: Mapping[str, str],
    run: str = "",
) -> Iterator[Said]:
    for key, quantity in keys.items():
        if document[key] is not None:
            yield Said(where, pair_of(one), quantity, str(document[key]), run)


def in_report_data(content: bytes, pairs: Pairs) -> Iterator[Said]:
    """What a report as HTML holds for machines."""
    yield from in_answers(HtmlPage(content.decode()).data["answers"], pairs, "data of the report")


def in_passport(content: bytes, pairs: Pairs) -> Iterator[Said]:
    """What a passport states, whether or not its signature holds."""
    statement = json.loads(base64.b64decode(json.loads(content)["payload"]))
    yield from in_answers([statement["predicate"]["answer"]], pairs, "passport")


def in_evaluation(content: bytes, pairs: Pairs) -> Iterator[Said]:
    """What a document of Every Eval Ever says: a level for a pair, and estimates with intervals."""
    document = json.loads(content)
    for result in document["evaluation_results"]:
        partition = result["source_data"]["additional_details"]["partition"]
        [one] = [
            each
            for each in pairs.conclusions
            if each["partition"] == partition
            and each["model"].partition("@")[0] == document["model_info"]["name"]
        ]
        score, where = result["score_details"], "every-eval-ever"
        if result["metric_config"]["score_type"] == "levels":
            names = result["metric_config"]["level_names"]
            word = names[score["score"]] if score["score"] >= 0 else "inconclusive"
            yield Said(where, pair_of(one), "ruling", word)
            yield from (
                Said(where, pair_of(one), name[0], score["details"][name])
                for name in ("p_value", "q_value")
                if name in score["details"]
            )
            continue
        run = score["details"]["run"]
        limits = score["uncertainty"].get("confidence_interval", {})
        yield Said(where, pair_of(one), "estimate", str(score["score"]), run)
        yield Said(where, pair_of(one), "n", str(score["uncertainty"]["num_samples"]), run)
        for name, quantity in (("lower", "low"), ("upper", "high")):
            if name in limits:
                yield Said(where, pair_of(one), quantity, str(limits[name]), run)


def in_index(content: bytes, pairs: Pairs) -> Iterator[Said]:
    """What rows of the contamination index say: where a split is contaminated, no other word."""
    for row in json.loads(content):
        for one in pairs.conclusions:
            key, _, split = one["partition"].rpartition("/")
            if row["dataset"] != key or row["model"] != one["model"].partition("@")[0]:
                continue
            word = row[f"{split}_split"]
            called = one["ruling"] == "contaminated"
            if called or word == "contaminated":
                yield Said("contamination index", pair_of(one), "ruling", word or "")


def in_hub(content: bytes, pairs: Pairs) -> Iterator[Said]:
    """What the notes of evaluation results of the Hub say."""
    for row in yaml.safe_load(content):
        [one] = [
            each
            for each in pairs.conclusions
            if each["partition"].rpartition("/")[0] == row["dataset"]["id"]
            and any(method["votes"] for method in each["methods"])
        ]
        word, q = re.findall(
            r"contamination: ([a-z ]+)(?:, q (?:= )?([<\d. ]+))? of all", row["notes"]
        )[0]
        yield Said("hub", pair_of(one), "ruling", word)
        if q:
            yield Said("hub", pair_of(one), "q", q)
