"""The image experiment: its table beside the paper's, what was run, and single images."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from stages.common.words import counted, listed
from stages.report.tables import (
    MEAN,
    Cell,
    Column,
    Group,
    Json,
    Table,
    estimate,
    name,
    number,
    sign,
    words,
)
from stages.report.text import fixed

NOT_PRINTED = "not printed in the paper"
DEVICES = {"cpu": "CPU worker", "cuda": "GPU worker"}
KINDS = {  # of an odd file -> in words
    "unreadable": "not readable, features are zeros",
    "truncated": "truncated, features are zeros",
    "gigantic": "gigantic, features are zeros",
    "colours": "converted to RGB",
    "tiny": "tiny, enlarged",
}
ROLES = {
    "demonstration": (
        "A demonstration, not a reproduction",
        "A sample this small shows that everything works, and little of which model is better. "
        "The paper’s numbers below are those of the whole of MSCOCO.",
    ),
    "reproduction": (
        "Beside the paper",
        "The paper does not say which release of COCO it used, nor whether its network was "
        "trained further; here it is frozen.",
    ),
    None: (
        "Drawings, not photographs",
        "They let the whole path run without a network connection. The paper has no numbers "
        "to put beside them.",
    ),
}


@dataclass(frozen=True)
class Label:
    """A label at one iteration: kept, added or dropped; and whether it is true."""

    name: str
    change: str  # "" | "added" | "dropped"
    true: bool


def view(context: Json) -> Json:
    """All data sets of the experiment."""
    section = context["comparison"]["experiments"]["images"]
    return {
        "shown": section["shown"],
        "datasets": [
            {
                "name": found["dataset"],
                "title": found["title"],
                "mark": ROLES[found["role"]],
                "facts": list(facts(found, context["speeds"].get(found["dataset"]))),
                "table": table(found),
                "examples": [example(e) for e in section["examples"][found["dataset"]]],
            }
            for found in section["datasets"]
        ],
    }


def table(found: Json) -> Table:
    """Models by costs, with the paper's rows below."""
    columns = [words("Model"), *(_column(row) for row in found["rows"])]
    shown, printed = (
        [model for model in found["models"] if any(model in row[key] for row in found["rows"])]
        for key in ("models", "printed")
    )
    groups = [Group([_ours(found, model) for model in shown])]
    if printed:
        heading = "The paper’s numbers, on MSCOCO"
        groups.append(Group([_theirs(found, model) for model in printed], heading, "paper"))
    caption = f"{found['dataset']}: mean ± standard error on the test images"
    return Table(f"images-{found['dataset']}", caption, columns, groups, kind="results")


def _column(row: Json) -> Column:
    way = ("↑", "higher is better") if row["greater_is_better"] else ("↓", "lower is better")
    return Column(Markup("{} {}").format(row["title"], sign(*way)), fields=MEAN)


def _ours(found: Json, model: str) -> list[Cell]:
    cells = []
    for row in found["rows"]:
        mean = row["models"].get(model)
        cells.append(estimate(mean, _decimals(row), "did not finish", bool(mean and mean["best"])))
    return [name(model), *cells]


def _theirs(found: Json, model: str) -> list[Cell]:
    return [
        name(model),
        *(number(row["printed"].get(model), 4, NOT_PRINTED) for row in found["rows"]),
    ]


def _decimals(row: Json) -> int:
    means = [found["mean"] for found in row["models"].values() if found["mean"] is not None]
    return 4 if max(means, default=0.0) <= 1 else 2


def facts(found: Json, speed: Json | None) -> Iterator[tuple[str, str]]:
    """What was run, as terms and what they are here."""
    parts = found["parts"]
    images = f"{found['images']:,}"
    if found["split"] == "official":
        images += f": {parts['train']:,} to train, {parts['test']:,} to test"
    yield "Images", images
    yield "Labels", f"{found['labels']:,}"
    yield "Images without a label", f"{found['empty']:,}, kept" if found["empty"] else "none"
    yield "Network", f"{found['network']}; frozen"
    yield "Features", f"{found['features']:,}, and the map before they are pooled"
    yield (
        "Split",
        "the official one; seeds differ by the chance of the models alone"
        if found["split"] == "official"
        else "a random one for each seed",
    )
    odd = [f"{number:,} {KINDS[kind]}" for kind, number in found["problems"].items()]
    yield "Odd files", listed(odd) if odd else "none"
    if speed:
        yield (
            "Throughput",
            f"{fixed(speed['rate'], 1)} images a second on "
            f"{counted(speed['workers'], DEVICES[speed['device']])}, "
            f"{100 * speed['share']:.0f} % of the bare forward pass",
        )


def example(found: Json) -> Json:
    """An image: its labels at each iteration, those added, those dropped, and the truth."""
    truth = set(found["truth"])
    return {
        **{key: found[key] for key in ("file", "picture", "width", "height", "seed")},
        "alt": f"Image {found['file']}; on it: {listed(found['truth'])}",
        "truth": found["truth"],
        "steps": [list(_labels(step, truth)) for step in found["steps"]],
    }


def _labels(step: Json, truth: set[str]) -> Iterator[Label]:
    added = set(step["added"])
    for label in step["labels"]:
        yield Label(label, "added" if label in added else "", label in truth)
    for label in step["dropped"]:
        yield Label(label, "dropped", label in truth)
