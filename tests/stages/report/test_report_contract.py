"""The page takes whatever `compare` makes of a run, large or small, finished or not."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from stages.common.schema import from_json, to_json
from stages.compare.comparison import compare
from stages.compare.evidence import Experiment
from stages.report.render import render
from tests.stages.compare.made import EVERY_COST, evidence, labels, paper, wobble
from tests.stages.report.made_up_report import Page, made_up, section

SETS = ("yeast", "chain", "emotions")
MODELS = ("all-zeros", "BR-LR", "PCC", "RethinkNet", "bayes")
RNNS = ("SRN-200k", "GRU-200k", "LSTM-200k", "IRNN-200k")
NETS = ("RethinkNet", "RethinkNet-plain")
OTHERS = ("RethinkNet-once", "RethinkNet-as-paper")
SMALLER = {
    "datasets": Experiment((), (), SETS),
    "rethinking": Experiment(("SRN-5",), EVERY_COST, ("yeast",)),
    "memory": Experiment(("SRN-memory",), ("hamming",), ("yeast",)),
    "reweighting": Experiment(("SRN", "SRN-plain"), ("rank", "f1"), ("yeast",)),
    "rnn_variants": Experiment(RNNS, ("rank",), ("yeast",)),
    "selected_by_max": Experiment(("BR-by-max",), ("rank",), ("yeast",)),
    "rules": Experiment(("BR-LR", "BR-LR+rule", *NETS), ("rank", "f1"), SETS),
    "once": Experiment(("RethinkNet", "RethinkNet-once"), ("f1",), SETS),
    "overfitting": Experiment(("PCC-overfitted",), ("rank",), ("yeast",)),
    "protocol": Experiment(("RethinkNet", "RethinkNet-as-paper"), ("f1",), ("yeast",)),
    "other_files": Experiment(("BR-LR", "RethinkNet"), ("f1",), ("yeast", "chain")),
}


def score(cell):
    if cell["model"] == "bayes" and cell["dataset"] != "chain":
        return None
    names = (
        *MODELS,
        "BR-LR+rule",
        NETS[1],
        *OTHERS,
        "SRN-5",
        "SRN-memory",
        "SRN",
        "SRN-plain",
        *RNNS,
        "BR-by-max",
        "PCC-overfitted",
    )
    drop = 0.02 if cell["dataset"] == "chain" and cell["empty"] == 0.0 else 0.0
    return 0.3 + 0.02 * names.index(cell["model"]) + wobble(cell["seed"]) - drop


def failing(cell):
    return "it broke" if score(cell) is not None else None


def context(experiments, formula=score, seeds=3):
    """The page's inputs with the comparison that a made-up run gives, as read from its file."""
    cells = {
        (d, m, c)
        for e in experiments.values()
        for d in e.datasets
        for m in e.models
        for c in e.costs
    }
    usual = made_up(SETS)
    cards = {
        name: card | {"label_names": [f"label {n}" for n in range(6)], "test_twins": 0.1}
        for name, card in usual.cards.items()
    }
    run = evidence(
        experiments,
        formula,
        seeds=seeds,
        paper=paper(),
        labels={name: labels() for name in SETS},
        memories={("yeast", "SRN-memory", "hamming"): {0: np.eye(6) + 0.1, 1: np.eye(6) - 0.1}},
        cards=cards,
        other_files={"chain": "yeast"},
        reliabilities={("yeast", "BR-LR+rule", "f1"): {0: np.full((10, 3), 5.0)}},
        seconds={cell: dict.fromkeys(range(seeds), 1.0) for cell in cells},
    )
    text = json.dumps(to_json(compare(run)), sort_keys=True)
    return replace(usual, comparison=from_json(json.loads(text)))


RUNS = {
    "everything": ({"algorithms": Experiment(MODELS, EVERY_COST, SETS)} | SMALLER, score, 3),
    "algorithms alone": (
        {"algorithms": Experiment(MODELS, ("f1",), ("emotions", "yeast"))},
        score,
        2,
    ),
    "one set": ({"algorithms": Experiment(MODELS, EVERY_COST, ("yeast",))}, score, 3),
    "one model": ({"algorithms": Experiment(("PCC",), ("f1",), SETS)}, score, 3),
    "one seed": ({"algorithms": Experiment(MODELS, ("rank",), SETS)} | SMALLER, score, 1),
    "nothing finished": ({"algorithms": Experiment(MODELS, ("rank",), SETS)} | SMALLER, failing, 2),
    "no algorithms": (SMALLER, score, 3),
}


@pytest.mark.parametrize(("experiments", "formula", "seeds"), RUNS.values(), ids=RUNS)
def test_a_run_becomes_a_page_without_holes_or_dead_links(experiments, formula, seeds):
    html = render(context(experiments, formula, seeds))
    page = Page(html)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["href"].removeprefix("#") for a in page.all("a")} <= set(ids)
    assert not re.search(r"\b(nan|None|Undefined|inf|null)\b", page.text())
    for name in SMALLER:
        assert (f'<section id="{name.replace("_", "-")}"' in html) == (name in experiments)


def test_the_verdict_of_a_whole_run_is_linked_to_its_evidence():
    inputs = context(*RUNS["everything"])
    part = section(render(inputs), "verdict")
    linked = [claim for claim in inputs.comparison.claims if claim.anchor in inputs.anchors]
    assert len(linked) == part.count("<dt>Evidence</dt>") > 30
    for table in ("rank", "rank-t-tests", "once", "rules", "reweighting", "rnn-variants"):
        assert f'<a href="#table-{table}">the numbers</a>' in part
    assert all(f'id="claim-{claim.id}"' in part for claim in inputs.comparison.claims)
