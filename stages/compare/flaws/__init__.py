"""Known flaws of the printed tables, each recomputed; one module for each."""
