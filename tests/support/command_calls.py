"""How each command is called on a prepared store, so that two commits can be compared by what they
print (``same_answers.py``).

In the words of a call, ``{name}`` stands for a fact of the store (``sample``, ``run``, …), a file
that was prepared beside it, or ``{out}``, an empty folder for what is written. A call whose fact a
store lacks is left out there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.support import option_tables

Call = Sequence[str]

_MODELS = ("--model", "recites")
_TABLES = ("results", "pairs", "answers", "quiz", "variants", "opinions", "people", "replication")
_REPORTS = ("html", "md", "tex", "yaml", "pptx", "pdf")
_OF = {
    "answers": "{run}",
    "quiz": "{quiz}",
    "variants": "{sample}",
    "opinions": "{sample}",
    "people": "{sample}",
    "replication": "{replication}",
}

# First what reads, then what writes, in the order in which it is called.
CALLS: Mapping[str, Sequence[Call]] = {
    "results": (
        (),
        ("--compare",),
        ("--by", "label"),
        ("--by", "provider"),
        ("--model", "{model}"),
        ("--partition", "{partition}"),
    ),
    "answer": ((), ("--model", "{model}"), ("--partition", "{partition}")),
    "study save": (("all-of-it", "--everything"),),
    "study list": ((),),
    "study show": (("all-of-it",),),
    "study init": (("--to", "{out}/study.toml"),),
    "study plan": (("{out}/study.toml",),),
    "study check": (("{out}/study.toml", "--junit", "{out}/junit.xml"),),
    "study remove": (("all-of-it",),),
    "consistency": (("{sample}",),),
    "people": (("{sample}",),),
    "agreement": (("{sample}",),),
    "status": ((),),
    "datasets": ((),),
    "kappa": (("--correct", "65", "--n", "100"),),
    "imported list": ((),),
    "export": (
        *(
            (what, *([_OF[what]] if what in _OF else []), "--to", f"{{out}}/{what}.csv")
            for what in _TABLES
        ),
        ("replication-scores", "{replication}", "--to", "{out}/scores.csv"),
        ("overlap", "{overlap}", "--to", "{out}/overlap.csv"),
        ("clean", "{sample}", "--to", "{out}/clean.csv"),
        ("sample", "{sample}", "--to", "{out}/sample.json"),
        ("task", "{sample}", "--to", "{out}/task"),
        ("label-studio", "{sample}", "--to", "{out}/tasks.json"),
        ("release", "{sample}", "--to", "{out}/release.csv"),
        *(
            ("findings", "--format", form, "--model", "{model}", "--to", f"{{out}}/{form}.{end}")
            for form, end in (
                ("hub", "yaml"),
                ("every-eval-ever", "json"),
                ("contamination-index", "json"),
            )
        ),
        *(("report", "--to", f"{{out}}/report.{end}") for end in _REPORTS),
        ("report", "--slides", "--to", "{out}/slides.pdf"),
        ("bundle", "--to", "{out}/bundle.zip", "--tables", "csv"),
    ),
    "audit": (("{release}",), ("{answers}", "--format", "answers")),
    "replicate": (
        ("--audit", "{completions}"),
        ("{sample}", *_MODELS, "--judge", "judges", "--limit", "4"),
    ),
    "overlap match": (("{pairs}",),),
    "overlap scan": (("{queries}", "{pairs}"),),
    "overlap effect": (("{graded}", "--labels", "{labels}"),),
    "matter": (("{versions}",),),
    "protect plan": (("--k", "4", "--n", "141"),),
    "protect test": (("{lots}",),),
    "passport key": (("--out", "{out}/mine.key"),),
    "passport make": (
        (
            *("--out", "{out}/passport.json", "--key", "{out}/mine.key"),
            *("--model", "{model}", "--partition", "{partition}", "--bundle", "{out}/whole.zip"),
        ),
    ),
    "passport verify": (
        ("{out}/passport.json", "--key", "{out}/mine.key.pub", "--bundle", "{out}/whole.zip"),
        ("{passport}", "--key", "{passport_key}"),
    ),
    "sample": (("control-news", "test", "--n", "6"),),
    "perturb": (("{sample}", *_MODELS),),
    "balance": (("{sample}",),),
    "quiz": (("{sample}", "--kind", "rotated"),),
    "run": (("{quiz}", "--model", "knows-original", "--limit", "6"),),
    "v2": (("{sample}", "--model", "knows-original", "--limit", "6"),),
    "likelihood": (("{sample}", "--model", "words", "--limit", "4"),),
    "ask": (("likelihood", "{sample}", "--model", "words", "--limit", "4"),),
    "investigate": (
        ("{sample}", "--model", "knows-original", "--methods", "quiz", "--limit", "4"),
        ("{sample}", "--model", "knows-original", "--methods", "quiz", "--plan"),
    ),
    "score": (("{sample}", "--model", "knows-original", "--limit", "4"),),
    "protect make": (("{sample}", "--out", "{out}/protected", "--accepted-by", "R. Reader"),),
    "protect verify": (
        tuple(
            f"{{out}}/protected/{name}"
            for name in ("private.dcqsecret", "commitment.json", "published.jsonl")
        ),
    ),
    "protect check": (
        ("{out}/protected/private.dcqsecret", "--model", "knows-original", "--by", "letter"),
    ),
    "protect burn": (("{sample}",),),
    "import": (("{example}",), ("{released}",)),
    "imported take-in": (("{source}",),),
    "imported take-back": (("{source}",),),
    "backup": (("{out}/copy.duckdb",),),
    "restore": (("{out}/copy.duckdb", "--force"),),
    "doctor": ((),),
}

NOT_CALLED: Mapping[str, str] = {
    "app": "it ends only when somebody ends it",
    "overlap search": "it calls services of the web",
    "study run": "what it asks takes minutes; its parts are called by themselves",
    "protect watch": "it draws its questions by chance",
    "imported ask-again": "it draws its questions by chance",
}


def unknown() -> set[str]:
    """Commands for which nobody has said how they are called, or why not."""
    return set(option_tables.commands()) - set(CALLS) - set(NOT_CALLED)


def gone() -> set[str]:
    """Commands of the lists that the parser does not have."""
    return (set(CALLS) | set(NOT_CALLED)) - set(option_tables.commands())
