"""Charts: tables in, plotly figures out, each with a sentence that says what it shows.

Every ``describe_…`` gives the alternative text of the chart of the same name. Show a figure with
Streamlit's own chart theme (the default): see ``dcq.charts.template``.
"""

from dcq.charts.explorer import InstanceTable, describe_instance_picture, instance_picture
from dcq.charts.export import to_image, write_images
from dcq.charts.forest import describe_kappa_forest, kappa_forest
from dcq.charts.intervals import (
    describe_estimate_intervals,
    describe_kappa_intervals,
    kappa_intervals,
)
from dcq.charts.likelihood import describe_measure_ruler, measure_ruler
from dcq.charts.lots import (
    describe_evidence_curves,
    describe_power_curve,
    evidence_curves,
    power_curve,
)
from dcq.charts.matrix import describe_matrix_picture, matrix_picture
from dcq.charts.option_distribution import (
    describe_option_distribution,
    describe_position_preference,
    option_distribution,
    position_preference,
)
from dcq.charts.over_time import describe_effect_over_time, effect_over_time
from dcq.charts.overlap_effect import (
    accuracy_by_meteor,
    describe_accuracy_by_meteor,
    describe_domain_bars,
    describe_gain_by_size,
    domain_bars,
    gain_by_size,
)
from dcq.charts.paired import (
    contamination_range,
    describe_contamination_range,
    describe_paired_slots,
    from_figure_3,
    paired_slots,
)
from dcq.charts.progress import describe_progress_bars, progress_bars
from dcq.charts.replication import describe_replication_measures, replication_measures

__all__ = [
    "InstanceTable",
    "accuracy_by_meteor",
    "contamination_range",
    "describe_accuracy_by_meteor",
    "describe_contamination_range",
    "describe_domain_bars",
    "describe_effect_over_time",
    "describe_estimate_intervals",
    "describe_evidence_curves",
    "describe_gain_by_size",
    "describe_instance_picture",
    "describe_kappa_forest",
    "describe_kappa_intervals",
    "describe_matrix_picture",
    "describe_measure_ruler",
    "describe_option_distribution",
    "describe_paired_slots",
    "describe_position_preference",
    "describe_power_curve",
    "describe_progress_bars",
    "describe_replication_measures",
    "domain_bars",
    "effect_over_time",
    "evidence_curves",
    "from_figure_3",
    "gain_by_size",
    "instance_picture",
    "kappa_forest",
    "kappa_intervals",
    "matrix_picture",
    "measure_ruler",
    "option_distribution",
    "paired_slots",
    "position_preference",
    "power_curve",
    "progress_bars",
    "replication_measures",
    "to_image",
    "write_images",
]
