"""Everything the page is made of, made up; and a reader of the page's tags and texts."""

import re
from functools import cache
from html.parser import HTMLParser
from itertools import product

from stages.common.params import Model
from stages.report.page_inputs import Inputs, Run
from stages.report.render import render
from tests.stages.report.made_up_comparison import REFERENCE, comparison
from tests.stages.report.made_up_experiments import COSTS

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202eabc😀" + "x" * 300
MODELS = ("all-zeros", "BR-LR", "RethinkNet", "bayes")


def made_up(datasets=("yeast", "chain"), models=MODELS, **options):
    """The inputs of `render`; `failed` maps (data set, model, cost, seed) to a reason."""
    seeds, failed = options.get("seeds", 3), options.get("failed", {})
    grids = {"strengths": [0.1, 1.0], "stopping": ["loss"]}
    return Inputs(
        comparison=comparison(datasets, models, seeds, failed),
        cards={name: card(name) for name in datasets},
        rights={
            name: {"Licence": "CC BY 4.0", "Cite": f"The collectors of {name}"} for name in datasets
        },
        validations={name: validation(name) for name in datasets},
        runs=[
            run(d, m, cost, seed, failed.get((d, m, cost, seed)))
            for d, m, cost, seed in product(datasets, models, COSTS, range(seeds))
            if (d, m) != ("yeast", REFERENCE)
        ],
        speeds={},
        params=Run(
            profile=options.get("profile", "quick"),
            datasets=list(datasets),
            seeds=seeds,
            grids=grids,
            models={name: Model(estimator="RethinkNet") for name in models},
        ),
        now={"Python": "3.11.2"},
        behind={"torch": "2.13.0"},
    )


@cache
def usual_page():
    """The page of the usual context, rendered once."""
    return render(made_up())


def run(dataset, model, cost, seed, reason):
    return {
        "dataset": dataset,
        "model": model,
        "cost": cost,
        "seed": seed,
        "status": "failed" if reason else "ok",
        "reason": reason or "",
        "seconds": None if reason else 1.5,
        "device": "cpu",
        "versions": '{"torch": "2.13.0"}',
        "published": None,
        "commit": None,
    }


def card(name):
    counts = {"instances": 2417, "features": 103, "labels": 2, "cardinality": 4.2371, "empty": 12}
    return {
        **counts,
        "name": name,
        "title": f"What {name} is",
        "density": 0.3026,
        "label_sets": 198,
        "rarest_label": 34,
        "columns": 105,
        "constant_features": 0,
        "duplicates": 0,
        "storage": "dense",
        "content": "9f" * 32,
        "source": "https://example.org/data",
        "expected": counts if name == "yeast" else None,
        "label_names": ["Class1", HOSTILE],
    }


def validation(name):
    status = "warn" if name == "chain" else "ok"
    text = "Every row has a label"
    checks = [{"check": "no-empty", "text": text, "observed": "12", "status": status}]
    return {"status": status, "checks": checks}


class Page(HTMLParser):
    """Tags with their attributes, and texts with the tag around them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self, tag=None):
        words = (
            data
            for inside, data in self.texts
            if inside not in ("style", "script") and tag in (None, inside)
        )
        return re.sub(r"\s+", " ", "".join(words) if tag is None else " ".join(words)).strip()


def section(html, name):
    return re.search(rf'<section id="{name}".*?</section>', html, re.S)[0]


def inline(html, tag):
    return re.search(rf"<{tag}>(.*?)</{tag}>", html, re.S)[1]
