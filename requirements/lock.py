"""Write the locks anew: exact versions with hashes, from pyproject.toml, by `uv` (make lock).

What is locked stays as it is as long as it fits; `python requirements/lock.py --upgrade` takes the
newest of all. torch-cpu.txt is written by hand: its hashes stand on another index.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CUDA = re.compile(r"(torch|triton|nvidia-.*|cuda-.*)==")  # an environment without a GPU has none
OPTIONS = "--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --quiet"


def locked(*extras: str) -> list[str]:
    """The entries of a lock, each with its lines of hashes."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "lock.txt"
        kept = "".join(
            (HERE / f"{name}.txt").read_text() for name in ("pipeline", "dev", "torch-cuda")
        )
        lock.write_text(kept)  # uv prefers what is there
        command = ["uv", "pip", "compile", "pyproject.toml", *OPTIONS.split(), "-o", str(lock)]
        command += [word for extra in extras for word in ("--extra", extra)]
        subprocess.run([*command, *sys.argv[1:]], check=True, cwd=HERE.parent)
        # the clone itself, whose extras name each other, is not part of its lock
        entries = re.split(r"\n(?=\S)", lock.read_text().strip())
        return [f"{entry}\n" for entry in entries if not entry.startswith("rethinknet")]


def main() -> None:
    """Write pipeline.txt, dev.txt and torch-cuda.txt; no entry stands in two of them."""
    everything = locked("pipeline", "dev")
    names = {entry.split("==")[0] for entry in locked("pipeline")}
    cuda = [entry for entry in everything if CUDA.match(entry)]
    rest = [entry for entry in everything if not CUDA.match(entry)]
    pipeline = [entry for entry in rest if entry.split("==")[0] in names]
    dev = [entry for entry in rest if entry.split("==")[0] not in names]
    for name, entries in (("pipeline", pipeline), ("dev", dev), ("torch-cuda", cuda)):
        (HERE / f"{name}.txt").write_text("".join(entries))


if __name__ == "__main__":
    main()
