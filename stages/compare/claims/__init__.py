"""The paper's claims, each put to a test that it can fail; one module for each kind."""
