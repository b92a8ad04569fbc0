"""The schema of the store, as a list of small migration steps whose names the store keeps. A
released step is never changed: a new schema is a new step at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dcq.store.steps import curation, first, later, latest, others, studies
from dcq.store.steps.first import Connection

STEPS: Sequence[Callable[[Connection], None]] = (
    first.m001_partitions_and_samples,
    first.m002_variants_and_reviews,
    first.m003_quizzes,
    first.m004_runs_and_answers,
    first.m005_mode_of_a_run,
    first.m006_final_answers_without_sorting,
    first.m007_cap_on_calls,
    first.m008_prompt_of_a_variant,
    first.m009_layout_of_a_sample,
    first.m010_served_model,
    later.m011_usage_reported,
    later.m012_planned_looks,
    later.m013_drafts,
    later.m014_undone_decisions,
    later.m015_history_of_roles,
    later.m016_writers_of_imports,
    later.m017_methods_and_values,
    later.m018_batches,
    later.m019_placebos,
    later.m020_rewordings,
    later.m021_replications,
    later.m022_overlaps,
    later.m023_candidates,
    curation.m024_two_annotators,
    curation.m025_sets_of_variants,
    curation.m026_guidelines_flags_and_instructions,
    curation.m027_sittings,
    studies.m028_studies,
    studies.m029_investigations,
    studies.m030_tokens_of_an_overlap,
    studies.m031_places_of_cuts,
    studies.m032_verdicts_shown,
    studies.m033_imported_runs,
    studies.m034_derived_values,
    studies.m035_all_methods_of_a_study,
    studies.m036_methods_of_an_investigation,
    studies.m037_frozen_requests_and_values,
    studies.m038_plans_of_answers,
    studies.m039_scores,
    studies.m040_datasets_of_one_split,
    others.m041_what_others_answered,
    latest.m043_earlier_prices,
    latest.m044_draws_by_lot,
    latest.m046_rows_and_revisions,
    latest.m047_private_wordings,
    latest.m042_readers_of_runs,
    latest.m049_studies_as_they_are,
    latest.m050_conclusions,
    latest.m048_partitions_as_they_were_asked,
    latest.m051_notes_on_cases,
)
