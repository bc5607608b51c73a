"""What the neural estimators share.

This module and those of the models import torch only inside methods: torch takes seconds to load,
and everybody who lists the models would wait for it.
"""

from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rethink.costs import Cost
from rethink.models.base import MultiLabelEstimator
from rethink.nets.limits import (
    COUNT,
    COUNT_OR_NONE,
    FLAG,
    NOT_NEGATIVE,
    POSITIVE,
    Limit,
    Number,
    OneOf,
    check_limits,
)
from rethink.scaling import UnitScaler
from rethink.seeds import derive_seed

if TYPE_CHECKING:
    import torch

    from rethink.nets.network import Shape
    from rethink.nets.search import Decide
    from rethink.nets.training import Data, StoppingRule, Trainer
    from rethink.nets.weights import Reweighter
    from rethink.search import Trial

FAR = 10.0  # root of the mean square of a feature above which its net is likely to learn badly


@dataclass(kw_only=True, eq=False, repr=False)
class NetEstimator(MultiLabelEstimator):
    """Fit, predict, save, load and search; a subclass gives the shape of its net.

    The defaults are the benchmark's protocol: the scores of the paper's at a fraction of the time.

    A subclass is a dataclass, too: its fields are the parameters of its constructor.

    Parameters
    ----------
    l2 : float
        Strength λ of the penalty λ Σw² on kernels, not on biases or the extractor.
    batch_size : int
        The most rows of a batch.
    even_batches : bool
        Make the batches of an epoch of all but equal size. Otherwise the last one has what is
        left over, as in the authors' code: where that is a handful of rows, every epoch ends with
        a step of mere noise, as large as any other because Nadam scales its steps, and scores
        jump from epoch to epoch (yeast and scene: 20 and 13 rows of about 1,800).
    epochs : int
        How many, or with `stopping="loss"` the most; a search with "folds" or "holdout" chooses it.
    most_epochs : int
        The most that such a search tries; it seldom gets there.
    learning_rate : float
        Of Nadam, whose other settings are Keras' defaults.
    schedule : {"falling", "constant"}
        "falling": the rate of step k is `learning_rate` / sqrt(1 + k / 1000). A rate that falls
        faster hardly gets off the ground where labels are many and rare (Corel5k).
    average : bool
        Predict with averaged weights a: after step k, which gave weights w, a moves by
        (w - a) 9 / (k + 8).
    shuffle : bool
        Draw new batches in every epoch; the authors' code does not.
    clip : float or None
        The most that the norm of a step's gradient may be; longer ones are shortened. Nadam's steps
        do not depend on the size of gradients, but on how they compare with earlier ones: a sudden
        long one, as in nets of many steps, leads far astray.
    stopping : {"holdout", "folds", "loss"}
        "folds": a fit runs all `epochs`, and a search with `rethink.search` chooses their number on
        its held-out folds together with its grid. "holdout": the same on the first of the folds
        alone, with looks ever further apart. "loss", with `epochs=1000` the
        paper's "until converges or 1,000 epochs": training ends when its mean loss has not fallen
        by the share `tolerance` for `patience` epochs. The paper does not define this, the
        authors' code runs 100 epochs, and long training over-fits.
    tolerance : float
    patience : int
        Also, with "folds" and "holdout", how many epochs a search goes on after the best one, at
        least.
    ensemble : int
        So many nets of different initial weights and batches, whose probabilities are averaged;
        where a net has none, as in CNN-RNN, they vote. A search tries the first one alone.
    restarts : int
        How often, at the most, a net that is blind after training, which means that it predicts the
        same for all rows of `fit` though their labels differ, is trained again from other initial
        weights and batches.
    extractor : torch.nn.Module or None
        Early layers, trained end to end: from instances of any shape to vectors, or to maps of
        shape (n, channels, h, w). Nets on vectors take the mean over the patches of a map.
    scaling : {None, "unit"}
        "unit" scales each feature to [0, 1] over the rows of `fit` before anything else. Without
        it, features far from that range are told: nets learn badly from them.
    device : {"auto", "cpu", "cuda"}
    threads : int or None
        Of torch while the net computes: more than one seldom pays for nets this small. None leaves
        torch's setting as it is.
    verbose : int
        1 prints a line on every tenth epoch.
    random_state : int, RandomState or None
        Fixes initial weights, batches and dropout. They depend on nothing else: nets that differ
        in cost, weights or kind of layer start alike where they can and see the same batches.

    Attributes
    ----------
    scaler_ : rethink.scaling.UnitScaler
        Only with `scaling`.
    nets_ : list of rethink.nets.network.Net
        The trained nets, one as a rule.
    loss_history_ : list of float
        Mean training loss of each epoch, with the L2 penalty; of the first net.
    loss_jumps_ : list of int
        Epochs, from 1, in which the loss of a net rose to more than twice that of the one before.
    epochs_ : int
        How many epochs were run; of the first net.
    restarts_ : int
        How many nets were blind and trained again.
    """

    l2: float = 1e-5
    batch_size: int = 128
    even_batches: bool = True
    epochs: int = 60
    most_epochs: int = 960
    learning_rate: float = 0.01
    schedule: str = "falling"
    average: bool = True
    shuffle: bool = True
    clip: float | None = None
    stopping: str = "holdout"
    tolerance: float = 1e-4
    patience: int = 30
    ensemble: int = 1
    restarts: int = 0
    extractor: "torch.nn.Module | None" = None
    scaling: str | None = None
    device: str = "auto"
    threads: int | None = 1
    verbose: int = 0
    random_state: Any = None

    decides_by_label: ClassVar[bool] = True  # by each label's probability, which can then be asked
    takes_sparse: ClassVar[bool] = True  # without making the rows dense

    limits: ClassVar[dict[str, Limit]] = {
        "hidden": COUNT,
        "l2": NOT_NEGATIVE,
        "batch_size": COUNT,
        "even_batches": FLAG,
        "epochs": COUNT,
        "most_epochs": COUNT,
        "learning_rate": POSITIVE,
        "schedule": OneOf(("constant", "falling")),
        "average": FLAG,
        "shuffle": FLAG,
        "clip": Number(0, above=True, optional=True),
        "stopping": OneOf(("loss", "folds", "holdout")),
        "tolerance": NOT_NEGATIVE,
        "patience": COUNT,
        "ensemble": COUNT,
        "restarts": Number(0, whole=True),
        "scaling": OneOf(("unit", None)),
        "threads": COUNT_OR_NONE,
        "verbose": Number(0, whole=True),
        "device": OneOf(("auto", "cpu", "cuda")),
    }

    def fit(self, X: Any, Y: Any) -> Any:
        """Train on X, shape (n, d), dense or sparse, and Y, shape (n, K), 0 or 1.

        With an extractor, X may have any shape (n, ...) that it takes.
        """
        X, Y = self._check_fit(X, Y)
        data = self.data(X, Y)
        self.restarts_ = 0
        with self._threads():
            trainers = [self._trained(data, np.arange(len(Y)), seed) for seed in self._seeds()]
        self.nets_ = [trainer.trained for trainer in trainers]
        self.loss_history_ = trainers[0].history
        self.loss_jumps_ = sorted({epoch for trainer in trainers for epoch in trainer.jumps})
        self.epochs_ = trainers[0].epochs
        return self

    @available_if(lambda self: self.decides_by_label)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        return self._proba(X)[-1]

    def predict(self, X: Any) -> np.ndarray:
        """Predicted labels, shape (n, K)."""
        return self._as_labels(self._proba(X)[-1] > self.nets_[0].threshold)

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

    @property
    def needs_folds(self) -> bool:
        """Whether a search has something to choose even with a single grid point."""
        return self.stopping != "loss"

    def cross_validate(
        self,
        points: list[dict[str, Any]],
        X: Any,
        Y: np.ndarray,
        parts: list[np.ndarray],
        costs: list[Cost],
        decide: "Decide | None" = None,
    ) -> "list[list[Trial]]":
        """Try grid points as `rethink.search` does, but faster: see `rethink.nets.search.Race`."""
        from rethink.nets.search import Race

        race = Race(self, points, X, Y, parts, costs, decide)
        with self._threads():
            return race.run()

    @classmethod
    def shape_type(cls) -> "type[Shape]":
        """The class of the net's shape."""
        from rethink.nets.recurrent import RecurrentShape

        return RecurrentShape

    def shape(self, features: tuple[int, ...], labels: np.ndarray) -> "Shape":
        """The shape of a net for features of this shape, trained on labels of shape (n, K)."""
        raise NotImplementedError

    def data(self, X: Any, Y: np.ndarray) -> "Data":
        """Checked rows on the device."""
        import torch

        from rethink.nets.training import Data

        rows = self.rows(X)
        return Data(rows, torch.from_numpy(Y.astype(np.float32)).to(rows.device))

    def trainer(self, data: "Data", index: np.ndarray, seed: int | None = None) -> "Trainer":
        """A trainer of a new net on the rows `index`; without a seed, of the first one."""
        from rethink.nets.network import feature_shape
        from rethink.nets.training import Recipe, Trainer

        seed = self._seeds()[0] if seed is None else seed
        extractor = self.own_extractor()
        labels = data.labels_of(index).cpu().numpy()
        net = self.shape(feature_shape(extractor, data.rows), labels).net(extractor)
        net.draw(seed)
        net.to(data.rows.device)
        known = self.get_params(deep=False)
        recipe = Recipe(**{f.name: known[f.name] for f in fields(Recipe) if f.name in known})
        reweighter = self.reweighter()
        return Trainer(net, data, index, recipe, seed, reweighter, self._rule(reweighter))

    def _trained(self, data: "Data", index: np.ndarray, seed: int) -> "Trainer":
        """A trainer that has run; one whose net is blind makes way for another."""
        for again in range(self.restarts + 1):
            start = derive_seed("restart", seed, again) if again else seed
            trainer = self.trainer(data, index, start)
            trainer.run(self.epochs)
            if again == self.restarts or not trainer.is_blind():
                break
            self.restarts_ += 1
        return trainer

    def reweighter(self) -> "Reweighter | None":
        """What weighs the losses of labels; None for a net that is blind to the cost."""
        return None

    def own_extractor(self) -> "torch.nn.Module | None":
        """A copy of the extractor, which training may change."""
        return None if self.extractor is None else deepcopy(self.extractor).float()

    def _check_fit(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        if find_spec("torch") is None:
            name = type(self).__name__
            raise ImportError(f"{name} is a network, needs torch: pip install 'rethinknet[nets]'")
        check_limits(self, self.limits)
        X, shape = self._flattened(X)
        X, Y = super()._check_fit(X, Y)
        self.input_shape_ = shape or X.shape[1:]
        if self.scaling is not None:
            self.scaler_ = UnitScaler().fit(X)
            X = self.scaler_.transform(X)
        elif self.extractor is None:
            _tell_if_not_scaled(X)
        return X, Y

    def _check_predict(self, X: Any) -> Any:
        X = super()._check_predict(X)
        return X if self.scaling is None else self.scaler_.transform(X)

    def _flattened(self, X: Any) -> tuple[Any, tuple[int, ...] | None]:
        """Instances of several dimensions, for an extractor, as rows; and their shape."""
        if self.extractor is None or np.ndim(X) < 3:
            return X, None
        X = np.asarray(X)
        return X.reshape(len(X), -1), X.shape[1:]

    def rows(self, X: Any) -> Any:
        """The rows of X, shape (n, d), on the device of the net."""
        from rethink.nets.device import choose_device
        from rethink.nets.rows import Rows

        if sp.issparse(X) and not (self.takes_sparse and self.extractor is None):
            X = X.toarray()
        if self.extractor is not None:
            X = X.reshape(-1, *self.input_shape_)
        return Rows(X, choose_device(self.device))

    def _rule(self, reweighter: "Reweighter | None") -> "StoppingRule | None":
        from rethink.nets.training import StoppingRule

        block = 1 if reweighter is None else reweighter.refresh
        by_loss = self.stopping == "loss"
        return StoppingRule(self.tolerance, self.patience, block) if by_loss else None

    def _proba(self, X: Any) -> np.ndarray:
        """Probabilities of shape (iterations, n, K)."""
        X = self._check_predict(self._flattened(X)[0])
        rows, index = self.rows(X), np.arange(X.shape[0])
        with self._threads():
            members = [net.predict(rows, index).cpu().numpy() for net in self.nets_]
        return np.mean(members, axis=0)

    def _seeds(self) -> list[int]:
        """The seed of each net of the ensemble."""
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return [seed, *(derive_seed("net", seed, n) for n in range(1, self.ensemble))]

    def _threads(self) -> AbstractContextManager[Any]:
        from rethink.nets.device import torch_threads

        return torch_threads(self.threads)


def _tell_if_not_scaled(X: Any) -> None:
    """Warn where a feature is far from [0, 1]; X has shape (n, d), dense or sparse."""
    with np.errstate(over="ignore"):  # what is too large is refused elsewhere
        squares = X.multiply(X) if sp.issparse(X) else np.square(X)
    sizes = np.sqrt(np.asarray(squares.mean(axis=0)).ravel())
    if sizes.max(initial=0.0) > FAR:
        column = int(sizes.argmax())
        warn(
            f"feature {column} is about {sizes[column]:.3g} in size, but nets learn well from "
            'features near [0, 1]: give scaling="unit", or scale X with rethink.scaling.UnitScaler',
            stacklevel=4,
        )
