"""The tables of a bundle: what a study's results and verdicts rest on, and how rows of two stores
are told apart.

Drafts, batches, choices among candidates, guidelines and flags, investigations, who was assigned
to what and said what of it, verdicts as they were shown, and which runs came from elsewhere stay
behind: no verdict rests on them. What was derived of other rows stays behind too, also of a copy:
whoever made the file may have made up the figures, and the rows can be rated again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from dcq.records import LETTERS, DatasetTask, Mode, Outcome, PartitionRole, QuizKind, TextLayout
from dcq.store.runs import Event
from dcq.store.variants import Decision

WITHHELD = "sha256:"  # what stands before the hash of a text that is left out
OBJECT, ARRAY, ALL_OR_SOME = "OBJECT", "ARRAY", "ARRAY or NULL"  # of JSON


@dataclass(frozen=True)
class BundleTable:
    """One table of a bundle.

    Rows are told apart by ``key``. Where it is ``("seq",)``, the rows with the same ``of`` are a
    history in the order of ``seq``, which each store numbers by itself; where it is empty, they are
    a set. ``notes`` are columns that two stores may have differently for the same thing, such as
    when it was saved. ``texts`` are columns with text of the data, of models or of endpoints.
    ``refers`` says which column is a column of which other table, if it is not NULL. ``words`` are
    the values that a column can have; ``documents`` the columns in JSON, and of which type.
    ``named`` are columns with the name of a kind of run, of a method or of a number. ``ranges`` are
    the least and the largest value of columns with numbers, of each number where it is a list;
    those of other columns are finite and not below 0, but for ``seed``.
    """

    name: str
    key: tuple[str, ...] = ()
    of: str = ""
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    refers: tuple[tuple[str, str, str], ...] = ()
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    documents: tuple[tuple[str, str], ...] = ()
    named: tuple[str, ...] = ()
    ranges: tuple[tuple[str, float, float], ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether its rows are a history."""
        return self.key == SEQ

    @property
    def sequence(self) -> str:
        """The database sequence that numbers the rows of a history."""
        return f"{self.name}_seq"


SEQ = ("seq",)
_SAMPLE = ("sample_id", "sample", "id")
_RUN = ("run_id", "run", "id")
_OVERLAP = ("overlap_id", "overlap", "id")
_SITTING = ("sitting_id", "sitting", "id")
_REWORDING = ("rewording_id", "rewording", "id")
# Changes while it is asked. The price is looked up anew where a run goes on.
_SPENT = (
    *("concurrency", "budget_usd", "max_calls", "calls", "lost_usd"),
    *("price_in", "price_out", "price_date"),
)
_SLOT = ("slot", 0, 3)
_CANDIDATE = ("slot", 0, 15)  # dcq.variants.freeze.MOST
_SHARE = (0, 1)
_MOST_COUNT = 1_000_000_000  # of calls, and of tokens of one question
_MOST_USD = 1e12

# Not in a bundle, but in a copy of a store.
OTHERS = (
    BundleTable("annotator_pair", SEQ, refers=(_SAMPLE,), ranges=(("share", *_SHARE),)),
    BundleTable("balancing", ("id",), refers=(_SAMPLE,)),
    BundleTable("balancing_move", refers=(("balancing_id", "balancing", "id"),)),
    BundleTable(
        "batch",
        refers=(_RUN,),
        ranges=(
            ("requests", 0, _MOST_COUNT),
            ("reply_tokens", 0, _MOST_COUNT),
            ("usd", 0, _MOST_USD),
        ),
    ),
    BundleTable("draft", ("sample_id", "instance_id", "slot", "author"), refers=(_SAMPLE,)),
    BundleTable("flag", refers=(_SAMPLE,)),
    BundleTable("guideline", SEQ, refers=(_SAMPLE,)),
    BundleTable("imported_run", ("run_id",), refers=(_RUN,)),
    BundleTable("investigation", ("id",), refers=(_SAMPLE,), words=(("kind", tuple(QuizKind)),)),
    BundleTable(
        "investigation_run",
        ("investigation_id", "kind", "sample_id"),
        refers=(_SAMPLE, _RUN, ("investigation_id", "investigation", "id")),
        named=("kind",),
        ranges=(("usd_before", 0, _MOST_USD),),
    ),
    BundleTable("opinion", SEQ, refers=(_SAMPLE,), words=(("decision", tuple(Decision)),)),
    BundleTable("score_set", SEQ),
    BundleTable("verdict", SEQ),
)
ANEW = ("migration", "derived")  # made anew where the other rows come in
LEFT_OUT = (*ANEW, *(table.name for table in OTHERS))
# Those that others refer to come first.
TABLES = (
    BundleTable(
        "partition",
        ("id",),
        # Which role it has, its history says; the same data may come from another revision.
        notes=("role", "source", "made_at"),
        words=(("role", tuple(PartitionRole)), ("task", tuple(DatasetTask))),
    ),
    BundleTable(
        "partition_role",
        SEQ,
        "partition_id",
        notes=("author", "made_at"),
        refers=(("partition_id", "partition", "id"),),
        words=(("role", tuple(PartitionRole)),),
    ),
    BundleTable(
        "sample",
        ("id",),
        # The same draw is one sample, however it was asked for.
        notes=("source", "requested", "available", "notes", "made_at"),
        refers=(("partition_id", "partition", "id"), ("set_of", "sample", "id")),
        words=(("layout", tuple(TextLayout)),),
        documents=(("notes", ARRAY),),
        ranges=(("n", 1, _MOST_COUNT),),
    ),
    BundleTable(
        "instance",
        ("sample_id", "position"),
        texts=("text", "fields", "label", "protected"),
        refers=(_SAMPLE,),
        documents=(("fields", OBJECT),),
    ),
    BundleTable(
        "standing_set",
        SEQ,
        "first_id",
        notes=("made_at",),
        refers=(_SAMPLE, ("first_id", "sample", "id")),
    ),
    BundleTable("rewording", ("id",), refers=(_SAMPLE,)),
    BundleTable(
        "variant",
        SEQ,
        "sample_id",
        notes=("author", "made_at", "undone_by"),
        texts=("text", "findings"),
        refers=(_SAMPLE, _REWORDING),
        documents=(("findings", ARRAY),),
        ranges=(_CANDIDATE,),
    ),
    BundleTable(
        "review",
        SEQ,
        "sample_id",
        notes=("made_at",),
        refers=(_SAMPLE, ("variant_seq", "variant", "seq")),
        words=(("decision", tuple(Decision)),),
    ),
    BundleTable(
        "rewording_slot",
        ("rewording_id", "instance_id", "slot"),
        refers=(_REWORDING, ("seen_variant", "variant", "seq"), ("seen_review", "review", "seq")),
        ranges=(_CANDIDATE,),
    ),
    BundleTable(
        "rewording_request", ("rewording_id", "position"), texts=("source",), refers=(_REWORDING,)
    ),
    BundleTable(
        "quiz",
        ("id",),
        notes=("made_at",),
        refers=(_SAMPLE,),
        words=(("kind", tuple(QuizKind)),),
        documents=(("left_out", OBJECT),),
        ranges=(_SLOT,),
    ),
    BundleTable(
        "item", ("quiz_id", "position"), texts=("options",), refers=(("quiz_id", "quiz", "id"),)
    ),
    BundleTable(
        "replication",
        ("id",),
        refers=(_SAMPLE,),
        documents=(("left_out", OBJECT),),
        ranges=(("earliest", *_SHARE), ("latest", *_SHARE)),
    ),
    BundleTable(
        "piece",
        ("replication_id", "position"),
        texts=("first", "second", "label", "wrong_label"),
        refers=(("replication_id", "replication", "id"),),
    ),
    BundleTable(
        "frozen",
        ("id",),
        refers=(_SAMPLE,),
        documents=(("design", OBJECT),),
        named=("method",),
    ),
    BundleTable(
        "frozen_request",
        ("frozen_id", "position"),
        texts=("text", "facts"),
        refers=(("frozen_id", "frozen", "id"),),
        documents=(("facts", OBJECT),),
    ),
    BundleTable("cut", SEQ, "sample_id", notes=("made_at",), refers=(_SAMPLE,)),
    BundleTable(
        "overlap",
        ("id",),
        refers=(_SAMPLE,),
        words=(("method", ("search", "scan")), ("tokens", ("words", "release"))),
        documents=(("unread", OBJECT),),
    ),
    BundleTable(
        "overlap_query",
        ("overlap_id", "position"),
        texts=("text", "input", "label"),
        refers=(_OVERLAP,),
    ),
    BundleTable("overlap_request", ("overlap_id", "position"), texts=("text",), refers=(_OVERLAP,)),
    BundleTable("overlap_part", ("overlap_id", "position"), refers=(_OVERLAP,)),
    BundleTable("overlap_score", ("overlap_id", "query"), refers=(_OVERLAP,)),
    BundleTable("overlap_hit", of="overlap_id", texts=("passage",), refers=(_OVERLAP,)),
    BundleTable(
        "run",
        ("id",),
        notes=_SPENT,
        refers=(_SAMPLE,),
        words=(("mode", tuple(Mode)),),
        named=("method",),
        ranges=(
            ("concurrency", 1, 1024),  # dcq.asking.options.MOST_IN_FLIGHT
            ("price_in", 0, 1e6),  # dcq.models.prices.MOST
            ("price_out", 0, 1e6),
            ("lost_usd", 0, _MOST_USD),
            ("calls", 0, _MOST_COUNT),
            ("max_calls", 1, _MOST_COUNT),
        ),
    ),
    BundleTable(
        "run_event",
        SEQ,
        "run_id",
        texts=("detail",),
        refers=(_RUN,),
        words=(("event", tuple(Event)),),
    ),
    BundleTable(
        "answer",
        ("run_id", "position", "attempt"),
        texts=("value", "reason", "reply"),
        refers=(_RUN,),
        words=(("outcome", tuple(Outcome)),),
        documents=(("sent", OBJECT), ("logprobs", OBJECT)),
        ranges=(("attempt", 1, _MOST_COUNT), ("calls", 0, _MOST_COUNT)),
    ),
    BundleTable(
        "planned_looks",
        ("run_id",),
        refers=(_RUN,),
        ranges=(("n", 1, _MOST_COUNT), ("limits", *_SHARE), ("times", *_SHARE)),
    ),
    BundleTable(
        "look",
        ("run_id", "place"),
        refers=(_RUN,),
        words=(("decision", ("seen", "futile", "go on", "not seen")),),  # dcq.quiz.looks
        ranges=(("n", 1, _MOST_COUNT), ("p_value", *_SHARE), ("p_limit", *_SHARE)),
    ),
    BundleTable(
        "run_value",
        ("run_id", "position", "name"),
        refers=(_RUN,),
        named=("name",),
        ranges=(("value", -sys.float_info.max, sys.float_info.max),),
    ),
    BundleTable("judge_request", ("run_id", "position"), refers=(_RUN,)),
    BundleTable("sitting", ("id",), refers=(_SAMPLE,)),
    BundleTable(
        "sitting_item",
        ("sitting_id", "position"),
        texts=("options",),
        refers=(_SITTING,),
        ranges=(("correct", 0, 3),),
    ),
    BundleTable(
        "sitting_answer",
        SEQ,
        "sitting_id",
        notes=("made_at",),
        refers=(_SITTING,),
        words=(("letter", tuple(LETTERS)),),
    ),
    BundleTable(
        "match_label",
        SEQ,
        "run_id",
        notes=("made_at",),
        refers=(_RUN,),
        words=(("label", ("exact", "near-exact", "inexact")),),  # dcq.replication.judge.MatchLevel
    ),
    BundleTable("crawl_request", ("run_id", "position"), refers=(_RUN,)),
    BundleTable(
        "answer_plan",
        ("id",),
        "partition_id",
        refers=(("partition_id", "partition", "id"),),
        documents=(("methods", ARRAY),),
    ),
    BundleTable(
        "study",
        SEQ,
        "name",
        notes=("made_at",),
        documents=(
            ("methods", ALL_OR_SOME),
            *((name, ARRAY) for name in ("partitions", "models", "controls")),
        ),
    ),
)
BY_NAME = {table.name: table for table in TABLES}
