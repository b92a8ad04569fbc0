import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.variants.checks import lost_names


@pytest.mark.parametrize(
    ("language", "source", "text"),
    [
        # Each noun has a capital, few of the line's words are nouns.
        (
            "de",
            "Der Rat der Stadt hat gestern zwei alte und sehr lange leere Fabriken verkauft.",
            "Der Rat der Stadt hat gestern zwei alte und sehr lange leere Werke verkauft.",
        ),
        ("de-AT", "Dann kam sie ins große Haus.", "Dann kam sie ins große Gebäude."),
        # Names have cases there: in Moscow, to Moscow.
        ("ru", "Он давно живёт в Москве и работает.", "Он давно обитает под Москвою и трудится."),
        ("tr", "Dün gece Ankara'da kalmış.", "Dün gece Ankara'ya varmış."),
        ("fi", "Sade pysäytti liikenteen Helsingissä.", "Sade seisautti liikenteen Helsingistä."),
        # An article or a suffix is joined to the name.
        ("fr", "Il vient souvent en Europe.", "Il vient souvent dans l'Europe."),
        # No capitals, nothing to find.
        ("zh", "市长昨天宣布停产。", "市长昨日公布停工。"),
        ("ar", "أعلنت البلدية إغلاق جسرين.", "ذكرت البلدية سد جسرين."),
    ],
)
def test_what_is_no_lost_name(language: str, source: str, text: str) -> None:
    assert lost_names(source, text, language) == []


@pytest.mark.parametrize(
    ("language", "source", "text", "lost"),
    [
        ("en", "He then met Kerrat in town.", "He then saw Sarrat in town.", ["Kerrat"]),
        ("es", "Ayer llegó Marta tarde.", "Ayer vino María tarde.", ["Marta"]),
        ("ru", "Он давно живёт в Москве.", "Он давно живёт в Казани.", ["Москве"]),
        ("tr", "Dün gece İzmir'de kalmış.", "Dün gece Bursa'da kalmış.", ["İzmir'de"]),
        # In a script without capitals every word of a headline may be a name.
        ("zh", "苹果向Kerrat出售工厂。", "苹果向Sarrat出售工厂。", ["Kerrat"]),
        ("ar", "وقعت شركة Kerrat العقد.", "وقعت شركة Sarrat العقد.", ["Kerrat"]),
    ],
)
def test_what_is_a_lost_name(language: str, source: str, text: str, lost: list[str]) -> None:
    assert lost_names(source, text, language) == lost


@pytest.mark.parametrize("stop", list("?!;…؟۔।。：։"))
def test_a_sentence_begins_after_the_stops_of_all_scripts(stop: str) -> None:
    assert lost_names(f"he went{stop} Then it rained", f"he left{stop} Later it rained", "en") == []


@given(st.text(), st.text(), st.sampled_from(["en", "de", "ru", "zh", "ar", "", "?"]))
def test_any_texts_are_compared(source: str, text: str, language: str) -> None:
    assert lost_names(source, source, language) == []
    lost = lost_names(source, text, language)
    assert len(lost) == len(set(lost))
