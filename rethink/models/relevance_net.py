"""Binary relevance by one feed-forward net."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rethink.nets.estimator import NetEstimator

if TYPE_CHECKING:
    from rethink.nets.recurrent import RecurrentShape


@dataclass(eq=False, repr=False)
class BinaryRelevance(NetEstimator):
    """One net with a hidden layer (ReLU) and a logistic output for each label.

    The paper's BR, "trained using same approach as RethinkNet": a RethinkNet without the recurrent
    layer, and blind to the cost.

    Parameters
    ----------
    hidden : int
        Units of the hidden layer.
    l2 : float
        Strength λ of the penalty λ Σw² on the kernel of the hidden layer.
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
    >>> net = BinaryRelevance(hidden=8, learning_rate=0.05, epochs=60, random_state=0).fit(X, Y)
    >>> net.predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    hidden: int = 128

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "RecurrentShape":
        """A hidden layer and no recurrent one."""
        from rethink.nets.recurrent import RecurrentShape

        return RecurrentShape(features[0], labels.shape[1], features=self.hidden)
