"""The bundle of a study leaves the Results page and comes in on the Dataset page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.files import bundle_write
from dcq.store import Store, runs, sources
from tests.support.judged import SEEN, put, put_controls

pytestmark = pytest.mark.slow


def test_results_offer_a_bundle_with_texts_and_without(app: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    at = app.run().switch_page("pages/results.py").run()
    assert not at.exception
    labels = [button.proto.label for button in at.get("download_button")]
    assert {"Bundle · zip", "Bundle without texts · zip"} <= set(labels)


def test_a_bundle_is_imported_and_a_bad_file_is_one_sentence(
    app: AppTest, fresh_store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = Store(tmp_path_factory.mktemp("source") / "dcq.duckdb")
    put_controls(source, 1)
    put(source, "rivers", SEEN)
    data, _ = bundle_write.to_bytes(source)
    at = app.run().switch_page("pages/dataset.py").run()
    at.segmented_control(key="dataset_from").set_value("Bundle of a study").run()
    at.file_uploader(key="bundle_file_upload").upload("bad.zip", b"no", "application/zip").run()
    at.button(key="bundle_import").click().run()
    assert not at.exception
    assert "not a zip file" in at.error[0].value
    at.file_uploader(key="bundle_file_upload").upload("b.zip", data, "application/zip").run()
    at.text_input(key="bundle_sender").set_value("Ada").run()
    at.button(key="bundle_import").click().run()
    assert not at.exception
    assert "those of Ada" in at.success[0].value
    assert any("all 2 results agree" in caption.value for caption in at.caption)
    assert runs.listing(fresh_store) == []
    assert [entry.who for entry in sources.listing(fresh_store)] == ["Ada"]
