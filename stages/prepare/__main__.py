"""Stage `prepare`: raw files -> validated labels and features scaled to [0,1] over all rows."""

import argparse

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.errors import DataError, run_command
from stages.common.raw_files import find_source
from stages.common.words import as_line, counted
from stages.prepare.dataset import prepare, read, write


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.prepare --dataset yeast"
    )
    parser.add_argument("--dataset", required=True)
    dataset = parser.parse_args().dataset
    entry = load_catalog().entry(dataset)
    source = find_source(entry, paths.raw(dataset))
    try:
        raw, images = read(dataset, source)
        result = prepare(raw, entry, images)
    except DataError as error:
        raise DataError(f"data set {dataset}: {error}") from None
    write(dataset, result, source, entry.images)
    warned = [check for check in result.validation["checks"] if check["status"] == "warn"]
    rows, warnings = counted(result.card["instances"], "row"), counted(len(warned), "warning")
    print(f"{dataset}: {rows}, {warnings}")
    if entry.own:
        for line in result.cleaned.story():
            print(as_line(f"  {line}"))
    for check in warned:
        print(as_line(f"  warning: expected: {check['text']}; found: {check['observed']}"))
    return 0


if __name__ == "__main__":
    run_command(main)
