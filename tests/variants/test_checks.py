import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Instance, Severity
from dcq.settings import DATA
from dcq.variants.checks import SIMILARITY_LOW, check, passes

NEWS = Instance(
    "Oil and stocks fell on Monday. Analysts at Kerrat Bank said the 12 % drop was severe.\n\n"
    "Label: 2 (Business)",
    label="2 (Business)",
    protected=("Label: 2 (Business)",),
)
GOOD = (
    "Oil and shares dropped on Monday. Experts at Kerrat Bank stated the 12 % fall was harsh.\n\n"
    "Label: 2 (Business)"
)


def names(text: str, original: Instance = NEWS, others: tuple[str, ...] = ()) -> set[str]:
    return {finding.check for finding in check(original, text, others)}


def test_a_fair_rewording_passes() -> None:
    assert check(NEWS, GOOD, ["another text"], similarity=0.9) == []


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_empty(text: str) -> None:
    assert names(text) == {"empty"}


@pytest.mark.parametrize("change", [str, str.upper, lambda text: f"  {text.replace(' ', '  ')}\n"])
def test_same_as_original_but_for_capitals_and_spaces(change: type[str]) -> None:
    assert names(change(NEWS.text)) == {"same-as-original"}


def test_duplicate() -> None:
    assert names(GOOD, others=(GOOD.replace("  ", " "),)) == {"duplicate"}


@pytest.mark.parametrize("sign", "\u200b\u00ad\ufe0f\u2060\ufeff\u202e\u034f")
def test_what_cannot_be_seen_makes_no_other_wording(sign: str) -> None:
    marked = NEWS.text.replace("e", f"e{sign}", 1)
    assert names(marked) == {"same-as-original"}
    assert names(GOOD.replace("e", f"e{sign}", 1), others=(GOOD,)) >= {"duplicate"}
    assert names(sign) == {"empty"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Label: 2 (Business)", "Label: 2 (Commerce)", "label-changed"),
        ("12 %", "13 %", "number-changed"),
        ("12 %", "twelve %", "number-changed"),
        ("Kerrat", "Sarrat", "name-changed"),
        ("12 %", "12 $", "symbol-changed"),
        ("fell on", "fell, on", "punctuation-changed"),
        ("\n\n", " ", "layout-changed"),
    ],
)
def test_what_must_stay(before: str, after: str, expected: str) -> None:
    original = Instance(NEWS.text) if expected != "label-changed" else NEWS
    text = GOOD.replace("dropped", "fell").replace(before, after)
    assert names(text, original) == {expected}


@pytest.mark.parametrize(
    "label",
    [
        "Label: 2 (Business) maybe",
        "maybe Label: 2 (Business)",
        "Label: 2 (Business)\nor not",
        "Label: 2 (Business)\nLabel: Sports",
        "Label: 2 (business)",
    ],
)
def test_what_is_added_to_the_label_line_changes_the_label(label: str) -> None:
    text = GOOD.replace("Label: 2 (Business)", label)
    assert "label-changed" in names(text)


def test_a_protected_part_within_a_line_may_have_words_around_it() -> None:
    original = Instance("the river is long and wide", protected=("river",))
    assert "label-changed" not in names("the river is lengthy and broad", original)
    assert "label-changed" in names("the brook is lengthy and broad", original)


@pytest.mark.parametrize(
    "label", ["Label: 2  (Business)", " Label: 2 (Business) ", "Ｌabel: 2 (Business)"]
)
def test_spaces_and_forms_of_characters_do_not_change_the_label(label: str) -> None:
    assert "label-changed" not in names(GOOD.replace("Label: 2 (Business)", label))


def test_a_sentence_names_what_changed() -> None:
    [finding] = check(Instance("It cost 1,200 in all here."), "It took 1,300 in all here.")
    assert finding.severity is Severity.ERROR
    assert "“1,200” is missing" in finding.sentence
    assert "“1,300” is new" in finding.sentence


def test_kinds_of_quotation_mark_and_dash_are_no_change() -> None:
    original = Instance("She said: “It’s late” – and left the old house.")
    assert names('She said: "It\'s late" - and quit the old house.', original) == set()


def test_capitals_of_a_headline_or_of_german_nouns_are_no_names() -> None:
    headline = Instance("Oil and Economy Cloud Stocks' Outlook")
    assert names("Oil and Finance Darken Stocks' Outlook", headline) == set()
    german = Instance("Der Hund sucht im Garten den alten Knochen und findet eine Wurst.")
    text = "Der Hund sucht im Hof den alten Knochen und entdeckt eine Wurst."
    assert names(text, german) == set()


def test_possessives_verses_and_sentence_starts_are_no_names() -> None:
    original = Instance("Then Mary's boy ran. Later 3:16 But Mary saw him and Mary's men fled.")
    text = "Then Mary's lad ran. Then 3:16 Yet Mary saw him and the men of Mary fled."
    assert "name-changed" not in names(text, original)


@pytest.mark.parametrize(("times", "severity"), [(1.5, "warning"), (4, "error")])
def test_length(times: float, severity: str) -> None:
    text = "word other " * 20
    longer = "term other " * round(20 * times)
    found = {f.check: f.severity.value for f in check(Instance(text), longer)}
    assert found["length"] == severity
    assert found["word-count"] == "warning"


def test_too_few_and_too_many_words_changed() -> None:
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(100)]
    original = Instance(" ".join(words))

    def changed(number: int) -> dict[str, str]:
        text = " ".join([word.upper() + "x" for word in words[:number]] + words[number:])
        return {f.check: f.severity.value for f in check(original, text)}

    assert changed(4) == {"changed-few": "warning"}
    assert changed(5) == {}
    assert changed(80) == {}
    assert changed(81) == {"changed-many": "warning"}
    assert changed(96) == {"changed-all": "error"}


def test_a_refusal_in_the_place_of_a_variant_is_an_error() -> None:
    assert not passes(check(NEWS, "I'm sorry, but I cannot help with rewording this text."))


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [(None, set()), (SIMILARITY_LOW, set()), (SIMILARITY_LOW - 0.01, {"meaning-drift"})],
)
def test_meaning_drift(similarity: float | None, expected: set[str]) -> None:
    assert {f.check for f in check(NEWS, GOOD, [], similarity)} == expected


def test_chinese_is_compared_word_by_word() -> None:
    original = Instance("他昨天在北京买了3本很贵的书。")
    assert names("他昨天在北京购了3本很贵的书。", original) == set()
    assert "number-changed" in names("他昨天在北京购了4本很贵的书。", original)


FAIR = {
    "de": (
        "Der Stadtrat von Kerrat hat am Montag zwei alte Fabriken geschlossen; 600 Leute gingen.",
        "Der Stadtrat von Kerrat hat am Montag zwei alte Werke stillgelegt; 600 Menschen gingen.",
    ),
    "zh": (
        "国务院发言人周一表示，受暴雨影响，该市两座工厂已经停产，约600名工人返回家乡。",
        "国务院发言人周一声明，因暴雨影响，该市两座工厂已经停工，约600名工人回到故乡。",
    ),
    "ja": (
        "政府は月曜日、二つの工場が操業を停止したと発表した。",
        "政府は月曜日、二つの工場が稼働を中止したと公表した。",
    ),
    "th": ("รัฐบาลประกาศว่าโรงงานสองแห่งหยุดทำงานแล้ว", "รัฐบาลแถลงว่าโรงงานสองแห่งหยุดดำเนินการแล้ว"),
    "hi": (
        "सरकार ने सोमवार को कहा कि भारी बारिश के कारण दो कारखाने बंद हो गए हैं।",
        "सरकार ने सोमवार को बताया कि तेज बारिश की वजह से दो कारखाने ठप हो गए हैं।",
    ),
    "ar": (
        "أعلنت البلدية، يوم الاثنين، إغلاق جسرين بعد عاصفة قوية؛ هل يعودان قبل ٣٫٥ أشهر؟",
        "ذكرت البلدية، يوم الاثنين، غلق جسرين عقب عاصفة شديدة؛ هل يعودان قبل ٣٫٥ أشهر؟",
    ),
    "fa": (
        "مردم می\u200cخواهند کتاب\u200cهای تازه بخرند و در خانه بخوانند.",
        "مردم مایل\u200cاند کتاب\u200cهای نو تهیه کنند و در منزل بخوانند.",
    ),
    "he": (
        "ראש העירייה אמר אתמול שצה״ל סגר שני גשרים.",
        "ראש העירייה טען אתמול שצה״ל חסם שני גשרים.",
    ),
    "tr": (
        "Belediye dün İstanbul'da fırtına yüzünden iki eski köprüyü kapattı.",
        "Belediye dün İstanbul'daki fırtına nedeniyle iki eski köprüyü trafiğe kapadı.",
    ),
    "km": ("ខ្ញុំ\u200bបាន\u200bទិញ\u200bសៀវភៅ", "ខ្ញុំបានជាវសៀវភៅ"),
}


@pytest.mark.parametrize("language", FAIR)
def test_a_fair_rewording_passes_in_any_language(language: str) -> None:
    source, text = FAIR[language]
    assert check(Instance(source), text, language=language) == []


@pytest.mark.parametrize("language", FAIR)
def test_a_text_in_another_language_is_another_text(language: str) -> None:
    translated = "The town's council said on Monday that two old factories were shut by the storm."
    assert not passes(check(Instance(FAIR[language][0]), translated, language=language))


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("他买了３本书。", "他购了3本书。", {"digits-changed"}),
        ("اشترى ٣ كتب جديدة أمس.", "ابتاع 3 كتب جديدة أمس.", {"digits-changed"}),
        ("اشترى ٣ كتب جديدة أمس.", "ابتاع ٤ كتب جديدة أمس.", {"number-changed"}),
        ("约六百名工人返回家乡。", "约七百名工人回到家乡。", {"numeral-changed"}),
        ("他有两个兄弟。", "他有二个弟兄。", set()),
        ("他一起走了。", "他一块走了。", set()),
    ],
)
def test_numbers_in_other_digits_and_numerals(source: str, text: str, expected: set[str]) -> None:
    assert names(text, Instance(source)) == expected


def test_a_rewording_in_german_may_change_any_noun() -> None:
    source = Instance("Dann kam er endlich zu dem großen alten Haus am See.")
    text = "Dann ging er endlich zu dem großen alten Gebäude am See."
    assert not passes(check(source, text))
    assert passes(check(source, text, language="de"))


def test_invisible_marks_of_direction_are_named() -> None:
    [finding] = check(
        Instance("أعلنت البلدية\u200f إغلاق الجسرين."), "ذكرت البلدية غلق الجسرين.", language="ar"
    )
    assert finding.severity is Severity.WARNING
    assert "“right-to-left mark” is missing" in finding.sentence


def test_full_width_punctuation_of_a_label_is_no_change() -> None:
    original = Instance("文章: 工厂停产了。\n标签: 0 (国际)", protected=("标签: 0 (国际)",))
    assert passes(check(original, "文章：工厂停工了。\n标签： 0 （国际）"))
    assert not passes(check(original, "文章：工厂停工了。\n标签： 1 （体育）"))


def test_markup_braces_and_length_pass_untouched() -> None:
    text = "<b>{0} A) the old house</b> " * 800
    found = check(Instance(text), text.replace("house", "home"))
    assert len(text) > 20_000
    assert found == []
    assert not passes(check(Instance(text), text.replace("{", "(").replace("house", "home")))


def test_warnings_pass_and_errors_do_not() -> None:
    findings = check(NEWS, GOOD.replace("12", "13").replace("Monday.", "Monday;"))
    assert {finding.severity for finding in findings} == {Severity.ERROR, Severity.WARNING}
    assert not passes(findings)
    assert passes(finding for finding in findings if finding.severity is Severity.WARNING)


any_text = st.text() | st.text(
    "中文三百หนังสือเล่ม๓٣٫٥كِتَاب\u200c\u200fצה״לकिताबें İß。、؟ \ud800", max_size=40
)


@given(
    any_text,
    any_text,
    st.lists(any_text, max_size=2),
    st.lists(any_text, max_size=2),
    st.sampled_from(["en", "de", "zh", "ar", "tr", "th", "", "no such language"]),
)
def test_any_texts_are_checked(
    source: str, text: str, others: list[str], fixed: list[str], language: str
) -> None:
    findings = check(Instance(source, protected=tuple(fixed)), text, others, language=language)
    assert all(finding.sentence.endswith(".") for finding in findings)


def worded(row: Mapping[str, Any], variant: str | Mapping[str, str]) -> tuple[str, str]:
    """What a variant rewords, and its wording: one field of its row, or those that it names."""
    if isinstance(variant, str):
        return next(row[key] for key in ("text", "summary", "question") if key in row), variant
    return "\n".join(row[key] for key in variant), "\n".join(variant.values())


@pytest.mark.parametrize("path", sorted((DATA / "control").glob("*.jsonl")), ids=lambda p: p.stem)
def test_hand_written_variants_nearly_all_pass(path: Path) -> None:
    failed = total = 0
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        pairs = [worded(row, variant) for variant in row["variants"]]
        for index, (text, variant) in enumerate(pairs):
            others = [other for place, (_, other) in enumerate(pairs) if place != index]
            failed += not passes(check(Instance(text), variant, others))
            total += 1
    assert total >= 40
    assert failed <= total * 0.02
