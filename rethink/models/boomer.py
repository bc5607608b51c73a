"""BOOMER: gradient boosted rules by its own authors' library, an opinion from outside."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from rethink.discovery import unknown_name
from rethink.models.base import MultiLabelEstimator

PREDICTORS = ("output-wise", "gfm")
VERSION = "0.12.3"
INSTALL = "pip install --no-deps " + " ".join(
    f"mlrl-{part}=={VERSION}" for part in ("boomer", "common", "util")
)


class Boomer(MultiLabelEstimator):
    """Boosted rules of the library `mlrl-boomer`, which has to be installed.

    It predicts probabilities, so `DecisionRule(Boomer())` predicts for any cost. Its own search
    for the best F1 is there to be compared with ours.

    Parameters
    ----------
    rules : int
        How many rules are learned.
    shrinkage : float
        The share of its weight that a rule gets.
    predictor : {"output-wise", "gfm"}
        How BOOMER makes labels: above one half, or those with the best expected F1.
    random_state : int, RandomState or None

    Attributes
    ----------
    boomer_ : mlrl.boosting.BoomerClassifier

    Notes
    -----
    mlrl-boomer 0.12 asks for older versions of numpy, scipy and scikit-learn than this library,
    so no extra can name it. It runs with newer ones and predicts the same: install it with
    ``pip install --no-deps mlrl-boomer==0.12.3 mlrl-common==0.12.3 mlrl-util==0.12.3``.

    References
    ----------
    Rapp, Loza Mencía, Fürnkranz, Nguyen and Hüllermeier: Learning Gradient Boosted Multi-label
    Classification Rules. ECML PKDD 2020.
    """

    def __init__(
        self,
        rules: int = 1000,
        shrinkage: float = 0.3,
        predictor: Literal["output-wise", "gfm"] = "output-wise",
        random_state: Any = None,
    ):
        self.rules = rules
        self.shrinkage = shrinkage
        self.predictor = predictor
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rules for y, shape (n, K), from X, shape (n, d)."""
        X, Y = self._check_fit(X, y)
        if self.predictor not in PREDICTORS:
            raise unknown_name("predictor", self.predictor, PREDICTORS)
        self.boomer_ = _library()(
            random_state=int(check_random_state(self.random_state).randint(1, 2**31 - 1)),
            max_rules=self.rules,
            shrinkage=self.shrinkage,
            binary_predictor=self.predictor,
            parallel_rule_refinement="false",  # one thread a process, as everywhere here
            parallel_statistic_update="false",
        ).fit(X.astype(np.float32), Y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        p = np.asarray(self.boomer_.predict_proba(self._features(X)), dtype=float)
        return p[:, -len(self.classes_) :]  # of a single label it predicts both values

    def predict(self, X: Any) -> np.ndarray:
        """Labels as the predictor makes them, shape (n, K)."""
        labels = np.asarray(self.boomer_.predict(self._features(X)))
        return self._as_labels(labels.reshape(-1, len(self.classes_)))

    def _features(self, X: Any) -> Any:
        return self._check_predict(X).astype(np.float32)


def _library() -> Any:
    try:
        from mlrl.boosting import BoomerClassifier
    except ImportError as error:
        raise ImportError(
            f"Boomer needs the library mlrl-boomer, which is not here ({error}); run: {INSTALL}"
        ) from None
    return BoomerClassifier
