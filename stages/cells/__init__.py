"""Cells: what has to be computed, how one is computed, and the store that keeps it."""
