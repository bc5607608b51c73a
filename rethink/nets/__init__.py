"""The machinery of the neural models, outside `rethink.models` so that torch loads only on use."""

from typing import Any

import rethink.models  # noqa: F401  first: it imports the estimators here, and they its base class

# The settings of the benchmark: at least the scores of the paper's protocol at a fraction of its
# cost. The limit of epochs is seldom reached: a search ends long before.
PROTOCOL: dict[str, Any] = {
    "batch_size": 128,
    "learning_rate": 0.01,
    "schedule": "falling",
    "average": True,
    "stopping": "holdout",
    "patience": 30,
    "epochs": 960,
}
