"""The tables of a bundle: what a study's results and verdicts rest on, and how rows of two stores
are told apart.

Drafts, batches, choices among candidates, guidelines and flags, investigations, who was assigned
to what and voted how, scores that people brought, conclusions as they were shown, notes on cases,
and what others sent and nobody took in stay behind: no verdict rests on them. What was derived of
other rows stays behind too, also of a copy: whoever made the file may have made up the figures, and
the rows can be rated again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from dcq.records import LETTERS, DatasetTask, Mode, Outcome, PartitionRole, QuizKind, TextLayout
from dcq.store.runs import Event
from dcq.store.sources import SourceKind
from dcq.store.variants import Decision

WITHHELD = "sha256:"  # what stands before the hash of a text that is left out
OBJECT, ARRAY, ALL_OR_SOME = "OBJECT", "ARRAY", "ARRAY or NULL"  # of JSON


@dataclass(frozen=True)
class BundleTable:
    """One table of a bundle.

    Rows are told apart by ``key``; ``owner`` is the column of the thing that a row belongs to.
    Where the key is ``("seq",)``, the rows of an owner are a history in the order of ``seq``, which
    each store numbers by itself; where it is empty, they are a set. ``notes`` are columns that two
    stores may have differently for the same thing, such as when it was saved. ``texts`` are columns
    with text of the data, of models or of endpoints. ``foreign_keys``: (column, other table, its
    column), for values that are not NULL, nor 0 where a row of a history is meant.
    ``allowed_values`` are those that a column can have, ``json_columns`` those in JSON with its
    type, ``slugs`` those with short names: lower-case letters, digits and hyphens. ``ranges`` are
    the least and the largest value of columns with numbers, of each number where it is a list;
    those of other columns are finite and not below 0, but for ``seed``.
    """

    name: str
    key: tuple[str, ...] = ()
    owner: str = ""
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    foreign_keys: tuple[tuple[str, str, str], ...] = ()
    allowed_values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    json_columns: tuple[tuple[str, str], ...] = ()
    slugs: tuple[str, ...] = ()
    ranges: tuple[tuple[str, float, float], ...] = ()

    @property
    def is_history(self) -> bool:
        """Whether its rows are a history."""
        return self.key == SEQ

    @property
    def sequence(self) -> str:
        """The database sequence that numbers the rows of a history."""
        return f"{self.name}_seq"


SEQ = ("seq",)
_SAMPLE = ("sample_id", "sample", "id")
_VARIANT = ("variant_seq", "variant", "seq")
_RUN = ("run_id", "run", "id")
_OVERLAP = ("overlap_id", "overlap", "id")
_SITTING = ("sitting_id", "sitting", "id")
_SOURCE = ("source_id", "source", "id")
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
_MOST_TOKENS = 1e15  # of all calls of a run

# Not in a bundle, but in a copy of a store.
COPY_ONLY = (
    BundleTable("annotator_pair", SEQ, foreign_keys=(_SAMPLE,), ranges=(("share", *_SHARE),)),
    BundleTable("balancing", ("id",), foreign_keys=(_SAMPLE,)),
    BundleTable("balancing_move", foreign_keys=(("balancing_id", "balancing", "id"),)),
    BundleTable(
        "batch",
        foreign_keys=(_RUN,),
        ranges=(
            ("requests", 0, _MOST_COUNT),
            ("reply_tokens", 0, _MOST_COUNT),
            ("usd", 0, _MOST_USD),
        ),
    ),
    BundleTable("draft", ("sample_id", "instance_id", "slot", "author"), foreign_keys=(_SAMPLE,)),
    BundleTable(
        "earlier_price",
        foreign_keys=(_RUN,),
        ranges=(
            ("price_in", 0, 1e6),
            ("price_out", 0, 1e6),
            ("tokens_in", 0, _MOST_TOKENS),
            ("tokens_out", 0, _MOST_TOKENS),
        ),
    ),
    BundleTable("flag", foreign_keys=(_SAMPLE,)),
    BundleTable("guideline", SEQ, foreign_keys=(_SAMPLE,)),
    BundleTable("imported_plan", ("plan_id",), foreign_keys=(("plan_id", "answer_plan", "id"),)),
    BundleTable(
        "investigation",
        ("id",),
        foreign_keys=(_SAMPLE,),
        allowed_values=(("kind", tuple(QuizKind)),),
    ),
    BundleTable(
        "investigation_run",
        ("investigation_id", "kind", "sample_id"),
        foreign_keys=(_SAMPLE, _RUN, ("investigation_id", "investigation", "id")),
        slugs=("kind",),
        ranges=(("usd_before", 0, _MOST_USD),),
    ),
    BundleTable("lot_draw", foreign_keys=(_SAMPLE,)),
    BundleTable(
        "opinion", SEQ, foreign_keys=(_SAMPLE,), allowed_values=(("decision", tuple(Decision)),)
    ),
    BundleTable("run_reader", ("run_id", "reader"), foreign_keys=(_RUN,)),
    BundleTable("score_set", SEQ),
    BundleTable("source_outcome", ("source_id", "position"), foreign_keys=(_SOURCE,)),
    BundleTable("source_part", ("source_id", "position"), foreign_keys=(_SOURCE,)),
    BundleTable("source_run", ("source_id", "run_id"), foreign_keys=(_SOURCE,)),
    BundleTable("store_identity"),
    BundleTable("conclusion", SEQ),
    BundleTable("case_note", SEQ),
    BundleTable("private_wording", ("root", "item", "variant_seq"), foreign_keys=(_VARIANT,)),
    BundleTable("burnt_wording", ("root", "item", "variant_seq"), foreign_keys=(_VARIANT,)),
)
REBUILT = ("migration", "derived")  # made again where the other rows come in
LEFT_OUT = (*REBUILT, *(table.name for table in COPY_ONLY))
# Those that others refer to come first.
TABLES = (
    BundleTable(
        "partition",
        ("id",),
        # Which role it has, its history says; the same data may come from another revision.
        notes=("role", "source", "made_at"),
        allowed_values=(("role", tuple(PartitionRole)), ("task", tuple(DatasetTask))),
    ),
    BundleTable(
        "partition_role",
        SEQ,
        "partition_id",
        notes=("author", "made_at"),
        foreign_keys=(("partition_id", "partition", "id"),),
        allowed_values=(("role", tuple(PartitionRole)),),
    ),
    BundleTable(
        "sample",
        ("id",),
        # The same draw is one sample, however it was asked for.
        notes=("source", "requested", "available", "notes", "made_at", "revision"),
        foreign_keys=(("partition_id", "partition", "id"), ("set_of", "sample", "id")),
        allowed_values=(("layout", tuple(TextLayout)),),
        json_columns=(("notes", ARRAY),),
        ranges=(("n", 1, _MOST_COUNT),),
    ),
    BundleTable(
        "instance",
        ("sample_id", "position"),
        notes=("row_number",),  # another file may have the same texts in other rows
        texts=("text", "fields", "label", "protected"),
        ranges=(("row_number", -1, 1e15),),
        foreign_keys=(_SAMPLE,),
        json_columns=(("fields", OBJECT),),
    ),
    BundleTable(
        "standing_set",
        SEQ,
        "first_id",
        notes=("made_at",),
        foreign_keys=(_SAMPLE, ("first_id", "sample", "id")),
    ),
    BundleTable("rewording", ("id",), foreign_keys=(_SAMPLE,)),
    BundleTable(
        "variant",
        SEQ,
        "sample_id",
        notes=("author", "made_at", "undone_by"),
        texts=("text", "findings"),
        foreign_keys=(_SAMPLE, _REWORDING),
        json_columns=(("findings", ARRAY),),
        ranges=(_CANDIDATE,),
    ),
    BundleTable(
        "review",
        SEQ,
        "sample_id",
        notes=("made_at",),
        foreign_keys=(_SAMPLE, ("variant_seq", "variant", "seq")),
        allowed_values=(("decision", tuple(Decision)),),
    ),
    BundleTable(
        "rewording_slot",
        ("rewording_id", "instance_id", "slot"),
        foreign_keys=(
            _REWORDING,
            ("seen_variant", "variant", "seq"),
            ("seen_review", "review", "seq"),
        ),
        ranges=(_CANDIDATE,),
    ),
    BundleTable(
        "rewording_request",
        ("rewording_id", "position"),
        texts=("source",),
        foreign_keys=(_REWORDING,),
    ),
    BundleTable(
        "quiz",
        ("id",),
        notes=("made_at",),
        foreign_keys=(_SAMPLE,),
        allowed_values=(("kind", tuple(QuizKind)),),
        json_columns=(("left_out", OBJECT),),
        ranges=(_SLOT,),
    ),
    BundleTable(
        "item",
        ("quiz_id", "position"),
        texts=("options",),
        foreign_keys=(("quiz_id", "quiz", "id"),),
    ),
    BundleTable(
        "replication",
        ("id",),
        foreign_keys=(_SAMPLE,),
        json_columns=(("left_out", OBJECT),),
        ranges=(("earliest", *_SHARE), ("latest", *_SHARE)),
    ),
    BundleTable(
        "piece",
        ("replication_id", "position"),
        texts=("first", "second", "label", "wrong_label"),
        foreign_keys=(("replication_id", "replication", "id"),),
    ),
    BundleTable(
        "frozen",
        ("id",),
        foreign_keys=(_SAMPLE,),
        json_columns=(("design", OBJECT),),
        slugs=("method",),
    ),
    BundleTable(
        "frozen_request",
        ("frozen_id", "position"),
        texts=("text", "facts"),
        foreign_keys=(("frozen_id", "frozen", "id"),),
        json_columns=(("facts", OBJECT),),
    ),
    BundleTable("cut", SEQ, "sample_id", notes=("made_at",), foreign_keys=(_SAMPLE,)),
    BundleTable(
        "overlap",
        ("id",),
        foreign_keys=(_SAMPLE,),
        allowed_values=(("method", ("search", "scan")), ("tokens", ("words", "release"))),
        json_columns=(("unread", OBJECT),),
    ),
    BundleTable(
        "overlap_query",
        ("overlap_id", "position"),
        texts=("text", "input", "label"),
        foreign_keys=(_OVERLAP,),
    ),
    BundleTable(
        "overlap_request", ("overlap_id", "position"), texts=("text",), foreign_keys=(_OVERLAP,)
    ),
    BundleTable("overlap_part", ("overlap_id", "position"), foreign_keys=(_OVERLAP,)),
    BundleTable("overlap_score", ("overlap_id", "query"), foreign_keys=(_OVERLAP,)),
    BundleTable("overlap_hit", owner="overlap_id", texts=("passage",), foreign_keys=(_OVERLAP,)),
    BundleTable(
        "run",
        ("id",),
        notes=_SPENT,
        foreign_keys=(_SAMPLE,),
        allowed_values=(("mode", tuple(Mode)), ("task", tuple(DatasetTask))),
        slugs=("method",),
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
        foreign_keys=(_RUN,),
        allowed_values=(("event", tuple(Event)),),
    ),
    BundleTable(
        "answer",
        ("run_id", "position", "attempt"),
        texts=("value", "reason", "reply"),
        foreign_keys=(_RUN,),
        allowed_values=(("outcome", tuple(Outcome)),),
        json_columns=(("sent", OBJECT), ("logprobs", OBJECT)),
        ranges=(("attempt", 1, _MOST_COUNT), ("calls", 0, _MOST_COUNT)),
    ),
    BundleTable(
        "planned_looks",
        ("run_id",),
        foreign_keys=(_RUN,),
        ranges=(("n", 1, _MOST_COUNT), ("limits", *_SHARE), ("times", *_SHARE)),
    ),
    BundleTable(
        "look",
        ("run_id", "place"),
        foreign_keys=(_RUN,),
        allowed_values=(("decision", ("seen", "futile", "go on", "not seen")),),  # dcq.quiz.looks
        ranges=(("n", 1, _MOST_COUNT), ("p_value", *_SHARE), ("p_limit", *_SHARE)),
    ),
    BundleTable(
        "run_value",
        ("run_id", "position", "name"),
        foreign_keys=(_RUN,),
        slugs=("name",),
        ranges=(("value", -sys.float_info.max, sys.float_info.max),),
    ),
    BundleTable("judge_request", ("run_id", "position"), foreign_keys=(_RUN,)),
    BundleTable("sitting", ("id",), foreign_keys=(_SAMPLE,)),
    BundleTable(
        "sitting_item",
        ("sitting_id", "position"),
        texts=("options",),
        foreign_keys=(_SITTING,),
        ranges=(("correct", 0, 3),),
    ),
    BundleTable(
        "sitting_answer",
        SEQ,
        "sitting_id",
        notes=("made_at",),
        foreign_keys=(_SITTING,),
        allowed_values=(("letter", tuple(LETTERS)),),
    ),
    BundleTable(
        "match_label",
        SEQ,
        "run_id",
        notes=("made_at",),
        foreign_keys=(_RUN,),
        allowed_values=(
            ("label", ("exact", "near-exact", "inexact")),
        ),  # dcq.replication.judge.MatchLevel
    ),
    BundleTable("crawl_request", ("run_id", "position"), foreign_keys=(_RUN,)),
    BundleTable(
        "answer_plan",
        ("id",),
        "partition_id",
        foreign_keys=(("partition_id", "partition", "id"),),
        json_columns=(("methods", ARRAY),),
    ),
    BundleTable(
        "study",
        SEQ,
        "name",
        notes=("made_at",),
        json_columns=(
            ("methods", ALL_OR_SOME),
            *((name, ARRAY) for name in ("partitions", "models", "controls")),
        ),
    ),
    # Whose replies a study rests on besides those of whoever made the bundle.
    BundleTable("source", ("id",), allowed_values=(("kind", tuple(SourceKind)),)),
    BundleTable("taking", SEQ, "source_id", foreign_keys=(_SOURCE,)),
    BundleTable("imported_run", ("run_id",), foreign_keys=(_RUN, _SOURCE)),
)
BY_NAME = {table.name: table for table in TABLES}
