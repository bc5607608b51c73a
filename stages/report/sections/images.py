"""The image experiment: its table beside the paper's, what was run, and single images."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stages.common.slices import Example, ImageRow, Images, ImageSet, Step
from stages.common.words import counted, fixed, listed
from stages.report.page_inputs import Inputs, Json
from stages.report.sections import Section
from stages.report.table import (
    LOST,
    MEAN,
    NOT_PRINTED,
    Column,
    Entry,
    Group,
    Table,
    estimate,
    name,
    number,
    piece,
    texts,
)

TITLE = "Images"
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


def show(part: Images, inputs: Inputs) -> list[Section]:
    """All data sets of the experiment."""
    view = {
        "shown": part.shown,
        "datasets": [
            {
                "name": images.dataset,
                "title": images.title,
                "mark": ROLES[images.role],
                "facts": list(facts(images, inputs.speeds.get(images.dataset))),
                "table": table(images),
                "examples": [_example(example) for example in part.examples[images.dataset]],
            }
            for images in part.datasets
        ],
    }
    return [Section("images", TITLE, view, "images")]


def table(images: ImageSet) -> Table:
    """Means of our models by cost, the paper's numbers below."""
    ours, printed = (
        [model for model in images.models if any(model in row for row in rows)]
        for rows in (
            [row.models.keys() for row in images.rows],
            [row.printed.keys() for row in images.rows],
        )
    )
    groups = [Group([_ours(images, model) for model in ours])]
    if printed:
        heading = "The paper’s numbers, on MSCOCO"
        groups.append(Group([_theirs(images, model) for model in printed], heading, "paper"))
    caption = f"{images.dataset}: mean ± standard error on the test images"
    columns = [*texts("Model"), *map(_column, images.rows)]
    return Table(f"images-{images.dataset}", caption, columns, groups, kind="results")


def _column(row: ImageRow) -> Column:
    way = ("↑", "higher is better") if row.greater_is_better else ("↓", "lower is better")
    return Column(piece("joined", row.title, piece("sign", *way)), fields=MEAN)


def _ours(images: ImageSet, model: str) -> list[Entry]:
    means = [(row.models.get(model), _decimals(row)) for row in images.rows]
    cells = [estimate(mean, d, LOST, mean is not None and mean.best) for mean, d in means]
    return [name(model), *cells]


def _theirs(images: ImageSet, model: str) -> list[Entry]:
    numbers = [number(row.printed.get(model), 4, NOT_PRINTED) for row in images.rows]
    return [name(model), *numbers]


def _decimals(row: ImageRow) -> int:
    means = [mean.mean for mean in row.models.values() if mean.mean is not None]
    return 4 if max(means, default=0.0) <= 1 else 2


def facts(images: ImageSet, speed: Json | None) -> Iterator[tuple[str, str]]:
    """What was run, as terms and what they are here."""
    official = images.split == "official"
    parts = images.parts
    yield (
        "Images",
        f"{images.images:,}"
        + (f": {parts['train']:,} to train, {parts['test']:,} to test" if official else ""),
    )
    yield "Labels", f"{images.labels:,}"
    yield "Images without a label", f"{images.empty:,}, kept" if images.empty else "none"
    yield "Network", f"{images.network}; frozen"
    yield "Features", f"{images.features:,}, and the map before they are pooled"
    yield (
        "Split",
        "the official one; seeds differ by the chance of the models alone"
        if official
        else "a random one for each seed",
    )
    odd = [f"{number:,} {KINDS[kind]}" for kind, number in images.problems.items()]
    yield "Odd files", listed(odd) if odd else "none"
    if speed:
        yield (
            "Throughput",
            f"{fixed(speed['rate'], 1)} images a second on "
            f"{counted(speed['workers'], DEVICES[speed['device']])}, "
            f"{100 * speed['share']:.0f} % of the bare forward pass",
        )


def _example(example: Example) -> dict[str, Any]:
    """An image: its labels at each iteration, those added, those dropped, and the truth."""
    return vars(example) | {
        "alt": f"Image {example.file}; on it: {listed(example.truth)}",
        "steps": [list(_labels(step, set(example.truth))) for step in example.steps],
    }


def _labels(step: Step, truth: set[str]) -> Iterator[Label]:
    for label in step.labels:
        yield Label(label, "added" if label in step.added else "", label in truth)
    for label in step.dropped:
        yield Label(label, "dropped", label in truth)
