"""Processes that start at once: forks of one that has imported the libraries.

Most of a short run is importing libraries: seconds, in which there is nothing to lose. A fork has
that behind it. Its code is that of the folder it runs in, and it is a process like any other, with
a group, folder, environment, output and end of its own. Those who start runs by the thousand use
this; they start some as a user does, too.
"""

import atexit
import gc
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module, reload
from pathlib import Path
from typing import Any

SETTINGS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GX_ANALYTICS_ENABLED": "false"}
MOST_FILES = 4096  # that a process has open
POLL = 0.05  # seconds


class Warm:
    """The process that others are forked from; it ends with this one."""

    def __init__(self, folder: Path, modules: list[str], **env: str) -> None:
        self.folder, self.lock, self.ended = folder, threading.Lock(), dict[int, int]()
        self.process = subprocess.Popen(
            [sys.executable, __file__, *modules], cwd=folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | SETTINGS | {"PYTHONPATH": str(folder), **env},
        )  # fmt: skip

    def start(
        self, module: str, *arguments: str, output: Path, env: Mapping[str, str], ready: bool = True
    ) -> "Child":
        """What `python -m` does, in a group of its own; ready: so is what workers come from."""
        output.touch()
        pid = self._ask({
            "folder": str(self.folder), "module": module, "arguments": arguments, "ready": ready,
            "env": dict(env), "output": str(output),
        })  # fmt: skip
        self.ended.pop(pid, None)  # numbers come again
        return Child(self, pid, output)

    def exit_codes(self) -> dict[int, int]:
        """Of all processes that have ended, by their numbers; negative: by which signal."""
        self.ended |= {int(pid): code for pid, code in self._ask(None).items()}
        return self.ended

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()

    def _ask(self, request: Any) -> Any:
        pipes = self.process.stdin, self.process.stdout
        assert pipes[0] and pipes[1]
        with self.lock:
            print(json.dumps(request), file=pipes[0], flush=True)
            return json.loads(pipes[1].readline())


class Child:
    """A process that was forked; `subprocess.Popen` for those that are not this one's children."""

    def __init__(self, warm: Warm, pid: int, output: Path) -> None:
        self.warm, self.pid, self.output = warm, pid, output
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""
        if self.returncode is None:
            self.returncode = self.warm.exit_codes().get(self.pid)
        return self.returncode

    def kill(self) -> None:
        """kill -9, of this process alone, if it has not ended: numbers come again."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, 9)

    def wait(self, timeout: float) -> int:
        """Its exit code, when it has ended."""
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            time.sleep(POLL)
        return code


def serve() -> dict[str, Any] | None:
    """Answer requests; tells a fork what it is to do."""
    for line in sys.stdin:
        request = json.loads(line)
        if request is None:
            ended = {}
            with suppress(ChildProcessError):
                while (end := os.waitpid(-1, os.WNOHANG))[0]:
                    ended[end[0]] = os.waitstatus_to_exitcode(end[1])
            print(json.dumps(ended), flush=True)
            continue
        child = os.fork()
        if not child:
            return request
        print(child, flush=True)
    return None


def become(
    folder: str, module: str, arguments: list[str], ready: bool, env: dict[str, str], output: str
) -> None:
    """Do what `python -m` does."""
    import runpy

    os.setpgid(0, 0)  # no session of its own: Linux may give each as much of a core as all others
    for standard, name in enumerate((os.devnull, output, output)):
        file = os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        os.dup2(file, standard)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = folder
    if customize := sys.modules.get("sitecustomize"):
        reload(customize)  # Python would run it at its start, in this environment
    if ready:
        ready_for_workers()
    sys.argv = [module, *arguments]
    code: Any = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        traceback.print_exc()
        code = 1
    leave(code or 0)


def leave(code: int) -> None:
    """End as Python does, but leave it to the system to free the memory: with so many modules
    that takes a second."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def ready_for_workers() -> None:
    """Have the server that workers are forked from, forked as well. There is but one thread yet."""
    from multiprocessing import forkserver, util

    spawn = util.spawnv_passfds
    util.spawnv_passfds = forked  # type: ignore[assignment]
    forkserver.ensure_running()
    util.spawnv_passfds = spawn


def forked(path: object, args: list[Any], passfds: list[int]) -> int:
    """Fork instead of starting an interpreter; only the given files stay open."""
    child = os.fork()
    if child:
        return child
    try:
        for number in set(range(3, MOST_FILES)) - set(passfds):
            with suppress(OSError):
                os.close(number)
        run: Callable[[str], None] = exec
        run(args[-1])  # the code that the interpreter would be started with
    finally:
        os._exit(0)


if __name__ == "__main__":
    sys.path[0] = str(Path.cwd())
    for name in sys.argv[1:]:
        import_module(name)
    gc.freeze()  # forks need not look at what has been imported
    if task := serve():
        become(**task)
