"""Stage `prepare`: read the raw files, check what they hold, scale the features."""
