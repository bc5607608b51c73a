"""What tests of whole comparisons share."""

import pytest


@pytest.fixture(scope="module")
def few_draws():
    """Fewer draws, for tests of what no number of draws changes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rethink.statistics.resampling.DRAWS", 1000)
        patch.setattr("stages.compare.significance.SAMPLES", 1000)
        yield
