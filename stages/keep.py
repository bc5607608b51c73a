"""Keep the report of a run in reports/<profile>, and write its findings into the README.

With `--published` the report is made first, from the cells in results/ alone: nothing is computed,
and params.yaml and the report of your own run are put back when it is done.
"""

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any

from stages.common import paths
from stages.common.errors import UserError, run_command
from stages.common.files import read_json, write_text
from stages.common.params import PARAMS, load_params
from stages.common.profile import switch
from stages.common.schema import OUTCOMES
from stages.common.words import listed, splits_text

README, LOCK = Path("README.md"), Path("dvc.lock")
QUOTED = "paper"  # the profile whose findings the README has
FILES = ("report.html", "metrics.json", "claims.json")
BEGIN, END = "<!-- written by `make keep` -->\n", "<!-- until here -->"
WIDTH = 105


def keep(profile: str) -> Path:
    """Copy this folder's report to that of its profile."""
    for name in FILES:
        if not (paths.REPORTS / name).exists():
            raise UserError(f"there is no {paths.REPORTS / name} to keep; run: make report")
    folder = paths.REPORTS / profile
    folder.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copyfile(paths.REPORTS / name, folder / name)
    return folder


def findings(claims: dict[str, Any]) -> str:
    """What the README says of a kept claims.json, in Markdown."""
    counts, splits = claims["counts"], claims["splits"]
    tally = listed(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    whole = len(_printed_datasets())
    data = f"all {whole}" if len(splits) == whole else f"{len(splits)} of the {whole}"
    run = (
        f"`reports/{QUOTED}/report.html` is the report of what is published: {data} data sets of "
        f"the paper; {splits_text(splits)}."
    )
    outcomes = f"Of {sum(counts.values())} claims of the paper: {tally}."
    answers = "\n".join(
        fill(f"- **{row['question']}** {row['answer']}", WIDTH, subsequent_indent="  ")
        for row in claims["questions"]
    )
    return f"{fill(run, WIDTH)}\n\n{outcomes}\n\n{answers}\n"


def _printed_datasets() -> list[dict[str, str]]:
    with (paths.PAPER / "datasets.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def with_findings(readme: str, text: str) -> str:
    """A README with these findings in the place of the old ones."""
    place = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not place.search(readme):
        raise UserError(f"{README} has no place for findings: a line {BEGIN.strip()}, then {END}")
    return place.sub(lambda _: f"{BEGIN}\n{text}\n{END}", readme, count=1)


@contextmanager
def own_run_aside() -> Iterator[None]:
    """Whatever a run changes here beside its data is put back afterwards."""
    own = [PARAMS, LOCK, *(paths.REPORTS / name for name in (*FILES, "comparison.json", "plots"))]
    with tempfile.TemporaryDirectory() as folder:
        for place, path in enumerate(own):
            _copy(path, Path(folder, str(place)))
        try:
            yield
        finally:
            for place, path in enumerate(own):
                _remove(path)
                _copy(Path(folder, str(place)), path)


def _copy(path: Path, to: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, to)
    elif path.exists():
        shutil.copyfile(path, to)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def reproduce() -> None:
    """Bring the pipeline up to date."""
    process = subprocess.run([sys.executable, "-m", "dvc", "repro"], check=False)
    if process.returncode:
        raise UserError("`dvc repro` failed, see above; nothing was kept")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.keep --published paper"
    )
    parser.add_argument("--published", metavar="PROFILE", help="make its report from results/")
    profile = parser.parse_args().published
    if profile:
        with own_run_aside():
            switch(profile, cells="published")
            reproduce()
            folder = keep(profile)
    else:
        profile = load_params().profile
        folder = keep(profile)
    if profile == QUOTED:
        text = findings(read_json(folder / "claims.json"))
        write_text(README, with_findings(README.read_text(encoding="utf-8"), text))
        print(f"{README} quotes it")
    print(f"kept in {folder}")
    return 0


if __name__ == "__main__":
    run_command(main)
