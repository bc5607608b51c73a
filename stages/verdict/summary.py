"""What DVC shows of a comparison: a shallow summary, and the points of two plots."""

from collections.abc import Iterator

from stages.verdict.names import Json

CURVE_COLUMNS = ("dataset", "cost", "part", "iteration", "mean")
RANK_COLUMNS = ("cost", "model", "average_rank")


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


def curve_points(comparison: Json) -> Iterator[tuple[str, str, str, int, float]]:
    """The curves of rethinking, point by point; points without a mean are left out."""
    for curve in comparison["experiments"].get("rethinking", {"curves": []})["curves"]:
        for part in ("train", "test"):
            for iteration, point in zip(curve["iterations"], curve[part], strict=True):
                if point["mean"] is not None:
                    yield curve["dataset"], curve["cost"], part, iteration, point["mean"]


def rank_points(comparison: Json) -> Iterator[tuple[str, str, float]]:
    """The average ranks, point by point."""
    for cost, table in comparison["costs"].items():
        for model, rank in table["average_ranks"]["models"].items():
            if rank is not None:
                yield cost, model, rank
