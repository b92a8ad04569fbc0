"""Replication: guided against general, matches, the quiz beside it, and the verdict."""
