from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import Role
from dcq.store import Store, samples
from tests.conftest import small_sample


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/dataset.py")


def _code(at: AppTest) -> str:
    return "\n".join(element.value for element in at.code)


def test_a_first_visit_offers_bundled_data_and_shows_its_rows(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "No sample is kept yet" in at.info[0].value
    assert at.selectbox(key="dataset").value == "control-news"
    assert at.metric[0].value == "40"
    assert "Label: " in _code(at)


def test_a_sample_is_drawn_kept_and_led_onward(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.number_input(key="dataset_n_control-news/test").set_value(12)
    at.number_input(key="dataset_seed").set_value(3)
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    kept = samples.listing(fresh_store)
    assert kept[["partition", "n", "seed", "with_variants"]].values.tolist() == [
        ["control-news/test", 12, 3, 12]
    ]
    assert "The sample is kept" in at.success[0].value.replace("\\", "")
    asked = [link.proto.query_string for link in at.get("page_link")]
    assert f"quiz_sample={kept['sample'][0]}" in asked
    assert f"variants_sample={kept['sample'][0]}" in asked


def test_what_a_sample_can_find_follows_its_size(page: AppTest) -> None:
    def caption(n: int) -> str:
        at.number_input(key="dataset_n_control-news/test").set_value(n).run()
        return next(c.value for c in at.caption if "A quiz of this size" in c.value)

    at = page.run()
    assert "can find nothing" in caption(1)
    assert "κ = 0.27" in caption(40)
    assert caption(40) == caption(5000)  # there are only 40


def test_a_link_opens_a_dataset_and_its_split(page: AppTest) -> None:
    page.query_params.update({"dataset": "kjv", "split": "verses"})
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="dataset").value == "kjv"
    assert int(at.metric[0].value.replace(",", "")) > 1000


def test_a_link_to_an_unknown_dataset_shows_the_first(page: AppTest) -> None:
    page.query_params.update({"dataset": "../etc/passwd"})
    assert page.run().selectbox(key="dataset").value == "control-news"


def test_a_hub_dataset_is_loaded_on_request_only(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.query_params.update({"dataset": "ag_news"})
    at = page.run()
    assert not at.error
    assert not at.metric
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    at.button(key="dataset_look").click().run()
    assert "local cache has no copy of fancyzhx/ag_news" in at.error[0].value


CSV = "body,class\nThe {river} A) is <b>long</b>,1\nThe :red[lake] is *deep*,0\n,1\n"


def test_a_file_is_uploaded_mapped_and_drawn(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    at.file_uploader(key="dataset_upload").upload("../My Rivers.csv", CSV.encode(), "text/csv")
    at.run()
    assert not at.exception
    name = str(at.selectbox(key="dataset_file").value)
    assert name.startswith("My-Rivers-")
    assert (fresh_store.path.parent / "uploads" / name).read_text("utf-8") == CSV
    at.selectbox(key="dataset_label_body_class").set_value("class").run()
    assert "Text: The {river} A) is <b>long</b>\nLabel: 1" in _code(at)
    at.selectbox(key="dataset_role").set_value(Role.CONTROL)
    at.text_input(key=f"dataset_title_{name}").set_value("My Rivers").run()
    at.button(key="dataset_draw").click().run()
    kept = samples.listing(fresh_store).iloc[0]
    assert (kept["title"], kept["role"], kept["n"]) == ("My Rivers", "control", 2)
    assert any("1 row was left out" in note for note in kept["notes"])


def test_an_own_template_shows_what_it_says(page: AppTest) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    at.file_uploader(key="dataset_upload").upload("rivers.csv", CSV.encode(), "text/csv").run()
    at.segmented_control(key="dataset_how").set_value("Own template").run()
    at.text_area(key="dataset_template_body_class").set_value("Q: {body}").run()
    assert "Q: The :red[lake] is *deep*" in _code(at)
    at.text_area(key="dataset_template_body_class").set_value("Q: {nobody}").run()
    assert 'no column "nobody"' in at.error[0].value


@pytest.mark.parametrize(
    ("data", "fix"),
    [
        (b"", "empty"),
        (b"text\n", "no rows"),
        ("text\ncaf\xe9\n".encode("latin-1"), "save it again with the encoding UTF-8"),
    ],
)
def test_a_bad_file_is_one_sentence(page: AppTest, data: bytes, fix: str) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    at.file_uploader(key="dataset_upload").upload("bad.csv", data, "text/csv").run()
    assert not at.exception
    assert fix in at.error[0].value


def test_a_role_can_be_changed_afterwards(page: AppTest, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    at = page.run()
    at.selectbox(key=f"dataset_role_{sample_id}").set_value(Role.POSITIVE).run()
    assert not at.exception
    assert samples.load(fresh_store, sample_id).partition.role is Role.POSITIVE
