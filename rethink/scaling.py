"""Features to the unit interval, column by column."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data


class UnitScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale each column so that the rows of `fit` span [0, 1].

    Columns that are constant in `fit` become 0 everywhere. Other rows are not clipped.
    Sparse rows stay sparse, with the values a dense array would get. Scaling over all rows and
    then over some of them equals scaling over those alone.

    Attributes
    ----------
    minimum_ : ndarray of shape (d,)
    span_ : ndarray of shape (d,)
        Largest minus smallest value; 0 for constant columns.

    Examples
    --------
    >>> import numpy as np
    >>> UnitScaler().fit([[0.0, 5], [4, 5]]).transform([[1.0, 5], [8, 9]])
    array([[0.25, 0.  ],
           [2.  , 0.  ]])
    """

    def fit(self, X: Any, y: Any = None) -> "UnitScaler":
        """Learn the smallest value and the span of each column of X, shape (n, d)."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        low, high = X.min(axis=0), X.max(axis=0)
        if sp.issparse(X):
            low, high = low.toarray().ravel(), high.toarray().ravel()
        self.minimum_, self.span_ = low, high - low
        if sp.issparse(X):
            self._refuse_negative_minimum()
        return self

    def transform(self, X: Any) -> Any:
        """Scale X, shape (n, d); sparse X gives CSR of the same kind."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if not sp.issparse(X):
            return self._scaled(X, slice(None))
        self._refuse_negative_minimum()
        return self._scaled_sparse(X)

    def _scaled(self, values: np.ndarray, columns: Any) -> np.ndarray:
        values = values - self.minimum_[columns]
        span = np.broadcast_to(self.span_[columns], values.shape)
        return np.divide(values, span, out=np.zeros_like(values), where=span > 0)

    def _scaled_sparse(self, X: Any) -> Any:
        """Zeros of a column with a positive minimum move below 0: such columns get every entry."""
        moved = (self.minimum_ > 0) & (self.span_ > 0)
        kept = X.copy()
        kept.data = np.where(moved[X.indices], 0.0, self._scaled(X.data, X.indices))
        columns = np.flatnonzero(moved)
        if columns.size:
            block = sp.coo_array(self._scaled(X[:, columns].toarray(), columns))
            index = (block.row, columns[block.col])
            kept = kept + type(X)((block.data, index), shape=X.shape)
        kept.eliminate_zeros()
        return kept

    def _refuse_negative_minimum(self) -> None:
        columns = np.flatnonzero((self.minimum_ < 0) & (self.span_ > 0))
        if columns.size:
            raise ValueError(
                f"{columns.size} columns of a sparse matrix have a negative minimum (the first is "
                f"column {columns[0]}), so that scaling makes their zeros non-zero; "
                "store the set dense"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
