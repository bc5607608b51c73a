"""The page of a run that is not complete says so, and what is missing."""

from dataclasses import replace

import pytest

from stages.common.plan import Cell
from stages.report.coverage import missing, split_table
from stages.report.render import render
from tests.stages.report.made_up_report import Page, made_up


def planned(inputs, more=(), gone=()):
    """The cells of the runs and some more; runs of `gone` models are taken away."""
    names = [(r["dataset"], r["model"], r["cost"], r["seed"]) for r in inputs.runs]
    runs = [r for r in inputs.runs if (r["dataset"], r["model"]) not in gone]
    return replace(inputs, runs=runs, planned=[Cell(*name) for name in [*names, *more]])


def entries(inputs):
    rows = [row for group in split_table(inputs).groups for row in group.rows]
    return {row[0].html: [cell.html for cell in row[1:]] for row in rows}


def test_a_whole_run_lacks_nothing_and_says_nothing_of_it():
    inputs = planned(made_up())
    assert missing(inputs) == 0
    assert "not there yet" not in render(inputs)
    assert entries(inputs)["<bdi>RethinkNet</bdi>"] == ["3", "3"]


def test_missing_cells_are_counted_and_shown_where_they_are_missing():
    inputs = made_up()
    costs = sorted({run["cost"] for run in inputs.runs})
    more = [("yeast", "RethinkNet", cost, seed) for cost in costs for seed in (3, 4)]
    inputs = planned(inputs, more, gone=[("chain", "BR-LR")])
    assert missing(inputs) == len(costs) * (2 + 3)
    table = entries(inputs)
    assert table["<bdi>RethinkNet</bdi>"] == ["3 of 5", "3"]
    assert table["<bdi>BR-LR</bdi>"] == ["3", "0 of 3"]
    text = Page(render(inputs)).text()
    assert f"{missing(inputs)} planned cells are not there yet" in text
    assert f"{missing(inputs)} of {len(inputs.planned)} planned cells are not there yet" in text


def test_a_model_with_a_cost_less_has_the_splits_of_all_its_costs():
    inputs = planned(made_up())
    inputs.runs.remove(next(r for r in inputs.runs if r["model"] == "RethinkNet"))
    assert "2 of 3" in entries(inputs)["<bdi>RethinkNet</bdi>"]


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ({"yeast": 3, "chain": 3}, "2 data sets (yeast and chain); 3 splits each."),
        ({"yeast": 3, "chain": 1}, "2 data sets: 3 splits of yeast; 1 of chain."),
    ],
)
def test_the_first_screen_says_how_many_splits_each_data_set_has(splits, words):
    inputs = made_up()
    inputs.comparison.splits = splits
    assert words in Page(render(inputs)).text()


def test_a_data_set_without_a_cell_is_not_counted_and_is_named():
    inputs = made_up()
    inputs.comparison.splits = {"yeast": 3, "chain": 3}
    inputs.params.datasets.append("birds")
    inputs.cards["birds"] = inputs.cards["chain"]
    inputs.rights["birds"] = inputs.rights["chain"]
    inputs.validations["birds"] = inputs.validations["chain"]
    text = Page(render(inputs)).text()
    assert "2 data sets (yeast and chain); 3 splits each; nothing yet of birds." in text
