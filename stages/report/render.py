"""The page as one string: templates, style and script, under a policy that allows nothing else."""

import base64
import hashlib

from markupsafe import Markup

from stages.report import figures, health, verdict
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

s = pd.read_parquet("data/scores.parquet")
s = s[(s["part"] == "test") & s["last"] & (s["criterion"] == s["cost"]) & (s["empty"] == 1)]
table = s[s["cost"] == "hamming"].pivot_table(
    index="model", columns="dataset", values="value", aggfunc=["mean", "sem"]
)
print(table.round(3))
"""


def sections(inputs: Inputs) -> list[Section]:
    """All parts of the page; an experiment that was not run has none."""
    return [
        Section("verdict", "Verdict", verdict.view(inputs), "verdict"),
        Section("alerts", "Alerts", health.view(inputs), "alerts"),
        *experiments(inputs),
        Section("run-times", "Run times and failures", health.times(inputs), "times"),
        Section("data", "Data", cards(inputs), "data"),
        Section("reproduce", "Reproduce", {"recompute": RECOMPUTE}, "reproduce"),
        Section("environment", "Environment", {"now": inputs.now}, "environment"),
    ]


def render(inputs: Inputs) -> str:
    """The page, from all that the report stage gathers."""
    style = "".join(path.read_text("utf-8") for path in STYLES)
    script = (HTML / "report.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    comparison = inputs.comparison
    return (
        templates()
        .get_template("report.html.j2")
        .render(
            comparison=comparison,
            params=inputs.params,
            behind=inputs.behind,
            sections=sections(inputs),
            answer=verdict.headline(comparison.claims),
            tally=verdict.tally(comparison.claims),
            verdicts=verdict.VERDICTS,
            prices={cost: verdict.price(advice) for cost, advice in comparison.advice.items()},
            not_run=not_run(inputs),
            style=Markup(style),
            script=Markup(script),
            policy=policy,
        )
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
