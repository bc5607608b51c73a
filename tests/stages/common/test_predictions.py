import numpy as np

from stages.common.predictions import to_table


def test_a_table_of_predictions_holds_every_label_of_every_iteration():
    rng = np.random.default_rng(0)
    predictions = (rng.random((3, 20, 5)) < 0.3).astype(np.uint8)
    train = rng.random(20) < 0.7
    rows = to_table(predictions, train).to_pylist()
    assert len(rows) == 60
    rebuilt = np.zeros_like(predictions)
    for row in rows:
        rebuilt[row["iteration"] - 1, row["row"], row["labels"]] = 1
        assert row["part"] == ("train" if train[row["row"]] else "test")
    assert (rebuilt == predictions).all()
