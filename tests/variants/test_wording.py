import numpy as np
import pytest

from dcq.variants.wording import has_frequencies, likeness, mean_zipf, total_likeness


def test_likeness_counts_words_as_often_as_they_occur() -> None:
    pairs = likeness(["no", "no no no", "No, no!", "yes", ""])
    assert pairs.diagonal().tolist() == [0, 0, 0, 0, 0]
    assert pairs.tolist() == pairs.T.tolist()
    assert pairs[0, 1:].tolist() == pytest.approx([1 / 3, 1 / 2, 0, 0])
    assert likeness(["", "?"])[0, 1] == 1  # nothing tells two texts without words apart
    assert likeness([]).shape == (0, 0)


def test_sums_do_not_depend_on_the_order() -> None:
    pairs = np.array([[0.0, 0.1, 0.2, 0.3]])
    assert total_likeness(pairs) == total_likeness(pairs[:, ::-1]) == 0.6


def test_the_code_of_a_language_may_have_a_script_and_a_region() -> None:
    assert has_frequencies("pt-BR")
    assert mean_zipf("a casa", "pt_BR") == mean_zipf("a casa", "pt")
    assert has_frequencies("zh-Hans-CN")
    # The list is of simplified characters, and that of Korean of parts of words.
    assert not any(map(has_frequencies, ["zh-Hant", "zh-TW", "ko", "th", ""]))


def test_a_chinese_word_that_no_list_has_is_as_rare_as_its_signs() -> None:
    assert 0 < mean_zipf("降至", "zh") < min(mean_zipf("降", "zh"), mean_zipf("至", "zh"))
    assert mean_zipf("𠀀𠀁", "zh") == 0
    assert mean_zipf("qqzzx", "en") == 0


def test_turkish_capitals_and_arabic_vowel_signs_do_not_hide_a_word() -> None:
    assert mean_zipf("İSTANBUL IŞIK", "tr") == mean_zipf("istanbul ışık", "tr") > 3
    assert mean_zipf("كِتَاب", "ar") == mean_zipf("كتاب", "ar") > 3
