"""Costs that the benchmark does not score by, found by `get_cost` and free to use."""
