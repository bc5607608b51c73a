"""Several machines, for real: hosts with their own addresses, and a link that breaks in a job."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.flows.lab import PATIENCE, until
from tests.readme import blocks

pytestmark = pytest.mark.slow
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
LEAD, WORKERS, RUN = blocks("docs/machines.md")
QUICKLY = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s"}  # a cut link is noticed sooner


class Hosts:
    """A lead and two workers, each in a network namespace of its own, joined by a bridge."""

    names = ("lead", "one", "two")

    def __init__(self, folder):
        self.tag, self.folder, self.processes = f"rt{os.getpid()}", folder, {}
        self.add("lead")
        self.ip("link add bridge0 type bridge", "lead")
        self.ip("addr add 10.77.0.1/24 dev bridge0", "lead")
        self.ip("link set bridge0 up", "lead")
        for number, name in ((2, "one"), (3, "two")):
            self.add(name)
            self.ip(f"link add to-{name} type veth peer name eth0 netns {self.tag}{name}", "lead")
            self.ip(f"link set to-{name} master bridge0 up", "lead")
            self.ip(f"addr add 10.77.0.{number}/24 dev eth0", name)
            self.ip("link set eth0 up", name)

    def add(self, name):
        self.ip(f"netns add {self.tag}{name}")
        self.ip("link set lo up", name)

    def ip(self, command, name=None):
        where = ["-n", self.tag + name] if name else []
        subprocess.run(["ip", *where, *command.split()], check=True, capture_output=True)

    def cut(self, name):
        self.ip(f"link set to-{name} down", "lead")

    def mend(self, name):
        self.ip(f"link set to-{name} up", "lead")

    def start(self, name, lines, folder):
        """Type a block of the documentation in a terminal of a host."""
        text = re.sub(r"\blead\b", "10.77.0.1", "\n".join(lines))
        text = text.replace("--nworkers 8", "--nworkers 1")
        log = self.folder / f"{name}-{len(self.processes)}.log"
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.tag + name, "bash", "-ec", text], cwd=folder,
            env=os.environ | QUICKLY | {"PATH": PATH, "PYTHONPATH": str(folder)},
            stdout=log.open("w"), stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self.processes[process] = log
        return process, log

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for name in self.names:
            subprocess.run(["ip", "netns", "del", self.tag + name], capture_output=True)


@pytest.fixture
def hosts(tmp_path):
    if shutil.which("ip") is None or shutil.which("openssl") is None or os.getuid():
        pytest.skip("needs ip, openssl and the right to make network namespaces")
    (tmp_path / "logs").mkdir()
    try:
        made = Hosts(tmp_path / "logs")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces are not allowed here: {error.stderr.decode().strip()}")
    yield made
    made.stop()


def test_a_link_that_breaks_in_a_job_and_comes_back_changes_nothing(code, hosts, tmp_path):
    shutil.copy(ROOT / "tests" / "broken_models.py", code.path / "rethink" / "models")
    shutil.copytree(ROOT / "docs", code.path / "docs")
    params = code.params()
    params["models"]["held"] = {"estimator": "Held"}
    params["experiments"]["algorithms"]["models"] = ["held", "BR-LR"]
    params["train"] |= {"seeds": 10, "device": "cpu"}
    code.write_params(params)
    code.run("stages.train", RETHINK_STORE=str(tmp_path / "undisturbed"))
    predictions = code.path / "data" / "predictions" / "tiny.parquet"
    undisturbed = predictions.read_bytes()

    _, scheduler = hosts.start("lead", LEAD, code.path)
    until(lambda: "tls://10.77.0.1:8786" in scheduler.read_text(), "it listens")
    logs = []
    for name in ("one", "two"):
        machine = tmp_path / name  # has the code and the key, and no data
        machine.mkdir()
        for item in ("rethink", "stages", "docs"):
            shutil.copytree(code.path / item, machine / item)
        for item in ("cluster.crt", "cluster.key"):
            shutil.copy(code.path / item, machine)
        (machine / "held").mkdir()  # its second job waits, so that the cut falls into it
        logs.append(hosts.start(name, WORKERS[:2], machine)[1])
    until(lambda: all("Registered to" in log.read_text() for log in logs), "both have come")

    command = [line.replace("dvc repro", "python -m stages.train") for line in RUN]
    run, log = hosts.start("lead", command, code.path)
    until(lambda: all((tmp_path / name / "held" / "first").exists() for name in ("one", "two")),
          "both compute")  # fmt: skip
    until(lambda: len(code.cells()) >= 4, "some cells")
    hosts.cut("one")
    at_the_cut = code.cells()
    until(lambda: "Remove worker" in scheduler.read_text(), "the scheduler notices")
    hosts.mend("one")
    for name in ("one", "two"):
        shutil.rmtree(tmp_path / name / "held")
    assert run.wait(timeout=PATIENCE) == 0, log.read_text()
    cells = code.cells()
    assert len(cells) == 2 * 4 * 10 and at_the_cut.items() <= cells.items()
    assert predictions.read_bytes() == undisturbed
    assert "80 cells: 80 done, 0 cached, 0 failed" in log.read_text()
    until(lambda: logs[0].read_text().count("Registered to") == 2, "it comes back")

    hello = "from distributed import Client; Client('tls://lead:8786', timeout={})"
    stranger, friend = (f'python -c "{hello.format(seconds)}"' for seconds in (5, PATIENCE))
    for line, code in ((stranger, 1), (f"{RUN[0]}; {friend}", 0)):
        visitor, log = hosts.start("lead", [line], tmp_path / "one")
        assert visitor.wait(timeout=PATIENCE) == code, log.read_text()
