"""The page as one string: templates, style and script, under a policy that allows nothing else."""

import base64
import hashlib
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from stages.common import words
from stages.report import datasets, figures, text, verdict
from stages.report.sections import not_run, sections
from stages.report.tables import Json

HTML = Path(__file__).parent / "html"
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


def render(context: Json) -> str:
    """The page, from all that the report stage gathers."""
    style = "".join(path.read_text("utf-8") for path in STYLES)
    script = (HTML / "report.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    comparison = context["comparison"]
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            **context,
            sections=sections(context),
            answer=verdict.headline(comparison["claims"]),
            tally=verdict.tally(comparison["claims"]),
            prices={cost: verdict.price(found) for cost, found in comparison["advice"].items()},
            not_run=not_run(comparison),
            recompute=RECOMPUTE,
            style=Markup(style),
            script=Markup(script),
            policy=policy,
        )
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HTML),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": text.count,
        "counted": words.counted,
        "file_name": text.file_name,
        "fixed": text.fixed,
        "listed": words.listed,
        "raw": text.raw,
    }
    environment.globals |= {
        "card_id": datasets.card_id,
        "check_mark": datasets.check_mark,
        "verdicts": verdict.VERDICTS,
    }
    return environment
