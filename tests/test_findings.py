"""What the README says of the verdict is what the kept report says."""

import json
import runpy
from html import escape

from PIL import Image

from stages.keep import BEGIN, END, findings
from tests.readme import ROOT

KEPT = ROOT / "reports" / "paper"


def words(text):
    return " ".join(text.split())


def test_the_readme_quotes_the_kept_report(monkeypatch):
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text()
    quoted = readme.split(BEGIN)[1].split(END)[0]
    assert quoted.strip() == findings(json.loads((KEPT / "claims.json").read_text())).strip()


def test_the_kept_files_are_of_one_run():
    page = json.loads((KEPT / "claims.json").read_text())
    assert json.loads((KEPT / "metrics.json").read_text())["claims"] == page["counts"]
    text = words((KEPT / "report.html").read_text())
    assert all(escape(row["answer"]) in text for row in page["questions"])


def test_the_picture_of_the_readme_shows_the_kept_report():
    shown = runpy.run_path(str(ROOT / "docs" / "picture.py"))
    with Image.open(ROOT / "docs" / "report.png") as picture:
        assert picture.size == shown["SIZE"]
        assert picture.text["verdict"] == shown["verdict"](), "run: make picture"
