"""A published quiz as a sample: what is sound is taken, what is not is named by its row."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.audit.release_sample import About, read, save
from dcq.errors import InputError
from dcq.evidence.check import Mark, Topic
from dcq.files import sample_file
from dcq.quiz import freeze, preview
from dcq.records import DatasetTask, PartitionRole, QuizKind
from dcq.store import Store, quizzes, samples, variants
from dcq.variants.writer_words import writer_words
from tests.conftest import small_sample
from tests.support.judged import of, put_controls
from tests.support.languages import TEXTS
from tests.support.runs import answer

HEADER = ("instance", "option_a", "option_b", "option_c", "option_d")
GOOD = ("text: a brook\nlabel: 1 (wet)", "a beck", "a creek", "a river", "a stream")


def published(
    path: Path, rows: Sequence[Sequence[str]], header: Sequence[str] = HEADER, **dialect: Any
) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, **dialect)
        writer.writerow(header)
        writer.writerows(rows)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "brooks.csv"


def test_slots_and_other_columns_stay_as_they_are(file: Path) -> None:
    header = ("label", *HEADER, "bdq_results", "generated_options")
    published(file, [("1 (wet)", *GOOD, "E", "A)\n…")], header)
    found = read(file)
    [instance] = found.sample.instances
    assert instance.text == GOOD[0]
    assert instance.fields == {
        "label": "1 (wet)", "bdq_results": "E", "generated_options": "A)\n…",
    }  # fmt: skip
    assert (instance.label, instance.protected) == ("1 (wet)", ("label: 1 (wet)",))
    assert found.sample.variants == {instance.id: GOOD[1:]}
    assert (found.left_out, found.counts()) == (0, dict.fromkeys(found.defects, 0))
    partition = found.sample.partition
    assert (partition.id, partition.title, partition.role) == ("brooks/test", "brooks", "target")
    assert partition.source == "file:brooks.csv"


REPLIED = (
    "A)\ntext: a beck\nlabel: 1 (wet)\n\nB)\ntext: a creek\nlabel: 1 (wet)\n\n"
    "C)\ntext: a river\nlabel: 1 (wet)\n\nD)\ntext: a stream\nlabel: 1 (wet)"
)
READ = tuple(
    f"text: {word}\nlabel: 1 (wet)" for word in ("a beck", "a creek", "a river", "a stream")
)


def test_options_that_are_lacking_are_read_from_the_raw_reply(file: Path) -> None:
    """The authors' ``generated_options`` has the whole reply; read as theirs are, and as ours."""
    header = (*HEADER, "generated_options")
    texts = [f"text: brook {number}\nlabel: 1 (wet)" for number in range(7)]
    rows = [
        (texts[0], "", " ", "", "", REPLIED),
        (texts[1], *READ, "I cannot do that."),  # not needed
        (texts[2], "", "", "", "", "I cannot do that."),
        (texts[3], READ[0], "", *READ[2:], REPLIED),
        (texts[4], READ[0], "", *READ[2:], REPLIED.partition("\n\nD)")[0]),  # which one lacks?
        (texts[5], "", "", "", "", REPLIED.partition("\n\nD)")[0]),
        (texts[6], "", "", "", "", ""),
    ]
    found = read(published(file, rows, header))
    taken = {one.text: found.sample.variants[one.id] for one in found.sample.instances}
    assert taken == {
        texts[0]: READ,
        texts[1]: READ,
        texts[3]: READ,
        texts[4]: (READ[0], "", *READ[2:]),
        texts[5]: (*READ[:3], ""),
    }
    assert found.from_replies == (1, 4, 6)
    assert found.defects["unread_replies"] == (3, 5)
    assert found.left_out == 2
    said = " ".join(found.sentences)
    assert "Options are read from the reply in generated_options in 3 rows (1, 4, 6)." in said
    assert "does not give the options that are lacking in 2 rows (3, 5)." in said
    assert "2 of 7 rows are left out (3, 7)." in said
    first = found.sample.instances[0]
    assert first.fields == {"generated_options": REPLIED}


@pytest.mark.parametrize("mapped", [{}, {"generated_options": "raw"}])
def test_a_file_may_have_the_replies_alone(file: Path, mapped: dict[str, str]) -> None:
    header = ("instance", mapped.get("generated_options", "generated_options"))
    found = read(published(file, [(GOOD[0], REPLIED)], header), About(columns=mapped))
    assert list(found.sample.variants.values()) == [READ]
    with pytest.raises(InputError, match="no column option_a"):
        read(published(file, [(GOOD[0], REPLIED)], ("instance", "something")))


def test_each_defect_is_named_by_its_row_and_what_is_sound_goes_on(file: Path) -> None:
    rows = [
        GOOD,
        ("two", "", "b", "c", "d"),  # empty
        ("three", "a", " three ", "c", "d"),  # the original, but for white space
        ("four", "a", "b", "a", "d"),  # twice the same
        ("", "a", "b", "c", "d"),  # no instance
        ("two", "w", "x", "y", "z"),  # an instance again
        ("seven", "", "b", "b", "d"),  # two left
    ]
    found = read(published(file, rows))
    assert [i.text for i in found.sample.instances] == [GOOD[0], "two", "three", "four"]
    assert found.left_out == 3
    assert found.defects == {
        "unread_replies": (),
        "missing_options": (2, 7),
        "duplicate_options": (4, 7),
        "option_equals_original": (3,),
        "missing_instances": (5,),
        "repeated_instances": (6,),
    }
    by_text = {i.text: found.sample.variants[i.id] for i in found.sample.instances}
    assert by_text["two"] == ("", "b", "c", "d")
    assert by_text["three"] == ("a", "", "c", "d")
    assert by_text["four"] == ("a", "b", "", "d")
    said = " ".join(found.sentences)
    for sentence in (
        "Option A is empty in 2 rows (2, 7).",
        "Option B is the original itself in 1 row (3).",
        "Option C repeats another option in 2 rows (4, 7).",
        "The instance is missing in 1 row (5).",
        "The instance is that of an earlier row in 1 row (6).",
        "Fewer than three options are usable in 1 row (7).",
        "3 of 7 rows are left out (5–7).",
    ):
        assert sentence in said


def test_what_has_the_original_at_d_makes_a_quiz_at_d_and_no_bdq(
    file: Path, fresh_store: Store
) -> None:
    rows = [(f"text {n}", f"a {n}", f"b {n}", f"c {n}", f"text {n}") for n in range(3)]
    found = read(published(file, rows))
    assert found.left_out == 0
    assert found.counts()["option_equals_original"] == 3
    assert "Option D is the original itself in 3 rows (1–3)." in found.sentences
    assert "so there is no bdq" in found.sentences[-1]
    assert "at D" in found.sentences[-1]
    sample = samples.save(fresh_store, found.sample)
    assert all(sorted(v) == [0, 1, 2] for v in variants.current(fresh_store, sample).values())
    slot, why, _ = freeze.propose_non_preferred(fresh_store, sample)
    assert (slot, "no instance has a variant for" in why) == (3, True)
    assert "no bdq" in preview.preview(fresh_store, sample, QuizKind.BCQ, slot="D").notes[0]
    for kind in (QuizKind.BCQ, QuizKind.STANDARD):
        made = freeze.freeze(fresh_store, sample, kind)
        assert made.slot == 3
        first = quizzes.load(fresh_store, made.quiz).items[0]
        assert first.options[:4] == ("a 0", "b 0", "c 0", "text 0")
        assert first.correct == 3
    with pytest.raises(InputError, match="3 of 4 variants usable"):
        freeze.freeze(fresh_store, sample, QuizKind.BDQ)


def test_a_gap_keeps_its_slot_in_the_store(file: Path, fresh_store: Store) -> None:
    sample = samples.save(fresh_store, read(published(file, [("t", "a", "", "c", "d")])).sample)
    [slots] = variants.usable_texts(fresh_store, sample).values()
    assert slots == {0: "a", 2: "c", 3: "d"}


def test_variants_that_are_there_already_stay(file: Path, fresh_store: Store) -> None:
    found = read(published(file, [GOOD]))
    bare = samples.save(fresh_store, replace(found.sample, variants={}))
    assert save(fresh_store, found) == bare  # it had none
    assert save(fresh_store, found) == bare  # it has the same
    other = read(published(file, [(*GOOD[:4], "a spring")]))
    assert save(fresh_store, other) == bare
    [(offered, _)] = sample_file.offer(fresh_store, bare, other.sample).new
    assert (offered.slot, offered.text) == (3, "a spring")
    assert variants.usable_texts(fresh_store, bare).popitem()[1][3] == GOOD[4]


def test_what_strangers_wrote_is_theirs_alone(file: Path, fresh_store: Store) -> None:
    found = read(published(file, [GOOD]))
    sample = save(fresh_store, found, author="Ada")
    [slots] = variants.current(fresh_store, sample).values()
    assert {(v.origin, v.author) for v in slots.values()} == {("imported:brooks/test", "Ada")}
    other = save(fresh_store, read(file, About(split="train")))
    control = samples.save(fresh_store, small_sample(key="control", role=PartitionRole.CONTROL))
    writers = variants.writers(fresh_store, [sample, other, control])
    assert len(set(writers.values())) == 3
    words = {writer_words(origin) for origin in writers.values()}
    assert words == {
        "imported from brooks/test", "imported from brooks/train", "those that came with the data",
    }  # fmt: skip


def test_a_bundled_control_is_no_yardstick_for_what_strangers_wrote(
    file: Path, fresh_store: Store
) -> None:
    put_controls(fresh_store)
    rows = [(f"the text {n}", *(f"the {w} {n}" for w in "pqrs")) for n in range(30)]
    about = About(dataset="rivers", task=DatasetTask.CLASSIFICATION)
    sample = save(fresh_store, read(published(file, rows), about))
    answer(
        fresh_store, freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz, {"D": 30}
    )
    verdict = of(fresh_store, "rivers").verdict
    assert verdict is not None
    [check] = [check for check in verdict.checks if check.topic is Topic.WRITER]
    assert check.mark is Mark.BAD
    assert "imported from rivers/test" in check.sentence


def test_the_language_is_guessed_where_it_is_not_given(file: Path) -> None:
    published(file, [(TEXTS["kk"][0], "бір", "екі", "үш", "төрт")])
    found = read(file)
    assert found.sample.partition.language == "kk"
    assert found.guessed is not None
    given = read(file, About(language="KY"))
    assert (given.sample.partition.language, given.guessed) == ("ky", None)
    for code in ("../x", "", "xx"):
        with pytest.raises(InputError, match="no code of a language"):
            read(file, About(language=code))


def test_columns_of_other_names_are_mapped(file: Path) -> None:
    published(file, [GOOD], ("text", "v1", "v2", "v3", "v4"))
    mapped = dict(zip(HEADER, ("text", "v1", "v2", "v3", "v4"), strict=True))
    assert read(file, About(columns=mapped)).sample.n == 1
    with pytest.raises(InputError, match=r"no column instance, option_a.*--map instance=COLUMN"):
        read(file)
    for wrong, fix in (
        ({"instance": "body"}, '"body"; there are: text, v1'),
        ({"option_x": "v1"}, "option_x"),
        (mapped | {"option_b": "v1"}, "v1 twice"),
    ):
        with pytest.raises(InputError, match=fix):
            read(file, About(columns=wrong))


def test_three_options_are_enough_and_capitals_of_columns_do_not_count(file: Path) -> None:
    published(file, [GOOD[:4]], ("Instance ", "Option_A", "option_b", "OPTION_C"))
    [texts] = read(file).sample.variants.values()
    assert texts == (*GOOD[1:4], "")


def test_what_the_prompt_will_say_and_what_is_known(file: Path) -> None:
    published(file, [GOOD])
    about = About(
        dataset="Brooks",
        split="validation",
        role=PartitionRole.CONTROL,
        task=DatasetTask.NLI,
        language="es",
    )
    partition = read(file, about).sample.partition
    assert (partition.key, partition.split, partition.title) == ("Brooks", "validation", "Brooks")
    assert (partition.role, partition.task, partition.language) == ("control", "nli", "es")
    known = read(file, About(dataset="gsm8k", split="train")).sample.partition
    assert (known.id, known.title, known.task) == ("gsm8k/train", "GSM8K", "question-answering")
    assert known.published is not None
    for bad in (About(dataset=" "), About(split="a\nb"), About(dataset="x" * 300)):
        with pytest.raises(InputError, match=r"Name the (dataset|split)"):
            read(file, bad)


@pytest.mark.parametrize(
    ("content", "fix"),
    [
        (b"", "no rows"),
        (b"instance,option_a,option_b,option_c\n", "no rows"),
        (b"a,b\n1,2\n", "no column instance"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "UTF-8"),
        (b"instance,option_a,option_b,option_c\nx,a,b,x\n,a,b,c\n", "row that can be asked"),
        (b'instance,option_a,option_b,option_c\n"x,a,b,c\n', "csv rules"),
        (b"instance,INSTANCE,option_a,option_b,option_c\nx,x,a,b,c\n", "instance twice"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(file: Path, content: bytes, fix: str) -> None:
    file.write_bytes(content)
    with pytest.raises(InputError, match=fix) as raised:
        read(file)
    assert "\n" not in str(raised.value)


def test_bom_line_ends_and_quotes_change_no_letter(file: Path) -> None:
    text = 'He said "no", {option_b}; <b>\r\nA) bold\n'
    published(file, [(text, "a,1", 'b"2"', "c\n3", "d;4")], quoting=csv.QUOTE_ALL)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    found = read(file)
    assert found.sample.instances[0].text == text
    assert list(found.sample.variants.values()) == [("a,1", 'b"2"', "c\n3", "d;4")]


def test_a_long_file_is_read_whole(file: Path) -> None:
    found = read(published(file, [(f"t{n}", "a", "b", "c", f"t{n}") for n in range(100_000)]))
    assert found.sample.n == 100_000
    assert max(map(len, found.sentences)) < 500


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS, CELLS), max_size=6))
def test_whatever_is_taken_can_be_asked(tmp_path: Path, rows: list[tuple[str, ...]]) -> None:
    path = published(tmp_path / "any.csv", rows, quoting=csv.QUOTE_ALL)
    try:
        found = read(path)
    except InputError:
        return
    assert found.sample.n + found.left_out == len(rows)
    for instance in found.sample.instances:
        texts = [text for text in found.sample.variants[instance.id] if text]
        assert len(texts) >= 3
        assert len({*texts, instance.text}) == len(texts) + 1
        assert (instance.text, *found.sample.variants[instance.id])[0] in {r[0] for r in rows}
