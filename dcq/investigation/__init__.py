"""Investigations: all runs that a verdict needs, in one go, and the fixes for a weak verdict."""
