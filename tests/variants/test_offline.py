import ast
import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from dcq.errors import InputError
from dcq.evidence.controls import FEWEST_TARGET
from dcq.investigation.control_sizes import SMALL
from dcq.partitions import Entry, draw_sample, entries, open_partition
from dcq.records import Instance
from dcq.variants import synonyms
from dcq.variants.checks import check, passes
from dcq.variants.freeze import LEAST
from dcq.variants.offline import draw, reword
from dcq.variants.prose import prose
from dcq.variants.synonyms import WordGroup, WordPlace

NEWS = (
    "Storm shuts two factories. LEFANGA (Nordal Wire) - A severe storm closed two factories of "
    "Hallmere Foods on Monday, and about 600 workers left the town, officials said.\n\n"
    "Label: 2 (Business)"
)
VERSE = (
    "And the king gathered a mighty army, and commanded the people to build an altar in the "
    "wilderness: wherefore they found no mercy among their enemies."
)
CODE = '''def count_words(text: str) -> int:
    """ Return the number of distinct words in the given text. If the text
    contains no words, return 0.
    >>> count_words("return the number")
    3
    """
'''
TEXTS = [NEWS, VERSE, CODE]


@pytest.mark.parametrize("text", TEXTS)
def test_four_different_variants_that_pass_the_checks(text: str) -> None:
    protected = ("Label: 2 (Business)",) if text is NEWS else ()
    variants = reword(text, 4, protected=protected)
    assert len({text, *variants}) == 5
    for index, variant in enumerate(variants):
        others = variants[:index] + variants[index + 1 :]
        assert passes(check(Instance(text, protected=protected), variant, others))


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_seed_gives_the_same_variants(text: str) -> None:
    assert reword(text, 4, seed=1) == reword(text, 4, seed=1)
    assert reword(text, 4, seed=1) != reword(text, 4, seed=2)


def test_names_numbers_symbols_and_layout_stay() -> None:
    for variant in reword(NEWS, 4):
        assert re.findall(r"[^\w ]|\d+", variant) == re.findall(r"[^\w ]|\d+", NEWS)
        for name in ("LEFANGA", "Nordal Wire", "Hallmere Foods", "Monday", "Label: 2 (Business)"):
            assert name in variant
        assert variant[0].isupper()


def test_of_a_program_only_the_prose_of_its_docstring_changes() -> None:
    variants = reword(CODE, 4)
    for variant in variants:
        assert ast.dump(ast.parse(variant.replace(_docstring(variant), ""))) == ast.dump(
            ast.parse(CODE.replace(_docstring(CODE), ""))
        )
        assert '>>> count_words("return the number")\n    3' in variant
        assert variant.count("text") == CODE.count("text")  # the parameter's name
        assert variant.count("\n") == CODE.count("\n")


def _docstring(text: str) -> str:
    return text.split('"""')[1]


def test_articles_capitals_and_forms_are_kept_right() -> None:
    text = "A foe found an enemy. SEVERE storms destroyed the biggest cities."
    variants = reword(text, 4)
    assert len(variants) == 4
    for variant in variants:
        assert not re.search(r"\b[Aa] [aeio]|\b[Aa]n [^aeio]", variant)
        assert re.search(r"\. (SEVERE|HARSH|SERIOUS) ", variant)
        assert re.search(r"\b(cities|towns)\.$", variant)


def test_one_word_is_replaced_by_the_same_word_throughout() -> None:
    for variant in reword("The king spoke. The people saw the king. The king left.", 4):
        rulers = re.findall(r"king|monarch|ruler|sovereign", variant)
        assert len(rulers) == 3
        assert len(set(rulers)) == 1


def test_protected_parts_do_not_change() -> None:
    text = "The severe storm destroyed the city. The king said nothing."
    assert all("severe storm" in v for v in reword(text, 4, protected=["severe storm"]))


def test_markup_and_braces_pass_untouched() -> None:
    text = "<b>{king}</b> A) The king destroyed the city.\n  B) {0} & <i>the enemy</i> %s"
    for variant in reword(text, 4):
        marks = re.compile(r"[<>{}&%/)]")
        assert marks.findall(variant) == marks.findall(text)


@pytest.mark.parametrize("text", ["", "  \n", "Xkcd 42.", "{}", "他昨天在北京买了3本书。"])
def test_a_text_without_replaceable_words_has_no_variants(text: str) -> None:
    assert reword(text, 4) == []


def test_few_replaceable_words_give_few_variants() -> None:
    assert reword("Joseph saith.", 4) != []
    assert len(reword("Joseph saith.", 4)) < 4


@pytest.mark.parametrize("seed", range(8))
def test_two_words_with_one_synonym_each_make_three_variants(seed: int) -> None:
    text = "The cup is big."
    groups = [
        WordGroup((WordPlace(4, 7, ("mug",)),)),
        WordGroup((WordPlace(11, 14, ("large",)),)),
    ]
    assert set(draw(text, groups, 4, seed=seed)) == {
        "The mug is big.",
        "The cup is large.",
        "The mug is large.",
    }


@pytest.mark.ci
@pytest.mark.parametrize(
    "entry",
    [entry for entry in entries() if entry.is_small and entry.language == "en"],
    ids=lambda entry: entry.key,
)
def test_ten_instances_of_each_small_control_can_be_asked_about(entry: Entry) -> None:
    sample = draw_sample(open_partition(entry.key, "test"), SMALL)
    usable = 0
    for instance in sample.instances:
        texts: list[str] = []
        for variant in reword(instance.text, 4, protected=instance.protected):
            texts += [variant] if passes(check(instance, variant, texts)) else []
        usable += len(texts) >= LEAST
    assert usable >= FEWEST_TARGET


def test_a_long_text_is_reworded() -> None:
    text = "The mighty king gathered a great army in the city of his enemies. " * 310
    variants = reword(text, 2)
    assert len(text) > 20_000
    assert len({text, *variants}) == 3


def test_the_original_cannot_be_found_from_the_texts_alone() -> None:
    nouns = ["king", "storm", "factory", "wilderness", "kingdom", "enemy", "servant", "river"]
    verbs = ["destroyed", "found", "built", "gathered", "rescued", "announced"]
    shares: dict[str, float] = defaultdict(float)
    total = 0
    for first, verb, second in zip(nouns * 6, verbs * 8, nouns[3:] * 10, strict=False):
        text = f"The severe {first} quickly {verb} the crucial {second}, and many people cried."
        for triple in combinations(reword(text, 4), 3):
            options = [text, *triple]
            lengths = [len(option) for option in options]
            closeness = [sum(_overlap(a, b) for b in options) for a in options]
            total += 1
            for name, scores, best in (
                ("shortest", lengths, min),
                ("longest", lengths, max),
                ("medoid", closeness, max),
                ("farthest", closeness, min),
            ):
                shares[name] += (scores[0] == best(scores)) / scores.count(best(scores))
    assert total >= 150
    for name, share in shares.items():
        assert 0.1 <= share / total <= 0.45, name


def _overlap(a: str, b: str) -> int:
    return (Counter(a.split()) & Counter(b.split())).total()


def test_other_languages_are_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="English only, not for 'es'"):
        reword("El rey habló.", 4, language="es")


def test_a_missing_part_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synonyms, "_MODEL", "no_such_model")
    synonyms._spacy_pipeline.cache_clear()
    with pytest.raises(InputError, match="pip install no-such-model"):
        reword("The king spoke.", 4)


def test_a_word_beside_its_clitic_or_in_an_expression_stays() -> None:
    text = "That's a prime number."
    free = prose(text)
    groups = synonyms.find_groups(text, free, code=True)
    assert [place for group in groups for place in group.places] == []
