"""Stage `fetch`: bring the raw files of a data set to data/raw/<data set>/, every byte checked."""

import argparse

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.errors import run_command
from stages.common.params import load_params
from stages.fetch.origins import fetch, fetch_weights


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.fetch --dataset yeast"
    )
    parser.add_argument("--dataset", required=True, help="a name in data/catalog.yaml")
    name = parser.parse_args().dataset
    load_params()  # the first stage: a mistake in params.yaml stops here, before any work
    catalog = load_catalog()
    entry = catalog.entry(name)
    fetch(name, entry, paths.raw(name))
    if entry.images:
        weights = entry.images.weights
        fetch_weights(weights, catalog.weights[weights], paths.weights(weights))
    return 0


if __name__ == "__main__":
    run_command(main)
