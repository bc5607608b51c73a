"""The documentation is built without a network; its links lead somewhere, its code runs."""

import ast
import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

import rethink
from examples import check_a_claim, right_prediction
from rethink.nets.estimator import NetEstimator
from tests.readme import ROOT, blocks

PAGES = sorted((ROOT / "docs").glob("*.md"))
NOT_RUN = {"clusters.md", "own-data.md"}  # there are no such systems; tests/test_own_data.py
FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src")}


class Page(HTMLParser):
    """The ids of a page, its links, and what a browser fetches to show it."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.fetched = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given["id"]} if given.get("id") else set()
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        self.fetched |= {v for k, v in attributes if (tag, k) in FETCHED and v}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built pages by path; a warning of MkDocs is an error."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {path.resolve(): Page(path) for path in folder.glob("*.html") if path.stem != "404"}


def test_every_page_is_built_and_reached_from_the_first_one(site):
    first = next(path for path in site if path.stem == "index")
    reached = {urlsplit(link).path for link in site[first].links}
    assert {f"{page.stem}.html" for page in PAGES} - {"index.html"} <= reached


def test_every_link_leads_to_a_place_that_is_there(site):
    broken = []
    for path, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.path.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            ids = site[target].ids if target in site else set()
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in ids):
                broken.append((path.name, link))
    assert broken == []


def test_a_reader_without_a_network_misses_nothing(site):
    absent = []
    for path, page in site.items():
        for address in page.fetched:
            parts = urlsplit(address)
            local = not parts.scheme and (path.parent / unquote(parts.path)).exists()
            if not local and parts.scheme != "data":
                absent.append((path.name, address))
    assert absent == []


CLASSES = [NetEstimator, *filter(inspect.isclass, (getattr(rethink, n) for n in rethink.__all__))]


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.__name__)
def test_the_first_of_the_values_that_the_reference_lists_is_the_default(one):
    given = inspect.signature(one).parameters
    listed = re.findall(r"^(\w+) : \{(.*?)\}", inspect.getdoc(one), re.M)
    first = {name: ast.literal_eval(f"[{values}]")[0] for name, values in listed}
    assert first == {name: given[name].default for name in first}


def test_the_reference_explains_every_parameter_that_networks_share(site):
    (page,) = (path for path in site if path.stem == "api")
    text = page.read_text(encoding="utf-8")
    shared = inspect.signature(NetEstimator).parameters
    assert [name for name in shared if f"<code>{name}</code></b>" not in text] == []


WITH_CODE = [page.name for page in PAGES if "```python" in page.read_text()]


@pytest.mark.parametrize("page", [name for name in WITH_CODE if name not in NOT_RUN])
def test_the_python_code_of_a_page_runs_from_top_to_bottom(page, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path if page == "library.md" else ROOT)  # it saves a model
    code = "\n".join(line for block in blocks(f"docs/{page}", "python") for line in block)
    exec(compile(code, page, "exec"), {"__name__": page})
    assert capsys.readouterr().out


def test_the_prediction_made_for_a_cost_is_better_than_the_plain_one_by_that_cost(capsys):
    scores = right_prediction.main()
    assert scores["rank"]["rank"] < 0.95 * scores["hamming"]["rank"]
    assert scores["hamming"]["hamming"] < 0.95 * scores["rank"]["hamming"]
    for cost in ("f1", "accuracy"):
        assert scores[cost][cost] > 1.05 * scores["hamming"][cost]
    assert "By hamming the prediction made for hamming is best." in capsys.readouterr().out


def test_printed_rank_losses_on_yeast_are_those_of_predictions_that_see_no_feature(capsys):
    printed, ours = check_a_claim.main()
    means = {name: np.mean(losses) for name, losses in ours.items()}
    assert means["no label"] == pytest.approx(printed["CC-RNN"], abs=0.1)
    for model in ("BR", "CC", "CC-DP"):
        assert means["labels of most rows"] == pytest.approx(printed[model], abs=0.1)
    assert means["logistic, for rank loss"] < printed["RethinkNet"]
    assert "labels of most rows scores what is printed for CC-DP, CC, BR" in capsys.readouterr().out
