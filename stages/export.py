"""Train the recommended model on all rows and save it with a card: what it is, and how good.

    python -m stages.export --dataset yeast --cost f1

The folder needs nothing of the pipeline: `rethink.load` reads it.
"""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

import rethink
from rethink.scaling import UnitScaler
from rethink.search import Selection, search_and_fit
from rethink.seeds import derive_seed
from rethink.tables import TableEncoder, encode
from stages.common import paths
from stages.common.catalog import Entry, load_catalog
from stages.common.closed import nearest
from stages.common.errors import DataError, UserError, run_command
from stages.common.files import read_json, sha256_of, write_json, write_text
from stages.common.params import Params, load_params
from stages.common.raw_files import find_source
from stages.common.recipe import estimator_of
from stages.common.schema import from_json
from stages.common.standings import Answer, Standing
from stages.common.version import library_version
from stages.common.words import counted, fixed
from stages.prepare.columns import Cleaned, clean
from stages.prepare.dataset import TABLES, content_hash, read

MODELS = Path("models")
LIBRARIES = ("numpy", "scipy", "sklearn", "torch")


class Data(NamedTuple):
    """All rows of a data set, encoded and not scaled, and how they came about."""

    X: Any
    Y: pd.DataFrame
    names: tuple[str, ...]
    cleaned: Cleaned
    is_table: bool
    files: dict[str, str]  # SHA-256 by name


def find_answer(dataset: str, cost: str) -> Answer:
    """What the report says of a data set and a cost."""
    path = paths.REPORTS / "comparison.json"
    if not path.exists():
        raise UserError(f"{path} is missing; run: make report")
    answers = from_json(read_json(path)).answers
    known = {f"{answer.dataset} {answer.cost}": answer for answer in answers}
    if f"{dataset} {cost}" not in known:
        hint = nearest(f"{dataset} {cost}", known)
        raise UserError(f"the report has no answer for {dataset} by {cost}; {hint}")
    return known[f"{dataset} {cost}"]


def read_data(dataset: str, entry: Entry) -> Data:
    """All rows, which must be those that the report was made of."""
    source = find_source(entry, paths.raw(dataset))
    raw, _ = read(dataset, source)
    cleaned = clean(raw.features, entry)
    X, names = encode(cleaned.features, entry.nominal)
    content = read_json(paths.prepared(dataset) / "card.json")["content"]
    if content_hash(UnitScaler().fit_transform(X), raw.labels) != content:
        raise DataError(f"the files of {dataset} have changed since the report; run: make report")
    files = {
        file.name: sha256_of(paths.raw(dataset) / file.name)
        for file in source.files
        if (paths.raw(dataset) / file.name).is_file()
    }
    Y = pd.DataFrame(raw.labels, columns=list(raw.label_names))
    return Data(X, Y, names, cleaned, source.format in TABLES and not source.made, files)


def train(
    data: Data, dataset: str, entry: Entry, params: Params, name: str, cost: str
) -> tuple[Selection, Pipeline]:
    """Search and fit as a cell does, on all rows; the pipeline takes the data as it was read."""
    model = params.models[name]
    scaler = UnitScaler().fit(data.X)
    ((selection, fitted),) = search_and_fit(
        estimator_of(model, {}, cost),
        params.grid_of(name),
        scaler.transform(data.X),
        data.Y,
        cost,
        folds=params.train.folds,
        select=model.select,
        seed=derive_seed("folds", dataset, "all"),
    )
    steps: list[tuple[str, Any]] = [("scale", scaler), ("model", fitted)]
    if data.is_table:
        columns = [list(row) for row in data.cleaned.recipes]
        steps.insert(0, ("table", TableEncoder(columns, entry.nominal)))
    return selection, Pipeline(steps)


def card(
    answer: Answer, standing: Standing, selection: Selection, data: Data, pipeline: Pipeline
) -> dict[str, Any]:
    """What there is to know of a saved model."""
    stored = read_json(paths.prepared(answer.dataset) / "card.json")
    return {
        "dataset": answer.dataset,
        "title": stored["title"],
        "data": {"content": stored["content"], "files": data.files},
        "rows": len(data.Y),
        "labels": list(data.Y.columns),
        "features": [recipe.name for recipe in data.cleaned.recipes]
        if data.is_table
        else list(data.names),
        "model": standing.model,
        "estimator": pipeline[-1].__repr__(N_CHAR_MAX=1_000_000),
        "parameters": selection.params,
        "cost": {"name": answer.cost, "title": answer.title, "greater": answer.greater_is_better},
        "expected": {
            "mean": standing.mean,
            "low": standing.low,
            "high": standing.high,
            "splits": standing.n,
        },
        "versions": {name: library_version(name) for name in LIBRARIES},
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def page(facts: dict[str, Any], folder: Path, is_table: bool) -> str:
    """The card for people, in Markdown."""
    expected, cost = facts["expected"], facts["cost"]
    low, high = (fixed(expected[end], 4) for end in ("low", "high"))
    known = expected["low"] is not None
    interval = f", between {low} and {high} with 95 % confidence" if known else ""
    way = "higher" if cost["greater"] else "lower"
    argument = "table" if is_table else "X"
    reading = (
        'table = pd.read_csv("new.csv")  # the columns below, in any order'
        if is_table
        else "X = ...  # an array with the features below, in this order"
    )
    parameters = ", ".join(f"{k} = {v}" for k, v in facts["parameters"].items()) or "none"
    files = "".join(
        f"- `{name}`: SHA-256 `{sha}`\n" for name, sha in facts["data"]["files"].items()
    )
    return f"""# {facts["title"] or facts["dataset"]}: {facts["model"]} for {cost["title"]}

Expected on new rows: a mean of {fixed(expected["mean"], 4)}{interval} ({way} is better).
That is what {counted(expected["splits"], "split")} gave, three quarters for training and one for
testing; this model is trained on all {facts["rows"]:,} rows.

```python
import pandas as pd
import rethink

model = rethink.load("{folder / "model"}")
{reading}
labels = pd.DataFrame(model.predict({argument}), columns=model[-1].label_names_)
```

- labels: {", ".join(facts["labels"])}
- features: {", ".join(facts["features"])}
- chosen by a search on all rows: {parameters}
- estimator: `{facts["estimator"]}`
- data: content `{facts["data"]["content"]}`
{files}- libraries: {", ".join(f"{name} {v}" for name, v in facts["versions"].items() if v)}
- written {facts["written"]}
"""


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", required=True, help="a data set of the report")
    parser.add_argument("--cost", required=True, help="a cost of the report")
    parser.add_argument("--model", help="another model of the report than the recommended one")
    parser.add_argument("--to", type=Path, help="folder (default: models/<data set>-<cost>)")
    args = parser.parse_args()
    params, entry = load_params(), load_catalog().entry(args.dataset)
    answer = find_answer(args.dataset, args.cost)
    name = args.model or answer.recommended
    if name is None:
        raise UserError(f"{answer.why} Name one with --model")
    standing = next((row for row in answer.standings if row.model == name), None)
    if standing is None or params.models[name].input != "features":
        hint = nearest(name, [row.model for row in answer.standings])
        raise UserError(f"model {name!r} is not in the report or has no features; {hint}")
    data = read_data(args.dataset, entry)
    selection, pipeline = train(data, args.dataset, entry, params, name, args.cost)
    folder = args.to or MODELS / f"{args.dataset}-{args.cost}"
    rethink.save(pipeline, folder / "model")
    check(folder / "model", pipeline, data)
    facts = card(answer, standing, selection, data, pipeline)
    write_json(folder / "card.json", facts)
    write_text(folder / "card.md", page(facts, folder, data.is_table))
    print(f"{name}, trained on {len(data.Y):,} rows: {folder / 'model'}, {folder / 'card.md'}")
    return 0


def check(path: Path, pipeline: Pipeline, data: Data) -> None:
    """The saved model must predict what the fitted one does."""
    X = pipeline["scale"].transform(data.X)
    if not np.array_equal(rethink.load(path)[-1].predict(X), pipeline[-1].predict(X)):
        raise DataError(f"{path} does not predict what the fitted model does; do not use it")


if __name__ == "__main__":
    run_command(main)
