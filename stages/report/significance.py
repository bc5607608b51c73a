"""The section of tests: for each cost a diagram, sentences and the tables of every test."""

from stages.report.over_datasets import (
    bayes_reading,
    bayes_table,
    diagram,
    summary,
    wilcoxon_reading,
    wilcoxon_table,
)
from stages.report.pairs import pair_reading, pair_table
from stages.report.ranks import conventions, ranked
from stages.report.tables import Json


def view_of(comparison: Json) -> Json:
    """For each cost all tests, under each value of empty against empty."""
    return {
        "costs": [
            {
                "name": cost,
                "title": comparison["costs"][cost]["title"],
                "parts": [
                    _tests(comparison, cost, other) | {"when": when}
                    for other, when in conventions(comparison["costs"][cost]["other_empty"])
                ],
            }
            for cost in comparison["order"]["costs"]
        ],
        "enough": len(ranked(comparison)) > 1,
    }


def _tests(comparison: Json, cost: str, other: bool) -> Json:
    case = (comparison, cost, other)
    return {
        "sentences": summary(*case),
        "figure": diagram(*case),
        "tables": [
            ("Who wins against whom, over seeds", pair_table(*case), pair_reading(*case)),
            ("Wilcoxon with Holm, over data sets", wilcoxon_table(*case), wilcoxon_reading(*case)),
            ("Bayesian signed-rank, over data sets", bayes_table(*case), bayes_reading(*case)),
        ],
    }
