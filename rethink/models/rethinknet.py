"""RethinkNet: a recurrent net that predicts, looks at its prediction and rethinks."""

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from rethink.costs import Cost, get_cost
from rethink.nets.estimator import NetEstimator

if TYPE_CHECKING:
    import torch

    from rethink.nets.network import Shape
    from rethink.nets.weights import Reweighter


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
    l2 : float
        Strength λ of the penalty λ Σw² on the kernels of the dense layer and the recurrent one,
        not on biases or the output layer (as in the authors' code).
    dropout : float
        Share of the hidden units that a training instance does not pass on between its steps.
    reweight : {"step", "period", None}
        Where weights come from. "step", the paper's formula: predictions of the running batch,
        one iteration earlier. "period", the authors' code: predictions of all rows, made every
        `refresh` epochs, and no label before. None: no reweighting, as for the Hamming loss.
    refresh : int
    batch_size : int
        The most rows of a batch.
    even_batches : bool
        Make the batches of an epoch of all but equal size. Otherwise the last one has what is
        left over, as in the authors' code: where that is a handful of rows, every epoch ends with
        a step of mere noise, as large as any other because Nadam scales its steps, and scores
        jump from epoch to epoch (yeast and scene: 20 and 13 rows of about 1,800).
    epochs : int
        How many, or with `stopping="loss"` the most.
    learning_rate : float
        Of Nadam, whose other settings are Keras' defaults.
    shuffle : bool
        Draw new batches in every epoch; the authors' code does not.
    stopping : {"folds", "loss"}
        "folds": a fit runs all `epochs`, and a search with `rethink.search` chooses their number,
        up to `epochs`, on its held-out folds together with its grid. "loss", with `epochs=1000`
        the paper's "until converges or 1,000 epochs": training ends when its mean loss has not
        fallen by the share `tolerance` for `patience` epochs. The paper does not define this, the
        authors' code runs 100 epochs, and long training over-fits: the default is the one that
        gives the published scores.
    tolerance : float
    patience : int
        Also, with "folds", how many epochs a search goes on after the best one, at least.
    gate : {"logistic", "hard"}
        Activation of the gates of LSTM and GRU; "hard" is Keras' default of before 2019.
    output : {"dense", "identity"}
        "identity" predicts the hidden units of an SRN, one for each label (`hidden` plays no
        part), so that `memory_matrix_` tells how labels act on each other.
    extractor : torch.nn.Module or None
        Early layers, trained end to end: from instances of any shape to vectors. One that gives
        maps, such as `rethink.models.resnet.ResNet50`, goes into `rethink.models.resnet.Pooled`.
    device : {"auto", "cpu", "cuda"}
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
    >>> net = RethinkNet(cost="f1", hidden=8, features=8, learning_rate=0.05, epochs=60,
    ...                  random_state=0).fit(X, Y)
    >>> net.predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    >>> net.predict_iterations(X).shape
    (3, 40, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list]] = NetEstimator._parameter_constraints | {
        "rnn": [StrOptions({"lstm", "gru", "srn", "irnn"})],
        "iterations": [Interval(Integral, 1, None, closed="left")],
        "features": [Interval(Integral, 1, None, closed="left"), None],
        "parameters": [Interval(Integral, 1, None, closed="left"), None],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "reweight": [StrOptions({"step", "period"}), None],
        "refresh": [Interval(Integral, 1, None, closed="left")],
        "even_batches": ["boolean"],
        "gate": [StrOptions({"logistic", "hard"})],
        "output": [StrOptions({"dense", "identity"})],
    }

    def __init__(
        self,
        cost: str | Cost = "hamming",
        rnn: str = "lstm",
        iterations: int = 3,
        hidden: int = 128,
        features: int | None = 128,
        parameters: int | None = None,
        l2: float = 1e-5,
        dropout: float = 0.25,
        reweight: str | None = "step",
        refresh: int = 10,
        batch_size: int = 256,
        even_batches: bool = True,
        epochs: int = 200,
        learning_rate: float = 0.002,
        shuffle: bool = True,
        stopping: str = "folds",
        tolerance: float = 1e-4,
        patience: int = 50,
        gate: str = "logistic",
        output: str = "dense",
        extractor: "torch.nn.Module | None" = None,
        device: str = "auto",
        random_state: Any = None,
    ):
        self.cost = cost
        self.rnn = rnn
        self.iterations = iterations
        self.hidden = hidden
        self.features = features
        self.parameters = parameters
        self.l2 = l2
        self.dropout = dropout
        self.reweight = reweight
        self.refresh = refresh
        self.batch_size = batch_size
        self.even_batches = even_batches
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.shuffle = shuffle
        self.stopping = stopping
        self.tolerance = tolerance
        self.patience = patience
        self.gate = gate
        self.output = output
        self.extractor = extractor
        self.device = device
        self.random_state = random_state

    @property
    def fit_uses_cost(self) -> bool:
        """Without reweighting the cost only chooses among fits."""
        return self.reweight is not None

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
        if self.output != "identity" or not hasattr(self, "model_"):
            raise AttributeError(
                "memory_matrix_ needs a fitted RethinkNet(rnn='srn', output='identity')"
            )
        return self.model_.network.weights["recurrent"].T.cpu().numpy().copy()

    def _shape(self, inputs: int, labels: int) -> "Shape":
        from rethink.nets.network import Shape

        if self.output == "identity" and self.rnn != "srn":
            raise ValueError(
                f"output='identity' with rnn={self.rnn!r}: only the hidden units of an SRN are "
                "probabilities; use rnn='srn', or output='dense'"
            )
        shape = Shape(
            inputs=inputs,
            features=self.features,
            rnn=self.rnn,
            hidden=labels if self.output == "identity" else self.hidden,
            outputs=labels,
            steps=self.iterations,
            identity=self.output == "identity",
            hard_gates=self.gate == "hard",
        )
        return shape if self.parameters is None else shape.resized(self.parameters)

    def _reweighter(self) -> "Reweighter":
        from rethink.nets.weights import Reweighter

        return Reweighter(get_cost(self.cost), self.reweight)
