"""Stage `features`: what a frozen network sees in the images of a data set; a table has none."""

import argparse
import sys
from pathlib import Path

from stages.common import paths
from stages.common.catalog import Catalog, load_catalog
from stages.common.errors import DataError, run_command
from stages.common.files import alone_in, write_json
from stages.common.image_features import SUMMARY
from stages.common.raw_files import find_source


def features(name: str, catalog: Catalog, folder: Path, workers: int | None) -> str:
    """Write the features of an image set to `folder`, and say how it went."""
    # torch takes seconds to import: only where there are images
    from stages.common.machine import worker_count
    from stages.features.extract import extract
    from stages.features.index import read_index
    from stages.features.network import load_network
    from stages.features.rows import (
        sentence,
        write_rows,
        write_speed,
        write_summary,
        write_thumbnails,
    )

    entry, raw = catalog.entry(name), paths.raw(name)
    assert entry.images, "a table has no features to extract"
    weights = catalog.weights[entry.images.weights]
    network = load_network(weights, paths.weights(entry.images.weights))
    index = read_index(find_source(entry, raw), raw)
    files = [raw / file for file in index.files]
    with alone_in(folder):
        (folder / "parts").mkdir(exist_ok=True)
        (folder / SUMMARY).unlink(missing_ok=True)
        speed = extract(files, folder, network, entry.images, workers or worker_count())
        if speed:
            write_speed(folder, speed, network)
        write_rows(folder, index)
        write_thumbnails(folder, index, raw, entry.images.examples)
        write_summary(folder, entry.images, weights.title)
    return sentence(folder, computed=speed is not None)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.features --dataset shapes"
    )
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--workers", type=int, help="batches in parallel (default: one a core)")
    args = parser.parse_args()
    catalog, folder = load_catalog(), paths.features(args.dataset)
    if not catalog.entry(args.dataset).images:
        write_json(folder / SUMMARY, {"images": 0})
        return 0
    try:
        summary = features(args.dataset, catalog, folder, args.workers)
    except DataError as error:
        raise DataError(f"data set {args.dataset}: {error}") from None
    print(f"{args.dataset}: {summary}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    run_command(main)
