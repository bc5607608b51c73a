"""CNN-RNN: a recurrent net that names the labels of an image one after the other."""

from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils._param_validation import Interval

from rethink.nets.head_estimator import HeadEstimator

if TYPE_CHECKING:
    import torch

    from rethink.nets.label_path import PathShape


class CNNRNN(HeadEstimator):
    """Recurrent net over the labels named so far, which together with the image give the next.

    Labels and images share a space: the next label is that whose embedding is most like what the
    image and the state of an LSTM make together, among those not named yet and a sign for the end.
    In training labels are named from the most frequent to the rarest, each after the true ones
    before; a prediction is the set of labels on the most probable path that a beam search finds.
    Blind to the cost.

    Parameters
    ----------
    embedding : int
        Dimensions of the space.
    hidden : int
        Units of the LSTM.
    beam : int
        Paths that the search follows at a time.
    l2 : float
        Strength λ of the penalty λ Σw² on all kernels of the net, not on biases or the extractor.
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

    Notes
    -----
    There is no `predict_proba`: the net knows probabilities of paths, not of single labels.

    References
    ----------
    Wang, Yang, Mao, Huang, Huang and Xu: CNN-RNN: A Unified Framework for Multi-label Image
    Classification. CVPR 2016.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 40).reshape(-1, 1)
    >>> Y = np.hstack([X > 0.5, X < 0.5]).astype(int)
    >>> net = CNNRNN(hidden=8, embedding=8, learning_rate=0.05, epochs=60, random_state=0)
    >>> net.fit(X, Y).predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    _parameter_constraints: ClassVar[dict[str, list]] = HeadEstimator._parameter_constraints | {
        "embedding": [Interval(Integral, 1, None, closed="left")],
        "beam": [Interval(Integral, 1, None, closed="left")],
    }

    decides_by_label = False

    def __init__(
        self,
        embedding: int = 64,
        hidden: int = 512,
        beam: int = 3,
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
        self.embedding = embedding
        self.hidden = hidden
        self.beam = beam
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
    def shape_type(cls) -> "type[PathShape]":
        """The class of the head's shape."""
        from rethink.nets.label_path import PathShape

        return PathShape

    def _head_shape(self, features: tuple[int, ...], labels: "torch.Tensor") -> "PathShape":
        frequent_first = labels.sum(dim=0).sort(descending=True, stable=True).indices
        return self.shape_type()(
            inputs=features[0],
            labels=labels.shape[1],
            embedding=self.embedding,
            hidden=self.hidden,
            beam=self.beam,
            order=frequent_first.tolist(),
        )
