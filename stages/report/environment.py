"""The machine and the versions behind the page and behind its cells."""

import json
import os
import platform
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from stages.report.tables import Json

MOST_SHOWN = 3  # versions of one thing; the code has a hash for each model
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "pandas", "pyarrow", "dvc", "prefect")


def now() -> dict[str, str]:
    """When and where the page is written: the only part that equal inputs do not fix."""
    return {
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        **{name: _version(name) for name in PACKAGES},
    }


def behind(runs: Iterable[Json]) -> dict[str, str]:
    """The versions the cells were computed with."""
    found: dict[str, set[str]] = defaultdict(set)
    for versions in {run["versions"] for run in runs if run["versions"]}:
        for name, value in json.loads(versions).items():
            found[name].add(str(value))
    return {name: _few(sorted(found[name])) for name in sorted(found)}


def _few(values: list[str]) -> str:
    if len(values) > MOST_SHOWN:
        return f"{len(values)} different ones, each in data/runs"
    return ", ".join(values)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
