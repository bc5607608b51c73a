import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.conftest import ROOT, Project

BROKEN = ("Raises", "Hangs", "Locks", "Dies", "DiesOnce", "Eats", "Swamps", "Halves", "NotNumbers")


@pytest.fixture
def broken(code):
    """A project in which most models go wrong, each in its own way."""
    shutil.copy(ROOT / "tests" / "broken_models.py", code.path / "rethink" / "models")
    params = code.params()
    params["models"] |= {name.lower(): {"estimator": name} for name in BROKEN}
    code.write_params(params)
    return code


def ask_for(project, models, time_limit):
    params = project.params()
    params["experiments"] = {"algorithms": {"models": models, "costs": ["f1"]}}
    params["train"] |= {"seeds": 1, "time_limit": time_limit}
    project.write_params(params)


def rows(project):
    table = pq.read_table(project.path / "data" / "runs" / "tiny.parquet").to_pylist()
    return {row["model"]: row for row in table}


@pytest.mark.slow
def test_whatever_a_model_does_its_cell_is_a_row_and_the_others_go_on(broken):
    memory = {"RETHINK_MEMORY": "1GiB"}
    models = ["BR-LR", *(name.lower() for name in BROKEN)]
    short = ("hangs", "locks", "raises")  # what the limit stops, and what comes after it
    ask_for(broken, [name for name in models if name not in short], time_limit=600)
    broken.run("stages.train", "--dataset", "tiny", "--workers", "2", code=3, **memory)
    ask_for(broken, models, time_limit=5)
    output = broken.run("stages.train", "--dataset", "tiny", "--workers", "2", code=3, **memory)
    assert "10 cells: 0 done, 7 cached, 3 failed" in output
    outcomes = {model: (row["status"], row["reason"]) for model, row in rows(broken).items()}
    assert outcomes["raises"] == ("failed", "ValueError: singular matrix, sorry")
    assert outcomes["halves"] == ("failed", "ValueError: predicted values other than 0 and 1")
    assert outcomes["notnumbers"] == ("failed", "ValueError: predicted values other than 0 and 1")
    assert outcomes["hangs"] == ("timeout", "stopped after the limit of 5 s a cell")
    assert outcomes["locks"] == ("timeout", "stopped after the limit of 5 s a cell")
    assert outcomes["dies"][0] == "died"
    assert outcomes["eats"][0] == "died" and "it may have 1.0 GiB" in outcomes["eats"][1]
    assert outcomes["swamps"] == ("died", "OutOfMemoryError: CUDA out of memory")
    assert outcomes["diesonce"] == outcomes["BR-LR"] == ("ok", "")
    assert "failed: tiny / raises: ValueError: singular matrix, sorry" in output
    predicted = pq.read_table(broken.path / "data" / "predictions" / "tiny.parquet")
    assert set(predicted["model"].to_pylist()) == {"BR-LR", "diesonce"}
    log = (broken.path / "data" / "dask.log").read_text()
    assert "broken_models.py" in log and "in fit" in log  # where it hung
    assert "distributed" not in output  # no noise in the terminal

    again = broken.run("stages.train", "--dataset", "tiny", "--tolerate-failures", **memory)
    assert "10 cells: 0 done, 10 cached, 0 failed, 0 left" in again


def test_the_plan_lists_cells_says_which_are_cached_and_how_long_the_rest_takes(project):
    before = project.run("stages.outlook")
    assert "32 cells, 0 computed, 0 published, 32 to compute" in before
    assert "32 cells of models never timed, guessed by size" in before
    project.run("stages.train", "--model", "BR-LR")
    after = project.run("stages.outlook")
    assert "32 cells, 8 computed, 0 published, 24 to compute" in after
    assert not (project.path / "data" / "predictions").exists()


def test_the_plan_of_data_that_is_not_there_yet_says_so(project):
    params = project.params()
    params["datasets"] = ["tiny", "single"]
    project.write_params(params)
    (project.path / "data" / "prepared" / "single" / "card.json").unlink()
    output = project.run("stages.outlook")
    assert "no data" in output and "64 cells" in output
    output = project.run("stages.train", code=2)
    assert "data set single is not prepared; run: dvc repro split@single" in output


def test_unknown_names_are_refused_with_the_nearest(project):
    assert "did you mean 'tiny'" in project.run("stages.train", "--dataset", "tinny", code=1)
    assert "did you mean 'BR-LR'" in project.run("stages.train", "--model", "BR-RL", code=1)


def test_the_scaling_is_fitted_on_the_training_rows_unless_switched_off(trained_project, tmp_path):
    project = Project(shutil.copytree(trained_project.path, tmp_path / "project"))
    with_care = project.cell_bytes()
    params = project.params()
    params["experiments"]["algorithms"]["models"] = ["BR-LR"]
    params["train"]["rescale"] = False
    project.write_params(params)
    project.run("stages.train")
    assert with_care.items() <= project.cell_bytes().items()  # other keys: both are kept
    assert len(project.cell_bytes()) == len(with_care) + 4 * 2


@pytest.fixture(scope="module")
def with_a_net(prepared_project, tmp_path_factory):
    """What was trained: a net whose units are labels, and a model that is none."""
    path = tmp_path_factory.mktemp("net") / "project"
    project = Project(shutil.copytree(prepared_project.path, path))
    params = project.params()
    shape = {"rnn": "srn", "output": "identity", "features": None, "epochs": 2, "stopping": "loss"}
    params["models"]["net"] = {"estimator": "RethinkNet", "params": shape}
    params["experiments"] = {"memory": {"models": ["net", "top-k"], "costs": ["hamming"]}}
    project.write_params(params)
    project.run("stages.train", "--dataset", "tiny")
    return project


def test_the_memory_matrix_of_a_net_whose_units_are_labels_is_kept(with_a_net):
    memory = {model: row["memory"] for model, row in rows(with_a_net).items()}
    assert [len(row) for row in memory["net"]] == [3, 3, 3]
    assert memory["top-k"] is None


def test_a_cell_tells_how_far_its_probabilities_are_frequencies(trained_project):
    project = trained_project
    runs = pq.read_table(project.path / "data" / "runs" / "tiny.parquet").to_pylist()
    labels = pq.read_table(project.path / "data" / "prepared" / "tiny" / "labels.parquet")
    splits = pq.read_table(project.path / "data" / "splits" / "tiny.parquet").to_pandas()
    truth = labels.to_pandas().to_numpy()
    for run in runs:
        test = splits[(splits["seed"] == run["seed"]) & (splits["part"] == "test")]["row"]
        if run["model"] == "BR-LR":
            rows, expected, on = np.array(run["reliability"]).T
            assert rows.sum() == truth[test].size and on.sum() == truth[test].sum()
            edges = np.linspace(0, 1, 11)
            assert (rows * edges[:-1] <= expected).all() and (expected <= rows * edges[1:]).all()
        elif run["model"] == "top-k":
            assert run["reliability"] is None


def test_a_cell_tells_which_device_computed_it(with_a_net):
    torch = pytest.importorskip("torch")
    manifests = [json.loads((with_a_net.path / path).read_text()) for path in with_a_net.cells()]
    auto = "cuda" if torch.cuda.is_available() else "cpu"
    assert {(m["model"], m["device"]) for m in manifests} == {("net", auto), ("top-k", "cpu")}
