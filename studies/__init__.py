"""Experiments that cost minutes: each is a script, its figures, and its report beside it."""
