"""The same form with another letter comes to the same outcome, whatever stands around it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.quiz.letter_text import plain_ends
from dcq.quiz.parse import read_reply
from dcq.records import Outcome, Reply

# X is the letter. In each of these it is an answer.
ANSWERS = """
X|X。|X．|X）|X、|（X）|【X】|「X」|《X》|"X"。|“X”|‘X’|„X“|«X»|X입니다|Xです。|选X|选择X。|答案：X|答案是X。
選X|X是正确的|X正确|选项X|X（原文）|答えはXです|정답은 X입니다|정답: X|Ответ: X
Правильный ответ — X.
Ответ X|X потому что|الإجابة: X|الإجابة هي X|התשובה היא X|उत्तर: X|คำตอบคือ X
Đáp án: X|Cevap: X|Odpowiedź: X|Réponse : X|La réponse est X|Antwort: X
Die Antwort ist X.|Respuesta: X|A resposta é X|La risposta è X|Svar: X|X.|X,|X;
X!|X?|X…|Option X|(X) the original|X - because it reads well|X – because
X — the text|\\boxed{X}|$\\boxed{X}$|\\text{X}|$\\mathbf{X}$|\\boxed{\\text{X}}
\\(X\\)|{"answer":"X"}|{"answer": "X"}|{'choice': 'X'}|<answer>X</answer>
<b>X</b>|<p>X</p>|### X|###X|**X**|`X`|_X_|__X__|Answer: **X**|**Answer:** X
Answer: $X|Answer: $X$|The answer is (X).|I think X was the original
X) a man walked in|X: oil|[X]|<X>|{X}|→ X|✅ X|X ✅|X</s>|X is correct
X because it reads well|X</s></s>|X[/INST]|<s>X</s>|Sure! X|X) Article: Oil and
X. Oil prices rose|&quot;X&quot;
""".strip().replace("\n", "|").split("|")  # fmt: skip
ANSWERS += ["X<|im_end|>", "X<|eot_id|>", "X.<|endoftext|>", "X\n\nExplanation: it is the one."]
ANSWERS += ["Sure:\nX", "X\ufe0f\u20e3", "\u200bX\u200b", '```json\n{"answer": "X"}\n```']
# In each of these it is none.
NONE = """
X man walked in|X the original|the answer is X man|Plan X failed|X-day|X's|Xé
Xñandú|X is not it|Not X|not option X|不是X|X不是|X는 아닙니다|X потом пришёл
X vitamins are good|X major|Vitamin X is good|X ist falsch|X не подходит
""".strip().replace("\n", "|").split("|")  # fmt: skip
FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "full width": lambda letter: chr(ord(letter) + 0xFEE0),
    "circled": lambda letter: chr(0x24B6 + ord(letter) - ord("A")),
    "squared": lambda letter: chr(0x1F130 + ord(letter) - ord("A")),
    "negative circled": lambda letter: chr(0x1F150 + ord(letter) - ord("A")),
    "negative squared": lambda letter: chr(0x1F170 + ord(letter) - ord("A")),
    "bold": lambda letter: chr(0x1D400 + ord(letter) - ord("A")),
}


def outcomes(form: str, options: int) -> list[tuple[Outcome, bool]]:
    readings = [
        (letter, read_reply(Reply(form.replace("X", letter)), options)) for letter in "ABCDE"
    ]
    return [(reading.outcome, reading.value == letter) for letter, reading in readings]


@pytest.mark.parametrize("form", ANSWERS)
def test_a_letter_is_an_answer_in_this_form(form: str) -> None:
    answered = [(Outcome.ANSWERED, True)] * 4
    assert outcomes(form, 5) == [*answered, (Outcome.NONE, True)]
    assert outcomes(form, 4) == [*answered, (Outcome.INVALID, False)]


@pytest.mark.parametrize("form", NONE)
def test_a_letter_is_no_answer_in_this_form(form: str) -> None:
    assert outcomes(form, 5) == [(Outcome.INVALID, False)] * 5


@given(
    st.sampled_from(ANSWERS + NONE),
    st.sampled_from(list(FORMS)),
    st.sampled_from(["", " ", "\n", "- ", "> ", "\ufeff", "<think>\nA or B?\n</think>\n\n"]),
    st.sampled_from(["", " ", "\n", "</s>", "<|im_end|>\n", "\u200b"]),
)
def test_all_letters_are_read_alike(form: str, shape: str, before: str, after: str) -> None:
    shaped = {letter: FORMS[shape](letter) for letter in "ABCDE"}
    for options in (4, 5):
        seen = []
        for letter, text in shaped.items():
            reading = read_reply(Reply(before + form.replace("X", text) + after), options)
            seen.append((reading.outcome, reading.value == letter))
        assert len(set(seen[:4])) == 1
        if seen[0][0] is Outcome.ANSWERED:
            assert seen[0][1]
            assert seen[4][0] is (Outcome.NONE if options == 5 else Outcome.INVALID)


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_surroundings_are_read_alike(before: str, after: str) -> None:
    """Whatever the surroundings are, as long as they have no letter of an option themselves."""
    around = [
        "".join(sign for sign in text if not re.search("[A-Za-z0-9]", plain_ends(sign)))
        for text in (before, after)
    ]
    readings = [read_reply(Reply(letter.join(around)), 4) for letter in "ABCD"]
    assert len({reading.outcome for reading in readings}) == 1


@pytest.mark.parametrize(
    ("text", "letter"), [("В", "B"), ("Ответ: С", "C"), ("А.", "A"), ("Α", "A"), ("Б", None)]
)
def test_a_look_alike_of_another_alphabet_is_the_letter(text: str, letter: str | None) -> None:
    assert read_reply(Reply(text), 4).value == letter


def test_a_look_alike_within_words_is_what_it_is() -> None:
    assert read_reply(Reply("В этом тексте всё иначе."), 4).outcome is Outcome.INVALID
    assert read_reply(Reply("ВСЕ"), 4).outcome is Outcome.INVALID


CHINESE = "这是一个很长的中文文本，其中没有任何选项，只有普通的句子和标点符号。"
LINES = "".join(f"{letter}) text\n" for letter in "ABCDEFGH")
ARABIC = "هذا نص عربي طويل بدون إجابة. "
RUSSIAN = "Это длинный русский текст, без ответа. "


@pytest.mark.slow
@pytest.mark.parametrize("unit", [CHINESE, LINES, ARABIC, RUSSIAN], ids=["zh", "lines", "ar", "ru"])
def test_many_long_replies_in_any_script_are_read_in_a_second(unit: str) -> None:
    text = unit * (400_000 // len(unit.encode()))
    began = time.process_time()
    for _ in range(45):
        assert read_reply(Reply(text), 4).outcome is Outcome.INVALID
    assert time.process_time() - began < 1
