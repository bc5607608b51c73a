"""A small version of `torture.load`: every step works with many cells, and growth is told."""

import json
import sys

import pytest

import torture.ledger
import torture.load
from tests.nursery import run_modules
from torture.load import STEPS, exponent


def test_the_exponent_is_that_of_the_two_largest_sizes():
    assert exponent({1000: 1.0, 10_000: 10.0}) == pytest.approx(1)
    assert exponent({10: 3.0, 1000: 1.0, 10_000: 100.0}) == pytest.approx(2)
    assert exponent({1000: 1.0}) is None


def in_a_fork(step, folder):
    """What `measure` tells, of a process that need not import the libraries."""
    code, output = run_modules(folder, [("torture.load", "--step", step)])
    assert code == 0, output
    return json.loads(output.splitlines()[-1])


@pytest.mark.slow
def test_every_step_goes_through_with_some_data_sets(tmp_path, monkeypatch):
    monkeypatch.setattr(torture.ledger, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["torture.load", "--cells", "400"])
    monkeypatch.setattr(torture.load, "measure", in_a_fork)  # seven interpreters start for seconds
    assert torture.load.main() == 0
    known = json.loads((tmp_path / "load.json").read_text())["400"]
    assert set(known) == {*STEPS, "page"} and known["page"]["bytes"] > 10_000
