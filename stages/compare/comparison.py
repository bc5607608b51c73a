"""The whole comparison, from the evidence to one plain structure."""

from collections import Counter
from collections.abc import Callable, Mapping

from stages.compare.advice import advice
from stages.compare.datasets import datasets_section
from stages.compare.evidence import Evidence
from stages.compare.findings import flaws
from stages.compare.images import images_section
from stages.compare.memory import memory_section
from stages.compare.names import DEFAULT_EMPTY, LEVEL, OTHER_EMPTY, REFERENCE, Json
from stages.compare.paper import paper_section
from stages.compare.rethinking import rethinking_section
from stages.compare.reweighting import reweighting_section
from stages.compare.rnn import rnn_section
from stages.compare.selection import selection_section
from stages.compare.tables import cost_table
from stages.compare.verdicts import claims

SECTIONS: Mapping[str, Callable[[Evidence], Json]] = {
    "datasets": datasets_section,
    "rethinking": rethinking_section,
    "memory": memory_section,
    "reweighting": reweighting_section,
    "rnn_variants": rnn_section,
    "selected_by_max": selection_section,
    "images": images_section,
}


def compare(evidence: Evidence) -> Json:
    """All that is said of the models; each is judged by the cost it was trained for."""
    costs = {cost: cost_table(evidence, cost) for cost in evidence.experiment("algorithms").costs}
    costs = {cost: table for cost, table in costs.items() if table["datasets"]}
    sections = {
        name: section(evidence)
        for name, section in SECTIONS.items()
        if name in evidence.experiments
    }
    return {
        **_overview(evidence, costs),
        "costs": costs,
        "experiments": sections,
        "paper": paper_section(evidence),
        "flaws": flaws(evidence),
        "claims": claims(evidence, sections.get("memory")),
        "advice": advice(evidence, costs),
    }


def _overview(evidence: Evidence, costs: Mapping[str, Json]) -> Json:
    algorithms = evidence.experiment("algorithms")
    tables = [table["datasets"] for table in costs.values()]
    shown = {model for table in tables for row in table.values() for model in row["models"]}
    models = [model for model in algorithms.models if model in shown]
    statuses = Counter(
        cell.status for cells in evidence.scores.cells.values() for cell in cells.values()
    )
    return {
        "order": {
            "costs": list(costs),
            "datasets": [d for d in algorithms.datasets if any(d in table for table in tables)],
            "models": models,
        },
        "reference": [model for model in models if model in REFERENCE],
        "seeds": len({seed for cells in evidence.scores.cells.values() for seed in cells}),
        "cells": {"planned": statuses.total(), **dict(sorted(statuses.items()))},
        "failures": failures(evidence),
        "empty": {
            "default": DEFAULT_EMPTY,
            "other": OTHER_EMPTY,
            "matters": _where_empty_matters(costs),
        },
        "level": LEVEL,
    }


def failures(evidence: Evidence) -> list[Json]:
    """Every cell of the run without a result, sorted."""
    return [
        {
            "dataset": dataset,
            "model": model,
            "cost": cost,
            "seed": seed,
            "status": cell.status,
            "reason": cell.reason,
        }
        for (dataset, model, cost), cells in sorted(evidence.scores.cells.items())
        for seed, cell in cells.items()
        if cell.status != "ok"
    ]


def _where_empty_matters(costs: Mapping[str, Json]) -> dict[str, list[str]]:
    """Data sets, and their costs, where the value of empty-against-empty changes a score."""
    found: dict[str, list[str]] = {}
    for cost, table in costs.items():
        for dataset, inner in table["datasets"].items():
            if any(model["other_empty"] for model in inner["models"].values()):
                found.setdefault(dataset, []).append(cost)
    return found
