"""Validation: what can be said of a parallel corpus without reading it, and by reading it."""
