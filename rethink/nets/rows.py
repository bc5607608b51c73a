"""Batches of rows, dense or sparse; a sparse matrix is never densified."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor


@dataclass(frozen=True)
class SparseBatch:
    """Some rows as CSR, and their transpose as CSR too, for the gradient's product."""

    rows: Tensor
    columns: Tensor

    def __len__(self) -> int:
        return self.rows.shape[0]


Batch = Tensor | SparseBatch


class Rows:
    """The features of all instances, shape (n, d) or (n, ...), in single precision on a device."""

    def __init__(self, X: Any, device: torch.device, dtype: torch.dtype = torch.float32):
        self.device, self.dtype = device, dtype
        self.matrix: Any = X
        if not sp.issparse(X):
            X = np.require(X, requirements="W")  # torch warns of memory it must not write
            self.matrix = torch.from_numpy(X).to(device, dtype)
        if not np.isfinite(_extreme(self.matrix, dtype)):
            raise ValueError(
                "X holds values too large for single precision, in which nets are trained; "
                "scale the features, for example with rethink.scaling.UnitScaler"
            )

    def __len__(self) -> int:
        return self.matrix.shape[0]

    def take(self, index: np.ndarray) -> Batch:
        """The rows of these numbers."""
        if isinstance(self.matrix, Tensor):
            return self.matrix[torch.from_numpy(index).to(self.device)]
        part = self.matrix[index]
        return SparseBatch(self._csr(part), self._csr(part.T.tocsr()))

    def _csr(self, part: Any) -> Tensor:
        with warnings.catch_warnings():  # torch announces that its sparse tensors are new
            warnings.simplefilter("ignore", UserWarning)
            return torch.sparse_csr_tensor(
                torch.from_numpy(part.indptr),
                torch.from_numpy(part.indices),
                torch.from_numpy(part.data),
                size=part.shape,
                dtype=self.dtype,
                device=self.device,
                check_invariants=False,
            )


class _SparseProduct(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, rows: Tensor, columns: Tensor, W: Tensor) -> Tensor:
        context.columns = columns
        return rows @ W

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Any:
        return None, None, context.columns @ gradient


def product(x: Batch, W: Tensor) -> Tensor:
    """x W, differentiable in W (and in a dense x)."""
    if isinstance(x, SparseBatch):
        return _SparseProduct.apply(x.rows, x.columns, W)
    return x @ W


def _extreme(matrix: Any, dtype: torch.dtype) -> float:
    """The largest magnitude, infinite if it does not fit the type."""
    values = matrix if isinstance(matrix, Tensor) else torch.from_numpy(matrix.data)
    return float(values.to(dtype).abs().amax()) if values.numel() else 0.0
