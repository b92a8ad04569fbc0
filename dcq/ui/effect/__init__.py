"""The page on what contamination did to scores."""
