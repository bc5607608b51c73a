"""The page of a run on the user's own data: about that data, and nothing else."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from stages.common.params import checked, load_params
from stages.common.schema import from_json, to_json
from stages.compare.comparison import compare
from stages.report.page_inputs import run_text
from stages.report.render import render
from tests.conftest import ROOT
from tests.stages.compare.made import table_evidence
from tests.stages.report.made_up_report import Page, made_up, section

SCORES = {
    "tickets": {
        "top-k": [3.0, 3.1, 2.9],
        "BR-LR": [2.0, 2.1, 1.9],
        "BR-LR+rule": [1.2, 1.6, 1.1],
        "PCC": [1.0, 1.5, 1.0],
    }
}
PAPER = ["RethinkNet", "paper", "ACML", "claim", "printed", "small run"]


@pytest.fixture
def inputs(monkeypatch):
    monkeypatch.chdir(ROOT)
    made = made_up(("tickets",), tuple(SCORES["tickets"]))
    comparison = from_json(to_json(compare(table_evidence("rank", SCORES, own=True))))
    params = replace(made.params, models=load_params().models, profile="tickets")
    cards = {"tickets": made.cards["tickets"] | {"title": "Support tickets", "expected": None}}
    return replace(made, comparison=comparison, params=params, cards=cards)


def test_the_title_is_that_of_the_data_and_the_answer_comes_first(inputs):
    html = render(inputs)
    assert "<title>Support tickets</title>" in html
    head = re.search(r'<header class="page">.*?</header>', html, re.S)[0]
    said = Page(head).text()
    assert "For Rank loss: PCC, 1.167 (0.153 to 2.181)." in said.replace(" ,", ",")
    assert "does not tell it apart from BR-LR+rule." in said
    assert 'placeholder="PCC"' in html and "yeast" not in html


def test_the_card_says_how_many_columns_the_features_became(inputs):
    assert "Features103" in (text := Page(section(render(inputs), "data")).text())
    assert "Columns that models see105" in text


def test_nothing_of_the_paper_and_no_empty_table_is_on_the_page(inputs):
    html = render(inputs)
    words = Page(re.sub(r"<pre>.*?</pre>", "", html, flags=re.S)).text()
    assert [word for word in PAPER if word.lower() in words.lower()] == []
    bodies = re.findall(r"<tbody.*?</tbody>", html, re.S)
    assert bodies and all("<td" in body for body in bodies)


def test_every_model_has_its_mean_its_interval_and_its_test(inputs):
    text = Page(section(render(inputs), "answer-tickets-rank")).text()
    for row in SCORES["tickets"]:
        assert row in text
    assert "1.1670.153 to 2.181recommended3 of 3" in text
    assert re.search(r"top-k looks at no feature3.0002.649 to 3.351worse \(p = 0.0\d+\)", text)
    assert "make model DATASET=tickets COST=rank" in text
    assert "ProbabilisticChain(" in text


def test_the_section_on_reproduction_keeps_the_parameters(inputs, project, monkeypatch):
    params = project.params()
    asked = {"models": ["BR-LR", "top-k"], "costs": ["asymmetric-3-1"]}
    params["experiments"]["algorithms"] |= asked
    monkeypatch.chdir(project.path)
    given = checked(params | {"splits": "stratified"})
    again = checked(yaml.safe_load(run_text(given)), Path("params.yaml"))
    assert again.experiments == given.experiments and again.splits == "stratified"
    assert list(again.models) == ["BR-LR", "top-k"] and list(again.grids) == ["strengths"]
    assert again.grid_of("BR-LR") == given.grid_of("BR-LR") and again.train == given.train
    text = replace(inputs.params, text=run_text(given), entries="tickets: {title: Mine}\n")
    html = section(render(replace(inputs, params=text)), "reproduce")
    assert "asymmetric-3-1" in html and "tickets: {title: Mine}" in html
    assert "make profile" not in html
