"""CNN-RNN: a recurrent net that names the labels of an image one after the other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rethink.nets.estimator import NetEstimator
from rethink.nets.limits import COUNT, Limit

if TYPE_CHECKING:
    from rethink.nets.label_path import PathShape


@dataclass(eq=False, repr=False)
class CNNRNN(NetEstimator):
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
    batch_size, epochs, learning_rate, stopping, extractor, device, random_state, …
        The parameters of training, all by keyword: see `rethink.nets.estimator.NetEstimator`.

    Attributes
    ----------
    epochs_, loss_history_, nets_
        As in `rethink.nets.estimator.NetEstimator`.

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

    embedding: int = 64
    hidden: int = 512
    beam: int = 3

    decides_by_label: ClassVar[bool] = False
    no_probabilities: ClassVar[str] = "it knows probabilities of paths, not of single labels"
    takes_sparse: ClassVar[bool] = False  # features of images are dense

    limits: ClassVar[dict[str, Limit]] = NetEstimator.limits | {
        "embedding": COUNT,
        "beam": COUNT,
    }

    @classmethod
    def shape_type(cls) -> "type[PathShape]":
        """The class of the net's shape."""
        from rethink.nets.label_path import PathShape

        return PathShape

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "PathShape":
        """Labels are named from the most frequent to the rarest."""
        return self.shape_type()(
            inputs=features[0],
            labels=labels.shape[1],
            embedding=self.embedding,
            hidden=self.hidden,
            beam=self.beam,
            order=np.argsort(-labels.sum(axis=0), kind="stable").tolist(),
        )
