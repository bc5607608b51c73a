"""Stage `report`: the comparison, run times and data cards -> one self-contained HTML file."""

import argparse
import sys

from stages.common import paths
from stages.common.errors import CELLS_FAILED, run_command
from stages.common.files import write_text
from stages.common.params import load_params
from stages.common.words import as_line
from stages.report.health import failed_lines
from stages.report.page_inputs import gather, read_comparison
from stages.report.render import render

REPORT = paths.REPORTS / "report.html"


def say_where() -> int:
    """Where the report is and, in the exit code, whether cells failed."""
    comparison = read_comparison()
    for line in failed_lines(comparison.failures):
        print(as_line(line), file=sys.stderr)
    if comparison.failures:
        counts = f"{len(comparison.failures)} of {comparison.cells['planned']}"
        print(f"{counts} cells have no result", file=sys.stderr)
    print(f"the report is at {REPORT}")
    return CELLS_FAILED if comparison.failures else 0


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, epilog="example: python -m stages.report")
    parser.add_argument(
        "--where",
        action="store_true",
        help="write nothing; say where the report is and, in the exit code, whether cells failed",
    )
    if parser.parse_args().where:
        return say_where()
    write_text(REPORT, render(gather(load_params())))
    return 0


if __name__ == "__main__":
    run_command(main)
