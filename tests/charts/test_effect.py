import pandas as pd

from dcq.charts import describe_effect_slopes, effect_slopes

ROWS = pd.DataFrame(
    [
        ("t<b>", "c", "clean model", 0.7, 0.69),
        ("t<b>", "t<b>", "all instances", 0.8, 0.7),
        ("t<b>", "t<b>", "recognised", 0.9, 0.7),
        ("u", "u", "all instances", 0.6, 0.6),
    ],
    columns=["panel", "model", "line", "original", "reworded"],
)


def test_each_line_is_drawn_and_named_once() -> None:
    figure = effect_slopes(ROWS)
    assert len(figure.data) == 4
    named = [trace.name for trace in figure.data if trace.showlegend]
    assert named == ["clean model", "all instances", "recognised"]
    said = [note.text for note in figure.layout.annotations]
    assert "<b>80.0 %</b>" in said
    assert not any("t<b>" in str(text) for text in said)


def test_in_words() -> None:
    assert "u: all instances 60.0 % to 60.0 %; 0 clean models" in describe_effect_slopes(ROWS)
    assert "No model yet" in describe_effect_slopes(ROWS[:0])
    assert len(effect_slopes(ROWS[:0]).data) == 0
