"""Stage `report`: the comparison, run times and data cards -> one self-contained HTML file."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from stages.common import paths
from stages.common.errors import CELLS_FAILED, DataError, run_command
from stages.common.files import read_json, write_text
from stages.common.params import load_params
from stages.common.tables import read_table
from stages.report import environment
from stages.report.render import render
from stages.report.runs import failed_lines

REPORT = paths.REPORTS / "report.html"
COLUMNS = ["dataset", "model", "seconds", "device", "versions"]

Json = dict[str, Any]


def gather() -> Json:
    """Everything the page is made of, from the files of the earlier stages."""
    params = load_params()
    try:
        runs = read_runs(params.datasets)
        return {
            "comparison": read_json(paths.REPORTS / "comparison.json"),
            "cards": _prepared(params.datasets, "card.json"),
            "validations": _prepared(params.datasets, "validation.json"),
            "runs": runs,
            "speeds": _speeds(params.datasets),
            "params": {
                "profile": params.profile,
                "datasets": list(params.datasets),
                "seeds": params.train.seeds,
                "grids": {name: list(values) for name, values in params.grids.items()},
            },
            "environment": {"now": environment.now(), "cells": environment.behind(runs)},
        }
    except FileNotFoundError as error:
        raise DataError(f"{error.filename or error} is missing; run `dvc repro`") from None


def read_runs(datasets: Iterable[str]) -> list[Json]:
    """The time, the device and the versions of every cell."""
    return [
        row
        for name in datasets
        for row in read_table(paths.runs(name), columns=COLUMNS).to_pylist()
    ]


def _prepared(datasets: Iterable[str], file: str) -> Mapping[str, Json]:
    return {name: read_json(paths.prepared(name) / file) for name in datasets}


def _speeds(datasets: Iterable[str]) -> dict[str, Json]:
    """How fast the images of each set went through the network, as last measured."""
    files = {name: paths.features(name) / "speed.json" for name in datasets}
    return {name: read_json(path) for name, path in files.items() if path.exists()}


def say_where() -> int:
    """Where the report is and, in the exit code, whether cells failed."""
    comparison = read_json(paths.REPORTS / "comparison.json")
    failures, planned = comparison["failures"], comparison["cells"]["planned"]
    for line in failed_lines(failures):
        print(line, file=sys.stderr)
    if failures:
        print(f"{len(failures)} of {planned} cells have no result", file=sys.stderr)
    print(f"the report is at {REPORT}")
    return CELLS_FAILED if failures else 0


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, epilog="example: python -m stages.report")
    parser.add_argument(
        "--where",
        action="store_true",
        help="write nothing; say where the report is and, in the exit code, whether cells failed",
    )
    if parser.parse_args().where:
        return say_where()
    write_text(REPORT, render(gather()))
    return 0


if __name__ == "__main__":
    run_command(main)
