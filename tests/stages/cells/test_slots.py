"""The limits of a machine: one job on a GPU, one large job in memory."""

import subprocess
import sys

from stages.cells.slots import bytes_needed, slots_needed, take_slot
from stages.config.params import Model

NET, LINEAR = Model(estimator="RethinkNet"), Model(estimator="ClassifierChain")
SMALL = {"storage": "dense", "instances": 600, "columns": 70, "labels": 6}
LARGE = {"storage": "dense", "instances": 10**6, "columns": 2048, "labels": 80}


def needed(model, card, gpu):
    return slots_needed(model, card, gpu=gpu, memory=2**34, cores=4)


def test_networks_on_a_gpu_need_its_slot_and_nothing_else_does(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    assert needed(NET, SMALL, gpu=True) == ["gpu-3"]
    assert needed(NET, SMALL, gpu=False) == []
    assert needed(LINEAR, SMALL, gpu=True) == []


def test_a_job_larger_than_its_share_of_the_memory_needs_the_memory_slot():
    assert needed(LINEAR, LARGE, gpu=False) == ["memory"]
    share = bytes_needed(SMALL)
    for memory, large in ((4.1 * share, False), (3.9 * share, True)):
        slots = slots_needed(LINEAR, SMALL, gpu=False, memory=memory, cores=4)
        assert ("memory" in slots) == large


def test_sparse_data_needs_less():
    assert bytes_needed(LARGE | {"storage": "sparse"}) < bytes_needed(LARGE) / 10


def test_maps_need_more():
    card = SMALL | {"images": {"cells": 49}}
    assert bytes_needed(card, "map") > 40 * bytes_needed(card)


def test_a_slot_has_one_holder_and_a_killed_one_frees_it(tmp_path):
    code = (
        "import sys, time, pathlib; from stages.cells.slots import take_slot\n"
        "print(take_slot('gpu-0', pathlib.Path(sys.argv[1])) is not None, flush=True)\n"
        "time.sleep(600)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "True\n"
    assert take_slot("gpu-0", tmp_path) is None
    other = take_slot("gpu-1", tmp_path)
    assert other is not None
    other()
    holder.kill()
    holder.wait()
    release = take_slot("gpu-0", tmp_path)
    assert release is not None
    release()
    assert take_slot("gpu-0", tmp_path) is not None
