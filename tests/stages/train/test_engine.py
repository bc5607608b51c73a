"""Which jobs are sent together, and what a death means."""

from contextlib import closing

import numpy as np
import pytest
from distributed import Client, LocalCluster

from stages.common.errors import DataError, UserError
from stages.common.prepared import load_splits
from stages.train.compute import Task
from stages.train.engine import (
    PACK_SECONDS,
    SHORT,
    TRIES,
    Engine,
    Request,
    after_death,
    failure,
    pack_requests,
)
from stages.train.work import Place, Refused, Work
from tests.flows.lab import until


def request(seconds, source="tiny", network=False, deaths=0, costs=("f1",)):
    task = Task(np.ones(3, bool), "AllZeros", {}, {}, costs, 3, "best", True, 0, 0)
    work = Work(task, (source, "features"), network, seconds, limit=60.0 * len(costs))
    return Request(work, deaths=deaths)


def seconds(pack):
    return [one.work.seconds for one in pack]


def test_short_jobs_are_sent_together_as_far_as_the_time_goes():
    waiting = [request(0.3), request(0.3), request(0.25), request(0.25), request(0.1)]
    assert seconds(pack_requests(waiting, 1.0)) == [0.3, 0.3, 0.25]
    assert seconds(pack_requests(waiting, 0.2)) == [0.3]


def test_a_long_job_is_sent_alone():
    assert seconds(pack_requests([request(SHORT), request(0.1)], PACK_SECONDS[1])) == [SHORT]


def test_a_pack_has_one_data_set_and_one_kind_of_worker():
    other = [request(0.1, source="single"), request(0.1, network=True)]
    first, last = request(0.1), request(0.1)
    assert pack_requests([first, *other, last], 1.0) == [first, last]


def test_a_job_that_was_in_a_death_is_sent_alone():
    guilty, innocent = request(0.1, deaths=1), request(0.1)
    assert pack_requests([guilty, innocent], 1.0) == [guilty]
    assert pack_requests([innocent, guilty], 1.0) == [innocent]


def died(deaths=1, late=False, **about):
    work = request(1.0, costs=("f1", "rank"), **about).work
    return after_death(work, deaths, late, 90.0, Place("tls://1", "here", "cuda", 2**30))


def test_a_first_death_is_no_result():
    assert died(deaths=TRIES - 1) is None


def test_a_job_that_kills_every_time_has_died_of_what_it_had():
    one, two = died(deaths=TRIES)
    assert (one.cost, two.cost) == ("f1", "rank")
    assert (one.status, one.limit, one.host, one.seconds) == ("died", 2**30, "here", 45.0)
    assert "it may have 1.0 GiB" in one.reason


def test_a_late_job_is_a_timeout_with_the_limit_of_a_cell():
    (one, _) = died(late=True)
    assert (one.status, one.limit) == ("timeout", 60.0)
    assert one.device == "cpu" and died(late=True, network=True)[0].device == "cuda"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Refused("there: numpy is 1 here and 2 there"), r"\(there: numpy is 1 here and 2 there\)"),
        (ModuleNotFoundError("No module named 'stages.train'"), "ModuleNotFoundError: No module"),
        (ConnectionError(), "the Dask cluster has gone away"),
    ],
)
def test_what_came_in_place_of_a_result_is_said_in_words(answer, message):
    error = failure(answer)
    assert isinstance(error, UserError)
    with pytest.raises(UserError, match=message):
        raise error


def test_an_error_of_the_data_is_passed_on():
    error = DataError("not the lead's file")
    assert failure(error) is error


def test_a_data_set_is_freed_when_the_last_job_on_it_has_ended(project, monkeypatch):
    monkeypatch.chdir(project.path)
    rows = len(load_splits("tiny")[0])
    task = Task(np.arange(rows) % 4 > 0, "AllZeros", {}, {}, ("f1",), 3, "best", True, 0, 0)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as c,
        Client(c) as client,
        closing(Engine(client, "cpu")) as engine,
    ):
        first, second = (
            engine.submit(Work(task, ("tiny", "features"), False, seconds, 60.0))
            for seconds in (5.0, 4.0)  # too long for a pack
        )
        assert engine.data
        assert [first.result(30)[0].status, second.result(30)[0].status] == ["ok", "ok"]
        until(lambda: not engine.data, "it is freed")
        until(lambda: not c.scheduler.tasks, "the scheduler knows nothing of it")
        later = engine.submit(Work(task, ("tiny", "features"), False, 5.0, 60.0))
        assert later.result(30)[0].status == "ok"
