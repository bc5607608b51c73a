"""What is too large to be sent is read where the lead says, if it is the same there."""

import numpy as np
import pytest

from stages.common.errors import DataError
from stages.train.inputs import input_files, make_inputs


@pytest.fixture
def features(project, monkeypatch):
    monkeypatch.chdir(project.path)
    return project.path / "data" / "prepared" / "tiny" / "features.parquet"


@pytest.fixture
def named(features):
    """The files of a data set as they are named to the workers when none may be sent."""
    return input_files("tiny", "features", sent_at_most=0)


def test_a_worker_that_reaches_the_files_reads_what_would_have_been_sent(named, monkeypatch):
    sent = make_inputs(input_files("tiny", "features"), "features")
    monkeypatch.chdir("/")  # a worker has another folder
    read = make_inputs(named, "features")
    assert all(file.content is None for file in named)
    np.testing.assert_array_equal(read.X, sent.X)
    np.testing.assert_array_equal(read.Y, sent.Y)


def test_a_worker_that_cannot_read_a_file_says_what_is_needed(named, features):
    features.unlink()
    with pytest.raises(DataError, match=r"too large to be sent, .* a disk that all workers mount"):
        make_inputs(named, "features")


def test_a_worker_that_has_another_file_there_refuses_it(named, features):
    features.write_bytes(features.read_bytes() + b"\0")
    with pytest.raises(DataError, match=r"features\.parquet is not the lead's file"):
        make_inputs(named, "features")
