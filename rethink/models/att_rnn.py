"""Att-RNN: a recurrent net that looks at parts of an image, in no given order of labels."""

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils._param_validation import Interval

from rethink.nets.head_estimator import HeadEstimator

if TYPE_CHECKING:
    import torch

    from rethink.nets.attention import AttentionShape


class AttentionRNN(HeadEstimator):
    """Recurrent net with attention over the cells of a feature map, blind to the cost.

    A preliminary layer predicts all labels from the mean of the cells. From this guess an LSTM
    starts; at each step it weighs the cells, predicts all labels anew, and is fed the surest label
    of those not fed yet, in training among the true ones. Every prediction, the preliminary one
    included, is trained on all labels. A beam search takes labels by their probability until none
    is left above the threshold, and prefers the path whose labels are the surest on average (by
    geometric mean).

    Parameters
    ----------
    cells : int
        How many cells a row of X holds, one after the other with all channels each; a map of shape
        (channels, h, w) is such a row after `map.transpose(1, 2, 0).ravel()`. With an extractor
        that gives maps, the cells are those of the map.
    attention : int
        Units of the hidden layer that weighs a cell.
    hidden : int
        Units of the LSTM.
    beam : int
        Paths that the search follows at a time.
    threshold : float
        Labels of a greater probability are taken.
    l2 : float
        Strength λ of the penalty λ Σw² on all kernels of the net, not on biases or the extractor.
    batch_size, epochs, learning_rate, shuffle, stopping, tolerance, patience, device
        As in `RethinkNet`.
    extractor : torch.nn.Module or None
        Early layers, trained end to end: from instances of any shape to maps of shape
        (n, channels, h, w), or to vectors like the rows of X.
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
    >>> net = AttentionRNN(cells=1, hidden=8, learning_rate=0.05, epochs=60, random_state=0)
    >>> net.fit(X, Y).predict([[0.1], [0.9]])
    array([[0, 1],
           [1, 0]])
    """

    _parameter_constraints: ClassVar[dict[str, list]] = HeadEstimator._parameter_constraints | {
        "cells": [Interval(Integral, 1, None, closed="left")],
        "attention": [Interval(Integral, 1, None, closed="left")],
        "beam": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        cells: int = 49,
        attention: int = 128,
        hidden: int = 512,
        beam: int = 3,
        threshold: float = 0.5,
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
        self.cells = cells
        self.attention = attention
        self.hidden = hidden
        self.beam = beam
        self.threshold = threshold
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
    def shape_type(cls) -> "type[AttentionShape]":
        """The class of the head's shape."""
        from rethink.nets.attention import AttentionShape

        return AttentionShape

    def _head_shape(self, features: tuple[int, ...], labels: "torch.Tensor") -> "AttentionShape":
        channels, cells = self._map_shape(features)
        return self.shape_type()(
            channels=channels,
            cells=cells,
            labels=labels.shape[1],
            attention=self.attention,
            hidden=self.hidden,
            beam=self.beam,
            threshold=self.threshold,
        )

    def _map_shape(self, features: tuple[int, ...]) -> tuple[int, int]:
        """Channels and cells of features of this shape."""
        if len(features) == 3:
            return features[0], features[1] * features[2]
        if features[0] % self.cells:
            raise ValueError(
                f"rows of {features[0]} features do not hold {self.cells} cells of equal size; "
                "set cells to the h * w of the feature maps"
            )
        return features[0] // self.cells, self.cells
