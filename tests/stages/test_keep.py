"""A report is kept with its findings, and one of published cells leaves nothing else changed."""

from pathlib import Path

import pytest

from stages import keep
from stages.common.errors import UserError
from stages.common.files import write_json
from stages.common.params import load_params
from tests.conftest import ROOT

README = f"# a project\n\n{keep.BEGIN}\nold words\n\n{keep.END}\n\nthe rest\n"
CLAIMS = {
    "counts": {"supported": 7, "contradicted": 0, "inconclusive": 22, "not tested": 6},
    "questions": [{"question": "Does it add anything?", "answer": "Nothing: −0.7 %."}],
    "splits": {"emotions": 3, "cal500": 1},
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the parameters, the paper's tables and a report of a run."""
    for name in ("params.yaml", "data/catalog.yaml", "data/paper/datasets.csv"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    (tmp_path / "profiles").symlink_to(ROOT / "profiles")
    (tmp_path / "data" / "listings").symlink_to(ROOT / "data" / "listings")
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text(README)
    Path("dvc.lock").write_text("before")
    report("mine")
    return tmp_path


def report(words):
    """What a run leaves in reports/."""
    Path("reports/plots").mkdir(parents=True, exist_ok=True)
    for name in ("report.html", "metrics.json", "comparison.json", "plots/ranks.csv"):
        Path("reports", name).write_text(words)
    write_json(Path("reports/claims.json"), CLAIMS)


def run(monkeypatch, *options):
    monkeypatch.setattr("sys.argv", ["keep", *options])
    return keep.main()


def files():
    return {
        str(path): path.read_bytes()
        for path in Path().rglob("*")
        if path.is_file() and not str(path).startswith(("reports/paper", "profiles", "README"))
    }


def test_the_findings_say_what_was_run_and_what_came_out(project):
    text = " ".join(keep.findings(CLAIMS).split())
    assert "2 of the 11 data sets of the paper; 3 splits of emotions; 1 of cal500." in text
    assert (
        "Of 35 claims of the paper: 7 supported, 0 contradicted, 22 inconclusive and 6 not tested."
        in text
    )
    assert "- **Does it add anything?** Nothing: −0.7 %." in text


def test_findings_take_the_place_of_the_old_ones_and_of_nothing_else():
    new = keep.with_findings(README, "new words\n")
    assert new == README.replace("old words", "new words")
    assert keep.with_findings(new, "new words\n") == new
    with pytest.raises(UserError, match="no place for findings"):
        keep.with_findings("# a project\n", "new words\n")


def test_the_report_of_another_profile_is_kept_and_not_quoted(project, monkeypatch):
    assert run(monkeypatch) == 0
    assert Path("reports/quick/report.html").read_text() == "mine"
    assert Path("README.md").read_text() == README


def test_without_a_report_nothing_is_kept(project, monkeypatch):
    Path("reports/report.html").unlink()
    with pytest.raises(UserError, match="run: make report"):
        run(monkeypatch)


def test_the_report_of_what_is_published_leaves_the_run_of_this_folder_as_it_was(
    project, monkeypatch
):
    seen = []

    def reproduce():
        params = load_params()
        seen.append((params.profile, params.train.cells))
        report("published")
        Path("dvc.lock").write_text("after")

    monkeypatch.setattr(keep, "reproduce", reproduce)
    before = files()
    assert run(monkeypatch, "--published", "paper") == 0
    assert seen == [("paper", "published")]
    assert files() == before
    assert Path("reports/paper/report.html").read_text() == "published"
    assert keep.findings(CLAIMS) in Path("README.md").read_text()


def test_a_run_that_breaks_leaves_everything_as_it_was(project, monkeypatch):
    def reproduce():
        report("half")
        Path("reports/new.html").write_text("half")
        raise UserError("`dvc repro` failed")

    monkeypatch.setattr(keep, "reproduce", reproduce)
    before = files()
    with pytest.raises(UserError):
        run(monkeypatch, "--published", "paper")
    Path("reports/new.html").unlink()
    assert files() == before and not Path("reports/paper").exists()
    assert Path("README.md").read_text() == README
