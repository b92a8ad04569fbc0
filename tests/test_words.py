from dcq.words import kappa_words, p_words, percent, points, two_decimals


def test_numbers_are_signed_and_rounded() -> None:
    assert (two_decimals(-0.001), two_decimals(-0.2)) == ("0.00", "−0.20")
    assert (points(0.694), points(-0.2), points(-0.001)) == ("+69", "−20", "+0")
    assert (p_words(0.0004), p_words(0.0276)) == ("p < 0.001", "p = 0.028")
    assert percent(0.256) == "26 %"


def test_kappa_has_as_much_of_an_interval_as_there_is() -> None:
    assert kappa_words(0.5, 0.25, 0.75) == "0.50 [0.25, 0.75]"
    assert kappa_words(0.5, None, 0.75) == "0.50"
    assert kappa_words(None, None, None) == "no value"
