"""Claims: one holder at a time, and a dead one keeps nothing."""

import json
import subprocess
import sys
import time

import pytest

from stages.cells import claims as module
from stages.cells.claims import Claims


@pytest.fixture(params=["folder", "s3"])
def claims(request, tmp_path):
    if request.param == "folder":
        return Claims(str(tmp_path / "store"))
    return Claims(f"{request.getfixturevalue('s3')}/{tmp_path.name}")


def test_a_name_has_one_holder_until_he_lets_it_go(claims):
    with claims.hold("job") as first, claims.hold("job") as second, claims.hold("other") as other:
        assert (first, second, other) == (True, False, True)
        assert claims.held("job")
    assert not claims.held("job") and claims.place.names() == []
    with claims.hold("job") as again:
        assert again


def test_a_holder_killed_on_this_machine_is_noticed_at_once(claims):
    code = (
        "import sys, time; from stages.cells.claims import Claims\n"
        "with Claims(sys.argv[1]).hold('job') as mine: print(mine, flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, claims.address], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "True\n"
    with claims.hold("job") as mine:
        assert not mine
    holder.kill()
    holder.wait()
    with claims.hold("job") as mine:
        assert mine


def test_a_claim_of_another_machine_holds_until_its_lease_ends(claims):
    claim = {"token": "theirs", "host": "elsewhere", "pid": 1, "until": time.time() + 100}
    claims.place.write(".claims/job.json", json.dumps(claim).encode())
    with claims.hold("job") as mine:
        assert not mine
    claims.place.write(".claims/job.json", json.dumps(claim | {"until": time.time() - 1}).encode())
    with claims.hold("job") as mine:
        assert mine


def test_a_claim_is_renewed_while_it_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "RENEWAL", 0.05)
    claims = Claims(str(tmp_path))
    with claims.hold("job"):
        first = json.loads(claims.place.read(".claims/job.json"))["until"]
        deadline = time.monotonic() + 60
        while json.loads(claims.place.read(".claims/job.json"))["until"] == first:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_a_claim_that_somebody_took_over_is_left_to_him(tmp_path):
    claims = Claims(str(tmp_path))
    theirs = {"token": "theirs", "host": "elsewhere", "pid": 1, "until": time.time() + 100}
    with claims.hold("job"):
        claims.place.write(".claims/job.json", json.dumps(theirs).encode())
    assert claims.held("job")


def test_a_half_written_claim_is_none(tmp_path):
    claims = Claims(str(tmp_path))
    claims.place.write(".claims/job.json", b'{"token": ')
    with claims.hold("job") as mine:
        assert mine


def test_sweeping_removes_what_the_dead_have_left_and_nothing_else(claims):
    dead = {"token": "theirs", "host": "elsewhere", "pid": 1, "until": time.time() - 1}
    claims.place.write(".claims/dead.json", json.dumps(dead).encode())
    with claims.hold("living"):
        claims.sweep()
        assert claims.place.names() == [".claims/living.json"]
