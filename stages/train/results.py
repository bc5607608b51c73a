"""Predictions as a table: a row for each iteration and instance, with the labels that are on."""

import numpy as np
import pyarrow as pa

SCHEMA = pa.schema(
    {
        "iteration": pa.int16(),
        "part": pa.string(),
        "row": pa.int32(),
        "labels": pa.list_(pa.int16()),
    }
)


def to_table(predictions: np.ndarray, train: np.ndarray) -> pa.Table:
    """Predictions of shape (iterations, rows, labels) and the mask of training rows, as a table."""
    iterations, rows, _ = predictions.shape
    _, _, labels = np.nonzero(predictions)
    offsets = np.concatenate([[0], predictions.sum(axis=2, dtype=np.int64).ravel().cumsum()])
    columns = [
        pa.array(np.repeat(np.arange(1, iterations + 1), rows), pa.int16()),
        pa.array(np.tile(np.where(train, "train", "test"), iterations)),
        pa.array(np.tile(np.arange(rows), iterations), pa.int32()),
        pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(labels, pa.int16())),
    ]
    return pa.table(columns, schema=SCHEMA)
