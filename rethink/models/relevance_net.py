"""Binary relevance by one feed-forward net."""

from typing import TYPE_CHECKING, Any

from rethink.nets.estimator import NetEstimator

if TYPE_CHECKING:
    from rethink.nets.network import Shape


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
    batch_size, epochs, learning_rate, shuffle, stopping, tolerance, patience, device
        As in `RethinkNet`.
    random_state : int, RandomState or None

    Attributes
    ----------
    epochs_ : int
        Epochs that were run.
    loss_history_ : list of float
        The mean training loss of each epoch, with the penalty.
    model_ : rethink.nets.training.Model
        The trained net.

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

    def __init__(
        self,
        hidden: int = 128,
        l2: float = 1e-5,
        batch_size: int = 256,
        epochs: int = 200,
        learning_rate: float = 0.002,
        shuffle: bool = True,
        stopping: str = "folds",
        tolerance: float = 1e-4,
        patience: int = 50,
        device: str = "auto",
        random_state: Any = None,
    ):
        self.hidden = hidden
        self.l2 = l2
        self.batch_size = batch_size
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.shuffle = shuffle
        self.stopping = stopping
        self.tolerance = tolerance
        self.patience = patience
        self.device = device
        self.random_state = random_state

    def _shape(self, inputs: int, labels: int) -> "Shape":
        from rethink.nets.network import Shape

        return Shape(inputs, self.hidden, None, self.hidden, labels, steps=1)
