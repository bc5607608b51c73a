"""The promises of this project, put to the test with large numbers: `make torture`."""
