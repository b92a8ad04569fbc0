"""Investigations: all runs that a verdict needs, in one go, and what a plan would find."""
