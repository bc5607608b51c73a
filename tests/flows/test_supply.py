"""Units become known data set by data set, and are sent before the last data is there."""

import pytest
from prefect.logging import disable_run_logger

from flows.dispatch import Dispatcher
from flows.supply import Supply
from flows.units import Unit
from stages.cells.keys import keys
from stages.cells.plan import plan
from stages.cells.store import Store
from stages.config.catalog import load_catalog
from stages.config.params import load_params


@pytest.fixture
def supply(prepared_project, monkeypatch, tmp_path):
    """Of two data sets, of which one has no data yet."""
    monkeypatch.chdir(prepared_project.path)
    params = load_params().model_copy(update={"datasets": ("single", "tiny")})
    store = Store(str(tmp_path / "store"))
    with disable_run_logger():
        yield Supply(params, load_catalog(), list(params.datasets), store, {"tiny"}.__contains__)


def test_a_data_set_that_is_there_need_not_wait_for_the_others(supply):
    units = supply.new_units(2, gpu=False)
    assert {unit.dataset for unit in units} == {"tiny"} and not supply.complete
    assert set(supply.keys) == set(plan(supply.params, supply.catalog, ["tiny"]))
    assert {c for unit in units for c in supply.cells_of(unit)} == set(supply.keys)


def test_units_are_told_once(supply):
    supply.new_units(2, gpu=False)
    assert supply.new_units(2, gpu=False) == []


def test_what_is_in_the_store_makes_no_unit(supply):
    cells = plan(supply.params, supply.catalog, ["tiny"])
    for cell, key in keys(cells, supply.params).items():
        supply.store.put(cell, key, {"status": "failed", "seconds": 0.0}, None)
    assert supply.new_units(2, gpu=False) == [] and set(supply.keys) == set(cells)


def test_data_that_can_never_be_there_stops_the_run(supply):
    def fails(name):
        raise RuntimeError(f"no {name}")

    supply.ready = fails
    with pytest.raises(RuntimeError, match="no single"):
        supply.new_units(2, gpu=False)


def test_the_longest_unit_is_sent_first(supply):
    dispatcher = Dispatcher(None, supply, lanes=4, in_flight=4, show=print, live={"gpu": 1})
    dispatcher.waiting = [Unit("other", ("CC",), False, seconds) for seconds in (1.0, 500.0)]
    dispatcher._restock()
    seconds = [unit.seconds for unit in dispatcher.waiting]
    assert len(seconds) > 2 and seconds == sorted(seconds, reverse=True)
