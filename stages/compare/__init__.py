"""Stage `compare`: tables, tests, the paper beside our numbers, its claims and flaws."""
