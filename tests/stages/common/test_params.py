import shutil
from pathlib import Path

import pytest
import yaml

from stages.common import profile
from stages.common.errors import UserError
from stages.common.params import load_params
from stages.common.profile import params_under, profile_names, switch

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of what the user writes, in a folder of its own."""
    for name in ("params.yaml", "data/catalog.yaml", *(f"profiles/{n}.yaml" for n in NAMES)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    shutil.copytree(ROOT / "data" / "listings", tmp_path / "data" / "listings")
    monkeypatch.chdir(tmp_path)
    return tmp_path


NAMES = ("quick", "paper", "wide", "smoke", "images")


def leaves(values, prefix=""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def test_the_committed_params_are_the_quick_profile(project):
    assert switch("quick") == []
    assert load_params().profile == "quick"


def test_switching_to_paper_and_back_restores_the_file_byte_for_byte(project):
    before = Path("params.yaml").read_bytes()
    assert any(change.startswith("datasets:") for change in switch("paper"))
    assert len(load_params().datasets) == 12
    switch("quick")
    assert Path("params.yaml").read_bytes() == before


def test_a_run_of_published_cells_ends_with_the_next_switch(project):
    before = Path("params.yaml").read_bytes()
    assert "train.cells: all -> published" in switch("paper", cells="published")
    assert load_params().train.cells == "published"
    switch("quick")
    assert Path("params.yaml").read_bytes() == before


def test_all_profiles_set_the_same_keys_so_that_a_switch_leaves_nothing_behind(project):
    assert profile_names() == sorted(NAMES)
    keys = {name: sorted(leaves(yaml.safe_load(Path(f"profiles/{name}.yaml").read_text())))
            for name in NAMES}  # fmt: skip
    assert all(keys[name] == keys["quick"] for name in NAMES)


def test_a_switch_keeps_the_users_own_changes_and_comments(project):
    path = Path("params.yaml")
    path.write_text(path.read_text().replace("folds: 3 #", "folds: 7 # mine:"))
    switch("paper")
    assert "folds: 7 # mine:" in path.read_text()


def test_an_unknown_profile_names_the_nearest(project):
    with pytest.raises(UserError, match="did you mean 'paper'"):
        switch("papre")


def test_a_switch_to_no_profile_says_what_to_type(project, monkeypatch):
    monkeypatch.setattr("sys.argv", ["profile"])
    with pytest.raises(UserError, match=r"which profile\? run: make profile NAME=quick; there are"):
        profile.main()


def test_the_parameters_under_a_profile_are_those_after_a_switch(project):
    for name in NAMES:
        before = params_under(name)
        switch(name)
        assert load_params() == before


def test_images_belong_to_the_experiments_that_name_them_alone(project):
    params = load_params()
    assert "shapes" in params.datasets
    assert params.datasets_of("images") == ["shapes"]
    for name in params.experiments:
        assert name == "images" or "shapes" not in params.datasets_of(name)


def test_the_profile_of_images_runs_nothing_else(project):
    params = params_under("images")
    assert [name for name in params.experiments if params.datasets_of(name)] == ["images"]


def test_the_part_a_model_plays_is_no_ingredient_of_its_results(project):
    model = load_params().models["RethinkNet-plain"]
    assert set(model.recipe()) == {"estimator", "params", "grid", "select", "input"}
    other = model.model_copy(update={"role": "ours", "variant": None, "net": "a net"})
    assert other.recipe() == model.recipe()


@pytest.mark.parametrize(
    ("model", "part", "problem"),
    [
        ("PCC", {"role": "proposed"}, "only one can have the role proposed, not PCC, RethinkNet"),
        ("SRN", {"variant": "plain"}, "models.SRN: variant and variant_of are given together"),
        (
            "SRN",
            {"variant": "plain", "variant_of": "SNR"},
            "models.SRN.variant_of: unknown model 'SNR'; did you mean 'SRN'",
        ),
        ("PCC", {"role": "papr"}, "models.PCC.role"),
    ],
)
def test_a_part_that_cannot_be_is_refused(project, model, part, problem):
    values = yaml.safe_load(Path("params.yaml").read_text())
    values["models"][model] |= part
    Path("params.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    with pytest.raises(UserError, match=problem.replace(".", r"\.")):
        load_params()
