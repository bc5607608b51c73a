"""Binary relevance by one dense layer, the baseline of the paper's images."""

from typing import TYPE_CHECKING, Any

from rethink.nets.head_estimator import HeadEstimator

if TYPE_CHECKING:
    import torch

    from rethink.nets.dense_head import DenseShape


class DenseRelevance(HeadEstimator):
    """One dense layer with a logistic output for each label, blind to the cost.

    On features that stay as they are this is logistic regression, for which `LogisticRelevance`
    finds the optimum; with an `extractor` both are trained end to end, as in the paper's baseline.

    Parameters
    ----------
    l2 : float
        Strength λ of the penalty λ Σw² on the layer's kernel.
    batch_size, epochs, learning_rate, shuffle, stopping, tolerance, patience, device
        As in `RethinkNet`.
    extractor : torch.nn.Module or None
        Early layers, trained end to end: from instances of any shape to vectors, or to maps of
        shape (n, channels, h, w), which are averaged over their cells.
    random_state : int, RandomState or None

    Attributes
    ----------
    epochs_ : int
        Epochs that were run.
    loss_history_ : list of float
        The mean training loss of each epoch, with the penalty.
    model_ : rethink.nets.heads.HeadModel
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
    >>> net = DenseRelevance(learning_rate=0.1, epochs=60, random_state=0).fit(X, Y)
    >>> net.predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self,
        l2: float = 1e-5,
        batch_size: int = 256,
        epochs: int = 200,
        learning_rate: float = 0.002,
        shuffle: bool = True,
        stopping: str = "folds",
        tolerance: float = 1e-4,
        patience: int = 50,
        extractor: "torch.nn.Module | None" = None,
        device: str = "auto",
        random_state: Any = None,
    ):
        self.l2 = l2
        self.batch_size = batch_size
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.shuffle = shuffle
        self.stopping = stopping
        self.tolerance = tolerance
        self.patience = patience
        self.extractor = extractor
        self.device = device
        self.random_state = random_state

    @classmethod
    def shape_type(cls) -> "type[DenseShape]":
        """The class of the head's shape."""
        from rethink.nets.dense_head import DenseShape

        return DenseShape

    def _head_shape(self, features: tuple[int, ...], labels: "torch.Tensor") -> "DenseShape":
        return self.shape_type()(inputs=features[0], labels=labels.shape[1])
