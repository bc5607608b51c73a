"""What a run says: tables, tests, the paper beside it and the verdicts; no files in here."""
