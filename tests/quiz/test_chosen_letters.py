"""A letter in a sentence counts only where the sentence chooses it, whichever letter it is."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dcq.quiz.parse import read_reply
from dcq.records import Outcome, Reply


def lines(text: str) -> list[str]:
    return [form.strip() for line in text.strip().split("\n") for form in line.split("|")]


# X is the letter. Sentences that choose it.
CHOSEN = lines("""
The answer is X|X is the original|**X**|Option X is the exact wording|I'd choose X|Answer: X
So the answer is X.|If I had to guess, X|If I had to choose: X|I have no doubt it is X|Sure, X
X "Oil prices rose on Monday."|in option X: "Oil prices"|The exact text is in option X.
Therefore, the answer is option X.|My choice is X|I recognise X as the original|Most likely X
I don't know; my guess is X|I'm not certain, but X|Without a doubt, X|X (the original)|Choice X
Out of the four options, X is the original.|I think X is the original|X. The others are changed.
X – the others were changed|X, because the others were changed|Option X matches the original.
Die richtige Antwort ist X|Ich wähle X|Ich würde X wählen|Die Antwort lautet X|X ist korrekt
Je choisis la réponse X|C'est X|Je pense que c'est X|L'option X est correcte|Réponse : X
La respuesta correcta es la X|Elijo la X|Creo que es X|Diría que X|La opción X es la correcta
Правильный вариант X|Я выбираю X|Думаю, это X|Я думаю, что это X|Вариант X является оригиналом
我选择X|我认为是X|正确答案是X|X是原文|X选项是正确的|X，因为其他都改了|综上，选X|毫无疑问，答案是X
正解はXです|Xを選びます|Xが正解です|Xだと思います|おそらくXです
""")
# Sentences that reject, doubt, exclude or question it, or say that it was changed.
REJECTED = lines("""
X is the least likely|The least likely option is X|unlikely to be X|I doubt it is X|X? No.
The one I would exclude is X|X is ruled out|X is out|X is off|Option X was changed|Wrong: X
Option X is a paraphrase|X is the altered one|I need more information to choose X|X: no|X – wrong
Which one is option X?|You asked about option X|Is it X|Is it X?|Why X?|Maybe X?|All but X
The altered one is X|Option X has been modified|X, which was changed|X (the altered one)|❌ X|X ❌
~~X~~|Eliminate X|Not sure about X|There is no option X|Please clarify option X|Neither X
Should I choose X?|Models often choose X|You said X|Is the answer X?|I cannot tell X:
不可能是X|不选X|X被改过|X是改写的|排除X|我排除选项X|选项X被修改了|哪个是选项X？|你问的是选项X|是X吗|错误：X|难道是X
Xは違う|Xではありません|Xは書き換えです|Xを除外します|Xですか|間違い：X|Xかどうか
X ist ausgeschlossen|Ich schließe X aus|X ist umformuliert|Falsch: X|Alles außer X|Ist es X?
Am wenigsten wahrscheinlich ist X|Welche ist Option X?|X scheidet aus|Option X wurde geändert
Ce n’est pas X|X a été modifié|X est une paraphrase|Je doute que ce soit X|Est-ce X ?|Faux : X
No es X|X es una paráfrasis|Descarto X|La menos probable es X|Dudo que sea X|¿Es X?|Todo menos X
Это не X|Я исключаю X|Вряд ли это X|X исключён|Неверно: X|Сомневаюсь, что это X|Вариант X изменён
""")
# Prose in which it is no option's letter.
PROSE = lines("""
The change is in option X.|The typo is in option X|X "news" and "views"
this is X Reuters article|X 1998 news story|X "news" text|(X) Reuters 2004|X US court|X (very) long
X car drove by|X+ programming|X# is a language|X.I. wrote it|Grade X|Hepatitis X|Vitamin X.|Plan X
Team X won|Section X.|The vowel is X|vitamin X is the answer to life|I got a X|Reuters (X) 2004
The article X describes|X. S. Lewis wrote it|Mr. X|e.g. X|X for effort|It is X "news" item
""")


def read(form: str, letter: str, options: int = 4) -> tuple[Outcome, str | None]:
    reading = read_reply(Reply(form.replace("X", letter)), options)
    return reading.outcome, reading.value


@pytest.mark.parametrize("form", CHOSEN)
def test_a_letter_that_a_sentence_chooses_is_the_answer(form: str) -> None:
    assert [read(form, letter) for letter in "ABCD"] == [(Outcome.ANSWERED, x) for x in "ABCD"]
    assert read(form, "E", 5) == (Outcome.NONE, "E")


@pytest.mark.parametrize("form", REJECTED + PROSE)
def test_a_letter_that_no_sentence_chooses_is_no_answer(form: str) -> None:
    assert [read(form, letter, 5)[1] for letter in "ABCDE"] == [None] * 5


@pytest.mark.parametrize("letter", "abcde")
@pytest.mark.parametrize("form", [form for form in PROSE if "X. S." not in form])
def test_a_lower_case_letter_of_prose_is_no_answer(form: str, letter: str) -> None:
    assert read(form, letter, 5)[1] is None


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Not A; it is B", "B"),
        ("The answer is not A but B", "B"),
        ("A, C and D are paraphrases, so B", "B"),
        ("A has typos, so B", "B"),
        ("A and C are wrong. B", "B"),
        ("I'd choose a", "A"),
        ("Answer: a", "A"),
        ("B is correct, not C", None),
        ("A and B are the original", None),
        ("The answer is A or B", None),
        ("It is B. It is not B.", None),
        ("C:\\Users", None),
        ("(c) Thomson Reuters 2004. All rights reserved.", None),
        ("(C) Oil prices rose in 2004 by a third", "C"),
    ],
)
def test_of_several_letters_the_chosen_one_counts(text: str, letter: str | None) -> None:
    assert read_reply(Reply(text), 4).value == letter


# What stands above the answer of a model that gives the options once more.
LISTS = [
    "A) The water rose.\nB) The river rose.\nC) A river rose\nD) The stream rose.",
    "Options:\nA: rose\nB: went up\nC: B is a letter\nD: sank",
    "Let me compare them.\n\n**Option A:** has 'rose'\n**Option B:** has 'grew'",
    "- A. 10 %\n- B. 20 %\n- C. 30 %\n- D. 40 %\n- E. none of these",
]


@pytest.mark.parametrize("above", LISTS)
def test_the_answer_below_the_options_counts(above: str) -> None:
    for form in ("Answer: X", "X", "**X**", "The original is option X."):
        assert [read(f"{above}\n\n{form}", x) for x in "ABCD"] == [
            (Outcome.ANSWERED, x) for x in "ABCD"
        ]
    assert read(above, "X")[1] is None
    assert read(f"{above}\n\nAnswer: A\nAnswer: B", "X")[1] is None
    assert read(f"Answer: B\n\n{above}\n\nThe answer is D", "X")[1] is None
    assert read("A) the original\nC) changed\nAnswer: C", "X")[1] is None  # no list of options


@settings(max_examples=60)
@example(form="おそらくXです", before="> ", after="")
@given(
    st.sampled_from(CHOSEN + REJECTED + PROSE),
    st.sampled_from(["", " ", "\n", "> ", "\ufeff", "<think>\nA or B?\n</think>\n\n"]),
    st.sampled_from(["", "\n", " ", "</s>", "<|eot_id|>"]),
)
def test_letters_in_sentences_are_read_alike(form: str, before: str, after: str) -> None:
    readings = [
        read_reply(Reply(before + form.replace("X", letter) + after), 5) for letter in "ABCDE"
    ]
    assert len({reading.value is None for reading in readings}) == 1
    assert (readings[0].value is None) == (form not in CHOSEN)
    assert {reading.value for reading in readings} <= {None, *"ABCDE"}
