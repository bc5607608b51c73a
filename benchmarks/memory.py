"""A worker that keeps the memory which a job frees, beside Dask's own, which gives it back at once.

python -m benchmarks.memory    CPU seconds of some fits, each in a process of its own
"""

import argparse
import os
import subprocess
import sys
import time

from benchmarks.nets import load
from rethink.models import get_model

DASK = {"MALLOC_TRIM_THRESHOLD_": "65536"}  # what its nanny sets unless it is told otherwise
FITS = {
    "chains of weighted examples": ("CondensedFilterTree", {"cost": "f1", "C": 100.0, "rounds": 3}),
    "classifier chain": ("ClassifierChain", {"C": 100.0}),
    "net": ("RethinkNet", {"cost": "f1", "epochs": 5}),
}


def fit(name):
    """CPU seconds of one fit, here."""
    X, Y, _, _ = load("bibtex")
    model, params = FITS[name]
    started = time.process_time()
    get_model(model)(**params).fit(X, Y)
    return time.process_time() - started


def measure(name, **env):
    """The same in a process with these variables."""
    command = [sys.executable, "-m", "benchmarks.memory", "--fit", name]
    outside = {key: value for key, value in os.environ.items() if key not in DASK}
    return float(subprocess.check_output(command, env=outside | env, text=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fit", choices=FITS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(fit(options.fit))
        return 0
    print(f"{'bibtex':28} {'Dask s':>8} {'ours s':>8} {'ratio':>6}")
    for name in FITS:
        theirs, ours = measure(name, **DASK), measure(name)
        print(f"{name:28} {theirs:8.2f} {ours:8.2f} {theirs / ours:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
