"""Does contamination matter? Scores on originals against scores on rewordings."""
