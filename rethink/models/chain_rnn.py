"""CC-RNN: a classifier chain inside a recurrent net."""

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from rethink.nets.estimator import NetEstimator

if TYPE_CHECKING:
    from rethink.nets.network import Shape


class ChainRNN(NetEstimator):
    """Recurrent net that predicts label k at its step k, by one logistic output for all steps.

    The paper's CC-RNN is a CNN-RNN without its CNN and a sequence as long as there are labels; no
    more is said. This stand-in has the layers of `RethinkNet`, sees the instance at every step,
    is blind to the cost and is not told the labels before; its time grows with their number.

    Parameters
    ----------
    rnn : {"lstm", "gru", "srn", "irnn"}
    hidden : int
        Units of the recurrent layer.
    features : int or None
        Units of the dense layer before it; None leaves it out.
    l2 : float
        Strength λ of the penalty λ Σw² on the kernels of both layers.
    dropout, gate, batch_size, epochs, learning_rate, shuffle, stopping, tolerance, patience, device
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
    Wang, Yang, Mao, Huang, Huang and Xu: CNN-RNN: A Unified Framework for Multi-label Image
    Classification. CVPR 2016.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 40).reshape(-1, 1)
    >>> Y = np.hstack([X > 0.5, X < 0.5]).astype(int)
    >>> net = ChainRNN(hidden=8, features=8, learning_rate=0.05, epochs=80, random_state=0)
    >>> net.fit(X, Y).predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    _parameter_constraints: ClassVar[dict[str, list]] = NetEstimator._parameter_constraints | {
        "rnn": [StrOptions({"lstm", "gru", "srn", "irnn"})],
        "features": [Interval(Integral, 1, None, closed="left"), None],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "gate": [StrOptions({"logistic", "hard"})],
    }

    def __init__(
        self,
        rnn: str = "lstm",
        hidden: int = 128,
        features: int | None = 128,
        l2: float = 1e-5,
        dropout: float = 0.25,
        batch_size: int = 256,
        epochs: int = 200,
        learning_rate: float = 0.002,
        shuffle: bool = True,
        stopping: str = "folds",
        tolerance: float = 1e-4,
        patience: int = 50,
        gate: str = "logistic",
        device: str = "auto",
        random_state: Any = None,
    ):
        self.rnn = rnn
        self.hidden = hidden
        self.features = features
        self.l2 = l2
        self.dropout = dropout
        self.batch_size = batch_size
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.shuffle = shuffle
        self.stopping = stopping
        self.tolerance = tolerance
        self.patience = patience
        self.gate = gate
        self.device = device
        self.random_state = random_state

    def _shape(self, inputs: int, labels: int) -> "Shape":
        from rethink.nets.network import Shape

        return Shape(
            inputs=inputs,
            features=self.features,
            rnn=self.rnn,
            hidden=self.hidden,
            outputs=1,
            steps=labels,
            hard_gates=self.gate == "hard",
            chain=True,
        )
