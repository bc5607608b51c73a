"""The parts of the page in their order; an experiment that was not run has none."""

from collections.abc import Iterator
from dataclasses import dataclass

from stages.common.words import listed
from stages.report import (
    ablations,
    alerts,
    by_max,
    curves,
    datasets,
    images,
    paper,
    ranks,
    runs,
    scores,
    significance,
    verdict,
)
from stages.report.tables import Json

EXPERIMENTS = {  # name in params.yaml -> title here
    "algorithms": "Algorithms",
    "rethinking": "Rethinking",
    "memory": "Memory of label correlation",
    "reweighting": "Reweighting",
    "rnn_variants": "Recurrent layers",
    "selected_by_max": "Chosen by the largest loss",
    "images": "Images",
    "datasets": "Table of data sets",
}
BUILDERS = {
    "rethinking": curves.rethinking,
    "memory": curves.memory,
    "reweighting": ablations.reweighting,
    "rnn_variants": ablations.variants,
    "selected_by_max": by_max.section,
}


@dataclass(frozen=True)
class Section:
    """A part of the page; `sub` puts it one level down in the contents."""

    id: str
    title: str
    template: str
    view: Json
    sub: bool = False


def sections(context: Json) -> list[Section]:
    """All parts of the page."""
    comparison = context["comparison"]
    anchors = anchors_of(comparison)
    return [
        Section("verdict", "Verdict", "verdict", verdict.view(comparison, anchors)),
        Section("alerts", "Alerts", "alerts", alerts.view(context)),
        *_algorithms(comparison, anchors),
        *_experiments(comparison),
        *_images(context),
        Section("run-times", "Run times and failures", "times", runs.view(context)),
        Section("data", "Data", "data", datasets.view(context)),
        Section("reproduce", "Reproduce", "reproduce", {}),
        Section("environment", "Environment", "environment", context["environment"]),
    ]


def _algorithms(comparison: Json, anchors: set[str]) -> Iterator[Section]:
    if not comparison["costs"]:
        return
    yield Section("paper", "Paper against ours", "paper", paper.view(comparison, anchors))
    yield Section("ranks", "Average ranks", "ranks", ranks.view_of(comparison))
    for cost in comparison["order"]["costs"]:
        title = comparison["costs"][cost]["title"]
        yield Section(f"cost-{cost}", title, "cost", scores.view_of(comparison, cost), sub=True)
    yield Section("tests", "Tests", "tests", significance.view_of(comparison))


def _experiments(comparison: Json) -> Iterator[Section]:
    for name, build in BUILDERS.items():
        if name in comparison["experiments"]:
            anchor = name.replace("_", "-")
            yield Section(anchor, EXPERIMENTS[name], "experiment", build(comparison))


def _images(context: Json) -> Iterator[Section]:
    if "images" in context["comparison"]["experiments"]:
        yield Section("images", EXPERIMENTS["images"], "images", images.view(context))


def anchors_of(comparison: Json) -> set[str]:
    """The places that claims and flaws may link to."""
    found = {"verdict", "alerts", "run-times", "failures", "data", "reproduce", "environment"}
    costs = comparison["order"]["costs"]
    if costs:
        found |= {"advice", "paper", "paper-numbers", "flaws", "ranks", "tests"}
        found |= {f"{part}-{cost}" for part in ("advice", "cost", "tests") for cost in costs}
        found |= {f"flaw-{flaw['id']}" for flaw in comparison["flaws"]}
    if "datasets" in comparison["experiments"]:
        found.add("data-sets")
    return found | {
        name.replace("_", "-")
        for name in (*BUILDERS, "images")
        if name in comparison["experiments"]
    }


def not_run(comparison: Json) -> str:
    """The experiments that are not in this run, in one sentence."""
    done = {"algorithms"} if comparison["costs"] else set()
    done |= comparison["experiments"].keys()
    missing = [title.lower() for name, title in EXPERIMENTS.items() if name not in done]
    return f"Experiments that were not run: {listed(missing)}." if missing else ""
