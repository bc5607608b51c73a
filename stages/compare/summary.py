"""What DVC shows of a comparison: a shallow summary, and the points of its plots."""

from collections.abc import Iterator

from stages.compare.names import Json


def metrics(comparison: Json) -> Json:
    """Average rank by cost and model, the verdict on each claim, and how many cells there are."""
    ranks = {
        cost: {
            model: {"avg_rank": rank} for model, rank in table["average_ranks"]["models"].items()
        }
        for cost, table in comparison["costs"].items()
    }
    verdicts = {claim["id"]: claim["verdict"] for claim in comparison["claims"]}
    return {**ranks, "claims": verdicts, "cells": comparison["cells"]}


def plots(comparison: Json) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
    """A file name and the rows of each plot, the first row being the names of the columns."""
    for curve in comparison["experiments"].get("rethinking", {"curves": []})["curves"]:
        yield f"rethinking/{curve['dataset']}-{curve['cost']}.csv", _curve(curve)
    for cost, table in comparison["costs"].items():
        ranks = table["average_ranks"]["models"].items()
        rows = [(model, rank) for model, rank in ranks if rank is not None]
        yield f"ranks/{cost}.csv", [("model", "average_rank"), *rows]


def _curve(curve: Json) -> list[tuple[object, ...]]:
    points = zip(curve["iterations"], curve["train"], curve["test"], strict=True)
    rows = [
        (iteration, train["mean"], test["mean"])
        for iteration, train, test in points
        if test["mean"] is not None
    ]
    return [("iteration", "train", "test"), *rows]
