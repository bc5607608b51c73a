"""Binary relevance by one dense layer, the baseline of the paper's images."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rethink.nets.estimator import NetEstimator

if TYPE_CHECKING:
    from rethink.nets.recurrent import RecurrentShape


@dataclass(eq=False, repr=False)
class DenseRelevance(NetEstimator):
    """One dense layer with a logistic output for each label, blind to the cost.

    On features that stay as they are this is logistic regression, for which `LogisticRelevance`
    finds the optimum; with an `extractor` both are trained end to end, as in the paper's baseline.

    Parameters
    ----------
    l2 : float
        Strength λ of the penalty λ Σw² on the layer's kernel.
    batch_size, epochs, learning_rate, stopping, extractor, device, random_state, …
        The parameters of training, all by keyword: see `rethink.nets.estimator.NetEstimator`.

    Attributes
    ----------
    epochs_, loss_history_, nets_
        As in `rethink.nets.estimator.NetEstimator`.

    References
    ----------
    Yang, Lin, Chu and Lin: Deep Learning with a Rethinking Structure for Multi-label
    Classification. ACML 2019.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 40).reshape(-1, 1)
    >>> Y = np.hstack([X > 0.5, X < 0.5]).astype(int)
    >>> net = DenseRelevance(learning_rate=0.1, epochs=60, random_state=0).fit(X, Y)
    >>> net.predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "RecurrentShape":
        """An output layer alone."""
        from rethink.nets.recurrent import RecurrentShape

        return RecurrentShape(features[0], labels.shape[1], penalised_output=True)
