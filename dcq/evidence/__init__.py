"""The statistics, from counts of answers to a verdict; pure functions on numpy and scipy."""
