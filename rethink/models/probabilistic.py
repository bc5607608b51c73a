"""Probabilistic classifier chains: the best prediction for a cost from the chain's joint."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from rethink.costs import Cost, get_cost
from rethink.costs.accuracy import Accuracy
from rethink.costs.extra.subset import Subset
from rethink.costs.f1 import F1
from rethink.costs.hamming import Hamming
from rethink.costs.rank import Rank
from rethink.discovery import unknown_name
from rethink.inference import gfm, hamming_rule, published_f1_rule, rank_rule, row_blocks
from rethink.joint import (
    Enumerated,
    Sampled,
    enumerate_chain,
    sample_chain,
    sample_independent,
    spread_draws,
)
from rethink.models.chain import _Chain, greedy_path
from rethink.models.rules import may_be_empty
from rethink.rules.mode import mode_of_chain

Joint = Enumerated | Sampled
Rules = dict[type[Cost], Callable[[], np.ndarray]]

MOST_ENUMERATED = 10  # labels; beyond them the joint is sampled
INFERENCES = ("exact", "as-published")
ACCURACY_RULES = ("f1", "samples")


class ProbabilisticChain(_Chain):
    """Probabilistic classifier chain: fitted once, predicting for any cost.

    The chain of `ClassifierChain`, trained on true labels, is read as P(y|x). Up to ten labels
    its joint is enumerated, beyond it is sampled along the chain. Then each cost has its rule:

    - Hamming loss: labels more probable than not.
    - Rank loss: labels more probable than the average label.
    - F1: the best of all label sets (`rethink.inference.gfm`).
    - Accuracy: the rule of F1, as in the paper, or the best set among all samples and the most
      probable labels.
    - Subset 0/1 loss: the most probable vector of the chain, found without sampling.
    - Any other cost: the best of the vectors enumerated or sampled.

    Of predictions of equal value the smallest set or the first vector is taken.

    Parameters
    ----------
    cost : str or Cost
        Matters for predictions alone.
    C : float
        Inverse strength of the regularisation.
    inference : {"exact", "as-published"}
        "as-published" predicts as the authors' code does, which gives the numbers printed in the
        paper: probabilities along the one greedy path, taken as independent; for Hamming loss the
        greedy path itself; for F1 and accuracy a rule that divides by the index of a label and
        never predicts the empty set (`rethink.inference.published_f1_rule`) on `samples` draws.
        For rank loss that code tries thresholds on draws; here is the rule it tends to with their
        number, the average as the threshold. Other costs are predicted exactly.
    samples : int
        How many vectors are drawn; the code of the paper draws 100.
    accuracy_rule : {"f1", "samples"}
    empty : {"auto", "allowed", "never"}
        Whether a row may have no label. "auto" allows it if a row of the training part has none.
        Else the joint is taken given that there is a label, for every cost. Costs that ask for
        single labels, Hamming and rank loss, may predict none all the same.
    random_state : int, RandomState or None
        The draws, made in `fit` and used for every row.

    Attributes
    ----------
    coef_, intercept_, effects_, order_
        As in `ClassifierChain`.
    draws_ : ndarray of shape (samples, K)
        Numbers in (0, 1), evenly spread for each label.
    empty_ : bool
        Whether a row may have no label.

    References
    ----------
    Dembczyński, Cheng, Hüllermeier: Bayes optimal multilabel classification via probabilistic
    classifier chains. ICML 2010.

    Examples
    --------
    >>> X, Y = [[0.0]] * 5, [[0, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    >>> chain = ProbabilisticChain(cost="hamming", C=100).fit(X, Y)
    >>> chain.predict([[0.0]]), chain.predict_proba([[0.0]]).round(2)
    (array([[0, 0]]), array([[0.4, 0.4]]))
    >>> chain.set_params(cost="f1").predict([[0.0]])  # no new fit
    array([[1, 1]])
    """

    def __init__(
        self,
        cost: str | Cost = "hamming",
        C: float = 1.0,
        inference: Literal["exact", "as-published"] = "exact",
        samples: int = 100,
        accuracy_rule: Literal["f1", "samples"] = "f1",
        empty: Literal["auto", "allowed", "never"] = "auto",
        random_state: Any = None,
    ):
        self.cost = cost
        self.C = C
        self.inference = inference
        self.samples = samples
        self.accuracy_rule = accuracy_rule
        self.empty = empty
        self.random_state = random_state

    @property
    def fit_uses_cost(self) -> bool:
        """The cost matters for predictions alone."""
        return False

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for the cost, shape (n, K)."""
        return self.predict_costs(X, [self.cost])[0]

    def predict_costs(self, X: Any, costs: Sequence[str | Cost]) -> list[np.ndarray]:
        """Predictions for several costs from one look at the joint, each of shape (n, K)."""
        chosen = [get_cost(cost) for cost in costs]
        logits = self.logits(X)
        predicted = [np.empty(logits.shape, dtype=np.uint8) for _ in chosen]
        for rows in self._blocks(logits):
            joint = cache(partial(self._joint, logits[rows]))  # made once, and only if needed
            rules = self._rules(joint, logits[rows])
            for cost, labels in zip(chosen, predicted, strict=True):
                rule = rules.get(type(cost))
                labels[rows] = rule() if rule else joint().best(cost)
        return [self._as_labels(labels) for labels in predicted]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Marginal probability of each label, shape (n, K); as published, on the greedy path."""
        logits = self.logits(X)
        if self.inference == "as-published":
            return greedy_path(logits, self.effects_, self.order_)
        return np.concatenate([self._joint(logits[r]).marginals for r in self._blocks(logits)])

    def _begin(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        """Check options and data, and make the draws."""
        get_cost(self.cost)
        if self.inference not in INFERENCES:
            raise unknown_name("inference", self.inference, INFERENCES)
        if self.accuracy_rule not in ACCURACY_RULES:
            raise unknown_name("accuracy_rule", self.accuracy_rule, ACCURACY_RULES)
        if self.samples < 1:
            raise ValueError(f"samples is {self.samples}, but at least 1 vector must be drawn")
        X, Y = super()._begin(X, Y)
        self.empty_ = may_be_empty(self.empty, Y)
        chance = check_random_state(self.random_state)
        self.draws_ = spread_draws(self.samples, Y.shape[1], chance)
        return X, Y

    def _blocks(self, logits: np.ndarray) -> Iterator[slice]:
        """Rows whose joints fit into memory."""
        n, labels = logits.shape
        enumerated = labels <= MOST_ENUMERATED
        return row_blocks(n, 2**labels * labels if enumerated else self.draws_.size)

    def _joint(self, logits: np.ndarray) -> Joint:
        if logits.shape[1] > MOST_ENUMERATED:
            return sample_chain(logits, self.effects_, self.order_, self.draws_, self.empty_)
        joint = enumerate_chain(logits, self.effects_, self.order_)
        return joint if self.empty_ else joint.never_empty()

    def _rules(self, joint: Callable[[], Joint], logits: np.ndarray) -> Rules:
        """How to predict for the costs whose best prediction has a form of its own."""
        if self.inference == "as-published":
            return self._published_rules(greedy_path(logits, self.effects_, self.order_))
        rules: Rules = {
            Hamming: lambda: hamming_rule(joint().marginals),
            Rank: lambda: rank_rule(joint().marginals),
            F1: cache(lambda: self._best_f1(joint())),
            Subset: lambda: mode_of_chain(logits, self.effects_, self.order_, self.empty_),
        }
        if self.accuracy_rule == "f1":
            rules[Accuracy] = rules[F1]
        return rules

    def _best_f1(self, joint: Joint) -> np.ndarray:
        D, p_empty = joint.sizes
        return gfm(D, p_empty if self.empty_ else None)

    def _published_rules(self, path: np.ndarray) -> Rules:
        @cache
        def f1() -> np.ndarray:
            D, _ = sample_independent(path, self.draws_).sizes
            return published_f1_rule(D)

        return {
            Hamming: lambda: hamming_rule(path),
            Rank: lambda: rank_rule(path),
            F1: f1,
            Accuracy: f1,
        }
