"""The pipeline: a folder or module for each DVC stage; it reads, calls pure functions, writes."""
