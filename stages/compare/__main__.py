"""Stage `compare`: scores, run times and the paper's tables -> tables, tests and verdicts."""

import argparse
import csv
import io
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.errors import DataError, run_command
from stages.common.files import read_json, write_json, write_text
from stages.common.params import Params, load_params
from stages.common.schema import Comparison, claims_file, to_json
from stages.common.slices import Curve, Curves
from stages.common.tables import read_table, table_to_matrix
from stages.compare.comparison import compare
from stages.compare.evidence import TABLES, Evidence, Experiment, Paper, Roles
from stages.compare.examples import read_examples
from stages.compare.scores import CellName, index_scores

CELL_COLUMNS = ["dataset", "model", "cost", "seed", "status", "seconds", "device", "chosen"]
ARRAYS = ["memory", "reliability"]  # of cells that have them
PLOTS = paths.REPORTS / "plots"


def read_evidence(params: Params) -> Evidence:
    """Everything the comparison is made of, from the files of the earlier stages."""
    seconds, arrays, chosen = _runs(params.datasets)
    entries = load_catalog().datasets
    return Evidence(
        scores=index_scores(pd.read_parquet(paths.SCORES)),
        experiments={
            name: Experiment(entry.models, entry.costs, datasets)
            for name, entry in params.experiments.items()
            if (
                datasets := params.datasets_of(name)
            )  # an experiment without data sets is not in the run
        },
        costs=params.criteria(),
        roles=Roles(params.models),
        paper=Paper({name: pd.read_csv(paths.PAPER / f"{name}.csv") for name in TABLES}),
        paper_names={name: entry.paper_name for name, entry in entries.items()},
        other_files={
            name: entry.other_file_of for name, entry in entries.items() if entry.other_file_of
        },
        cards={name: read_json(paths.prepared(name) / "card.json") for name in params.datasets},
        labels={name: _labels(name) for name in params.datasets},
        memories=arrays["memory"],
        reliabilities=arrays["reliability"],
        seconds=seconds,
        examples=read_examples,
        chosen=chosen,
        own=all(entries[name].own for name in params.datasets),
    )


def _labels(dataset: str) -> Any:
    return table_to_matrix(read_table(paths.prepared(dataset) / "labels.parquet"))


def _runs(
    datasets: Iterable[str],
) -> tuple[
    dict[CellName, dict[int, float]],
    dict[str, dict[CellName, dict[int, np.ndarray]]],
    dict[CellName, dict[int, dict[str, Any]]],
]:
    """Seconds, arrays and chosen parameters of the finished cells, by cell and seed.

    Times of different devices are not compared: where a run has several, the CPU's alone count.
    """
    seconds: dict[CellName, dict[int, float]] = defaultdict(dict)
    arrays: dict[str, dict[CellName, dict[int, np.ndarray]]] = {
        name: defaultdict(dict) for name in ARRAYS
    }
    chosen: dict[CellName, dict[int, dict[str, Any]]] = defaultdict(dict)
    columns = [*CELL_COLUMNS, *ARRAYS]
    tables = (read_table(paths.runs(name), columns=columns).to_pylist() for name in datasets)
    finished = [run for table in tables for run in table if run["status"] == "ok"]
    mixed = len({run["device"] for run in finished}) > 1
    for run in finished:
        cell = (run["dataset"], run["model"], run["cost"])
        chosen[cell][run["seed"]] = json.loads(run["chosen"] or "{}")
        if run["device"] == "cpu" or not mixed:
            seconds[cell][run["seed"]] = run["seconds"]
        for name in ARRAYS:
            if run[name] is not None:
                arrays[name][cell][run["seed"]] = np.array(run[name])
    return dict(seconds), arrays, dict(chosen)


def metrics(comparison: Comparison) -> dict[str, Any]:
    """For `dvc metrics`, a handful of numbers: outcomes of the paper's claims, answers, ranks."""
    claims = {claim.id: claim for claim in comparison.claims}
    answers = {question.id: claims[question.claims[0]] for question in comparison.questions}
    return {
        "claims": comparison.tally(),
        "questions": {
            name: {"outcome": claim.outcome, **(vars(claim.estimate) if claim.estimate else {})}
            for name, claim in answers.items()
        },
        "average rank": {
            cost: table.average_ranks.models.get(comparison.proposed)
            for cost, table in comparison.costs.items()
        },
        "cells": comparison.cells,
    }


def plots(comparison: Comparison) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
    """For `dvc plots`: a file name and rows, the first row being the names of the columns."""
    for part in comparison.experiments.values():
        for curve in part.curves if isinstance(part, Curves) else ():
            yield f"rethinking/{curve.dataset}-{curve.cost}.csv", _points(curve)
    for cost, table in comparison.costs.items():
        ranks = table.average_ranks.models.items()
        rows = [(model, rank) for model, rank in ranks if rank is not None]
        yield f"ranks/{cost}.csv", [("model", "average_rank"), *rows]


def _points(curve: Curve) -> list[tuple[object, ...]]:
    points = zip(curve.iterations, curve.train, curve.test, strict=True)
    rows = [(step, train.mean, test.mean) for step, train, test in points if test.mean is not None]
    return [("iteration", "train", "test"), *rows]


def write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write a table of plain values atomically."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_text(path, text.getvalue())


def main() -> int:
    """Command line."""
    argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.compare"
    ).parse_args()
    try:
        comparison = compare(read_evidence(load_params(estimators=False)))
    except FileNotFoundError as error:
        raise DataError(f"{error.filename or error} is missing; run `dvc repro`") from None
    write_json(paths.REPORTS / "comparison.json", to_json(comparison))
    write_json(paths.REPORTS / "claims.json", claims_file(comparison))
    write_json(paths.REPORTS / "metrics.json", metrics(comparison))
    shutil.rmtree(PLOTS, ignore_errors=True)  # no plot of a data set that is no longer run
    PLOTS.mkdir()  # DVC wants the folder even if no plot is written
    for name, rows in plots(comparison):
        write_csv(PLOTS / name, rows)
    return 0


if __name__ == "__main__":
    run_command(main)
