"""The code under a recommendation runs as it stands, and gives the model that was compared."""

import html
import re
from dataclasses import replace

import numpy as np
import pytest
import yaml

import rethink
from stages.common.params import Model
from stages.common.recipe import estimator_of, snippet
from stages.report.render import render
from tests.conftest import ROOT
from tests.stages.report.made_up_report import made_up

MODELS = {
    name: Model.model_validate(entry)
    for name, entry in yaml.safe_load((ROOT / "params.yaml").read_text())["models"].items()
}
FAST = {
    "RethinkNet": {"hidden": 4, "features": 4, "epochs": 2},
    "ET+rule": {"estimator__n_estimators": 5},
    "mixture+rule": {
        "estimator__trees__n_estimators": 5,
        "estimator__linear__C": 0.1,
        "estimator__nets__epochs": 2,
    },
    "PCC": {"C": 0.1},
    "BR-LR": {"C": 0.1},
    "BR-LR+rule": {"C": 10.0},
    "top-k": {},
}
rng = np.random.default_rng(2)
X = rng.normal(5, 3, (60, 3))
Y = (X + rng.normal(size=X.shape) > 5).astype(int)


def run(code, folder, monkeypatch):
    monkeypatch.chdir(folder)
    known = {"X": X, "Y": Y}
    exec(compile(code, "snippet", "exec"), known)
    return known["model"]


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("cost", ["f1", "asymmetric-5-1"])
def test_the_code_of_a_model_runs_and_saves_it(name, cost, tmp_path, monkeypatch, capsys):
    model = run(snippet(MODELS[name], FAST[name], cost), tmp_path, monkeypatch)
    assert repr(model[-1]) == repr(estimator_of(MODELS[name], FAST[name], cost))
    expected = model.predict(X[:3])
    assert capsys.readouterr().out == f"{expected}\n"
    assert (rethink.load(tmp_path / "model").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("name", ["ET+rule", "BR-LR+rule", "RethinkNet", "PCC"])
@pytest.mark.parametrize("cost", ["rank", "f1"])
def test_the_code_names_the_cost_even_if_it_is_the_default(name, cost):
    assert snippet(MODELS[name], {}, cost).count(f"cost={cost!r}") == 1


def test_every_model_of_params_on_features_has_code_that_makes_it():
    for name, model in MODELS.items():
        if model.input == "features":
            code = snippet(model, {}, "f1").split("model.fit")[0]
            known = {}
            exec(compile(code, name, "exec"), known)
            assert type(known["model"][-1]).__name__ == model.estimator


def test_the_page_ends_its_advice_in_code_that_runs(tmp_path, monkeypatch):
    inputs = made_up()
    advised = {cost: advice.recommended for cost, advice in inputs.comparison.advice.items()}
    models = dict.fromkeys(advised.values(), MODELS["BR-LR+rule"])
    chosen = {cost: {"C": 0.1} for cost in advised}
    page = render(
        replace(
            inputs,
            params=replace(inputs.params, models=models),
            comparison=replace(inputs.comparison, chosen=chosen),
        )
    )
    codes = re.findall(r'<details class="snippet raw">.*?<code>(.*?)</code>', page, re.S)
    assert len(codes) == len(advised) > 0
    for code in codes:
        model = run(html.unescape(code), tmp_path, monkeypatch)
        assert model[-1].C == 0.1
    assert "<script" not in "".join(codes)
