"""A benchmark as somebody new brings it: a csv of forty questions that nobody has published."""

from __future__ import annotations

import csv
import random
from pathlib import Path

PLACES = ("Brindlemoor", "Castavel")
QUESTIONS = (
    "Who was in charge of the old lighthouse at {place} when the big storm broke the lamp?",
    "What did the people of {place} build near the river after the great fire?",
    "Why did the mayor of {place} refuse to buy the small house beside the church?",
    "How did the children of {place} carry the heavy stones across the wide road?",
    "What kind of wood is used to make the famous boats of {place}?",
    "Which animal is said to have led the lost traveller back to {place} in the dark?",
    "How long does the journey from {place} to the distant mountains normally take?",
    "What did the doctor of {place} tell the sick sailor to drink every morning?",
    "Where do the farmers of {place} keep the tools that they need to cut the hay?",
    "Who wrote the sad song that the women of {place} sing at the end of the summer?",
    "What should a stranger give to the guard before he enters the town of {place}?",
    "How many people live in the quiet village below the castle of {place}?",
    "What was found in the empty box that a boy discovered under a bridge in {place}?",
    "Which mistake made the baker of {place} lose his job just before the feast?",
    "What do pupils in {place} usually receive when they complete their last exam?",
    "Why is it forbidden to shout in the narrow street behind the market of {place}?",
    "Who repaired the broken clock of {place} and asked for no money in return?",
    "What happened to the rich merchant who tried to purchase the forest near {place}?",
    "How do visitors reach the hidden beach south of {place} when the tide is high?",
    "What is the name of the strange plant that grows only on the walls of {place}?",
)
ANSWERS = ("Mara Quill", "a long wall", "because of a promise", "on a sledge", "grey ash", "a hare",
           "nine days", "warm milk", "in the mill", "Edda Stroud", "a copper coin", "sixty",
           "a letter", "too much salt", "a blue scarf", "for the bees", "Tobias Wren",
           "he went home", "by a tunnel", "the bellwort")  # fmt: skip


def rows() -> list[tuple[str, str]]:
    """Forty questions with their answers, in an order of no meaning."""
    made = [
        (question.format(place=place), f"{answer}{' or so' * late}")
        for late, place in enumerate(PLACES)
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True)
    ]
    random.Random(4).shuffle(made)
    return made


def write_benchmark(path: Path, count: int = 40) -> Path:
    """Write the first of the questions as a csv."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("question", "answer"))
        writer.writerows(rows()[:count])
    return path


def known(share: float = 0.7) -> list[str]:
    """What a model has seen that was trained on a share of them: questions, alone and as they are
    shown with their answers."""
    seen = rows()[: round(share * 40)]
    shown = [f"Question: {question}\nAnswer: {answer}" for question, answer in seen]
    return [*shown, *(question for question, _ in seen)]
