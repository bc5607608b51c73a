"""scikit-learn's own checks. `BayesOptimal` is exempt: its X must be rows of probabilities."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from rethink.models.constant import AllZeros, TopK
from rethink.models.logistic import LogisticRelevance

ONE_OR_TWO = "the check's labels are 1 and 2, ours are 0 and 1 only"
EXPECTED_FAILURES = {
    "check_classifier_data_not_an_array": ONE_OR_TWO,
    "check_estimators_dtypes": ONE_OR_TWO,
    "check_fit2d_1feature": ONE_OR_TWO,
    "check_classifiers_classes": "the check's labels are texts in one dimension",
    "check_classifiers_train": "the check wants one-dimensional predictions",
}
COLUMN_FOR_EACH_CLASS = "the check wants a probability for each class, ours are for each label"
WITH_PROBABILITIES = {
    "check_estimator_sparse_array": COLUMN_FOR_EACH_CLASS,
    "check_estimator_sparse_matrix": COLUMN_FOR_EACH_CLASS,
}
WITH_WEIGHTS = {
    "check_sample_weights_pandas_series": ONE_OR_TWO,
    "check_sample_weights_not_an_array": ONE_OR_TWO,
    "check_sample_weights_shape": ONE_OR_TWO,
    "check_sample_weights_not_overwritten": ONE_OR_TWO,
}


def expected_failures(estimator):
    probable = WITH_PROBABILITIES if hasattr(estimator, "predict_proba") else {}
    weighted = WITH_WEIGHTS if has_fit_parameter(estimator, "sample_weight") else {}
    return EXPECTED_FAILURES | probable | weighted


@parametrize_with_checks(
    [AllZeros(), TopK(), LogisticRelevance()],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
