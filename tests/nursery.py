"""Commands from one process that has imported the libraries, as each would import them for seconds.

A command is a fork of it: a process with its own code, folder, environment, output and end.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module

LIBRARIES = (
    "cryptography.hazmat.primitives.serialization", "cryptography.x509", "defusedxml.ElementTree",
    "distributed", "filelock", "great_expectations", "jinja2", "pandas", "PIL.Image", "psutil",
    "pyarrow.csv", "pyarrow.pandas_compat", "pyarrow.parquet", "pydantic.dataclasses",
    "pydantic.main", "pydantic.type_adapter", "requests", "rich.live", "ruamel.yaml",
    "scipy.sparse", "scipy.stats", "sklearn.calibration", "sklearn.ensemble",
    "sklearn.linear_model", "sklearn.model_selection", "sklearn.multioutput", "sklearn.pipeline",
    "sklearn.svm", "statistics", "yaml",
)  # fmt: skip
# a fork has one thread; the other is read at the import
SETTINGS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GX_ANALYTICS_ENABLED": "false"}


@cache
def nursery():
    """The process, which ends with this one."""
    return subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | SETTINGS,
    )  # fmt: skip


def run_modules(folder, steps, leads_group=False, **env):
    """Run modules with their arguments in one process; its exit code and all that it printed."""
    with tempfile.NamedTemporaryFile("r") as output:
        command = {"folder": str(folder), "steps": steps, "env": os.environ | env}
        command["leads_group"] = leads_group
        try:
            print(json.dumps(command | {"output": output.name}), file=nursery().stdin, flush=True)
            return int(nursery().stdout.readline()), output.read()
        except BaseException:  # its answer would be taken for that of the next command
            nursery().kill()
            nursery.cache_clear()
            raise


def serve():
    """Answer each line with the exit code of the command; tells a fork what it is to do."""
    for name in LIBRARIES:
        import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            return json.loads(line)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


def become(folder, steps, env, output, leads_group):
    """Do what `python -m` does, for one module after the other."""
    import runpy

    if leads_group:
        os.setsid()
    for standard, name in enumerate((os.devnull, output, output)):
        file = os.open(name, os.O_RDWR | os.O_APPEND)
        os.dup2(file, standard)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = folder
    for module, *arguments in steps:
        sys.argv = [module, *arguments]
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if end.code:
                raise


if __name__ == "__main__" and (command := serve()):
    become(**command)
