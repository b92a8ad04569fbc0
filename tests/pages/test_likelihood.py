from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dcq.asking import exclusive
from dcq.likelihood import NAME
from dcq.models import embedded
from dcq.models.scorers.likelihood import Likelihood
from dcq.records import PartitionRole
from dcq.store import Store, method_runs, samples
from dcq.ui import browser, roles
from dcq.ui.likelihood import tokens
from tests.conftest import frame_with, letters, small_sample
from tests.support.any_name import any_name
from tests.support.hostile import TEXTS
from tests.support.likelihoods import CONTROLS, long_sample, plan, save, score, score_all, scored
from tests.support.provider import FakeProvider
from tests.support.runs import wait_until_ended

N = 12


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ada")
    return app.switch_page("pages/likelihood.py")


@pytest.fixture
def runs_of(fresh_store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A target that was seen and three controls, all scored; the runs by partition."""
    path, made = scored(tmp_path_factory)
    shutil.copy(path, fresh_store.path)
    return made


def _read(at: AppTest, run: str) -> AppTest:
    at.session_state["likelihood_view"] = "Result"
    at.session_state["likelihood_run"] = run
    return at.run()


def _words(at: AppTest) -> str:
    shown = [*at.title, *at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return letters("\n".join(str(element.value) for element in shown)).replace("\u00a0", " ")


def _strips(at: AppTest) -> list[list[tuple[str, int, str]]]:
    """What is drawn token by token, as the browser gets it: words, step and tip of each."""
    drawn = [one.proto for one in at.get("bidi_component") if "likelihood_" in one.proto.id]
    return [
        [(one["words"], one["step"], one["tip"]) for one in json.loads(sent.json)["tokens"]]
        for sent in drawn
    ]


@pytest.mark.parametrize("view", ["Ask", "Result"])
def test_an_empty_store_says_what_to_do_next(page: AppTest, view: str) -> None:
    page.session_state["likelihood_view"] = view
    at = page.run()
    assert not at.exception
    assert "no sample to score" in _words(at)


def test_without_a_rewording_there_is_a_way_to_some(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, replace(small_sample(), variants={}))
    at = page.run()
    assert not at.exception
    assert "No instance of this sample has a usable rewording" in _words(at)
    assert not [one for one in at.button if one.key == "likelihood_start"]


def test_without_a_model_that_gives_log_probabilities_it_says_what_to_do(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples.save(fresh_store, long_sample(4))
    monkeypatch.setattr(embedded, "missing", lambda: "The embedded model is not installed.")
    at = page.run()
    assert not at.exception
    assert "name a model that gives log-probabilities: vllm:NAME" in _words(at)


def test_without_a_result_there_is_a_way_to_one(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, long_sample(4))
    page.session_state["likelihood_view"] = "Result"
    at = page.run()
    assert "No text has been scored yet" in _words(at)
    at.button(key="likelihood_first_step").click().run()
    assert not at.exception
    assert at.button(key="likelihood_start").label == "Score the texts"


def test_the_embedded_model_is_there_at_first_and_what_it_takes_is_seen(
    page: AppTest, fresh_store: Store
) -> None:
    samples.save(fresh_store, long_sample(4))
    at = page.run()
    assert not at.exception
    assert at.multiselect(key="likelihood_models").value == ["embedded"]
    assert "4 instances, each beside 3 rewordings." in _words(at)
    assert list(frame_with(at, "calls")["calls"]) == [16]
    assert len([one for one in at.code if "boat of rivers" in one.value]) == 4
    assert method_runs.runs_of(fresh_store, [NAME]) == []


def test_measures_with_a_context_score_each_text_again(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, long_sample(4))
    at = page.run()
    at.pills(key="likelihood_more").set_value(["recall"]).run()
    assert "draw a sample of another control partition first" in _words(at)
    samples.save(fresh_store, long_sample(4, key="lakes", role=PartitionRole.CONTROL))
    at.pills(key="likelihood_more").set_value(["recall", "codec"]).run()
    assert not at.exception
    assert list(frame_with(at, "calls")["calls"]) == [48]


@pytest.mark.usefixtures("forked")
def test_a_run_starts_here_and_its_result_is_read_here(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    save(fresh_store, provider, 4)
    at = page.run()
    at.multiselect(key="likelihood_models").set_value(["words"]).run()
    assert "as vLLM does" in _words(at)
    at.button(key="likelihood_start").click().run()
    assert not at.exception
    [run] = method_runs.runs_of(fresh_store, [NAME])
    wait_until_ended(fresh_store, [run.run])
    at.run()
    at.button(key=f"likelihood_read_{run.run}").click().run()
    assert not at.exception
    assert at.session_state["likelihood_view"] == "Result"
    assert frame_with(at, "Measure")["n"].tolist() == [4, 4, 4]


def test_what_is_scored_already_is_not_started_again(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    run = plan(fresh_store, save(fresh_store, provider, 4))
    exclusive.hand_over(fresh_store, run)  # another process is about to ask it
    at = page.run()
    at.multiselect(key="likelihood_models").set_value(["words"]).run()
    at.button(key="likelihood_start").click().run()
    assert f"is being asked this already (run {run}: " in _words(at)
    assert len(method_runs.runs_of(fresh_store, [NAME])) == 1


def test_results_lead_here(page: AppTest, runs_of: dict[str, str]) -> None:
    at = page.switch_page("pages/results.py").run()
    assert not at.exception
    links = [link.proto.label for link in at.get("page_link")]
    assert "Read 4 likelihoods" in links


def test_a_viewer_sees_the_price_and_may_not_start(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples.save(fresh_store, long_sample(4))
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.VIEWER)
    at = page.run()
    assert list(frame_with(at, "calls")["calls"]) == [16]
    start = at.button(key="likelihood_start")
    assert start.disabled
    assert "needs the role runner" in str(start.help)


def test_a_model_that_cannot_be_asked_is_said_before_the_start(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    samples.save(fresh_store, long_sample(4))
    at = page.run()
    at.multiselect(key="likelihood_models").set_value(["azure:x"]).run()
    assert at.button(key="likelihood_start").disabled
    assert "azure:x: " in _words(at)


def test_the_verdict_comes_first_then_every_measure_of_the_panel(
    page: AppTest, runs_of: dict[str, str]
) -> None:
    at = _read(page, runs_of["rivers"])
    assert not at.exception
    assert ":orange[:material/flag: Contaminated]" in at.title[1].value
    assert "On average the original is likelier than 100.0 % of its rewordings" in _words(at)
    table = frame_with(at, "Measure")
    assert table["Measure"].tolist()[0] == "Mean log-probability (decides)"
    assert len(table) == 5  # an endpoint gives no Min-K%++
    assert table["Mean midrank"].tolist()[0] == 100
    assert table["p above controls"].notna().all()
    assert table["q"].notna().tolist() == [True, False, False, False, False]
    assert "Green diamonds are the controls" in _words(at)
    assert "AUROC, seen" not in _words(at)  # it is not known whether a target was seen


def test_a_control_has_a_panel_and_no_verdict(page: AppTest, runs_of: dict[str, str]) -> None:
    at = _read(page, runs_of["lakes"])
    assert not at.exception
    assert "there is no verdict on it" in _words(at)
    assert "p above controls" not in frame_with(at, "Measure").columns
    assert "Green diamonds" not in _words(at)


def test_where_the_truth_is_known_it_says_how_well_each_measure_tells_it(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    for key in CONTROLS:
        samples.save(fresh_store, long_sample(N, key=key, role=PartitionRole.CONTROL))
    made = long_sample(N, role=PartitionRole.POSITIVE)
    provider.seen = tuple(one.text for one in made.instances)
    samples.save(fresh_store, made)
    at = _read(page, score_all(fresh_store)["rivers"])
    assert not at.exception
    said = re.search(r"AUROC, seen instances.*: Mean log-probability ([.0-9]+) \[", _words(at))
    assert said is not None
    assert float(said[1]) > 0.9


def test_an_instance_is_shown_token_by_token_beside_its_likeliest_rewording(
    page: AppTest, runs_of: dict[str, str]
) -> None:
    at = _read(page, runs_of["rivers"])
    original, other, legend = _strips(at)
    assert "".join(one[0] for one in original).startswith("Text: on day 0 the small boat")
    assert original[0][1] == -1  # nothing stands before the first token, so it is not scored
    assert {one[1] for one in original[1:]} <= {0, 1, 2, 3, 4}
    assert sum(one[1] for one in original) < sum(one[1] for one in other)
    assert all("log p −" in one[2] for one in original[1:])
    assert any("below 0.1 %" in one[0] for one in legend)
    assert "likelier than all of its rewordings" in _words(at)
    at.number_input(key="likelihood_at").set_value(2).run()
    assert "on day 1" in "".join(one[0] for one in _strips(at)[0])


def test_what_was_not_scored_and_what_is_withheld_is_said(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    run = score(fresh_store, save(fresh_store, provider, 5))
    with fresh_store.write() as db:
        db.execute("DELETE FROM answer WHERE run_id = ? AND position = 1", [run])
        db.execute("UPDATE answer SET reply = NULL WHERE run_id = ? AND position = 2", [run])
        db.execute("UPDATE answer SET reply = '{}' WHERE run_id = ? AND position = 3", [run])
        db.execute(
            "UPDATE answer SET outcome = 'error', reply = NULL, reason = 'It is *too* short.' "
            "WHERE run_id = ? AND position = 4",
            [run],
        )
    at = _read(page, run)
    said = ("was not scored; resume", "are withheld", "cannot be used", "It is *too* short.")
    for number, words in enumerate(said, start=2):
        at.number_input(key="likelihood_at").set_value(number).run()
        assert not at.exception
        assert words in _words(at)


def test_a_run_that_scored_nothing_usable_says_so(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    sample = save(fresh_store, provider, 4)
    run = score(fresh_store, sample)
    with fresh_store.write() as db:
        db.execute("DELETE FROM run_value")
        db.execute("UPDATE answer SET outcome = 'invalid', value = NULL")
    assert "No measure has a value yet" in _words(_read(page, run))
    plan(fresh_store, sample)  # one that has not begun is no result
    assert not page.run().exception


@pytest.mark.parametrize("text", [text for text in TEXTS if "\x00" not in text and len(text) < 999])
def test_hostile_text_is_data_and_never_markup(
    page: AppTest, fresh_store: Store, provider: FakeProvider, text: str
) -> None:
    made = long_sample(1)
    [one] = made.instances
    hostile = replace(one, text=f"{one.text} {text}")
    variants = {hostile.id: tuple(f"{other} {text}" for other in made.variants[one.id])}
    title = replace(made.partition, title=text[:200])
    made = replace(made, partition=title, instances=(hostile,), variants=variants)
    with any_name():  # a title of a store of before
        sample = samples.save(fresh_store, made)
    at = _read(page, score(fresh_store, sample))
    assert not at.exception
    original = "".join(token[0] for token in _strips(at)[0])
    assert original == hostile.text
    if "\u202e" not in text:  # has no sign that Markdown reads
        assert not [one for one in (*at.markdown, *at.caption) if text in str(one.value)]


def test_shades_follow_the_probability_and_long_texts_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[list[dict[str, Any]]] = []
    monkeypatch.setattr(
        browser, "component", lambda *_: lambda key, data: drawn.append(data["tokens"])
    )
    chances = np.array([0.9, 0.3, 0.05, 0.005, 0.0005])
    known = Likelihood(np.log(chances), pieces=("a ", "b", " ", "c", "d"))
    tokens.show("xa b cd", known, "xa b ce", key="k")
    many = Likelihood(np.zeros(5000), pieces=("y" * 900,) * 5000)
    tokens.show("y" * 900 * 5000, many, "z", key="k")
    few, cut = drawn
    assert [one["step"] for one in few] == [-1, 0, 1, 2, 3, 4]
    assert [one["differs"] for one in few] == [False, False, False, False, True, True]
    assert len(cut) == tokens.MOST + 1
    assert max(len(one["words"]) for one in cut) == tokens.LONGEST
    assert cut[-1]["tip"] == "4,400 more tokens"
