"""Stage `report`: from the comparison to tables, figures and sentences on one page."""
