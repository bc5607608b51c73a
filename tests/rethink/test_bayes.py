import itertools

import numpy as np
import pytest

from rethink.costs import COSTS, Cost, get_cost
from rethink.models.bayes import BayesOptimal
from rethink.models.constant import AllZeros, TopK
from rethink.models.logistic import LogisticRelevance
from rethink.synthetic import GENERATORS, generate


class Asymmetric(Cost):
    """A user's cost: a miss of label i costs i + 1, a false alarm 2."""

    def values(self, Y, P, empty):
        return (np.arange(1, Y.shape[1] + 1) * Y * (1 - P) + 2 * P * (1 - Y)).sum(axis=1)


def random_joint(K, m, rows, seed):
    rng = np.random.default_rng(seed)
    vectors = np.array(list(itertools.product([0, 1], repeat=K)))
    support = vectors[np.sort(rng.permutation(2**K)[:m])]
    return support, rng.dirichlet(np.full(m, 0.5), size=rows)


@pytest.mark.parametrize("cost", [*COSTS, Asymmetric()])
@pytest.mark.parametrize(("K", "m"), [(1, 2), (3, 8), (4, 5)])
def test_prediction_is_the_best_of_all_label_vectors_in_a_plain_loop(cost, K, m):
    cost = get_cost(cost)
    support, joint = random_joint(K, m, rows=6, seed=K)
    model = BayesOptimal(cost, support).fit(joint)
    predicted, expected = model.predict(joint), model.expected(joint)
    for row, probabilities in enumerate(joint):
        values = {}
        for p in itertools.product([0, 1], repeat=K):
            pairs = zip(support, probabilities, strict=True)
            values[p] = sum(q * cost([y], [list(p)])[0] for y, q in pairs)
        best = max(values.values()) if cost.greater_is_better else min(values.values())
        assert expected[row] == pytest.approx(best, abs=1e-12)
        assert values[tuple(int(v) for v in predicted[row])] == pytest.approx(best, abs=1e-12)


def test_rank_loss_is_decided_by_the_mean_of_the_marginals():
    support, joint = random_joint(5, 32, rows=300, seed=1)
    marginals = joint @ support
    rule = marginals > marginals.mean(axis=1, keepdims=True)
    model = BayesOptimal("rank", support).fit(joint)
    np.testing.assert_array_equal(model.predict(joint), rule)


def test_hamming_loss_is_decided_by_marginals_above_one_half():
    support, joint = random_joint(5, 32, rows=300, seed=2)
    model = BayesOptimal("hamming", support).fit(joint)
    np.testing.assert_array_equal(model.predict(joint), joint @ support > 0.5)


def test_equal_values_give_the_first_label_vector():
    support, joint = [[0], [1]], np.array([[0.2, 0.8]])
    assert BayesOptimal("rank", support).fit(joint).predict(joint).tolist() == [[0]]
    support, joint = [[1, 0], [0, 1]], np.array([[0.5, 0.5], [0.5 + 1e-15, 0.5 - 1e-15]])
    predicted = BayesOptimal("accuracy", support).fit(joint).predict(joint)
    assert predicted.tolist() == [[0, 1], [0, 1]], "a difference in the last digit is a tie"


def test_prediction_of_a_row_does_not_depend_on_the_other_rows():
    sample = generate("logistic-chain", instances=1200, features=4, labels=4, seed=0)
    model = BayesOptimal("f1", sample.support).fit(sample.joint)
    alone = [model.predict(row[None])[0] for row in sample.joint[500:530]]
    np.testing.assert_array_equal(alone, model.predict(sample.joint)[500:530])


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("cost", COSTS)
def test_expected_value_is_what_a_large_sample_shows(generator, cost):
    sample = generate(generator, instances=20_000, features=6, labels=5, seed=4)
    model = BayesOptimal(cost, sample.support).fit(sample.joint)
    values = get_cost(cost)(sample.Y, model.predict(sample.joint))
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - model.expected(sample.joint).mean()) < 4 * error


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("name", COSTS)
def test_no_model_beats_the_bayes_prediction_and_learning_beats_trivial_ones(generator, name):
    cost = get_cost(name)
    sample = generate(generator, instances=4000, features=10, labels=6, seed=5)
    X, Y, train, test = sample.X, sample.Y, slice(0, 3000), slice(3000, None)
    gain = 1 if cost.greater_is_better else -1

    def values(model, inputs):
        return gain * cost(Y[test], model.fit(inputs[train], Y[train]).predict(inputs[test]))

    best = values(BayesOptimal(name, sample.support), sample.joint)
    learned = values(LogisticRelevance(), X)
    trivial = max(values(AllZeros(), X).mean(), values(TopK(name), X).mean())
    lead = best - learned
    error = lead.std() / np.sqrt(len(lead))
    assert learned.mean() > trivial
    assert lead.mean() > (4 * error if name in ("rank", "f1") else -2 * error)


def test_the_four_costs_have_different_best_predictions():
    sample = generate("logistic-chain", instances=500, features=10, labels=6, seed=6)
    predicted = [
        BayesOptimal(cost, sample.support).fit(sample.joint).predict(sample.joint)
        for cost in ("hamming", "rank", "f1", "accuracy")
    ]
    for first, second in itertools.combinations(predicted, 2):
        assert (first != second).any(axis=1).mean() > 0.15


@pytest.mark.parametrize(
    ("support", "joint", "message"),
    [
        (np.eye(13), np.eye(13), "support has 13 labels.*at most 12"),
        (np.eye(2), [[0.5, 0.4]], "do not sum to 1"),
        (np.eye(2), [[1.5, -0.5]], "negative values"),
        (np.eye(3), [[0.5, 0.5]], "2 features.*expecting 3 features"),
        (None, [[0.5, 0.5]], "support has shape"),
    ],
)
def test_wrong_distributions_are_refused(support, joint, message):
    with pytest.raises(ValueError, match=message):
        BayesOptimal("f1", support).fit(joint)
