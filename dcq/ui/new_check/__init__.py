"""The page New check: a benchmark, models and how sure, as one study that a button starts."""
