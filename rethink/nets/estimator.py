"""What the neural estimators share.

This module and those of the models import torch only inside methods: torch takes seconds to load,
and everybody who lists the models would wait for it.
"""

from copy import deepcopy
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rethink.models.base import MultiLabelEstimator
from rethink.nets.search import NetSearch

if TYPE_CHECKING:
    import torch

    from rethink.nets.network import Shape
    from rethink.nets.stopping import StoppingRule
    from rethink.nets.training import Data, Trainer
    from rethink.nets.weights import Reweighter


class NetEstimator(NetSearch, MultiLabelEstimator):
    """Fit, predict, save and load; a subclass gives the shape of its net.

    Attributes
    ----------
    model_ : rethink.nets.training.Model
        The trained net.
    loss_history_ : list of float
        Mean training loss of each epoch, with the L2 penalty.
    epochs_ : int
        How many epochs were run.
    """

    _parameter_constraints: ClassVar[dict[str, list]] = {
        "hidden": [Interval(Integral, 1, None, closed="left")],
        "l2": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "shuffle": ["boolean"],
        "stopping": [StrOptions({"loss", "folds"})],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "device": [StrOptions({"auto", "cpu", "cuda"})],
        "random_state": ["random_state"],
    }

    def fit(self, X: Any, Y: Any) -> Any:
        """Train on X, shape (n, d), dense or sparse, and Y, shape (n, K), 0 or 1."""
        X, Y = self._check_fit(X, Y)
        data = self._data(X, Y)
        trainer = self._trainer(data, np.arange(len(Y)))
        trainer.run(self.epochs)
        return self._take(trainer)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        return self._proba(X)[-1]

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a probability above one half, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a folder, as safetensors and JSON."""
        from rethink.nets.save import save

        check_is_fitted(self)
        save(self, path)

    @classmethod
    def load(cls, path: str | Path, **given: Any) -> Any:
        """Read a model that `save` wrote; `given` replaces constructor arguments.

        A cost of one's own and an extractor are not in the folder: give them here.
        """
        from rethink.nets.save import load

        return load(cls, path, **given)

    def own_extractor(self, device: "torch.device") -> "torch.nn.Module | None":
        """A copy of the extractor, which training may change."""
        extractor = getattr(self, "extractor", None)
        return None if extractor is None else deepcopy(extractor).to(device).float()

    def _shape(self, inputs: int, labels: int) -> "Shape":
        raise NotImplementedError

    def _reweighter(self) -> "Reweighter | None":
        return None

    def _check_fit(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        self._validate_params()
        X, shape = self._flattened(X)
        X, Y = super()._check_fit(X, Y)
        self.input_shape_ = shape or X.shape[1:]
        return X, Y

    def _flattened(self, X: Any) -> tuple[Any, tuple[int, ...] | None]:
        """Instances of several dimensions, for an extractor, as rows; and their shape."""
        if getattr(self, "extractor", None) is None or np.ndim(X) < 3:
            return X, None
        X = np.asarray(X)
        return X.reshape(len(X), -1), X.shape[1:]

    def _rows(self, X: Any) -> Any:
        from rethink.nets.device import choose_device
        from rethink.nets.rows import Rows

        if getattr(self, "extractor", None) is not None:
            X = (X if isinstance(X, np.ndarray) else X.toarray()).reshape(-1, *self.input_shape_)
        return Rows(X, choose_device(self.device))

    def _data(self, X: Any, Y: np.ndarray) -> "Data":
        import torch

        from rethink.nets.training import Data

        rows = self._rows(X)
        return Data(rows, torch.from_numpy(Y.astype(np.float32)).to(rows.device))

    def _trainer(self, data: "Data", index: np.ndarray) -> "Trainer":
        """A trainer of a new net on the rows `index`."""
        from rethink.nets.extractor import width
        from rethink.nets.network import new_network
        from rethink.nets.training import Model, Recipe, Trainer

        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        extractor = self.own_extractor(data.rows.device)
        shape = self._shape(width(extractor, data.rows), data.labels.shape[1])
        recipe = Recipe(
            l2=self.l2,
            dropout=getattr(self, "dropout", 0.0),
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            shuffle=self.shuffle,
            refresh=getattr(self, "refresh", 1),
            even_batches=getattr(self, "even_batches", True),
        )
        model = Model(new_network(shape, rng, data.rows.device), extractor)
        reweighter = self._reweighter()
        return Trainer(model, data, index, recipe, rng, reweighter, self._rule(reweighter))

    def _rule(self, reweighter: "Reweighter | None") -> "StoppingRule | None":
        from rethink.nets.stopping import StoppingRule

        if self.stopping != "loss":
            return None
        period = reweighter is not None and reweighter.mode == "period"
        return StoppingRule(self.tolerance, self.patience, self.refresh if period else 1)

    def _take(self, trainer: "Trainer") -> Any:
        self.model_ = trainer.model
        self.loss_history_ = trainer.history
        self.epochs_ = trainer.epochs
        return self

    def _proba(self, X: Any) -> np.ndarray:
        """Probabilities of shape (iterations, n, K)."""
        X = self._check_predict(self._flattened(X)[0])
        logits = self.model_.logits(self._rows(X), np.arange(X.shape[0]))
        return expit(logits.double().cpu().numpy())
