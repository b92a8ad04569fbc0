"""The meaning of each statistic on the screen: one sentence, and a link to the section of the
method.

The names are those under which pages show them. ``tests/pages/test_glossary.py`` fails where no
entry explains a heading of a table or of a number, and where a link leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import streamlit as st


@dataclass(frozen=True)
class Term:
    """One sentence for a reader, and the anchor of the section of docs/method.md that says more."""

    sentence: str
    anchor: str


TERMS: Mapping[str, Term] = {
    "κ": Term(
        "(score − 25 %) / 75 %: 0 is guessing, 1 is always the original, below 0 is less often "
        "than guessing; for a BCQ, 0 is how often the same model chose the slot in the BDQ.",
        "score-and-κ",
    ),
    "95 % interval": Term(
        "The values that agree with what was seen, if the method is right 95 times in 100: "
        "Wilson's interval of the score, rescaled to κ.",
        "score-and-κ",
    ),
    "Kind of quiz": Term(
        "Standard shows the original and three variants, modified no original, rotated the "
        "original in each slot in turn; BDQ, the bias detector, and BCQ, the bias compensator, "
        "offer “none of these” too.",
        "quizzes",
    ),
    "Score": Term("The share of the answers that chose the original.", "score-and-κ"),
    "Smallest share picked that is found": Term(
        "The share of published wordings picked from which on the exact test finds it 8 times in "
        "10, one ask an item.",
        "by-lot",
    ),
    "Published picked": Term(
        "Items whose published wording is preferred to all others, ties as fractions.", "by-lot"
    ),
    "p of the draw": Term(
        "How likely at least this preference for published wordings is for a model that never saw "
        "them, exactly; while a check is unfinished, a p that holds whenever a person looks.",
        "by-lot",
    ),
    "E": Term(
        "Evidence that may be looked at any time: 1 on average for an unseen benchmark, and at 20 "
        "once in 20 times at most.",
        "by-lot",
    ),
    "Average evidence": Term(
        "Over models, which share the lots: their evidence is averaged, never multiplied.",
        "by-lot",
    ),
    "Models called": Term(
        "By e-BH: of these calls 5 % are false on average, however alike the models are.", "by-lot"
    ),
    "n": Term("Answers that count; for a rotated quiz, instances.", "outcomes"),
    "Instances": Term("How many instances the figures are about.", "the-steps"),
    "Unusable": Term(
        "Questions without an answer: refused, no single letter, or no reply.", "outcomes"
    ),
    "Outcomes": Term("What the replies were read as, each exactly one thing.", "outcomes"),
    "κ above controls": Term(
        "The same scale with 0 at the score that the same model is expected to have on text that "
        "it cannot have seen.",
        "controls",
    ),
    "On unseen text": Term(
        "What the same model is expected to score on text that it cannot have seen, by its "
        "controls.",
        "controls",
    ),
    "Role": Term(
        "A target may have been seen, a control cannot have been, a positive surely was; a "
        "placebo is a control made of the target's own variants.",
        "controls",
    ),
    "Unfinished": Term(
        "A pilot, or a run that was stopped or is still live: questions with a reply, of all.",
        "outcomes",
    ),
    "q": Term(
        "The smallest share of false calls among all calls at which this result would be called "
        "contaminated; one-sided, against the controls (Benjamini–Hochberg).",
        "many-results",
    ),
    "Verdict": Term(
        "Contaminated, no evidence, or undecided, with all results of the study taken into "
        "account.",
        "verdict",
    ),
    "Answer": Term(
        "The ruling of all methods together on a model and a partition, which the p-values of "
        "those that count decide.",
        "the-answer",
    ),
    "p of all methods": Term(
        "How likely results at least this extreme are if nothing was seen, from all methods that "
        "count, however they depend on each other.",
        "the-answer",
    ),
    "Weight": Term(
        "How much of the significance threshold is spent on this method: it is fixed before "
        "asking, and not given to another method when this one cannot be used.",
        "the-answer",
    ),
    "Found": Term(
        "How much: originals picked, instances completed, rewordings that an original is likelier "
        "than; in brackets what the same model is expected to have on text that it cannot have "
        "seen.",
        "the-answer",
    ),
    "Test": Term(
        "How probable a score this high would be without memory, one-sided; q is corrected for "
        "the number of results that are compared (Benjamini–Hochberg).",
        "verdict",
    ),
    "Power": Term(
        "The smallest effect that this many instances find four times out of five.", "verdict"
    ),
    "Found if seen": Term(
        "How many of the partitions that a model has seen to this share the plan would call "
        "contaminated, by simulation from the rule, after correction over all pairs.",
        "power-before-asking",
    ),
    "Possible conclusions": Term(
        "The conclusions that this plan can come to; each can stay undecided.",
        "power-before-asking",
    ),
    "Soft score": Term(
        "The share of probability that the model puts on the original's letter, plain and "
        "corrected for its preference for letters.",
        "score-and-κ",
    ),
    "Strategies without memory": Term(
        "What always choosing the shortest, the longest, the most central or the commonest wording "
        "would score: near 25 % where the text alone gives nothing away.",
        "text-only-baselines",
    ),
    "People": Term(
        "What people find in the same sample: if they find the originals too, finding them does "
        "not take training on the text.",
        "people",
    ),
    "Right": Term("Questions answered with the original, of all that count.", "people"),
    "Difference": Term(
        "How many percentage points more originals the first finds than the second, with its 95 % "
        "interval.",
        "comparisons",
    ),
    "p": Term(
        "How probable a difference this large would be if there were none; two-sided, corrected "
        "for all comparisons in the store (Holm), and in brackets uncorrected.",
        "comparisons",
    ),
    "Test of a comparison": Term(
        "The test behind p: paired by instance where both answered one sample.", "comparisons"
    ),
    "Range": Term(
        "Minimum to maximum contamination by protocol v2: the originals found in the best slot, "
        "and the same less how often the model chose that slot without an original.",
        "quizzes",
    ),
    "Non-preferred": Term(
        "Slots that the model chose less often than chance without an original.", "quizzes"
    ),
    "Without the original": Term(
        "How often the slot was chosen when four rewordings were shown and no original.",
        "ablation",
    ),
    "With the original": Term(
        "How often the same slot was chosen once the original was in it.", "ablation"
    ),
    "Difference by the original": Term(
        "The share with the original minus the share without it, over the same instances, in "
        "percentage points with its 95 % interval.",
        "ablation",
    ),
    "McNemar's p": Term(
        "How probable so uneven a change would be if the original made no difference: an exact "
        "test on the instances whose choice changed.",
        "ablation",
    ),
    "Defects": Term(
        "Rows whose question is broken: an option missing or twice, the original changed, or an "
        "answer that cannot be read.",
        "outcomes",
    ),
    "ROUGE-L": Term(
        "How much of the reference a completion repeats in the same order, from 0 to 1.",
        "replication",
    ),
    "Meaning": Term(
        "How close a completion is to the reference in meaning, by the score named here.",
        "replication",
    ),
    "Guided adds": Term(
        "The score with dataset and split named minus the score under this instruction, with its "
        "95 % interval and one-sided p.",
        "replication",
    ),
    "Matches": Term(
        "Completions that are exactly, or nearly, the reference, by the judge or by people.",
        "replication",
    ),
    "The paper's rules": Term(
        "Algorithm 1 asks whether guided completions are closer to the reference than general "
        "ones, Algorithm 2 for one exact or two near-exact matches.",
        "replication",
    ),
    "False alarms on controls": Term(
        "How many control partitions the rule would call contaminated, with a 95 % interval.",
        "where-the-papers-rule-is-unsafe",
    ),
    "Agreement": Term(
        "How far two people, or a person and the judge, give the same labels: as a share, and "
        "beyond what chance gives (Cohen's κ, Krippendorff's α).",
        "replication",
    ),
    "Beside the quiz": Term(
        "Whether quiz and replication find the same instances: the difference of the shares, the "
        "odds ratio, and Fisher's exact test.",
        "replication",
    ),
    "Mean midrank": Term(
        "The share of an instance's rewordings that the original is likelier than, a tie counting "
        "half, on average over the instances.",
        "likelihood",
    ),
    "Interval of a mean midrank": Term(
        "The values that agree with what was seen, if the method is right 95 times in 100: "
        "Wilson's interval, over the instances.",
        "likelihood",
    ),
    "Original first": Term(
        "The share of the instances in which the original is likelier than all of its rewordings.",
        "likelihood",
    ),
    "p above controls": Term(
        "How probable a mean midrank this high would be on unseen text, one-sided; that of a "
        "measure which does not decide is corrected for nothing.",
        "likelihood",
    ),
    "AUROC": Term(
        "How often an instance of this partition has a higher midrank than one of the controls, a "
        "tie counting half: 0.5 tells nothing, 1 all.",
        "likelihood",
    ),
    "Log-probability": Term(
        "The natural logarithm of the probability that the model gives the token after all before "
        "it; nearer to 0 is likelier.",
        "likelihood",
    ),
    "METEOR": Term(
        "How well the words of a text cover those of the query, in few unbroken runs, from 0 to 1.",
        "web-overlap",
    ),
    "Category": Term(
        "Clean where the input was not found, input-only where it was, input-and-label where its "
        "answer stands near it too.",
        "web-overlap",
    ),
    "Share found": Term(
        "Of the instances that were searched for, those that stand on the web or in the corpus.",
        "web-overlap",
    ),
    "Accuracy": Term(
        "The share of the instances in this category that the model answers correctly.",
        "web-overlap",
    ),
    "Gap": Term(
        "Accuracy on found minus accuracy on clean instances, in percentage points.", "web-overlap"
    ),
    "Adjusted gap": Term(
        "How much larger the model's lead over the other models is on found than on clean "
        "instances that equally many of the models get right; what all of them gain alike does not "
        "show.",
        "web-overlap",
    ),
    "p of the gap": Term(
        "How probable so large a gap would be if found and clean instances were alike: Fisher's "
        "exact test, and for the adjusted gap, if being found helped all models alike, Cochran, "
        "Mantel and Haenszel's.",
        "web-overlap",
    ),
    "Drop": Term(
        "Score on originals minus score on their rewordings, the same instances, in percentage "
        "points.",
        "the-effect-on-scores",
    ),
    "Inflation": Term(
        "How much more a model loses on rewordings than clean models do, in percentage points.",
        "the-effect-on-scores",
    ),
    "p of the inflation": Term(
        "How often a new clean model would lose as much (one-sided).",
        "the-effect-on-scores",
    ),
    "ConStat": Term(
        "The inflation as another method estimates it, with its p; shown to compare.",
        "the-effect-on-scores",
    ),
    "Effect": Term(
        "Whether the score is inflated, which changes no verdict.", "the-effect-on-scores"
    ),
    "Rank correlation": Term(
        "Whether larger models gain more on found instances: Spearman's ρ, from −1 to 1.",
        "web-overlap",
    ),
    "Do the methods agree": Term(
        "For two methods, the difference of the shares that one finds among what the other finds "
        "and the rest, the odds ratio, and Fisher's exact test (Holm).",
        "web-overlap",
    ),
}


def link(name: str) -> str:
    """The address of a term on the page that shows the method, from any other page."""
    return f"method#{quote(TERMS[name].anchor)}"


def tip(name: str, sentence: str = "") -> str:
    """The help of a number or a column: ``sentence``, or that of the term, and the link."""
    return f"{sentence or TERMS[name].sentence} [The method]({link(name)})"


def columns(
    terms: Mapping[str, str], config: Mapping[str, Any] | None = None, **more: str
) -> dict[str, Any]:
    """A table's ``column_config`` with help for the columns of ``terms`` (and ``more``), which map
    a column to the name of its term. A column's own help in ``config`` comes before the link."""
    column_config: dict[str, Any] = dict(config or {})
    for column, name in {**terms, **more}.items():
        own_config = column_config.get(column) or {}
        cell = {"label": own_config} if isinstance(own_config, str) else dict(own_config)
        column_config[column] = cell | {"help": tip(name, cell.get("help") or "")}
    return column_config


def offer(names: Iterable[str]) -> None:
    """All terms of a page behind one button, each with its sentence and its link."""
    with st.popover("What the numbers mean", icon=":material/help:", type="tertiary"):
        for name in names:
            st.markdown(f"**{name}**  \n{tip(name)}")
