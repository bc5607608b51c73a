"""Prefect flows: what runs where, in which order, with which retries."""
