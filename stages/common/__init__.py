"""What several stages need: paths, errors, configuration, files, tables."""
