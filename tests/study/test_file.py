"""A study's file, read: what it says, and one sentence for every mistake."""

from __future__ import annotations

import json
import re
import time
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dcq.errors import InputError
from dcq.investigation.control_sizes import SMALL, SMALL_CONTROLS
from dcq.models.pacing.limits import Limits
from dcq.places import DATA
from dcq.records import DatasetTask, PartitionRole, QuizKind
from dcq.store import studies
from dcq.study import shape
from dcq.study.draft import Draft, write_draft
from dcq.study.file import MOST_BYTES, read_study, read_text
from dcq.study.spec import ControlSource, ControlSpec, ModelSpec, StudySpec

GOOD = """\
[study]
name = "nightly"
budget = 5

[[target]]
dataset = "mine"
file = "my.csv"
text = "q"
label = "a"
n = 40

[[target]]
dataset = "ag_news"

[rewordings]
model = "offline"

[[model]]
name = "gpt-4o"
settings = {concurrency = 4, rpm = 60.5}

[[model]]
name = "llama@http://127.0.0.1:8000/v1"
cutoff = "2024-01"

[methods]
quiz = 0.75
replication = 0.25
kind = "rotated"

[export]
report = "out/report.html"
"""


def read(folder: Path, text: str) -> StudySpec:
    path = folder / "study.toml"
    path.write_text(text, "utf-8")
    return read_study(path)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as raised:
        read(folder, text)
    sentence = str(raised.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


def test_a_file_says_what_is_to_be_known(tmp_path: Path) -> None:
    spec = read(tmp_path, GOOD)
    mine, news = spec.targets
    assert (spec.name, spec.budget, spec.kind) == ("nightly", 5.0, QuizKind.ROTATED)
    assert (mine.file, mine.text, mine.label, mine.n) == (tmp_path / "my.csv", "q", "a", 40)
    assert (news.dataset, news.split, news.n, news.seed) == ("ag_news", "test", 100, 0)
    assert spec.rewordings.model == ""
    assert spec.controls.source is ControlSource.BUNDLED
    assert spec.models[0] == ModelSpec("gpt-4o", 4, Limits(60.5, None))
    assert spec.models[1].cutoff == "2024-01"
    assert spec.weights == {"quiz": 0.75, "replication": 0.25}
    assert spec.exports == {"report": tmp_path / "out" / "report.html"}


# What is changed in the file, to what, and what the sentence says of it.
MISTAKES = [
    ("budget = 5", "budgt = 5", "line 3: study.budgt is no key; write budget"),
    ("budget = 5", "budget = nan", "line 3: study.budget is no finite number"),
    ("budget = 5", "budget = inf", "line 3: study.budget is no finite number"),
    ("budget = 5", "budget = -1", "line 3: study.budget must be above 0"),
    ("budget = 5", "budget = 0", "line 3: study.budget must be above 0"),
    ("budget = 5", 'budget = "5"', "line 3: study.budget is no number"),
    ("budget = 5", "budget = true", "line 3: study.budget is no number"),
    ('name = "nightly"', "", "line 1: study.name is missing"),
    ("nightly", "", "line 2: study.name is empty"),
    ("nightly", "n" * 81, "line 2: study.name is too long; write at most 80"),
    ("nightly", "run", "line 2: study.name cannot be used: “run” is a command of study"),
    ("nightly", "ni\\u0007", "line 2: study.name has a sign"),
    ("nightly", "ni\\u202e", "line 2: study.name cannot be used"),
    ("nightly", "nіghtly", "mixes Latin and Cyrillic"),
    ("n = 40", "n = 0", "line 10: target[1].n must be at least 1"),
    ("n = 40", "n = 1.5", "line 10: target[1].n is no whole number"),
    ("n = 40", "n = 99999999999", "line 10: target[1].n must be at most 2,147,483,647"),
    ("n = 40", "n = 40\nrole = 'unseen'", "line 11: target[1].role has another value"),
    ("n = 40", "n = 40\nrevision = 'main'", "line 11: target[1].revision is a dataset's on"),
    ("n = 40", "n = 40\ntemplate = 'Q: {q}'", "line 11: target[1].template names its columns"),
    ('text = "q"', 'template = "\\u001b"', "line 8: target[1].template has a control character"),
    ('label = "a"', 'label = "q"', "line 9: target[1].label is the column of the text"),
    ('label = "a"', 'lable = "a"', "line 9: target[1].lable is no key; write label"),
    ('label = "a"', 'language = "xx-yy-1"', "line 9: target[1].language cannot be used"),
    ('dataset = "ag_news"', 'dataset = "mine"', "line 12: target[2] names the same as target[1]"),
    ('dataset = "ag_news"', "", "line 12: target[2].dataset is missing"),
    ("[[target]]\n", "[target]\n", "cannot be read as TOML"),
    ("llama@http://127.0.0.1:8000/v1", "gpt-4o", "line 22: model[2] names the same as model[1]"),
    ("rpm", "temperature", "line 20: model[1].settings.temperature is no setting; write concurr"),
    ("rpm", "concurency", "line 20: model[1].settings.concurency is no key; write concurrency"),
    ("rpm = 60.5", "rpm = [1]", "line 20: model[1].settings.rpm is no number"),
    ("rpm = 60.5", "rpm = 0", "line 20: model[1].settings.rpm must be at least"),
    ("concurrency = 4", "concurrency = 9999", "line 20: model[1].settings.concurrency must be at"),
    ("{concurrency = 4, rpm = 60.5}", "4", "line 20: model[1].settings is no table"),
    ('cutoff = "2024-01"', 'cutoff = "2024-13"', "line 24: model[2].cutoff is no month"),
    ('cutoff = "2024-01"', "cutoff = 2024-01-01", "line 24: model[2].cutoff is no text"),
    ("quiz = 0.75", "quiz = 0.7", "line 26: methods gives weights that come to 0.95"),
    ("quiz = 0.75", "quiz = 1.7", "line 27: methods.quiz must be at most 1"),
    ("quiz = 0.75", "quiz = 0", "line 27: methods.quiz must be above 0"),
    ("quiz = 0.75", "quizz = 0.75", "line 27: methods.quizz is no key; write quiz"),
    ("quiz = 0.75", "overlap = 0.75", "line 27: methods.overlap is no key; those of methods are"),
    ("rotated", "bdq", "line 29: methods.kind has another value than it may have"),
    ("report.html", "report.doc", "line 32: export.report has another ending than report may"),
    ('report = "out', 'reports = "out', "line 32: export.reports is no key; write report"),
    ("report =", "hub =", "line 32: export.hub has another ending than hub may have; write .yaml"),
    ('report = "out/report.html"', "hub = 'h.yaml'", "line 32: export.hub is a file of one model"),
    ('report = "out/report.html"', "every-eval-ever = 'e.json'", "is a file of one model"),
    ('report = "out/report.html"', "quiz = 'q.csv'", "line 32: export.quiz is no key"),
    ("out/", ".github/", "line 32: export.report lies in a hidden file or folder"),
    ("[methods]", "[controls]\nfrom = 'own'\n[methods]", "controls.from is \"own\"; name the"),
    ("[methods]", "[controls]\nsamples = ['a']\n[methods]", "controls.samples goes with from"),
    ("[methods]", "[controls]\nfrom = 'later'\n[methods]", "controls.from is \"later\"; name the"),
    ("[methods]", "[controls]\ndate_column = 'd'\n[methods]", "controls.date_column goes with"),
    ("[methods]", "[controls]\nsamples = []\n[methods]", "line 27: controls.samples is empty"),
    (
        "[methods]",
        "[controls]\nfrom = 'own'\nsamples = [\n'a',\n'a']\n[methods]",
        "line 28: controls.samples[2] names the same as controls.samples[1]",
    ),
    ("[study]", "targets = 1\n[study]", "line 1: targets is no key; write target"),
    ("[study]", "[study]\nmodel = 'x'", "line 2: study.model is no key here; write a table"),
    ("budget = 5", "budget = 5\ncutoff = 'x'", "line 4: study.cutoff is no key here; write it as"),
    ("budget = 5", "budget = 5\nname = 'x'", "cannot be read as TOML: cannot overwrite a value"),
    ('"offline"', '"likelihood:x"', "rewordings.model scores texts and writes none"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES)
def test_a_mistake_is_one_sentence_with_its_key_and_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in GOOD
    sentence = refusal(tmp_path, GOOD.replace(old, new, 1))
    assert said in sentence
    assert sentence.startswith("study.toml")


def test_without_targets_or_models_there_is_no_study(tmp_path: Path) -> None:
    assert "study is missing" in refusal(tmp_path, "")
    assert "target is missing" in refusal(tmp_path, '[study]\nname = "x"\n[[model]]\nname = "m"')
    one = '[study]\nname = "x"\n[target]\ndataset = "ag_news"\n[[model]]\nname = "m"'
    assert "line 3: target is no array of tables; write [[target]]" in refusal(tmp_path, one)
    assert "line 1: target is empty" in refusal(
        tmp_path, "target = []\nmodel = []\n[study]\nname='x'"
    )


def test_what_is_no_text_in_utf_8_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    with pytest.raises(InputError, match="There is no file"):
        read_study(path)
    path.write_bytes(b"\xff\xfe[\x00")
    with pytest.raises(InputError, match="not in UTF-8"):
        read_study(path)
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_study(path).name == "nightly"
    assert "line 3: study.budgt" in refusal(tmp_path, GOOD.replace("budget", "budgt"))


HOSTILE = [
    "x = " + "[" * 20_000,
    "x = " + "{a = " * 20_000,
    ".".join(["a"] * 60_000) + " = 1",
    "[" + ".".join(['"a"'] * 40_000) + "]",
    "x = [\n" + "1,\n" * 60_000 + "]",
    "a = {" + ".".join(["b"] * 60_000) + " = 1}",
    "[[target]]\n" * 15_000,
    "\n".join(f"k{number} = 1" for number in range(15_000)),
    "n = " + "9" * 190_000,
    'x = "' + "a" * 190_000 + '"',
    "[study]\nname = '''\n" + "x\n" * 90_000 + "'''",
    "#" * MOST_BYTES * 2,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12].strip())
def test_a_strangers_file_takes_neither_time_nor_a_traceback(tmp_path: Path, text: str) -> None:
    begun = time.process_time()
    refusal(tmp_path, text)
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    "given", ["../my.csv", "/etc/passwd", "link.csv", "folder/secret.csv", "a/../../my.csv"]
)
def test_paths_stay_inside_the_folder_of_the_file(tmp_path: Path, given: str) -> None:
    folder = tmp_path / "study"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.csv").write_text("q\n")
    folder.mkdir()
    (folder / "link.csv").symlink_to(tmp_path / "elsewhere" / "secret.csv")
    (folder / "folder").symlink_to(tmp_path / "elsewhere")
    text = GOOD.replace("my.csv", given)
    assert "line 7: target[1].file leads out of the study's folder" in refusal(folder, text)
    assert read_text(text, folder / "study.toml", outside=True).targets[0].file
    (folder / "inside.csv").symlink_to(folder / "my.csv")
    assert read(folder, GOOD.replace("my.csv", "inside.csv")).targets[0].file == folder / "my.csv"
    assert "export.report leads out" in refusal(folder, GOOD.replace("out/report", "../report"))
    named = GOOD.replace('"gpt-4o"', f'"likelihood:{tmp_path}/model.gguf"')
    assert "model[1].name leads out" in refusal(folder, named)
    here = read(folder, GOOD.replace('"gpt-4o"', '"likelihood:./model.gguf"'))
    assert here.models[0].name == f"likelihood:{folder}/model.gguf"


def test_two_exports_and_the_study_itself_are_different_files(tmp_path: Path) -> None:
    (tmp_path / "a.zip").symlink_to(tmp_path / "out" / "report.html")
    twice = GOOD + 'bundle = "a.zip"\n'
    assert "line 33: export.bundle is the file of another export" in refusal(tmp_path, twice)
    (tmp_path / "b.zip").symlink_to(tmp_path / "study.toml")
    itself = GOOD + 'bundle = "b.zip"\n'
    assert "line 33: export.bundle is the study itself" in refusal(tmp_path, itself)


def test_a_study_bears_no_name_of_a_command(tmp_path: Path) -> None:
    for verb in studies.COMMANDS:
        assert "command of study" in refusal(tmp_path, GOOD.replace("nightly", verb))


# The schema and the reader


def test_the_published_schema_is_that_of_the_reader() -> None:
    published = json.loads((DATA / "study.schema.json").read_text("utf-8"))
    assert published == shape.schema(), "write it again from dcq.study.shape.schema()"
    assert published["$id"] == shape.SCHEMA_ID
    jsonschema.Draft202012Validator.check_schema(published)


def test_the_words_of_the_shape_are_those_of_the_product() -> None:
    properties = shape.schema()["$defs"]
    assert properties["TargetTable"]["properties"]["task"]["enum"] == list(DatasetTask)
    assert properties["TargetTable"]["properties"]["role"]["enum"] == list(PartitionRole)
    assert properties["ControlsTable"]["properties"]["from"]["enum"] == list(ControlSource)


VALIDATOR = jsonschema.Draft202012Validator(shape.schema())


def agree(document: Any) -> bool:
    """Whether both take it; they must say the same."""
    try:
        shape.StudyFile.model_validate(document)
        reads = True
    except ValidationError:
        reads = False
    assert VALIDATOR.is_valid(document) == reads, document
    return reads


def test_schema_and_reader_refuse_the_same_mistakes() -> None:
    """The schema refuses most of them; the rest only the reader can know."""
    refused = 0
    for old, new, _ in MISTAKES:
        try:
            document = tomllib.loads(GOOD.replace(old, new, 1))
        except tomllib.TOMLDecodeError:
            continue
        if "nan" not in new:  # JSON does not have it
            refused += not agree(document)
    assert refused > len(MISTAKES) / 2


KEYS = sorted({key for table in shape.StudyFile.model_fields for key in (table,)} | {
    "name", "budget", "dataset", "file", "n", "seed", "from", "count", "samples", "settings",
    "cutoff", "quiz", "kind", "report", "accepted", "role", "x", "rpm", "concurrency",
    "date_column", "every-eval-ever",
})  # fmt: skip
LEAVES = st.one_of(
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([2**31, 10**30, 0.5, 40.0, 1.5, float("inf"), 2e9]),
    st.sampled_from(["", "a", "a\n", "\x07", "é", "a" * 81, "a" * 201, "m@https://h/v1"]),
    st.sampled_from(
        ["test", "own", "rotated", "target", "2024-01", "2024-01\n", "r.html", ".html", "e.json"]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.data())
def test_schema_and_reader_agree_on_any_change_of_a_file(data: st.DataObject) -> None:
    document = tomllib.loads(GOOD)
    assert agree(document)
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = document
        while True:
            if isinstance(place, dict):
                key: Any = data.draw(st.sampled_from([*place, *KEYS]))
            elif isinstance(place, list) and place:
                key = data.draw(st.integers(0, len(place) - 1))
            else:
                break
            known = (isinstance(place, list)) or key in place
            if known and isinstance(place[key], dict | list) and data.draw(st.booleans()):
                place = place[key]
                continue
            if isinstance(place, dict) and known and data.draw(st.booleans()):
                del place[key]
            else:
                place[key] = data.draw(VALUES)
            break
    agree(document)


# A file to begin with


@pytest.mark.parametrize(
    "draft",
    [
        Draft(),
        Draft(file="my.csv", text="q", label="a", models=("gpt-4o", "m@http://localhost/v1")),
        Draft(name='a "b" \\ c', file='f"oo.csv', text="ü", rewordings="gpt-4o", budget=0.25),
    ],
)
def test_a_file_to_begin_with_is_read_as_it_was_meant(tmp_path: Path, draft: Draft) -> None:
    text = write_draft(draft)
    spec = read(tmp_path, text)
    assert spec.name == draft.name
    assert [model.name for model in spec.models] == list(draft.models or ["embedded"])
    assert spec.rewordings.model == draft.rewordings
    assert spec.budget == draft.budget
    if draft.file:
        assert spec.targets[0].file == tmp_path / draft.file
    agree(tomllib.loads(text))
    opened = re.sub(r"(?m)^# (\[|\w+ = )", r"\1", text.replace("# budget = 5\n", ""))
    opened = opened.replace('from = "bundled"', 'from = "later"')
    said = read(tmp_path, opened)  # its comments hold
    assert set(said.exports) == {"report", "bundle", "pairs"}
    assert said.controls.date_column == "date"
    assert said.models[-1].cutoff == "2025-06"
    assert said.models[-1].limits.requests_per_minute == 500


def test_controls_are_by_default_those_that_investigate_proposes(tmp_path: Path) -> None:
    usual = ControlSpec(count=SMALL_CONTROLS, n=SMALL)
    least = '[study]\nname = "x"\n[[target]]\ndataset = "y"\n[[model]]\nname = "gpt-4o"\n'
    assert read_text(least, tmp_path / "study.toml").controls == usual
    drafted = write_draft(Draft())
    assert read_text(drafted, tmp_path / "study.toml").controls == usual
