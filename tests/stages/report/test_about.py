"""What the page says of method and models."""

from typing import get_args

import pytest

from stages.common.params import Model, Variant, load_params
from stages.report.about import VARIANTS, describe, missing
from tests.stages.report.made_up_report import made_up

MODELS = load_params().models


def test_every_variant_has_words():
    assert set(VARIANTS) == set(get_args(Variant))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_this_project_is_described(name):
    text = describe(MODELS[name])
    assert text
    assert "the estimator" not in text
    assert "None" not in text


def test_a_model_that_predicts_above_one_half_is_not_said_to_suit_the_cost():
    assert describe(MODELS["RF"]) == "a random forest, the labels above one half, whatever the cost"
    assert describe(MODELS["RF+rule"]) == "a random forest, with the rule that suits the cost"


def test_a_model_of_a_user_is_called_by_its_estimator():
    assert describe(Model(estimator="Mine")) == "the estimator Mine"


def test_data_sets_of_the_paper_that_were_not_run_are_named():
    comparison = made_up().comparison
    assert missing(comparison) == []
    for row in comparison.paper.rows:
        row.status = "not run"
    assert missing(comparison) == ["yeast"]
