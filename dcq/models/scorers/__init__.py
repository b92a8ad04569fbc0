"""Models that score texts by their likelihood instead of writing."""
