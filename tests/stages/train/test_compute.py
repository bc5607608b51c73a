"""One cell in memory: from a task and its data to predictions."""

from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp

from stages.common.params import load_params
from stages.common.plan import is_network
from stages.train.compute import Inputs, Task, compute

PARAMS = load_params()
# nets have a test of their own
ON_FEATURES = [n for n, m in PARAMS.models.items() if m.input == "features" and not is_network(m)]
ROWS = 40


def task(name):
    """A cell of a model with the first point of its grid, and few rounds of boosting."""
    model = PARAMS.models[name]
    if model.params.get("estimator") == "Boomer" and find_spec("mlrl") is None:
        pytest.skip("mlrl-boomer is not installed")
    few = {"estimator__max_iter": 3} if "HistGradient" in str(model.params) else {}
    return Task(
        train=np.arange(ROWS) < 30,
        estimator=model.estimator,
        params=model.params | few,
        grid={key: values[:1] for key, values in PARAMS.grid_of(name).items()},
        costs=("f1",),
        folds=2,
        select=model.select,
        rescale=True,
        fold_seed=0,
        model_seed=0,
    )


@pytest.mark.parametrize("name", ON_FEATURES)
def test_every_model_of_params_takes_sparse_features(name):
    rng = np.random.default_rng(0)
    X = rng.random((ROWS, 6)) * (rng.random((ROWS, 6)) < 0.5)
    Y = (X[:, :3] + 0.2 * rng.random((ROWS, 3)) > 0.3).astype(np.uint8)
    (result,) = compute(task(name), Inputs(sp.csr_array(X), Y))
    assert result.predictions.shape[1:] == Y.shape
