"""The page as one string: templates, style and script, under a policy that allows nothing else."""

import base64
import hashlib
from collections import Counter
from typing import Any

from markupsafe import Markup

from stages.common.words import counted, listed
from stages.report import about, figures, health, overview, own_page, verdict
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, experiments, not_run
from stages.report.sections.datasets import cards
from stages.report.table import HTML, templates

STYLES = [
    HTML / "page.css",
    HTML / "tables.css",
    HTML / "figures.css",
    HTML / "images.css",
    figures.STYLE,
    HTML / "print.css",
]
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
        Section("advice", "What should I use?", verdict.advice(inputs), "advice"),
    ]
    return [
        Section("verdict", "Verdict", verdict.view(inputs), "verdict"),
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
    return {"origin": origin, "commit": commit, "recompute": RECOMPUTE.replace("SCORES", path)}


def render(inputs: Inputs) -> str:
    """The page, from all that the report stage gathers."""
    if inputs.comparison.own:
        return _filled(inputs, own_page.page(inputs))
    comparison = inputs.comparison
    return _filled(
        inputs,
        {
            "title": "Does RethinkNet hold up?",
            "header": "header.html.j2",
            "sections": sections(inputs),
            "answer": verdict.headline(comparison),
            "findings": verdict.findings(comparison),
            "verdicts": verdict.VERDICTS,
            "prices": {cost: verdict.price(row) for cost, row in comparison.advice.items()},
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
