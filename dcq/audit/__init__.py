"""Published or foreign result files, analysed again without asking any model."""
