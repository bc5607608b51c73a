"""Which units there are, who gets them, and in which order."""

import pytest

from flows.flights import Flight
from flows.units import Unit, pool_for, units
from stages.cells.claims import Claims
from stages.cells.plan import plan
from stages.config.catalog import load_catalog
from stages.config.params import load_params
from tests.conftest import ROOT


@pytest.fixture
def params(monkeypatch):
    monkeypatch.chdir(ROOT)
    return load_params()


def made(params, timings, lanes=2, gpu=True, datasets=("yeast",), model=None):
    cells = [c for c in plan(params, load_catalog(), datasets) if model in (None, c.model)]
    return units(cells, timings, params, load_catalog(), lanes, gpu=gpu)


def seconds(params, **each):
    """Timings that make a cell of a model take so many seconds."""
    known = {name.replace("_", "-"): value for name, value in each.items()}
    return {
        ("yeast", model): [known.get(model, 0.1) / params.work_of(model)]
        for model in params.models_used()
    }


def test_every_missing_model_is_in_one_unit(params):
    cells = plan(params, load_catalog(), ["yeast"])
    sent = [(u.dataset, model) for u in made(params, {}) for model in u.models]
    assert sorted(sent) == sorted({(cell.dataset, cell.model) for cell in cells})


def test_what_is_not_missing_is_not_sent(params):
    (unit,) = made(params, {}, model="CC")
    assert (unit.dataset, unit.models) == ("yeast", ("CC",))


@pytest.mark.parametrize("gpu", [True, False])
def test_a_long_model_has_a_unit_to_itself(params, gpu):
    found = made(params, seconds(params, CFT=300.0, RethinkNet=100.0), gpu=gpu)
    found.sort(key=lambda unit: -unit.seconds)
    assert [unit.name for unit in found[:2]] == ["yeast / CFT", "yeast / RethinkNet"]


def test_before_anything_was_timed_networks_on_the_largest_data_set_go_first(params):
    found = made(params, {}, datasets=("yeast", "exclusive"))
    longest = max(found, key=lambda unit: unit.seconds)
    assert longest.dataset == "yeast" and longest.network


def test_cells_that_take_no_time_are_sent_all_the_same(params):
    (unit,) = made(params, {("yeast", "all-zeros"): [0.0]}, model="all-zeros")
    assert unit.models == ("all-zeros",)


def test_short_models_share_a_unit_but_networks_with_others_only_where_no_gpu_waits(params):
    (together,) = made(params, seconds(params), gpu=False)
    assert not together.network and {"RethinkNet", "CC"} < set(together.models)
    found = made(params, seconds(params))
    assert len(found) == 2
    assert {unit.network for unit in found} == {True, False}
    assert all("RethinkNet" not in unit.models for unit in found if not unit.network)


@pytest.mark.parametrize(
    ("network", "device", "gpu", "cpu", "pool"),
    [
        (True, "auto", 1, 1, "gpu"),
        (True, "auto", 0, 1, "cpu"),
        (True, "cpu", 1, 1, "cpu"),
        (True, "cuda", 0, 1, None),
        (False, "auto", 1, 1, "cpu"),
        (False, "auto", 1, 0, None),
    ],
)
def test_networks_go_to_a_living_gpu_worker_and_else_to_the_cpu(network, device, gpu, cpu, pool):
    unit = Unit("yeast", ("RethinkNet",), network, 1.0)
    assert pool_for(unit, device, {"cpu": cpu, "gpu": gpu, "lead": 1}) == pool


@pytest.mark.parametrize(
    ("state", "seconds", "lost"),
    [("RUNNING", 31, True), ("RUNNING", 29, False), ("PENDING", 31, False), ("PAUSED", 1e6, False)],
)
def test_a_unit_is_lost_when_it_is_silent_for_too_long_unless_it_is_paused(
    tmp_path, state, seconds, lost
):
    flight = Flight(Unit("yeast", ("CC",), False, 1.0), "cpu", "a-run", state)
    claims = Claims(str(tmp_path))
    flight.look(claims)
    assert flight.is_lost(seconds) == lost and not flight.fell_silent
    with claims.hold("run-a-run"):
        flight.look(claims)
        assert not flight.is_lost(seconds)
    flight.look(claims)
    assert flight.fell_silent
