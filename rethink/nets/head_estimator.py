"""What the estimators of the image models share: a head in the place of a recurrent net."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from rethink.nets.estimator import NetEstimator

if TYPE_CHECKING:
    import torch

    from rethink.nets.heads import HeadShape
    from rethink.nets.training import Data, Trainer


class HeadEstimator(NetEstimator):
    """Fit, predict, save and load; a subclass gives the shape of its head.

    X holds vectors or, with an extractor, instances of the shape it takes, such as images.
    """

    model_: Any  # a HeadModel, where a NetEstimator has a Model
    decides_by_label: ClassVar[bool] = True  # by each label's probability, which can then be asked

    @available_if(lambda self: self.decides_by_label)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        return self._predicted(X)[1].double().cpu().numpy()

    def predict(self, X: Any) -> np.ndarray:
        """Predicted labels, shape (n, K)."""
        return self._as_labels(self._predicted(X)[0].cpu().numpy())

    @classmethod
    def load(cls, path: str | Path, **given: Any) -> Any:
        """Read a model that `save` wrote; `given` replaces constructor arguments.

        An extractor is not in the folder: give it here.
        """
        from rethink.nets.head_save import load_head

        return load_head(cls, path, **given)

    @classmethod
    def shape_type(cls) -> "type[HeadShape]":
        """The class of the head's shape."""
        raise NotImplementedError

    def _head_shape(self, features: tuple[int, ...], labels: "torch.Tensor") -> "HeadShape":
        """The shape of a head for features of this shape, trained on these labels."""
        raise NotImplementedError

    def _rows(self, X: Any) -> Any:
        return super()._rows(X.toarray() if sp.issparse(X) else X)  # features of images are dense

    def _trainer(self, data: "Data", index: np.ndarray) -> "Trainer":
        import torch

        from rethink.nets.head_features import feature_shape
        from rethink.nets.heads import HeadModel, HeadTrainer, new_head
        from rethink.nets.training import Recipe

        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        device = data.rows.device
        extractor = self.own_extractor(device)
        labels = data.labels[torch.from_numpy(index).to(device)]
        shape = self._head_shape(feature_shape(extractor, data.rows), labels)
        recipe = Recipe(
            l2=self.l2,
            dropout=0.0,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            shuffle=self.shuffle,
        )
        model = HeadModel(new_head(shape, rng, device), extractor)
        return HeadTrainer(model, data, index, recipe, rng, rule=self._rule(None))

    def _predicted(self, X: Any) -> "tuple[torch.Tensor, torch.Tensor]":
        X = self._check_predict(self._flattened(X)[0])
        return self.model_.predict(self._rows(X), np.arange(X.shape[0]))
