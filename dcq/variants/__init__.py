"""Rewordings of instances: written by a model or offline, read, checked and curated."""
