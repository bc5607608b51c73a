"""Every single score behind the means."""

from stages.report.ranks import columns_of, titled
from stages.report.tables import Column, Json, Table, name, number, simple, words


def seed_table(comparison: Json, cost_name: str) -> Table:
    """Every single score behind the means, failed ones with their reason."""
    cost = comparison["costs"][cost_name]
    datasets = columns_of(comparison, cost)
    reasons = {
        (row["dataset"], row["model"], str(row["seed"])): f"{row['status']}: {row['reason']}"
        for row in comparison["failures"]
        if row["cost"] == cost_name
    }
    models = [
        (dataset, model, cost["datasets"][dataset])
        for dataset in datasets
        for model in comparison["order"]["models"]
        if model in cost["datasets"][dataset]["models"]
    ]
    seeds = sorted(
        {seed for _, model, table in models for seed in table["models"][model]["seeds"]}, key=int
    )
    rows = [
        [
            name(dataset),
            name(model),
            *(
                number(
                    table["models"][model]["seeds"].get(seed),
                    table["decimals"] + 1,
                    reasons.get((dataset, model, seed), "not planned"),
                )
                for seed in seeds
            ),
        ]
        for dataset, model, table in models
    ]
    text = f"{cost['title']} of every cell on the test part"
    _, caption = titled("", text, False if cost["other_empty"] else None)
    columns = [words("Data set"), words("Model")]
    columns += [Column(f"seed {seed}") for seed in seeds]
    return simple(f"{cost_name}-seeds", caption, columns, rows)
