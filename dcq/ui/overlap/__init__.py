"""The parts of the page Overlap."""
