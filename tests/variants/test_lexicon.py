import gzip

from wordfreq import zipf_frequency

from dcq.settings import DATA
from dcq.variants.lexicon import is_collocation, own_synonyms, senses


def test_wordnet_gives_synonyms_by_meaning_and_part_of_speech() -> None:
    [main, *_] = sorted(senses("begin", "verb"), key=lambda sense: -sense.share)
    assert {"start", "commence"} <= set(main.synonyms)
    assert senses("begin", "noun") == []


def test_expressions_are_known() -> None:
    assert is_collocation("prime", "number")
    assert not is_collocation("green", "number")


def test_own_synonyms_by_kind_of_text() -> None:
    assert own_synonyms(("string",), "noun", code=True) == ("text",)
    assert own_synonyms(("string",), "noun", code=False) is None
    assert own_synonyms(("king",), "noun", code=True) == own_synonyms(("king",), "noun", code=False)
    assert own_synonyms(("because of", "because"), "form", code=False) == ()


def test_the_hand_written_list_is_sound() -> None:
    lines = (DATA / "synonyms.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert rows == sorted(rows)
    assert len({tuple(row[:3]) for row in rows}) == len(rows)
    for texts, pos, word, synonyms in rows:
        assert texts in {"any", "code"}
        assert pos in {"noun", "verb", "adj", "adv", "form"}
        assert word not in synonyms.split(", ")
        assert all(
            zipf_frequency(synonym, "en") >= 1.5 for synonym in synonyms.split(", ") if synonym
        )


def test_the_licence_of_wordnet_goes_with_its_extract() -> None:
    with gzip.open(DATA / "wordnet.tsv.gz", "rt", encoding="utf-8") as file:
        assert "Princeton University" in file.read(2000)
