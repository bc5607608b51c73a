"""A lab on loopback: a real server and real workers, which can be killed."""

import base64
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

BIN = Path(sys.executable).parent
PATIENCE = int(os.environ.get("RETHINK_PATIENCE") or 900)  # seconds; a busy machine is slow
KILLS = int(os.environ.get("RETHINK_KILLS") or 20)  # at so many random moments


class Shell:
    """Runs commands in one folder with one Prefect home, as a user's terminal would."""

    def __init__(self, folder, home, port, **env):
        self.folder = folder
        self.port = str(port)
        self.env = os.environ | {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PREFECT_HOME": str(home),
            "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
            "PYTHONPATH": str(folder),  # the environment is shared, the code is the folder's own
            "PREFECT_WORKER_QUERY_SECONDS": "1",  # a worker would look for runs every ten
            **env,
        }
        self.started = []

    def try_to(self, command, timeout=PATIENCE):
        return subprocess.run(
            command, shell=True, cwd=self.folder, env=self.env, capture_output=True, text=True,
            timeout=timeout,
        )  # fmt: skip

    def run(self, command, timeout=PATIENCE):
        done = self.try_to(command, timeout)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}{self.logs()}"
        return done.stdout

    def follow(self, line):
        """Do what the documentation says, on a port of our own; servers and workers stay on."""
        line = line.replace("4200", self.port)
        if line.startswith("export "):
            self.env |= dict(pair.split("=", 1) for pair in line.split()[1:])
        elif " start" in line:
            self.start(line)
        else:
            return self.run(line)

    def start(self, command):
        """Start a server or worker and wait until it is there."""
        log = self.folder.parent / f"{self.folder.name}-{len(self.started)}.log"
        process = subprocess.Popen(
            f"exec {command}", shell=True, cwd=self.folder, env=self.env, stdout=log.open("w"),
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        process.log = log
        self.started.append(process)
        if " server " in command:
            until(lambda: self.ask("health", method="GET"), "the server answers")
        else:
            until(lambda: "started!" in log.read_text(), "the worker has started")
        return process

    def ask(self, path, query=None, method="POST"):
        login = base64.b64encode(self.env.get("PREFECT_API_AUTH_STRING", "").encode()).decode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{path}",
            data=None if method == "GET" else json.dumps(query or {}).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Basic {login}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def runs(self, flow):
        """The runs of a flow that the server knows, the newest first."""
        query = {"sort": "START_TIME_DESC", "flows": {"name": {"any_": [flow]}}}
        return self.ask("flow_runs/filter", query)

    def logs(self):
        return "".join(f"\n--- {p.args}\n{p.log.read_text()[-3000:]}" for p in self.started)

    def stop(self):
        """End workers and servers at once: asked to end, they would take their time."""
        for process in reversed(self.started):
            power_cut(process)


def power_cut(process):
    """Kill a process and all that it started."""
    import psutil

    members = family(process.pid)
    for member in members:
        with suppress(psutil.NoSuchProcess):  # it has died with another
            member.kill()
    psutil.wait_procs(members, timeout=PATIENCE)
    process.wait()


def family(pid):
    """A process and all that it started, wherever they have put themselves."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    return []


def dask_workers(pid):
    """The processes that compute for a lead: the children of its fork server."""
    import psutil

    workers = []
    for process in family(pid)[1:]:
        with suppress(psutil.NoSuchProcess):
            if "multiprocessing.forkserver" in " ".join(process.cmdline()):
                workers += process.children()
    return workers


def kill_workers(process, times, chance):
    """Kill -9 a worker of a lead at so many random moments, at most twenty; tells how many.

    A run must go on for a while after the last one: a job that is killed once is tried again later,
    and one that is killed three times has died."""
    import psutil

    killed = 0
    while killed < min(times, 20) and process.poll() is None:
        time.sleep(chance.uniform(0.1, 0.5))
        workers = dask_workers(process.pid)
        if workers:
            with suppress(psutil.NoSuchProcess):
                chance.choice(workers).kill()
                killed += 1
    return killed


def gone(members, seconds=60):
    """Wait until none of these processes lives."""
    import psutil

    _, left = psutil.wait_procs(members, timeout=seconds)
    living = [process for process in left if process.status() != psutil.STATUS_ZOMBIE]
    assert not living, [(process, process.parent(), process.cmdline()) for process in living]


def until(happens, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if answer := happens():
                return answer
        except OSError:
            pass
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds} s in vain: {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
