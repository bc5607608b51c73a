import numpy as np
import pytest

from rethink.synthetic import GENERATORS, generate

SIZES = {"instances": 400, "features": 5, "labels": 4}


@pytest.mark.parametrize("generator", GENERATORS)
def test_shapes_and_types(generator):
    sample = generate(generator, **SIZES, seed=0)
    m = {"logistic-chain": 16, "exclusive": 5}[generator]
    assert sample.X.shape == (400, 5) and sample.X.dtype == np.float64
    assert sample.Y.shape == (400, 4) and sample.Y.dtype == np.uint8
    assert sample.support.shape == (m, 4) and sample.support.dtype == np.uint8
    assert sample.joint.shape == (400, m) and sample.joint.dtype == np.float64
    assert len(np.unique(sample.support, axis=0)) == m


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_row_of_the_joint_is_a_distribution(generator):
    for labels in (1, 6):
        joint = generate(generator, instances=300, features=5, labels=labels, seed=1).joint
        assert (joint > 0).all()
        np.testing.assert_allclose(joint.sum(axis=1), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("generator", GENERATORS)
def test_labels_are_drawn_from_the_joint(generator):
    """Frequencies of each label vector, overall and where it is likely, match its probability."""
    sample = generate(generator, instances=40_000, features=5, labels=4, seed=2)
    for vector, probability in zip(sample.support, sample.joint.T, strict=True):
        occurs = (vector == sample.Y).all(axis=1)
        for rows in (slice(None), probability > np.quantile(probability, 0.9)):
            expected, result = probability[rows].mean(), occurs[rows].mean()
            deviation = np.sqrt((probability[rows] * (1 - probability[rows])).sum())
            assert abs(result - expected) * len(occurs[rows]) < 4.5 * deviation + 1


@pytest.mark.parametrize("generator", GENERATORS)
def test_equal_seeds_give_equal_data_and_others_do_not(generator):
    first, second, other = (generate(generator, **SIZES, seed=seed) for seed in (7, 7, 8))
    for part in ("X", "Y", "support", "joint"):
        assert getattr(first, part).tobytes() == getattr(second, part).tobytes()
    assert not np.array_equal(first.X, other.X) and not np.array_equal(first.Y, other.Y)


def test_chain_labels_depend_on_each_other_given_the_features():
    sample = generate("logistic-chain", **SIZES, seed=3)
    marginals = sample.joint @ sample.support
    for i, j in [(0, 1), (1, 3)]:
        both = sample.joint @ (sample.support[:, i] * sample.support[:, j])
        assert np.abs(both - marginals[:, i] * marginals[:, j]).max() > 0.03


def test_exclusive_labels_never_occur_together():
    sample = generate("exclusive", **SIZES, seed=3)
    assert set(sample.Y.sum(axis=1)) == {0, 1}


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_label_occurs_and_none_dominates(generator):
    for seed in range(5):
        frequency = generate(generator, instances=2000, features=10, labels=6, seed=seed).Y.mean(0)
        assert frequency.min() > 0.02 and frequency.max() < 0.8


def test_an_unknown_generator_names_the_nearest_one():
    with pytest.raises(ValueError, match=r"unknown generator 'logistic'; .*logistic-chain"):
        generate("logistic", **SIZES, seed=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instances": 0}, "instances is 0"),
        ({"features": 0}, "features is 0"),
        ({"labels": -1}, "labels is -1"),
        ({"labels": 13}, "labels is 13.*at most 12"),
    ],
)
def test_impossible_sizes_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        generate("logistic-chain", **SIZES | change, seed=0)
