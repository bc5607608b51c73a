"""The page as one string: templates, style and script, under a policy that allows nothing else."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from markupsafe import Markup

import rethink
from stages.common.words import counted, listed, sentence, splits_text
from stages.report import about, coverage, figures, health, overview, own_page, recommended, verdict
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View, experiments, not_run
from stages.report.sections.datasets import cards
from stages.report.table import HTML, Figure, Table, templates

STYLES = [
    HTML / "page.css",
    HTML / "tables.css",
    HTML / "figures.css",
    HTML / "images.css",
    figures.STYLE,
    HTML / "print.css",
]
QUESTIONS = (  # of a reader, and where the page answers them
    ("What was claimed, and what came out?", "verdict"),
    ("How was it tested?", "method"),
    ("How sure is it?", "tests"),
    ("What differs from the paper, and why?", "paper"),
    ("What should I use?", "advice"),
    ("What does it cost to run?", "run-times"),
    ("What was left out?", "limits"),
    ("Can I check it?", "check"),
    ("How do I cite it?", "cite"),
)
RECOMPUTE = """\
import pandas as pd

s = pd.read_parquet("SCORES")
s = s[(s["part"] == "test") & s["last"] & (s["criterion"] == s["cost"]) & (s["empty"] == 1)]
table = s[s["cost"] == "hamming"].pivot_table(
    index="model", columns="dataset", values="value", aggfunc=["mean", "sem"]
)
print(table.round(3))
"""


def sections(inputs: Inputs) -> list[Section]:
    """All parts of the page; an experiment that was not run has none."""
    comparison = inputs.comparison
    middle = [
        Section("glance", "At a glance", overview.view(comparison)),
        Section("advice", "What should I use?", recommended.view(inputs), "advice"),
    ]
    rest = [
        *(middle if comparison.costs else []),
        Section("method", "How it was tested", about.method(inputs), "method"),
        Section("limits", "Limitations", about.limits(inputs), "limits"),
        Section("alerts", "Alerts", health.view(inputs), "alerts"),
        *experiments(inputs),
        Section("run-times", "Run times and failures", health.times(inputs), "times"),
        Section("data", "Data", cards(inputs), "data"),
        Section("reproduce", "Reproduce and cite", reproduce(inputs), "reproduce"),
        Section("environment", "Environment", {"now": inputs.now}, "environment"),
    ]
    files = {file for part in rest for file in table_files(part.view)}
    return [Section("verdict", "Verdict", verdict.view(inputs, files), "verdict"), *rest]


def table_files(view: object) -> Iterator[str]:
    """The files of all tables in a view."""
    if isinstance(view, Table):
        yield view.file
    elif isinstance(view, Mapping):
        yield from table_files(list(view.values()))
    elif isinstance(view, list | tuple):
        yield from chain.from_iterable(map(table_files, view))
    elif isinstance(view, View | Figure):
        yield from table_files(list(vars(view).values()))


def reproduce(inputs: Inputs) -> dict[str, Any]:
    """Where the cells come from, the commit that computed them, and ten lines for the scores."""
    runs = inputs.runs
    commits = Counter(run["commit"] for run in runs if run["commit"])
    published = Counter(run["published"] for run in runs if run["published"])
    here = len(runs) - published.total()
    parts = [f"{counted(number, 'cell')} from results/{name}" for name, number in published.items()]
    parts += [f"{counted(here, 'cell')} computed for this page"] if here else []
    commit = commits.most_common(1)[0][0] if commits else ""
    origin = f"This page shows {listed(parts)}." if parts else "This page shows no cell."
    if commits:
        origin += f" The published ones were computed by {listed(c[:12] for c in commits)}."
    folder = next(iter(published), None) if not here else None
    path = f"results/{folder}/scores.parquet" if folder else "data/scores.parquet"
    return {
        "origin": origin,
        "commit": commit,
        "version": rethink.__version__,
        "published": folder,
        "recompute": RECOMPUTE.replace("SCORES", path),
    }


def data_in_words(inputs: Inputs) -> str:
    """The data sets with their splits; those that are not in the main table by name alone."""
    ran, splits = {run["dataset"] for run in inputs.runs}, inputs.comparison.splits
    names = [name for name in inputs.params.datasets if name in ran]
    absent = [name for name in inputs.params.datasets if name not in ran]
    others = [name for name in names if name not in splits]
    even = len(set(splits.values())) <= 1
    parts = [
        f"{counted(len(names), 'data set')} ({listed(names)})" if even else "",
        splits_text(splits) if splits else "",
        f"outside the main table {listed(others)}" if others and not even else "",
        f"nothing yet of {listed(absent)}" if absent else "",
    ]
    lead = "" if even else f"{counted(len(names), 'data set')}: "
    return lead + "; ".join(part for part in parts if part)


def relation(inputs: Inputs) -> str:
    """How this run relates to the published ones."""
    published = Counter(run["published"] for run in inputs.runs if run["published"])
    sources = listed(f"{number:,} from results/{name}" for name, number in published.items())
    return sentence(
        "It is small: good to see that everything works, too little to cite. The run to cite is "
        "the paper profile, whose scores are in results/paper."
        if inputs.params.profile not in health.WHOLE
        else None,
        f"Cells that were not computed again: {sources}." if published else None,
    )


def render(inputs: Inputs) -> str:
    """The page, from all that the report stage gathers."""
    if inputs.comparison.own:
        return _filled(inputs, own_page.page(inputs))
    comparison, parts = inputs.comparison, sections(inputs)
    known = {part.id for part in parts} | {"check", "cite"}
    return _filled(
        inputs,
        {
            "title": "Does RethinkNet hold up?",
            "header": "header.html.j2",
            "sections": parts,
            "answer": verdict.headline(comparison),
            "findings": verdict.findings(comparison),
            "verdicts": verdict.VERDICTS,
            "picks": {
                cost: recommended.pick(inputs, row) for cost, row in comparison.advice.items()
            },
            "relation": relation(inputs),
            "data": data_in_words(inputs),
            "missing": coverage.missing(inputs),
            "questions": [(text, anchor) for text, anchor in QUESTIONS if anchor in known],
            "not_run": not_run(inputs),
        },
    )


def _filled(inputs: Inputs, page: dict[str, Any]) -> str:
    """The template with what all pages share: style, script and policy."""
    style = "".join(path.read_text("utf-8") for path in STYLES)
    script = (HTML / "report.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        templates()
        .get_template("report.html.j2")
        .render(
            **page,
            comparison=inputs.comparison,
            params=inputs.params,
            behind=inputs.behind,
            style=Markup(style),
            script=Markup(script),
            policy=policy,
        )
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
