"""Files from outside are read as data; no reader that could run code in them exists."""

import ast
import pickle
from pathlib import Path

import pytest
import torch

from stages.common.errors import DataError
from stages.common.sources import Weights
from stages.features.decode import decode
from stages.features.network import load_network
from tests.readme import ROOT

PACKAGES = ("rethink", "stages", "flows")
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "torchvision"}
CALLS = {
    "torch.load",
    "np.load",
    "numpy.load",
    "pd.read_pickle",
    "pandas.read_pickle",
    "eval",
    "exec",
}
PLACED = []  # what a malicious file does when it is opened: it appends


class Malicious:
    def __reduce__(self):
        return PLACED.append, ("opened",)


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def called(tree):
    """All that is called, but for calls that refuse pickles in so many words."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {ast.unparse(node.func) for node in calls if not refuses_pickles(node)}


def refuses_pickles(call):
    return any(ast.unparse(keyword) == "allow_pickle=False" for keyword in call.keywords)


def test_no_module_can_open_a_pickle():
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(sources) > 100
    for path in sources:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not MODULES & set(imported(tree)), path
        assert not CALLS & called(tree), path
        assert "allow_pickle=True" not in ast.unparse(tree), path


def test_the_scan_finds_what_it_looks_for():
    tree = ast.parse("from joblib import load\nimport torch\ntorch.load('x')")
    assert MODULES & set(imported(tree)) and CALLS & called(tree)


@pytest.mark.parametrize("layout", ["keras", "torchvision"])
@pytest.mark.parametrize("save", [lambda o, p: p.write_bytes(pickle.dumps(o)), torch.save])
def test_a_malicious_file_in_place_of_weights_is_never_opened(tmp_path, layout, save):
    name = {"keras": "model.json", "torchvision": "net.safetensors"}[layout]
    save(Malicious(), Path(tmp_path / name))
    weights = Weights.model_validate(
        {"title": "t", "network": "resnet50", "layout": layout, "files": [{"name": name}]}
    )
    with pytest.raises(DataError, match=name):
        load_network(weights, tmp_path)
    assert PLACED == []


def test_a_malicious_file_in_place_of_an_image_is_never_opened(tmp_path):
    torch.save(Malicious(), tmp_path / "a.jpg")
    assert decode(tmp_path / "a.jpg", 16).problem == "unreadable"
    assert PLACED == []
