"""Experiments as sets of cells, on the project's own parameters."""

from pathlib import Path

import pytest

from stages.common.catalog import load_catalog
from stages.common.plan import jobs, plan
from stages.common.profile import params_under, profile_names

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


def cells_of(params, datasets=None):
    return plan(params, load_catalog(), datasets or params.datasets)


def only(params, *names):
    return params.model_copy(update={"experiments": {n: params.experiments[n] for n in names}})


@pytest.mark.parametrize("profile", profile_names())
def test_every_experiment_of_every_profile_has_the_cells_it_needs(profile):
    params, catalog = params_under(profile), load_catalog()
    for name, experiment in params.experiments.items():
        models = {cell.model for cell in cells_of(only(params, name))}
        sets = [catalog.entry(dataset) for dataset in params.datasets_of(name)]
        assert models == {
            model
            for model in experiment.models
            if any(entry.has(params.models[model].input) for entry in sets)
        }


def test_every_experiment_runs_in_the_profiles_that_are_for_it():
    runs = {
        name: {
            e
            for e, entry in params.experiments.items()
            if entry.models and cells_of(only(params, e))
        }
        for name, params in ((name, params_under(name)) for name in profile_names())
    }
    tables = {e for e, entry in params_under("quick").experiments.items() if entry.models} - {
        "images"
    }
    assert runs["images"] == {"images"}
    assert runs["paper"] == tables
    # nets that train for minutes, large files
    short = tables - {"protocol", "overfitting", "other_files"}
    assert runs["smoke"] == short
    assert runs["quick"] == short | {"images"}


def test_models_and_data_sets_that_take_long_have_fewer_seeds_where_the_parameters_say_so():
    params = params_under("paper")

    def seeds(model, *datasets):
        return {c.seed for c in cells_of(params, list(datasets) or None) if c.model == model}

    assert seeds("CFT", "corel5k") == {0}
    assert seeds("CFT", "yeast") == set(range(10))
    assert seeds("RethinkNet-as-paper") == {0, 1, 2}  # named without a data set
    assert seeds("PCC", "corel5k") == {0, 1, 2}  # a data set named without a model


def test_a_cell_that_two_experiments_need_is_planned_once():
    params = params_under("paper")
    both = cells_of(only(params, "algorithms", "reweighting"))
    apart = [cells_of(only(params, name)) for name in ("algorithms", "reweighting")]
    shared = set(apart[0]) & set(apart[1])
    assert {cell.model for cell in shared} == {"RethinkNet"}
    assert len(both) == len(set(both)) == len(set(apart[0]) | set(apart[1]))


def test_an_experiment_runs_on_the_data_sets_it_names_as_far_as_the_run_has_them():
    params = params_under("quick")
    assert {cell.dataset for cell in cells_of(only(params, "rethinking"))} == {"yeast"}
    tables = set(params.datasets) - {"shapes"}  # images are only where they are named
    assert {cell.dataset for cell in cells_of(only(params, "algorithms"))} == tables
    assert {cell.dataset for cell in cells_of(only(params, "images"))} == {"shapes"}
    assert cells_of(only(params, "rethinking"), ["chain"]) == []


def test_another_file_of_a_data_set_is_run_only_where_it_is_named():
    both = {"datasets": ("tmc2007-500", "tmc2007-mldr")}
    assert params_under("quick").model_copy(update=both).datasets_of("algorithms") == [
        "tmc2007-500"
    ]


def test_nets_without_reweighting_are_trained_once_for_all_costs():
    params = only(params_under("quick"), "reweighting")
    cells = cells_of(params)
    sizes = {}
    for job in jobs(cells, params):
        sizes.setdefault(job[0].model, set()).add(len(job))
    assert sizes == {"RethinkNet": {1}, "SRN": {1}, "RethinkNet-plain": {3}, "SRN-plain": {3}}
