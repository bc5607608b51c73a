"""How long cells will take, judged by what others took."""

from collections import defaultdict
from types import SimpleNamespace

import pytest

from stages.common.forecast import LEAST, Forecast
from stages.common.params import load_params
from stages.common.plan import Cell
from stages.common.profile import params_under, profile_names
from stages.common.published import read_published
from stages.common.store import Store
from stages.outlook import describe_plan

SIZES = {"small": (100, 4), "wide": (100, 16), "long": (1600, 4), "large": (1600, 64)}


@pytest.fixture
def forecast(monkeypatch):
    """A forecast from times of a model on data sets of known sizes."""
    sets = {name: SimpleNamespace(size=size) for name, size in SIZES.items()}
    catalog = SimpleNamespace(datasets=sets)
    monkeypatch.setattr("stages.common.forecast.load_catalog", lambda: catalog)
    params = load_params()

    def made(model, **seconds):
        rows = [
            {"status": "ok", "model": model, "dataset": dataset, "seconds": each, "work": 2}
            for dataset, each in seconds.items()
        ]
        store = SimpleNamespace(manifests=lambda: iter(rows))
        return Forecast(params.model_copy(), store, {})

    return made


def at(dataset, model="CC"):
    return Cell(dataset, model, "f1", 0)


def test_a_model_takes_what_it_took_on_this_data_set(forecast):
    known = forecast("CC", small=2.0, large=300.0)
    work = known.params.work_of("CC")
    assert known.seconds(at("small")) == pytest.approx(2.0 / 2 * work)


def test_one_data_set_tells_another_by_rows_and_the_root_of_labels(forecast):
    known = forecast("CC", small=2.0)
    ratio = known.seconds(at("large")) / known.seconds(at("small"))
    assert ratio == pytest.approx(16 * 16**0.5)


@pytest.mark.parametrize("powers", [(1.0, 0.0), (1.0, 1.0), (1.5, 0.5)])
def test_several_data_sets_tell_how_time_grows(forecast, powers):
    rows, labels = powers
    times = {
        name: 0.01 * size[0] ** rows * size[1] ** labels
        for name, size in SIZES.items()
        if name != "large"
    }
    known = forecast("CC", **times)
    truth = 0.01 * 1600**rows * 64**labels / 2 * known.params.work_of("CC")
    assert truth / 2.5 < known.seconds(at("large")) < truth * 2.5


def test_a_model_that_was_never_timed_is_guessed_by_size(forecast):
    known = forecast("CC", small=2.0)
    assert known.measured(at("small", "PCC")) is None
    assert known.seconds(at("small", "PCC")) == LEAST
    assert known.seconds(at("large", "PCC")) > LEAST


def test_a_data_set_of_unknown_size_is_not_guessed_from_others(forecast):
    assert forecast("CC", small=2.0).measured(at("mine")) is None


def test_what_was_published_is_forecast_within_a_factor_of_two(tmp_path):
    published = read_published()
    known = Forecast(params_under("paper"), Store(tmp_path), published)
    recorded = defaultdict(list)
    for row in published.values():
        if row["model"] in known.params.models:
            recorded[row["dataset"], row["model"]].append(row["seconds"])
    assert len(recorded) > 100
    for place, seconds in recorded.items():
        mean = sum(seconds) / len(seconds)
        if mean > 1:  # less is nothing to plan for
            assert mean / 2 < known.seconds(at(*place)) < 2 * mean, place


@pytest.mark.parametrize("profile", profile_names())
def test_every_profile_has_a_time_limit_that_its_plan_respects(tmp_path, profile):
    params = params_under(profile)
    assert "warning" not in describe_plan(list(params.datasets), params, Store(tmp_path), 2)


def test_a_plan_warns_of_cells_that_will_not_end_in_time(tmp_path, monkeypatch):
    dear = {"dataset": "corel5k", "model": "CC-DP"}
    others = {
        name: row for name, row in read_published().items() if not dear.items() <= row.items()
    }
    monkeypatch.setattr("stages.outlook.read_published", lambda: others)
    params = params_under("paper")
    train = params.train.model_copy(update={"time_limit": 60})
    params = params.model_copy(update={"train": train})
    plan = describe_plan(["corel5k"], params, Store(tmp_path), 2)
    assert "stopped after 60 s" in plan and "corel5k / CC-DP" in plan
