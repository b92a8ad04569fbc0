import pytest

from dcq.errors import InputError
from dcq.languages import fits, fitting, guess, primary, read_code
from tests.support.languages import TEXTS


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("PT_br", "pt"),
        (" zh-Hant-TW ", "zh"),
        ("", ""),
        ("fil", "fil"),
    ],
)
def test_script_and_region_are_left_out(code: str, language: str) -> None:
    assert primary(code) == language


@pytest.mark.parametrize(
    ("code", "plain"),
    [("kk", "kk"), (" KK ", "kk"), ("pt_BR", "pt-BR"), ("zh-hant", "zh-Hant"), ("kaz", "kk")],
)
def test_a_code_is_written_in_one_way(code: str, plain: str) -> None:
    assert read_code(code) == plain


@pytest.mark.parametrize(
    "code",
    [
        *("", " ", "../x", "en\x00", "e\nn", "en-", "-", "x", "xx", "jp", "english", "қазақша"),
        *(
            "x-private",
            "en;drop",
            "<b>",
            "en/../../etc",
            "\u202een",
            "a" * 10_000,
            "en" + "-x" * 99,
        ),
    ],
)
def test_what_is_no_code_is_refused_in_one_line(code: str) -> None:
    with pytest.raises(InputError, match=r"write one of BCP 47, such as en, kk, ja") as caught:
        read_code(code)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, language) for language, texts in TEXTS.items() for text in texts),
        ("Сегодня утром в городе выпал снег, и дети опоздали.", "ru"),
        ("Роман «Көшпенділер» издан давно, а продолжение его вышло только прошлой осенью.", "kk"),
        ("Сьогодні вранці в місті випав сніг, і діти запізнилися.", "uk"),
        ("Сёння раніцай у горадзе выпаў снег, дзеці спазніліся.", "be"),
        ("برف امروز صبح در شهر بارید و کودکان دیر رسیدند", "fa"),
        ("آج صبح شہر میں برف پڑی اور بچے دیر سے پہنچے", "ur"),
        *(("今天天气很好", "zh"), ("오늘 아침 눈이 왔다", "ko"), ("วันนี้หิมะตก", "th")),
        *(("היום ירד שלג", "he"), ("Σήμερα χιόνισε", "el"), ("आज बर्फ गिरी", "hi")),
        *(("It snowed", None), ("Ayer nevó", None), ("42", None), ("", None), ("ⴰⵣⵓⵍ", None)),
        ("٤٢", "ar"),
    ],
)
def test_what_script_and_letters_suggest(text: str, code: str | None) -> None:
    found = guess(text)
    assert (found and found.code) == code
    assert fitting("en", text) == (code or "en")


def test_a_few_letters_of_a_foreign_name_tell_nothing() -> None:
    found = guess("Писатель Мұхтар родился в ауле и прожил там почти всю свою долгую жизнь.")
    assert found is not None
    assert found.code == "ru"


@pytest.mark.parametrize(
    ("language", "text", "is_so"),
    [
        *(("kk", "Бүгін", True), ("ru", "Бүгін", True), ("en", "Бүгін", False)),
        *(("ja", "東京", True), ("zh-TW", "東京", True), ("zh", "東京です", False)),
        *(("ko", "漢字", True), ("sr-Latn", "Добро", False), ("sr-Latn", "Dobro", True)),
        *(("xx", "word", True), ("no such code", "word", False), ("kk", "42", True)),
    ],
)
def test_a_language_fits_the_scripts_it_is_written_in(
    language: str, text: str, is_so: bool
) -> None:
    assert fits(language, text) is is_so
