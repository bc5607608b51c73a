"""What the report shows: pure functions from the comparison to tables, figures and sentences."""
