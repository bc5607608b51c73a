"""A small version of `torture.load`: every step works with many cells, and growth is told."""

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from torture.load import STEPS, exponent


def test_the_exponent_is_that_of_the_two_largest_sizes():
    assert exponent({1000: 1.0, 10_000: 10.0}) == pytest.approx(1)
    assert exponent({10: 3.0, 1000: 1.0, 10_000: 100.0}) == pytest.approx(2)
    assert exponent({1000: 1.0}) is None


@pytest.mark.slow
def test_every_step_goes_through_with_some_data_sets(tmp_path, monkeypatch):
    monkeypatch.setenv("RETHINK_TORTURE", str(tmp_path))
    command = [sys.executable, "-m", "torture.load", "--cells", "400"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    known = json.loads((tmp_path / "load.json").read_text())["400"]
    assert set(known) == {*STEPS, "page"} and known["page"]["bytes"] > 10_000
