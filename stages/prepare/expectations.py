"""The Great Expectations suite, run on summary tables, with results in plain words.

Expectations on summaries (a row a column) take a fraction of a second for 23,146 columns;
one expectation for each column would take minutes.
"""

import os
from dataclasses import dataclass
from typing import Any

import pandas as pd

RARE = 10  # positives below which a label is likely to be missing from some fold
TWINS = 0.05  # share of test rows known from training above which scores reward memory


@dataclass(frozen=True)
class Check:
    """One expectation: what it promises, and whether breaking it stops the pipeline."""

    name: str
    table: str  # columns | labels | totals | images
    text: str
    column: str
    low: float | None
    high: float | None
    fatal: bool
    share: bool = False


def checks(counts: dict[str, Any] | None) -> list[Check]:
    """All checks; the catalogue's counts add one each."""
    fixed = [
        Check("no-nulls", "columns", "No feature has a missing value", "nulls", 0, 0, True),
        Check("finite", "columns", "Every feature value is finite", "infinite", 0, 0, True),
        Check("has-rows", "totals", "There are at least four rows", "instances", 4, None, True),
        Check("has-features", "totals", "There is a feature", "features", 1, None, True),
        Check("has-labels", "totals", "There is a label", "labels", 1, None, True),
        Check("binary", "totals", "Every label is 0 or 1", "not_binary", 0, 0, True),
        Check("varies", "columns", "Every feature varies", "distinct", 2, None, False),
        Check(
            "not-rare", "labels", f"Every label is on in at least {RARE} rows",
            "positives", RARE, None, False,
        ),
        Check("not-always", "labels", "Every label is off somewhere", "negatives", 1, None, False),
        Check("no-duplicates", "totals", "No two rows are equal", "duplicates", 0, 0, False),
        Check(
            "few-twins", "totals", f"At most {TWINS:.0%} of the test rows have the features of a "
            "training row", "test_twins", None, TWINS, False, share=True,
        ),
        Check("no-empty", "totals", "Every row has a label", "empty", 0, 0, False),
    ]  # fmt: skip
    counted = [
        Check(
            f"count-{key}", "totals", f"The number of {key} is {value:,}"
            if key not in ("cardinality", "empty") else f"{key.capitalize()} is {value:g}",
            key, value - slack, value + slack, True,
        )
        for key, value in (counts or {}).items()
        for slack in (0.0006 if key == "cardinality" else 0,)
    ]  # fmt: skip
    return fixed + counted


# The row of an odd image is there in any case: blank where it cannot be decoded, else mended.
OF_IMAGES = [
    Check(
        "decodable", "images", "Every image can be decoded; where not, its features are zeros",
        "blank", 0, 0, False,
    ),
    Check(
        "colours", "images", "Every image is in RGB or grey; where not, it was converted",
        "converted", 0, 0, False,
    ),
    Check(
        "not-tiny", "images", "Every image has eight pixels or more a side; where not, it was "
        "enlarged", "enlarged", 0, 0, False,
    ),
]  # fmt: skip


def validate(
    tables: dict[str, pd.DataFrame], counts: dict[str, Any] | None
) -> dict[str, str | list[dict[str, str]]]:
    """Run every check; the status is the worst of them."""
    results = [
        {
            "check": check.name,
            "text": check.text,
            "observed": _observed(check, tables[check.table], result),
            "status": "ok" if result.success else "fail" if check.fatal else "warn",
        }
        for check, result in _run(tables, [*checks(counts), *OF_IMAGES])
    ]
    statuses = {result["status"] for result in results}
    status = next(word for word in ("fail", "warn", "ok") if word in statuses)
    return {"status": status, "checks": results}


def _run(tables: dict[str, pd.DataFrame], todo: list[Check]) -> list[tuple[Check, Any]]:
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx  # takes seconds: only when a data set is prepared
    import great_expectations.expectations as gxe
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    source = context.data_sources.add_pandas("summaries")
    checked = []
    for name, frame in tables.items():
        mine = [check for check in todo if check.table == name]
        suite = context.suites.add(gx.ExpectationSuite(name=name))
        for check in mine:
            suite.add_expectation(
                gxe.ExpectColumnValuesToBeBetween(
                    column=check.column,
                    min_value=check.low,
                    max_value=check.high,
                )
            )
        asset = source.add_dataframe_asset(name)
        batch = asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})
        results: list[Any] = batch.validate(suite, result_format="COMPLETE").results
        # Great Expectations runs equal expectations once, so results are looked up by their bounds
        answers = {_bounds(result.expectation_config.kwargs): result for result in results}
        checked += [(check, answers[check.column, check.low, check.high]) for check in mine]
    return checked


def _bounds(kwargs: dict[str, Any]) -> tuple[str, float | None, float | None]:
    return kwargs["column"], kwargs.get("min_value"), kwargs.get("max_value")


def _observed(check: Check, frame: pd.DataFrame, result: Any) -> str:
    if check.table == "totals":
        return format(frame[check.column].iloc[0], ".1%" if check.share else ",")
    broken = result.result.get("unexpected_index_list") or []
    if not broken:
        return f"all {len(frame):,}"
    names = [str(frame["name"].iloc[index]) for index in broken[:5]]
    more = ", …" if len(broken) > 5 else ""
    return f"{len(broken):,} of {len(frame):,} break this: {', '.join(names)}{more}"
