"""New check with what people meet in the world: odd files, a gated set, no network, others who
check the same, a check that ended halfway."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from huggingface_hub import constants
from streamlit.testing.v1 import AppTest

from dcq.partitions import uploads
from dcq.store import Store
from dcq.study import running
from dcq.study.spec import ControlSpec
from dcq.ui import roles
from dcq.ui.new_check import checks
from tests.conftest import button_called, letters
from tests.support.hub import Fault, Hub, serve_hub
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.newcomer import known, write_benchmark
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for

BENCHMARK = "my"
EARLIER = """\
[study]
name = "earlier"
[[target]]
dataset = "humaneval"
[rewordings]
model = "{writer}"
[[model]]
name = "guess"
"""


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/new_check.py")


@pytest.fixture
def uploaded(fresh_store: Store, tmp_path: Path) -> Path:
    """A benchmark that was dropped before: forty questions with answers."""
    file = write_benchmark(tmp_path / f"{BENCHMARK}.csv")
    return uploads.keep(fresh_store.path.parent / "uploads", file.name, file.read_bytes())


def _words(at: AppTest) -> str:
    shown = [*at.title, *at.subheader, *at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return letters("\n".join(str(element.value) for element in shown))


def _choose(at: AppTest, file: Path, *models: str) -> AppTest:
    at.run()
    at.selectbox(key="check_file").set_value(file.name)
    at.multiselect(key="check_models").set_value(list(models))
    at.run()
    assert not at.exception
    return at


def _start(at: AppTest) -> AppTest:
    at.button(key="check_start").click().run()
    assert not at.exception
    return at


def _keep_earlier(store: Store, writer: str) -> None:
    """A check of an earlier day, whose rewordings a model wrote."""
    path = store.path.parent / "uploads" / "earlier-12345678.study.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(EARLIER.format(writer=writer), "utf-8")


def _wait_until_it_ended(store: Store) -> None:
    wait_for(lambda: not any(checks.is_live(store, each) for each in checks.listing(store)))


def test_an_empty_page_asks_three_questions_and_leads_on(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert [each.value for each in at.subheader] == ["1 · What?", "2 · Who?", "3 · How sure?"]
    assert "Choose a benchmark first" in at.info[0].value
    assert at.radio(key="check_size").value == "Usual"
    assert "check_start" not in {button.key for button in at.button}
    assert "Choose everything yourself" in [link.proto.label for link in at.get("page_link")]


def test_a_file_without_usual_columns_shows_what_to_choose(
    page: AppTest, fresh_store: Store, tmp_path: Path
) -> None:
    """Odd rows of the world: a byte order mark, empty cells, signs of Markdown, several lines."""
    file = tmp_path / "odd.csv"
    with file.open("w", newline="", encoding="utf-8-sig") as lines:
        rows = [["", f"**Row** {i},\nwith $x$ and\ttabs [{i}](http://a.b)"] for i in range(9)]
        csv.writer(lines).writerows([["id:1", "*What* it says"], *rows, ["", ""]])
    kept = uploads.keep(fresh_store.path.parent / "uploads", file.name, file.read_bytes())
    at = _choose(page, kept, "guess")
    assert [each.proto.expanded for each in at.expander if "Correct" in each.label] == [True]
    assert "Column" in _words(at) or "No row has a text" in _words(at)
    assert "check_start" not in {button.key for button in at.button}
    at.selectbox(key=f"check_text_{kept.name}").set_value("*What* it says").run()
    assert not at.exception
    assert "text = *What* it says" in _words(at)
    assert at.code[0].value.startswith("**Row** 0")


@pytest.mark.parametrize("name", ["someone/gated", "someone/far"])
def test_what_the_hub_refuses_is_said(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    faults: dict[str, Fault] = {"someone/gated": "gated-anonymous"}
    with serve_hub(Hub(files={"someone/gated": {}}, faults=faults)) as hub:
        reached = "http://127.0.0.1:9" if name == "someone/far" else hub.url
        monkeypatch.setattr(constants, "ENDPOINT", reached)
        # What is typed is no option of the list, and so no value that a test can choose.
        page.session_state["check_from"] = "Catalog or Hub"
        page.session_state["check_dataset"] = name
        page.session_state["check_looked"] = (name, "", "test")
        at = page.run()
    assert not at.exception
    expected = {
        "someone/gated": "accept its terms",
        "someone/far": "check the network",
    }
    assert expected[name] in letters(at.error[0].value)


def test_a_bundled_name_is_planned_without_a_network(page: AppTest, provider: FakeProvider) -> None:
    at = page.run()
    at.segmented_control(key="check_from").set_value("Catalog or Hub").run()
    at.selectbox(key="check_dataset").set_value("humaneval")
    at.radio(key="check_size").set_value("Quick look")
    at.multiselect(key="check_models").set_value(["guess"]).run()
    assert not at.exception
    assert "rows" in _words(at)
    assert "call" in _words(at)
    assert not at.button(key="check_start").disabled


def test_who_rewords_is_not_tested_by_itself(page: AppTest, fresh_store: Store) -> None:
    _keep_earlier(fresh_store, "gpt-4o-mini")
    at = page.run()
    offered = at.multiselect(key="check_models")
    assert "gpt-4o-mini" in offered.options
    assert "gpt-4o-mini" not in offered.value
    assert offered.value


def test_models_are_tried_before_the_start(
    page: AppTest, uploaded: Path, provider: FakeProvider
) -> None:
    at = _choose(page, uploaded, "guess", "missing-model")
    assert not provider.counts
    at.button(key="check_try").click().run()
    assert not at.exception
    assert "guess answered in" in _words(at)
    assert "missing-model: " in _words(at)
    assert provider.counts["guess"] == 1


def test_a_viewer_sees_the_plan_and_cannot_start(
    page: AppTest, uploaded: Path, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.VIEWER)
    at = _choose(page, uploaded, "gpt-4o-mini")
    assert at.button(key="check_start").disabled
    assert "needs the role runner" in str(at.button(key="check_start").help)


def test_a_check_is_started_left_found_again_stopped_and_ended(
    page: AppTest, fresh_store: Store, uploaded: Path, provider: FakeProvider
) -> None:
    provider.seen = tuple(known(1))
    provider.answers_at_most = 8
    at = _choose(page, uploaded, "knows-original", "guess")
    assert "to 2 models" in _words(at)
    assert "after correction for 2 pairs" in _words(at)
    at = _start(at)
    [check] = checks.listing(fresh_store)
    assert at.query_params["check"] == check.key
    assert check.spec.controls == ControlSpec()
    assert [model.name for model in check.spec.models] == ["knows-original", "guess"]
    assert checks.is_live(fresh_store, check)
    assert "It continues if you leave" in _words(at)

    # Somebody else, in another browser, finds it, and is told where the same would be asked.
    other = AppTest.from_file(page._script_path, default_timeout=60)
    other.switch_page("pages/new_check.py")
    other = _choose(other, uploaded, "knows-original", "guess")
    [link] = [each for each in other.get("page_link") if "Under way" in each.proto.label]
    assert link.proto.query_string == f"check={check.key}"
    assert "is under way. Wait until it has ended" in _words(other)
    assert "check_start" not in {button.key for button in other.button}

    wait_for(lambda: running.is_running(fresh_store, check.spec.name))
    wait_for(lambda: sum(provider.counts.values()) >= 8)
    other.query_params["check"] = check.key
    other.run()
    assert not other.exception
    button_called(other, "Stop, keep what is there").click().run()
    assert not other.exception
    provider.answers_at_most = math.inf
    _wait_until_it_ended(fresh_store)

    at.run()
    assert not at.exception
    assert button_called(at, "Go on")
    assert "Nothing was concluded yet" in _words(at)
    button_called(at, "Start another check").click().run()
    assert "Earlier checks (1)" in [each.label for each in at.expander]
    assert "check_stop" not in {button.key for button in at.button}


def test_a_check_that_ended_shows_its_conclusions_and_what_is_missing(
    page: AppTest, fresh_store: Store
) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", UNSEEN, model="other@http://127.0.0.1:9/v1")
    put_controls(fresh_store)
    models = ("tester@http://127.0.0.1:9/v1", "other@http://127.0.0.1:9/v1", "third")
    written = EARLIER.replace("humaneval", "rivers").format(writer="offline").splitlines()
    names = [f'[[model]]\nname = "{model}"' for model in models]
    path = fresh_store.path.parent / "uploads" / "rivers-12345678.study.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*written[:-2], *names]), "utf-8")
    page.query_params["check"] = "rivers-12345678"
    at = page.run()
    assert not at.exception
    cases = [link for link in at.get("page_link") if link.proto.label == "Open the case"]
    assert len(cases) == 2
    assert all("case=" in link.proto.query_string for link in cases)
    assert button_called(at, "Open the matrix")
    assert "1 conclusion of 3 still missing" in _words(at)
    assert button_called(at, "Go on")
    assert any("study run" in code.value for code in at.code)
