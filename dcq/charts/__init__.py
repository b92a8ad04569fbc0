"""Charts: tables in, plotly figures out, each with a sentence that says what it shows.

Every ``describe_…`` gives the alternative text of the chart of the same name. Show a figure with
Streamlit's own chart theme (the default): see ``dcq.charts.template``.
"""

from dcq.charts.bars import describe_option_distribution, option_distribution
from dcq.charts.export import to_image
from dcq.charts.forest import describe_kappa_forest, kappa_forest
from dcq.charts.intervals import describe_kappa_intervals, kappa_intervals
from dcq.charts.paired import describe_paired_slots, from_figure_3, paired_slots
from dcq.charts.positions import describe_position_preference, position_preference
from dcq.charts.progress import describe_progress_bars, progress_bars
from dcq.charts.protocol2 import contamination_range, describe_contamination_range
from dcq.charts.replication import describe_replication_measures, replication_measures
from dcq.charts.strategies import describe_strategy_bars, strategy_bars

__all__ = [
    "contamination_range",
    "describe_contamination_range",
    "describe_kappa_forest",
    "describe_kappa_intervals",
    "describe_option_distribution",
    "describe_paired_slots",
    "describe_position_preference",
    "describe_progress_bars",
    "describe_replication_measures",
    "describe_strategy_bars",
    "from_figure_3",
    "kappa_forest",
    "kappa_intervals",
    "option_distribution",
    "paired_slots",
    "position_preference",
    "progress_bars",
    "replication_measures",
    "strategy_bars",
    "to_image",
]
