"""A toy method of detection: the last word of each instance is asked for, given the rest."""
