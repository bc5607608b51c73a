"""RethinkNet: a recurrent net that predicts, looks at its prediction and rethinks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rethink.costs import Cost, get_cost
from rethink.nets.estimator import NetEstimator
from rethink.nets.limits import COUNT, COUNT_OR_NONE, SHARE, Limit, OneOf

if TYPE_CHECKING:
    from rethink.nets.recurrent import RecurrentShape
    from rethink.nets.weights import Reweighter


@dataclass(eq=False, repr=False)
class RethinkNet(NetEstimator):
    """Recurrent net over rethinking iterations, trained for a cost by reweighting its loss.

    The instance goes through a dense layer and then, the same at every step, into a recurrent
    layer; each of its `iterations` states gives a prediction of all labels. From the second on, a
    label's loss is weighted by how much it decides under the cost, given the prediction before.

    Parameters
    ----------
    cost : str or Cost
        What to train for; a subclass of `Cost` works like the four names.
    rnn : {"lstm", "gru", "srn", "irnn"}
    iterations : int
        The paper's B; the last one is the prediction.
    hidden : int
        Units of the recurrent layer.
    features : int or None
        Units of a dense ReLU layer before it, which the authors' code has and the paper does not
        mention; None leaves it out.
    parameters : int or None
        Aim at so many trainable parameters, to compare kinds of `rnn` of equal size: both layers
        then have the width that comes nearest, whatever `hidden` and `features` say.
    dropout : float
        Share of the hidden units that a training instance does not pass on between its steps.
    reweight : {"step", "period", None}
        Where weights come from. "step", the paper's formula: predictions of the running batch,
        one iteration earlier. "period", the authors' code: predictions of all rows, made every
        `refresh` epochs, and no label before. None: no reweighting, as for the Hamming loss.
    refresh : int
    weights_from : int
        The first iteration whose loss is weighted: 2 in the paper. With 1 the first is weighted,
        too, by its own prediction, so that a net with `iterations=1` is trained for the cost: it
        tells what rethinking adds to weighting.
    gate : {"logistic", "hard"}
        Activation of the gates of LSTM and GRU; "hard" is Keras' default of before 2019.
    output : {"dense", "identity"}
        "identity" predicts the hidden units of an SRN, one for each label (`hidden` plays no
        part), so that `memory_matrix_` tells how labels act on each other.
    l2 : float
        Strength λ of the penalty λ Σw² on the kernels of the dense layer and the recurrent one,
        not on biases or the output layer (as in the authors' code). The loss is a mean over
        instances, iterations and labels, where the paper's formula has a sum over the latter two:
        the same λ is B x K times stronger here.
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
    >>> net = RethinkNet(cost="f1", hidden=8, features=8, learning_rate=0.05, epochs=60,
    ...                  random_state=0).fit(X, Y)
    >>> net.predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    >>> net.predict_iterations(X).shape
    (3, 40, 2)
    """

    cost: str | Cost = "hamming"
    rnn: str = "lstm"
    iterations: int = 3
    hidden: int = 128
    features: int | None = 128
    parameters: int | None = None
    dropout: float = 0.25
    reweight: str | None = "step"
    refresh: int = 10
    weights_from: int = 2
    gate: str = "logistic"
    output: str = "dense"

    limits: ClassVar[dict[str, Limit]] = NetEstimator.limits | {
        "rnn": OneOf(("lstm", "gru", "srn", "irnn")),
        "iterations": COUNT,
        "features": COUNT_OR_NONE,
        "parameters": COUNT_OR_NONE,
        "dropout": SHARE,
        "reweight": OneOf(("step", "period", None)),
        "refresh": COUNT,
        "weights_from": COUNT,
        "gate": OneOf(("logistic", "hard")),
        "output": OneOf(("dense", "identity")),
    }

    @property
    def fit_uses_cost(self) -> bool:
        """Where no iteration is weighted the cost only chooses among fits."""
        return self.reweight is not None and self.iterations >= self.weights_from

    def predict_proba_iterations(self, X: Any) -> np.ndarray:
        """Probability of each label after each iteration, shape (iterations, n, K)."""
        return self._proba(X)

    def predict_iterations(self, X: Any) -> np.ndarray:
        """Labels predicted at each iteration, shape (iterations, n, K), uint8."""
        return (self._proba(X) > 0.5).astype(np.uint8)

    @property
    def memory_matrix_(self) -> np.ndarray:
        """How labels act on each other between iterations: row = target, column = source.

        Only for `rnn="srn"` with `output="identity"`, where each hidden unit is a label.
        """
        if self.output != "identity" or not hasattr(self, "nets_"):
            raise AttributeError(
                "memory_matrix_ needs a fitted RethinkNet(rnn='srn', output='identity')"
            )
        return self.nets_[0].get_parameter("recurrent").detach().T.cpu().numpy().copy()

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "RecurrentShape":
        """The shape of the net; with `parameters` the one of that size."""
        from rethink.nets.recurrent import RecurrentShape

        identity, count = self.output == "identity", labels.shape[1]
        if identity and self.rnn != "srn":
            raise ValueError(
                f"output='identity' with rnn={self.rnn!r}: only the hidden units of an SRN are "
                "probabilities; use rnn='srn', or output='dense'"
            )
        shape = RecurrentShape(
            inputs=features[0],
            labels=count,
            features=self.features,
            rnn=self.rnn,
            hidden=count if identity else self.hidden,
            steps=self.iterations,
            dropout=self.dropout,
            identity=identity,
            hard_gates=self.gate == "hard",
        )
        return shape if self.parameters is None else shape.resized(self.parameters)

    def reweighter(self) -> "Reweighter":
        """Weights for the cost."""
        from rethink.nets.weights import Reweighter

        return Reweighter(get_cost(self.cost), self.reweight, self.refresh, self.weights_from)
