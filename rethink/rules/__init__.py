"""Rules: 0/1 labels from the probabilities of labels that are independent given x."""

from collections.abc import Callable

import numpy as np

from rethink.costs.accuracy import Accuracy
from rethink.costs.base import Cost
from rethink.costs.extra.averaged import MatrixCost
from rethink.costs.extra.subset import Subset
from rethink.costs.f1 import F1
from rethink.costs.hamming import Hamming
from rethink.costs.rank import Rank
from rethink.inference import hamming_rule, rank_rule
from rethink.rules.additive import additive_rule, additive_thresholds
from rethink.rules.general import best_of_vectors
from rethink.rules.mode import mode_independent
from rethink.rules.sizes import gfm_independent, jaccard_independent

RULES: dict[type[Cost], Callable[[np.ndarray, bool], np.ndarray]] = {
    Hamming: lambda marginals, empty: hamming_rule(marginals),
    Rank: lambda marginals, empty: rank_rule(marginals),
    F1: gfm_independent,
    Accuracy: jaccard_independent,
    Subset: mode_independent,
}


def independent_rule(marginals: np.ndarray, cost: Cost, empty: bool = True) -> np.ndarray:
    """The prediction of the best expected cost for independent labels.

    The first of these that there is: the cost's own `rule`, a rule for its class, the thresholds
    of a cost that adds up over the labels, and else the best of all vectors or of samples.

    Parameters
    ----------
    marginals : ndarray of shape (n, K)
        Probability of each label.
    cost : Cost
    empty : bool
        False says that no row is without a label. Then F1, accuracy and subset loss predict at
        least one; costs that add up over the labels and rank loss look at single labels and may
        still predict none.

    Returns
    -------
    ndarray of shape (n, K), uint8

    Examples
    --------
    >>> from rethink.costs import get_cost
    >>> independent_rule(np.array([[0.1, 0.2, 0.4]]), get_cost("asymmetric"))
    array([[0, 1, 1]], dtype=uint8)
    """
    own = cost.rule(marginals, empty)
    if own is not None:
        return own
    if type(cost) in RULES:
        return RULES[type(cost)](marginals, empty)
    if isinstance(cost, MatrixCost):
        raise ValueError(
            f"the cost {cost.name!r} is one of the whole matrix: probabilities alone do not say "
            "what is best; fit DecisionRule with this cost, which searches thresholds"
        )
    parts = additive_thresholds(cost, marginals.shape[1])
    return additive_rule(marginals, *parts) if parts else best_of_vectors(marginals, cost, empty)


__all__ = ["RULES", "independent_rule"]
