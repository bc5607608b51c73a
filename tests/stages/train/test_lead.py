"""Which cells are computed and which are not, by what the store says of them."""

import platform

import pytest

from stages.common import paths
from stages.common.files import read_json, write_json
from stages.common.keys import names
from stages.common.params import load_params
from stages.common.plan import Cell
from stages.common.store import Store
from stages.train.compute import Result
from stages.train.lead import Lead
from stages.train.progress import Progress

CELL, KEY = Cell("tiny", "BR-LR", "f1", 0), "0" * 32


@pytest.fixture
def params(prepared_project, monkeypatch):
    """A time limit of 60 s a cell, and 1 GiB a worker."""
    monkeypatch.chdir(prepared_project.path)
    monkeypatch.setenv("RETHINK_MEMORY", "1GiB")
    return load_params()


def is_settled(params, folder, retry=(), **row):
    store = Store(folder)
    result = vars(Result("f1", host=platform.node())) | {"work": 1, "versions": {}}
    store.put(CELL, KEY, result | vars(CELL) | row, None)
    return bool(Lead(params, store, 1, Progress(1), retry).settled({CELL: KEY}))


def test_a_models_own_error_is_kept(params, tmp_path):
    assert is_settled(params, tmp_path, status="failed")


@pytest.mark.parametrize(("status", "limit"), [("timeout", 60.0), ("died", 2.0**30)])
def test_what_a_machine_could_not_do_is_tried_on_another_or_with_more(
    params, tmp_path, status, limit
):
    assert is_settled(params, tmp_path, status=status, limit=limit)
    assert is_settled(params, tmp_path, status=status, limit=2 * limit)
    assert not is_settled(params, tmp_path, status=status, limit=limit / 2)
    assert not is_settled(params, tmp_path, status=status, limit=limit, host="elsewhere")


@pytest.mark.parametrize("status", ["failed", "timeout", "died"])
def test_retry_computes_what_it_names_again_and_nothing_else(params, tmp_path, status):
    row = {"status": status, "limit": 2.0**40}
    assert not is_settled(params, tmp_path, ["failed", "timeout", "died"], **row)
    assert not is_settled(params, tmp_path, [status], **row)
    assert is_settled(params, tmp_path, {"failed", "timeout", "died"} - {status}, **row)


def test_features_that_differ_in_their_last_bits_ask_for_the_published_cell(project, monkeypatch):
    monkeypatch.chdir(project.path)
    params = load_params()
    card = read_json(paths.prepared("tiny") / "card.json") | {"pictures": "a" * 64}
    other = card | {"content": "0" * 64}
    here, there = (named(params, about) for about in (card, other))
    assert here.asked == there.asked and here.key != there.key
    assert named(params, card | {"pictures": "b" * 64}).asked != here.asked


def named(params, card):
    """The names of a cell on data of this card."""
    write_json(paths.prepared("tiny") / "card.json", card)
    return names([CELL], params)[CELL]
