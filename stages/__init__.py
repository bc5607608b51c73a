"""The pipeline: a module for each DVC stage that reads, calls one pure function, and writes."""
