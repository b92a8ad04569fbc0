import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.records import Instance, Reply
from dcq.variants.reply import read_usable, read_variants

ORIGINAL = "Article: Oil is dear.\n\nLabel: 2 (Business)"
FIRST = "Article: Crude is dear.\n\nLabel: 2 (Business)"
SECOND = "Article: Oil is costly.\n\nLabel: 2 (Business)"
THIRD = "Article: Fuel is dear.\n\nLabel: 2 (Business)"
THREE = [FIRST, SECOND, THIRD]


def lettered(marker: str, letters: str = "ABC") -> str:
    return "\n\n".join(
        marker.replace("X", letter) + text for letter, text in zip(letters, THREE, strict=True)
    )


@pytest.mark.parametrize(
    "marker",
    [
        "X) ",
        "X)",
        "X. ",
        "X: ",
        "(X) ",
        "[X] ",
        "**X)** ",
        "**X.** ",
        "**(X)** ",
        "**X**: ",
        "**X**\n",
        "  X) ",
        "Option X: ",
        "Option X)\n",
        "**Option X:**\n\n",
        "### X\n",
        "### Option X\n\n",
        "- X) ",
    ],
)
def test_markers_that_models_write(marker: str) -> None:
    assert read_variants(lettered(marker), 3, ORIGINAL) == THREE


@pytest.mark.parametrize("letters", ["abc", "123"])
def test_other_alphabets(letters: str) -> None:
    assert read_variants(lettered("X) ", letters), 3, ORIGINAL) == THREE


def test_preamble_and_explanation_are_left_out() -> None:
    reply = f"Sure! Here is the quiz:\n\n{lettered('X) ')}\n\nI hope these options help."
    assert read_variants(reply, 3, ORIGINAL) == THREE


def test_rules_between_options_are_left_out() -> None:
    reply = lettered("X) ").replace("\n\nB)", "\n\n---\n\nB)") + "\n\n—"
    assert read_variants(reply, 3, ORIGINAL) == THREE


def test_a_code_fence_around_everything_or_each_option_is_left_out() -> None:
    whole = f"Here:\n```text\n{lettered('X) ')}\n```\nDone."
    each = "\n".join(f"{x})\n```\n{text}\n```" for x, text in zip("ABC", THREE, strict=True))
    assert read_variants(whole, 3, ORIGINAL) == THREE
    assert read_variants(each, 3, ORIGINAL) == THREE


def test_a_code_fence_of_the_text_itself_stays() -> None:
    original = "Explain:\n```\nx = 1\n```"
    option = "Describe:\n```\nx = 1\n```"
    assert read_variants(f"A) {option}", 1, original) == [option]


def test_emphasis_around_a_whole_option_is_left_out() -> None:
    assert read_variants("**A) one**\n**B) two**", 2, "zero") == ["one", "two"]


def test_missing_and_extra_options() -> None:
    assert read_variants(f"A) {FIRST}", 3, ORIGINAL) == [FIRST]
    assert read_variants(lettered("X) "), 2, ORIGINAL) == [FIRST, SECOND]
    assert read_variants("A) a\nB)\nC) c", 3, "x") == ["a", "c"]


def test_lines_of_the_text_that_look_like_markers_stay_in_the_text() -> None:
    original = "Which one?\nA) red\nB) blue"
    options = ["Which?\nA) crimson\nB) azure", "What one?\nA) ruby\nB) navy"]
    reply = f"A) {options[0]}\n\nB) {options[1]}"
    assert read_variants(reply, 2, original) == options


def test_a_marker_out_of_turn_is_text() -> None:
    reply = "A) He said:\nC) never\nB) She said:\nD. Jones came."
    assert read_variants(reply, 2, "x") == ["He said:\nC) never", "She said:\nD. Jones came."]


def test_a_sentence_that_opens_with_an_article_is_no_marker() -> None:
    reply = "A man came.\nA) A man arrived."
    assert read_variants(reply, 1, "A man went.") == ["A man arrived."]


def test_one_option_needs_no_marker_and_more_do() -> None:
    assert read_variants("Fuel is dear.", 1, "Oil is dear.") == ["Fuel is dear."]
    assert read_variants("Fuel is dear.", 2, "Oil is dear.") == []
    assert read_variants("  \n ", 1, "Oil is dear.") == []


def test_the_white_space_around_the_original_is_put_back() -> None:
    assert read_variants("A) def f():\n    pass", 1, "\n\ndef g():\n    pass\n") == [
        "\n\ndef f():\n    pass\n"
    ]


@given(st.text(), st.integers(1, 4), st.text())
def test_any_reply_is_read_without_error(reply: str, wanted: int, original: str) -> None:
    assert len(read_variants(reply, wanted, original)) <= wanted


PARTS = st.sampled_from(
    ["A)", "**", "B.", "(C)", "```", "\n", "\n\n", " ", "text", "Option D:", "1.", "#", "—", "{x}"]
)


@given(st.lists(PARTS).map("".join), st.integers(1, 4), st.lists(PARTS).map("".join))
def test_any_heap_of_markers_is_read_without_error(reply: str, wanted: int, source: str) -> None:
    assert len(read_variants(reply, wanted, source)) <= wanted


LINE = st.text(st.characters(codec="utf-8", categories=["Ll", "Nd", "Zs"]), min_size=1).map(
    lambda line: f"x{line.strip()}x"
)
OPTION = st.lists(LINE, min_size=2, max_size=3).map("\n".join)


@given(st.lists(OPTION, min_size=1, max_size=4), OPTION)
def test_well_formed_options_come_back_as_they_are(options: list[str], original: str) -> None:
    reply = "\n\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", options, strict=False))
    assert read_variants(reply, len(options), original) == options


ZH = Instance("政府宣布工厂停产。\n标签: 0 (国际)", protected=("标签: 0 (国际)",))


@pytest.mark.parametrize(
    "reply",
    [
        "A）一文\nB）二文\nC）三文",
        "Ａ．一文\nＢ．二文\nＣ．三文",
        "A.一文\nB.二文\nC.三文",
        "A、一文\nB、二文\nC、三文",
        "（A）一文\n（B）二文\n（C）三文",
        "【A】一文\n【B】二文\n【C】三文",
        "好的，改写如下：\n\n**选项 A：**\n一文\n\n**选项 B：**\n二文\n\n**选项 C：**\n三文",
        "选项A：一文\n选项B：二文\n选项C：三文",
        "一、一文\n二、二文\n三、三文",
        "甲：一文\n乙：二文\n丙：三文",
        "１．一文\n２．二文\n３．三文",
        "١) 一文\n٢) 二文\n٣) 三文",
        "أ) 一文\nب) 二文\nج) 三文",
        "الخيار أ: 一文\nالخيار ب: 二文\nالخيار ج: 三文",
        "א. 一文\nב. 二文\nג. 三文",
        "А) 一文\nБ) 二文\nВ) 三文",
        "Вариант A: 一文\nВариант B: 二文\nВариант C: 三文",
        "Opción A: 一文\nOpción B: 二文\nOpción C: 三文",
    ],
)
def test_markers_of_other_languages(reply: str) -> None:
    assert read_variants(reply, 3, ZH.text) == ["一文", "二文", "三文"]


def test_full_width_signs_within_an_option_stay() -> None:
    assert read_variants("A）甲（Ｂ）：１．\nB）乙：二", 2, ZH.text) == ["甲（Ｂ）：１．", "乙：二"]


def test_a_translated_option_is_not_usable_and_a_chinese_one_is() -> None:
    label = "标签: 0 (国际)"
    said = (
        f"A）\n政府公布工厂停工。\n{label}\nB）\nThe government closed two old factories.\n{label}"
    )
    texts, lacking = read_usable(Reply(said), 2, ZH, "zh")
    assert texts == [f"政府公布工厂停工。\n{label}"]
    assert "failed a check" in lacking


def test_the_language_decides_what_a_name_is() -> None:
    german = Instance("Dann kam er endlich zu dem großen alten Haus am See.")
    said = Reply("A) Dann ging er endlich zu dem großen alten Gebäude am See.")
    assert read_usable(said, 1, german, "de")[0]
    assert not read_usable(said, 1, german, "en")[0]
