"""Orders: what a worker elsewhere must know, and when it must refuse."""

import dataclasses

import pytest

from stages.cells.keys import keys
from stages.cells.orders import place_order, read_order
from stages.cells.plan import plan
from stages.cells.store import Store
from stages.config.catalog import load_catalog
from stages.config.params import load_params
from stages.errors import UserError


@pytest.fixture
def ordered(project, monkeypatch, tmp_path):
    monkeypatch.chdir(project.path)
    params = load_params()
    cells = plan(params, load_catalog(), ["tiny"])
    store = Store(str(tmp_path / "store"))
    return params, cells, store


def test_an_order_comes_back_as_it_was_given(ordered):
    params, cells, store = ordered
    order = place_order(params, cells, store, shared=False)
    assert read_order(order.name, store) == order
    assert order.params == params
    assert order.keys == keys(cells, params)
    assert order.data == {"tiny": "data"}


def test_a_shared_order_brings_its_data_along_once(ordered, monkeypatch, tmp_path):
    params, cells, store = ordered
    order = place_order(params, cells, store, shared=True)
    copied = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*.parquet")}
    assert place_order(params, cells, store, shared=True) == order
    assert copied == {path: path.stat().st_mtime_ns for path in copied}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)  # nothing of the project is here
    part = read_order(order.name, store).part("tiny", ["BR-LR"])
    assert {cell.model for cell in part} == {"BR-LR"} and len(part) == 4 * 2


def test_a_worker_with_other_libraries_refuses_and_says_which(ordered):
    params, cells, store = ordered
    order = place_order(params, cells, store, shared=False)
    there = {model: known | {"numpy": "0.1"} for model, known in order.versions.items()}
    wrong = dict.fromkeys(order.keys, "0" * 32)
    foreign = dataclasses.replace(order, keys=wrong, versions=there)
    with pytest.raises(UserError, match=r"numpy is .* here and 0\.1 there.*make environment"):
        foreign.part("tiny", ["BR-LR"])


def test_a_worker_with_another_store_is_told_so(ordered, tmp_path):
    with pytest.raises(UserError, match=r"not in the store .* same RETHINK_STORE"):
        read_order("0" * 16, Store(str(tmp_path / "other")))
