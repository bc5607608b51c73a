import itertools

import numpy as np
import pytest

from rethink.seeds import derive_seed


def test_seeds_never_change_between_versions():
    assert derive_seed("yeast", "split", 0) == 1736692577
    assert derive_seed() == 1330892193
    assert derive_seed("birds", "LogisticRelevance", "f1", 9) == 3412070131
    assert derive_seed("Kürbis", -1) == 1425299529


def test_names_are_joined_without_ambiguity():
    groups = [("ab",), ("a", "b"), ("a,b",), ('a","b',), ("a", "b", ""), ("1",), (1,), ("b", "a")]
    assert len({derive_seed(*names) for names in groups}) == len(groups)


def test_numpy_integers_are_integers():
    assert derive_seed("yeast", np.int64(3)) == derive_seed("yeast", 3)


def test_seeds_are_valid_random_states_and_spread_over_the_whole_range():
    seeds = [derive_seed("set", a, b) for a, b in itertools.product(range(40), range(40))]
    assert len(set(seeds)) == len(seeds)
    assert 0 <= min(seeds) < 2**24 and 2**32 - 2**24 < max(seeds) < 2**32
    np.random.RandomState(max(seeds))


def test_other_names_are_refused():
    with pytest.raises(TypeError, match=r"whole numbers, but got 0\.5"):
        derive_seed("yeast", 0.5)
