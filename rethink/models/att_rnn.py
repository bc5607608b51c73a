"""Att-RNN: a recurrent net that looks at parts of an image, in no given order of labels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rethink.nets.estimator import NetEstimator
from rethink.nets.limits import COUNT, Limit, Number

if TYPE_CHECKING:
    from rethink.nets.attention import AttentionShape


@dataclass(eq=False, repr=False)
class AttentionRNN(NetEstimator):
    """Recurrent net with attention over the patches of a feature map, blind to the cost.

    A preliminary layer predicts all labels from the mean of the patches. From this guess an LSTM
    starts; at each step it weighs the patches, predicts all labels anew, and is fed the surest
    label of those not fed yet, in training among the true ones. Every prediction, the preliminary
    one included, is trained on all labels. A beam search takes labels by their probability until
    none is left above the threshold, and prefers the path whose labels are the surest on average
    (by geometric mean).

    Parameters
    ----------
    patches : int
        How many patches a row of X holds, one after the other with all channels each; a map of
        shape (channels, h, w) is such a row after `map.transpose(1, 2, 0).ravel()`. With an
        extractor that gives maps, the patches are those of the map.
    attention : int
        Units of the hidden layer that weighs a patch.
    hidden : int
        Units of the LSTM.
    beam : int
        Paths that the search follows at a time.
    threshold : float
        Labels of a greater probability are taken.
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
    `predict_proba` gives the probability with which the best path took a label, or for the others
    their probability where the path ended.

    References
    ----------
    Chen, Chen, Yeh and Wang: Order-Free RNN with Visual Attention for Multi-Label Classification.
    AAAI 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0, 1, 40).reshape(-1, 1)
    >>> Y = np.hstack([X > 0.5, X < 0.5]).astype(int)
    >>> net = AttentionRNN(patches=1, hidden=8, learning_rate=0.05, epochs=60, random_state=0)
    >>> net.fit(X, Y).predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    patches: int = 49
    attention: int = 128
    hidden: int = 512
    beam: int = 3
    threshold: float = 0.5

    takes_sparse: ClassVar[bool] = False  # maps of images are dense

    limits: ClassVar[dict[str, Limit]] = NetEstimator.limits | {
        "patches": COUNT,
        "attention": COUNT,
        "beam": COUNT,
        "threshold": Number(0, 1, above=True),
    }

    @classmethod
    def shape_type(cls) -> "type[AttentionShape]":
        """The class of the net's shape."""
        from rethink.nets.attention import AttentionShape

        return AttentionShape

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "AttentionShape":
        """Channels and patches are those of the features."""
        channels, patches = self._map_shape(features)
        return self.shape_type()(
            channels=channels,
            patches=patches,
            labels=labels.shape[1],
            attention=self.attention,
            hidden=self.hidden,
            beam=self.beam,
            threshold=self.threshold,
        )

    def _map_shape(self, features: tuple[int, ...]) -> tuple[int, int]:
        """Channels and patches of features of this shape."""
        if len(features) == 3:
            return features[0], features[1] * features[2]
        if features[0] % self.patches:
            raise ValueError(
                f"rows of {features[0]} features do not hold {self.patches} patches of equal size; "
                "set patches to the h * w of the feature maps"
            )
        return features[0] // self.patches, self.patches
