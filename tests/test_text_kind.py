"""What kind of texts a sample has, and how far a control is from its target."""

from __future__ import annotations

from dataclasses import replace

from dcq.evidence.check import Mark, Topic
from dcq.judging.checks import kind_of_text
from dcq.judging.judged import JudgedResult
from dcq.records import Instance
from dcq.store import Store
from dcq.text_kind import LETTER, NO_LABEL, NUMBER, WORDS, text_kind
from tests.conftest import small_sample
from tests.support.cases import evidence
from tests.support.judged import UNSEEN, of, put, put_controls


def _of(label: str | None, text: str = "one two three") -> Instance:
    return Instance(text, label=label)


def test_length_words_and_form_of_labels_are_read() -> None:
    kind = text_kind([_of("42"), _of("7 %"), _of("many")])
    assert kind is not None
    assert (kind.length, kind.labels) == (3.0, NUMBER)
    assert kind.commonest == {"one", "two", "three"}
    for labels, form in ((["B"], LETTER), (["World news"], WORDS), ([None], NO_LABEL)):
        found = text_kind([_of(label) for label in labels])
        assert found is not None
        assert found.labels == form


def test_texts_that_are_not_there_have_no_kind() -> None:
    assert text_kind([]) is None
    assert text_kind([_of("World", "ab" * 32)]) is None


def test_the_checklist_says_how_far_controls_are(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", UNSEEN)
    [check] = [c for c in of(fresh_store, "rivers").verdict.checks if c.topic is Topic.TEXT]  # type: ignore[union-attr]  # it has a verdict
    assert check.mark is Mark.GOOD
    assert "about as long as the target" in check.sentence


def test_another_kind_of_text_is_a_caution() -> None:
    target, control = (text_kind(small_sample(6, key=key).instances) for key in ("rivers", "lakes"))
    longer = text_kind(
        [replace(one, text=one.text * 5) for one in small_sample(6, key="lakes").instances]
    )
    assert control is not None
    result = JudgedResult(
        evidence(texts=target), (evidence(texts=control), evidence(place="Tales", texts=longer))
    )
    check = kind_of_text(result)
    assert check is not None
    assert (check.topic, check.mark) == (Topic.TEXT, Mark.CAUTION)
    assert "Tales (5.0 times longer)" in check.sentence
