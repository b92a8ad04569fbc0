from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, partitions, reviews, samples, variants
from tests.conftest import letters, small_sample
from tests.support.languages import TEXTS
from tests.support.provider import FakeProvider
from tests.support.runs import take


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/dataset.py")


def _code(at: AppTest) -> str:
    return "\n".join(element.value for element in at.code)


def test_a_first_visit_offers_bundled_data_and_shows_its_rows(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "There is no sample yet" in at.info[0].value
    assert at.selectbox(key="dataset").value == "control-news"
    assert at.metric[0].value == "40"
    assert "Label: " in _code(at)


def test_a_sample_is_drawn_kept_and_led_onward(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.number_input(key="dataset_n_control-news/test").set_value(12)
    at.number_input(key="dataset_seed").set_value(3)
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    [kept] = samples.listing(fresh_store)
    assert (kept.partition, kept.n, kept.seed, kept.with_variants) == (
        "control-news/test", 12, 3, 12,
    )  # fmt: skip
    words = "\n".join(m.value for m in at.markdown).replace("\\", "")
    assert "The sample is saved" in words
    assert "1 sample, 1 with all variants" in words
    assert not at.info  # one state on the screen, not "no sample" beside it
    asked = [link.proto.query_string for link in at.get("page_link")]
    assert f"variants_sample={kept.id}" in asked
    assert at.button(key="dataset_next").proto.type == "primary"
    assert at.button(key="dataset_draw").proto.type == "secondary"
    at.button(key="dataset_next").click().run()
    assert not at.exception
    assert at.title[0].value == "Quiz"
    assert at.selectbox(key="quiz_sample").value == kept.id


def test_a_control_shows_since_when_it_is_public(page: AppTest) -> None:
    at = page.run()
    at.selectbox(key="dataset").set_value("control-reading").run()
    assert not at.exception
    shown = [caption.value for caption in at.caption]
    assert any("first public 22 Nov 2026" in caption for caption in shown)
    assert at.metric[0].value == "105"


def test_the_layout_of_the_release_can_be_chosen(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.segmented_control(key="dataset_layout").set_value("release").run()
    assert "text: " in _code(at)
    assert "Article: " not in _code(at)
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    [sample] = samples.listing(fresh_store)
    stored = samples.load(fresh_store, sample.id)
    assert stored.layout == "release"
    assert stored.instances[0].text.startswith("text: ")
    assert any("layout of the release" in caption.value for caption in at.caption)


def test_what_a_sample_can_find_follows_its_size(page: AppTest) -> None:
    def caption(n: int) -> str:
        at.number_input(key="dataset_n_control-news/test").set_value(n).run()
        return next(c.value for c in at.caption if "A quiz of this size" in c.value)

    at = page.run()
    assert "cannot detect anything" in caption(1)
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
    assert "local cache has no copy of fancyzhx/ag_news" in letters(at.error[0].value)


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
    at.selectbox(key="dataset_role").set_value(PartitionRole.CONTROL)
    at.text_input(key=f"dataset_title_{name}").set_value("My Rivers").run()
    at.button(key="dataset_draw").click().run()
    kept = samples.listing(fresh_store)[0]
    assert (kept.title, kept.role, kept.n) == ("My Rivers", "control", 2)
    assert any("1 row was left out" in note for note in kept.notes)


QUIZ = "instance,option_a,option_b,option_c,option_d\n" + "".join(
    f"The *river* {n} is long,a {n},b {n},c {n},{last}\n"
    for n, last in enumerate(["d", "", "The *river* 2 is long"])
)


def test_a_published_quiz_is_imported(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Published quiz").run()
    at.file_uploader(key="quiz_file_upload").upload("Rivers.csv", QUIZ.encode(), "text/csv").run()
    assert not at.exception
    name = str(at.selectbox(key="quiz_file").value)
    assert any("3 instances of 3 rows can be asked" in part.value for part in at.markdown)
    said = " ".join(caption.value for caption in at.caption).replace("\\", "")
    assert "Option D is empty in 1 row (2)." in said
    assert "Option D is the original itself in 1 row (3)." in said
    at.text_input(key=f"dataset_title_{name}").set_value("My Rivers").run()
    at.selectbox(key="dataset_role").set_value(PartitionRole.CONTROL).run()
    at.button(key="quiz_file_import").click().run()
    assert not at.exception
    assert "Imported as My Rivers, test." in at.success[0].value.replace("\\", "")
    kept = samples.listing(fresh_store)[0]
    assert (kept.title, kept.role, kept.n, kept.with_variants) == (
        "My Rivers", "control", 3, 3,
    )  # fmt: skip
    assert kept.source == "file:Rivers.csv"
    assert not at.info  # one state on the screen, not "no sample" beside it
    asked = [link.proto.query_string for link in at.get("page_link")]
    assert f"variants_sample={kept.id}" in asked
    assert at.button(key="quiz_file_import").proto.type == "secondary"
    assert at.button(key="quiz_file_next").proto.type == "primary"
    at.button(key="quiz_file_next").click().run()
    assert not at.exception
    assert at.title[0].value == "Quiz"
    assert at.selectbox(key="quiz_sample").value == kept.id


def test_a_corrected_quiz_is_of_the_same_partition_and_its_variants_are_offered(
    page: AppTest, fresh_store: Store
) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Published quiz").run()
    for text in (QUIZ, QUIZ.replace("a 0,", "a corrected 0,").replace("b 1,", "b corrected 1,")):
        at.file_uploader(key="quiz_file_upload").upload("Rivers.csv", text.encode(), "text/csv")
        at.run()
        at.button(key="quiz_file_import").click().run()
        assert not at.exception
    [kept] = samples.listing(fresh_store)
    assert kept.partition == "Rivers/test"
    sample_id = kept.id
    assert "2 variants of the file differ" in letters(at.info[0].value)
    instances = samples.load(fresh_store, sample_id).instances
    mine = variants.NewVariant(instances[0].id, 0, "The *river* 0 is mine", "person", "Bob")
    variants.add(fresh_store, sample_id, [mine])
    at.run()
    assert "because a person wrote" in letters(" ".join(c.value for c in at.caption))
    at.button(key="quiz_file_variants").click().run()
    assert not at.exception
    now = variants.current(fresh_store, sample_id)
    assert now[instances[0].id][0].text == "The *river* 0 is mine"
    assert now[instances[1].id][1].text == "b corrected 1"
    assert now[instances[1].id][1].origin == "imported:Rivers/test"


def test_a_published_quiz_with_columns_of_other_names(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Published quiz").run()
    renamed = QUIZ.replace("instance", "text").replace("option_", "v_")
    at.file_uploader(key="quiz_file_upload").upload("r.csv", renamed.encode(), "text/csv").run()
    assert "Choose the instance and at least three options" in at.info[-1].value
    name = str(at.selectbox(key="quiz_file").value)
    for wanted, column in (("instance", "text"), ("option_a", "v_a"), ("option_b", "v_b")):
        at.selectbox(key=f"quiz_file_{wanted}_{name}").set_value(column).run()
    at.selectbox(key=f"quiz_file_option_c_{name}").set_value("v_c").run()
    assert not at.error
    at.button(key="quiz_file_import").click().run()
    assert not at.exception
    assert [s.n for s in samples.listing(fresh_store)] == [3]


def test_a_bad_published_quiz_is_one_sentence(page: AppTest) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Published quiz").run()
    hollow = "instance,option_a,option_b,option_c\n![x](http://b/c),a,a,a\n"
    at.file_uploader(key="quiz_file_upload").upload("q.csv", hollow.encode(), "text/csv").run()
    assert not at.exception
    assert "no row that can be asked" in at.error[0].value.replace("\\", "")
    assert "![" not in at.error[0].value


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_file_is_filled_in_and_can_be_changed(
    language: str, page: AppTest, fresh_store: Store
) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    data = "title,text\n" + "".join(f'A title,"{text}"\n' for text in TEXTS[language])
    at.file_uploader(key="dataset_upload").upload("a.csv", data.encode(), "text/csv").run()
    field = at.text_input(key=f"dataset_language_{language}")
    assert field.value == language
    said = f"so their language was taken as {language}; change it"
    assert any(said in letters(one.value) for one in at.caption)
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    assert samples.listing(fresh_store)[0].language == language
    at.text_input(key=f"dataset_language_{language}").set_value("../x").run()
    assert "no code of a language" in letters(at.error[0].value)
    at.text_input(key=f"dataset_language_{language}").set_value("ky").run()
    assert not any(said in letters(one.value) for one in at.caption)
    at.button(key="dataset_draw").click().run()
    assert samples.listing(fresh_store)[0].language == "ky"
    # The column with the titles is in Latin letters, which tell nothing.
    at.selectbox(key="dataset_text_title_text").set_value("title").run()
    assert at.text_input(key="dataset_language_en").value == "en"


def test_an_own_template_shows_what_it_says(page: AppTest) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    at.file_uploader(key="dataset_upload").upload("rivers.csv", CSV.encode(), "text/csv").run()
    at.segmented_control(key="dataset_how").set_value("Own template").run()
    at.text_area(key="dataset_template_body_class").set_value("Q: {body}").run()
    assert "Q: The :red[lake] is *deep*" in _code(at)
    at.text_area(key="dataset_template_body_class").set_value("Q: {nobody}").run()
    assert 'no column "nobody"' in letters(at.error[0].value)


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
    assert fix in letters(at.error[0].value)


def test_a_column_of_bytes_is_one_sentence(page: AppTest, tmp_path: Path) -> None:
    """As data sets of pictures have them."""
    path = tmp_path / "pictures.parquet"
    pq.write_table(pa.table({"text": [b"\xff\x00"] * 5, "label": [[1, 2]] * 5}), path)
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    at.file_uploader(key="dataset_upload").upload(path.name, path.read_bytes(), "").run()
    assert not at.exception
    assert "bytes" in letters(at.error[0].value)


def test_a_role_can_be_changed_afterwards(page: AppTest, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    at = page.run()
    at.selectbox(key=f"dataset_role_{sample_id}").set_value(PartitionRole.POSITIVE).run()
    assert not at.exception
    assert samples.load(fresh_store, sample_id).partition.role is PartitionRole.TARGET
    assert not at.warning  # no verdict rests on it: only the name is asked for
    assert at.button(key="dataset_role_yes").disabled
    at.text_input(key="people_author").set_value("Ada").run()
    at.button(key="dataset_role_yes").click().run()
    assert not at.exception
    assert samples.load(fresh_store, sample_id).partition.role is PartitionRole.POSITIVE
    given = partitions.role_history(fresh_store, "rivers/test")
    assert [one.author for one in given] == ["Ada", ""]
    assert any("Role: target" in letters(c.value) and "positive" in c.value for c in at.caption)


async def test_a_role_that_verdicts_rest_on_changes_only_by_name_and_on_purpose(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = samples.save(fresh_store, small_sample())
    await take(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD).quiz, "always-d"
    )
    for name in ("Ada", "Bob"):
        seen = next(iter(variants.current(fresh_store, sample_id).values()))[0]
        reviews.decide(fresh_store, sample_id, [seen], variants.Decision.ACCEPTED, name)

    def role() -> PartitionRole:
        return samples.load(fresh_store, sample_id).partition.role

    key = f"dataset_role_{sample_id}"
    at = page.run()
    at.selectbox(key=key).set_value(PartitionRole.CONTROL).run()
    assert not at.exception
    assert role() is PartitionRole.TARGET
    assert "1 run asked about Rivers test" in letters(at.warning[0].value)
    assert at.button(key="dataset_role_yes").disabled
    at.button(key="dataset_role_no").click().run()
    assert (role(), at.selectbox(key=key).value) == (PartitionRole.TARGET, PartitionRole.TARGET)
    assert not at.warning
    at.selectbox(key=key).set_value(PartitionRole.CONTROL).run()
    at.text_input(key="people_author").set_value("Ada").run()
    at.button(key="dataset_role_yes").click().run()
    assert not at.exception
    assert role() is PartitionRole.CONTROL
    given = partitions.role_history(fresh_store, "rivers/test")
    assert [one.author for one in given] == ["Ada", ""]
    assert any("→ control by Ada" in letters(c.value) for c in at.caption)


def test_a_file_of_a_catalogue_entrys_name_stays_apart(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.button(key="dataset_draw").click().run()
    control = samples.listing(fresh_store)[0]
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    csv = "premise,label\nA seen text,1\nAnother,0\n"
    at.file_uploader(key="dataset_upload").upload("news.csv", csv.encode(), "text/csv").run()
    name = at.selectbox(key="dataset_file").value
    at.text_input(key=f"dataset_title_{name}").set_value("control-news").run()
    at.segmented_control(key="dataset_how").set_value("Own template").run()
    at.text_area(key="dataset_template_premise_label").set_value("{premise}").run()
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    assert not at.error
    kept = {sample.partition: sample for sample in samples.listing(fresh_store)}
    assert set(kept) == {"control-news/test", "control-news-2/test"}
    same = kept["control-news/test"]
    assert (same.role, same.title, same.source) == (control.role, control.title, control.source)
    assert kept["control-news-2/test"].role is PartitionRole.TARGET
    assert any("Saved as control-news-2/test" in letters(said.value) for said in at.markdown)


def test_a_store_with_variants_of_no_instance_is_shown(page: AppTest, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(2))
    foreign = [
        variants.NewVariant(f"foreign-{number}", slot, "text", "bundled")
        for number in range(5)
        for slot in range(4)
    ]
    variants.add(fresh_store, sample_id, foreign)
    at = page.run()
    assert not at.exception
    assert [s.with_variants for s in samples.listing(fresh_store)] == [2]
    for name in ("variants", "quiz", "overview"):
        assert not at.switch_page(f"pages/{name}.py").run().exception


def test_a_target_and_its_control_are_drawn_by_date(page: AppTest, fresh_store: Store) -> None:
    at = page.run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    rows = [f"News {k}.,202{3 + k % 2}-05-01" for k in range(20)]
    at.file_uploader(key="dataset_upload").set_value(
        ("news.csv", "\n".join(["text,day", *rows]).encode(), "text/csv")
    ).run()
    at.selectbox(key="dataset_date_text_day").set_value("day").run()
    at.text_input(key="dataset_until").set_value("2023-10").run()
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    at.text_input(key="dataset_until").set_value("").run()
    at.text_input(key="dataset_after").set_value("gpt-4o").run()
    at.selectbox(key="dataset_role").set_value(PartitionRole.CONTROL).run()
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    kept = {one.partition: (one.n, one.role) for one in samples.listing(fresh_store)}
    assert kept == {
        "news/test-until-2023-10-31": (10, "target"),
        "news/test-after-2023-10-31": (10, "control"),
    }
    at.text_input(key="dataset_after").set_value("no such model").run()
    assert any("DCQ_CUTOFFS" in one.value.replace("\\", "") for one in at.error)
    at.button(key="dataset_draw").click().run()
    assert not at.exception
    assert len(samples.listing(fresh_store)) == 2
