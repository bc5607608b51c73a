"""scikit-learn's own checks of the image models, on vectors."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.models.att_rnn import AttentionRNN
from rethink.models.cnn_rnn import CNNRNN
from rethink.models.dense_relevance import DenseRelevance
from tests.rethink.test_sklearn_contract import expected_failures

SMALL = {"hidden": 8, "epochs": 3}


@parametrize_with_checks(
    [
        DenseRelevance(epochs=3),
        CNNRNN(**SMALL, embedding=8),
        AttentionRNN(**SMALL, patches=1, attention=8),  # the checks' X has no patches
    ],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
