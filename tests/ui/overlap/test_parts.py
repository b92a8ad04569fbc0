"""The parts of the page Overlap, drawn by Streamlit from a real scan."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.overlap import labels
from dcq.overlap.outcome import of_run
from dcq.settings import ROOT
from dcq.store import Store, samples
from dcq.ui import page
from tests.conftest import letters
from tests.support import scanned

EVALUATIONS = ROOT / "tests" / "fixtures" / "evaluations"


@pytest.fixture
def scan(fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A sample and the run of a scan that finds five of its 20 instances, one without label."""
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    sample_id = scanned.save(fresh_store)
    return sample_id, scanned.scan(fresh_store, sample_id, tmp_path / "corpus", [0, 1, 2, 3], [4])


def _script(*lines: str) -> AppTest:
    opening = (
        "from dcq.store import Store",
        "from dcq.environment import store_path",
        "store = Store(store_path())",
    )
    return AppTest.from_string("\n".join([*opening, *lines]), default_timeout=60)


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.error]
    text = letters("\n".join(str(element.value) for element in shown))
    return text.replace("\u00a0", " ")


def _charts(at: AppTest) -> list[object]:
    """Those that are clicked or downloaded, and those that are drawn as in documents."""
    return [*at.get("plotly_chart"), *at.get("bidi_component")]


def _result(run: str) -> AppTest:
    return _script("from dcq.ui.overlap import result", f"result.show(store, {run!r})")


def test_a_result_opens_with_its_sentence_and_shows_passages_as_text(
    scan: tuple[str, str],
) -> None:
    at = _result(scan[1]).run()
    assert not at.exception
    said = _words(at)
    assert said.startswith(
        "#### 4 of 20 instances stand in the corpus with their answer, 1 more without it."
    )
    assert "Found 5 of 20 searched for (25 %)" in said.replace("**", "")
    assert ":gray-background[**" in said
    assert "**Not searched for**" not in said
    assert len(_charts(at)) == 1
    options = at.selectbox(key="overlap_instance").options
    assert len(options) == 5
    assert options[0].startswith("input and label · 1.00 · ")
    assert [link.proto.url for link in at.get("link_button")] == ["https://quizlet.com/2"]


def test_a_higher_threshold_leaves_less(scan: tuple[str, str]) -> None:
    at = _result(scan[1]).run()
    slider = at.slider(key=f"overlap_threshold_{scan[1]}")
    assert (slider.min, slider.max) == (0.75, 1.0)
    slider.set_value(1.0).run()
    assert not at.exception
    assert "#### None of 20 instances searched for stand in the corpus." in _words(at)
    assert "No passage reaches the threshold." in _words(at)


def test_a_run_that_is_no_scan_is_a_sentence(scan: tuple[str, str]) -> None:
    at = _result("nothing").run()
    assert not at.exception
    assert len(at.error) == 1


def _effect(run: str) -> AppTest:
    return _script(
        "from dcq.overlap import outcome",
        "from dcq.ui.overlap import effect",
        f"effect.show(store, outcome.of_run(store, {run!r}))",
    )


def _upload(at: AppTest, name: str, data: bytes) -> AppTest:
    uploader = at.file_uploader(key="overlap_results_upload")
    return uploader.upload(name, data, "application/octet-stream").run()


def test_results_are_uploaded_and_matched_by_text(
    scan: tuple[str, str], fresh_store: Store
) -> None:
    at = _effect(scan[1]).run()
    assert not at.exception
    assert "No results yet: upload a file" in _words(at)
    texts = [one.fields["text"] for one in samples.load(fresh_store, scan[0]).instances]
    rows = "".join(
        f'{model},{n},{int(n < 5 or n % size == 0)},"{text}"\n'
        for model, size in (("m-7b", 2), ("m-70b", 3))
        for n, text in enumerate(texts)
    )
    _upload(at, "scores.csv", f"model,instance_id,correct,text\n{rows}".encode())
    assert not at.exception
    said = _words(at)
    assert "m-7b is right on 100 % of 5 found instances and on 47 % of 15 clean ones" in said
    assert "40 answers, 40 matched by text and 0 by id; 0 have no label." in said
    assert "Leaving out 2 domains would avoid 5 of 5 (100 %)." in said
    assert "2 models of known size are too few" in said
    # By category, domain and size; all scores of a scan are in one bin.
    assert len(_charts(at)) == 3
    table = at.dataframe[0].value
    assert list(table["model"]) == ["m-7b", "m-70b"]
    assert list(table["n clean"]) == [15, 15]


def test_a_log_without_a_model_asks_for_it(scan: tuple[str, str], fresh_store: Store) -> None:
    at = _effect(scan[1]).run()
    [log] = (EVALUATIONS / "toy-7b").glob("samples_*.jsonl")
    _upload(at, "samples_nli.jsonl", log.read_bytes())
    assert not at.exception
    assert [field.label for field in at.text_input] == ["Model of samples\\-nli"]
    # These are instances of another benchmark.
    assert "give labels of the same benchmark and split" in _words(at)


def test_an_archive_of_inspect_ai_can_be_uploaded(scan: tuple[str, str]) -> None:
    at = _effect(scan[1]).run()
    [log] = EVALUATIONS.glob("*.eval")
    _upload(at, "a.eval", log.read_bytes())
    assert not at.exception
    assert "their ids differ" in _words(at)


def test_three_methods_together(scan: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    links: list[str] = []
    monkeypatch.setattr(page, "link", lambda name, *_, **__: links.append(name))
    at = _script(
        "from dcq.ui.overlap import together", f"together.show(store, {scan[0]!r}, 'nobody')"
    ).run()
    assert not at.exception
    said = _words(at)
    assert "5 of 20 instances looked for (25 %) stand in the corpus." in said
    assert "nobody took no quiz of this sample." in said
    assert "#### No two methods can be compared instance by instance yet." in said
    assert links == ["quiz", "replication"]
    assert at.dataframe[0].value["overlap"].tolist().count("clean") == 15


def test_the_papers_tables_are_a_reference() -> None:
    at = _script("from dcq.ui.overlap import reference", "reference.show()").run()
    assert not at.exception
    assert len(_charts(at)) == 2
    assert len(at.dataframe) == 5
    assert "Rank correlation over 15 models: " in _words(at)


def test_what_is_offered_is_what_is_shown(scan: tuple[str, str], fresh_store: Store) -> None:
    cut = of_run(fresh_store, scan[1], threshold=0.999993)
    found = labels.frame(cut)
    assert 0 < (found["category"] != "clean").sum() < 5
