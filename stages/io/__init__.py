"""Files: atomic writes, parquet and JSON, downloads, archives and the readers of data formats."""
