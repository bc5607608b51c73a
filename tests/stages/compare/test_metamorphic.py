"""What must not matter does not: names, order, copies and models that everybody beats."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from stages.common.params import Model
from stages.compare.comparison import compare
from stages.compare.evidence import Roles
from tests.stages.compare.made import ROLES, SEVEN, SIX, Experiment, evidence

pytestmark = pytest.mark.usefixtures("few_draws")

COSTS = ("rank", "f1")
MODELS = (*SEVEN, "BR-LR", "BR-LR+rule")
STRENGTH = {model: place / 30 for place, model in enumerate(reversed(MODELS))}


def score(cell):
    """Scores with an order, and noise enough that some claims are open."""
    seed = hash_of(cell["dataset"], cell["model"], cell["cost"], cell["seed"])
    noise = np.random.default_rng(seed).normal(0.0, 0.05)
    value = 0.5 + STRENGTH[cell["model"]] + noise
    return value if cell["cost"] in ("f1", "accuracy") else 2.0 - value


def hash_of(*parts):
    return crc32("/".join(map(str, parts)).encode())


def run(models=MODELS, datasets=SIX, formula=score, roles=ROLES):
    experiments = {"algorithms": Experiment(tuple(models), COSTS, tuple(datasets))}
    return compare(evidence(experiments, formula, roles=roles))


def outcomes(comparison, rename=lambda name: name):
    claims = {row.id: (row.outcome, row.estimate) for row in comparison.claims}
    facts = {
        (cost, rename(pair.b)): pair.better and rename(pair.better)
        for cost, table in comparison.costs.items()
        for pair in table.over_datasets.control
    }
    return claims, facts


@pytest.fixture(scope="module")
def usual(few_draws):
    return outcomes(run())


def test_the_usual_run_has_claims_of_each_kind(usual):
    claims, _ = usual
    assert {"supported", "inconclusive"} <= {outcome for outcome, _ in claims.values()}


def test_the_order_of_models_and_data_sets_flips_nothing(usual):
    assert outcomes(run(models=MODELS[::-1], datasets=SIX[::-1])) == usual


def test_the_names_of_models_flip_nothing(usual):
    new = {model: f"zz-{model}" for model in MODELS}
    old = {name: model for model, name in new.items()}
    roles = Roles(
        {
            new.get(name, name): model.model_copy(
                update={"variant_of": new.get(model.variant_of, model.variant_of)}
            )
            for name, model in ROLES.models.items()
        }
    )
    other = run(
        models=[new[m] for m in MODELS],
        formula=lambda cell: score(cell | {"model": old[cell["model"]]}),
        roles=roles,
    )
    claims, facts = outcomes(other, lambda name: old.get(name, name))
    assert (claims, facts) == usual


def with_row(name, formula):
    roles = Roles(ROLES.models | {name: Model(estimator="LogisticRelevance")})
    return run(models=(*MODELS, name), formula=formula, roles=roles)


def same_words(one, other):
    """Outcomes alone: numbers may move where another row is ranked."""
    (claims, facts), (others, others_told) = one, other
    assert {name: word for name, (word, _) in claims.items()} == {
        name: word for name, (word, _) in others.items()
    }
    assert facts.items() <= others_told.items()


@pytest.mark.parametrize("model", ["RethinkNet", "PCC", "BR-LR+rule"])
def test_a_copy_of_a_model_flips_nothing(usual, model):
    comparison = with_row(
        "copy", lambda cell: score(cell | {"model": model} if cell["model"] == "copy" else cell)
    )
    same_words(usual, outcomes(comparison))


def test_a_model_that_everybody_beats_flips_nothing(usual):
    def dominated(cell):
        if cell["model"] != "worst":
            return score(cell)
        return 0.0 if cell["cost"] in ("f1", "accuracy") else 9.0

    comparison = with_row("worst", dominated)
    same_words(usual, outcomes(comparison))
    paper = {row.id: row.estimate for row in comparison.claims if row.of_the_paper}
    claims, _ = usual
    assert paper == {name: claims[name][1] for name in paper}


def test_the_pair_matrix_does_not_change_with_the_rivals():
    def pairs(comparison):
        return {
            (cost, p.a, p.b): replace(p)
            for cost, table in comparison.costs.items()
            for p in table.over_datasets.pairs
        }

    whole, fewer = pairs(run()), pairs(run(models=MODELS[:4]))
    assert fewer.items() <= whole.items()
