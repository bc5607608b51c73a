"""Hostile or mistaken parameters stop before any work, with the key's path."""

import shutil
from pathlib import Path

import pytest

from stages.common.errors import UserError
from stages.common.params import load_params

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """Load params.yaml after replacing one piece of its text."""
    (tmp_path / "data").mkdir()
    shutil.copy(ROOT / "data" / "catalog.yaml", tmp_path / "data" / "catalog.yaml")
    shutil.copytree(ROOT / "data" / "listings", tmp_path / "data" / "listings")
    text = (ROOT / "params.yaml").read_text()
    monkeypatch.chdir(tmp_path)

    def load(old, new):
        assert old in text
        Path("params.yaml").write_text(text.replace(old, new, 1))
        return load_params()

    return load


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  folds: 3", "  fold: 3", r"train.fold: unknown key; did you mean 'folds'"),
        ("profile: quick", "profil: quick", r"profil: unknown key; did you mean 'profile'"),
        ("  folds: 3", "", r"train.folds: Field required|train.folds: missing"),
        ("  folds: 3", "  folds: yes", r"train.folds: .*valid integer \(given: True\)"),
        ("  folds: 3", "  folds: '3'", r"train.folds: .*valid integer \(given: '3'\)"),
        ("  folds: 3", "  folds: -3", r"train.folds: .*greater than or equal to 2"),
        ("  seeds: 3", "  seeds: 1000000000", r"train.seeds: .*less than or equal to 10"),
        ("rescale: true", "rescale: 1", r"train.rescale: .*valid boolean"),
        ("[0.0001, 0.001", "[1e-3, 0.001", r"grids.strengths.0.*write 1e-3 as 0.001"),
        ("grid: {C:", "grid: {c:", r"models.BR-LR.grid.c: no such parameter; valid: C"),
        ("C: strengths", "C: strenght", r"models.BR-LR.grid.C: .*did you mean 'strengths'"),
        ("estimator: TopK", "estimator: TopJ", r"models.top-k.estimator: .*did you mean 'TopK'"),
        ("[yeast, chain", "[yaest, chain", r"datasets.0: unknown .* mean 'yeast'"),
        ("[yeast, chain", "[../../etc, chain", r"datasets.0: .*should match pattern"),
        ("[yeast, chain", "[yeast; touch forged, chain", r"datasets.0: .*should match pattern"),
        ("[yeast, chain", "[$(touch forged), chain", r"datasets.0: .*should match pattern"),
        ("[yeast, chain", "[yeast, yeast", r"datasets: .*listed twice: yeast"),
        ("[hamming, rank", "[haming, rank", r"experiments.algorithms.costs.0: unknown name"),
        ("BR-LR, BR-LR+", "BR-LT, BR-LR+", r"experiments.algorithms.models.2: .*mean 'BR-LR'"),
        ("profile: quick", "profile: !!python/object:os.system {}", r"is not plain YAML"),
        ("profile: quick", "profile: [unclosed", r"is not plain YAML"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_the_keys_path(edited, old, new, message):
    with pytest.raises(UserError, match=message):
        edited(old, new)


def test_all_problems_are_listed_at_once(edited):
    with pytest.raises(UserError) as error:
        edited("  folds: 3", "  fold: 3\n  seed: 2")
    assert "train.fold:" in str(error.value) and "train.seed:" in str(error.value)


def test_a_file_without_keys_is_refused(edited):
    edited("profile: quick", "profile: quick")
    Path("params.yaml").write_text("- just\n- a list\n")
    with pytest.raises(UserError, match="holds list, but needs keys and values"):
        load_params()


def test_the_first_stage_refuses_before_it_fetches_anything(project):
    params = project.params()
    params["train"]["flods"] = 3
    project.write_params(params)
    output = project.run("stages.fetch", "--dataset", "single", code=1)
    assert "train.flods: unknown key; did you mean 'folds'" in output
    assert "Traceback" not in output
