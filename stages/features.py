"""Stage `features`: what a frozen network sees in the images of a data set; a table has none."""

import argparse
import sys
from pathlib import Path

from stages import paths
from stages.config.catalog import Catalog, load_catalog
from stages.errors import DataError, run_command
from stages.io.files import write_json


def features(name: str, catalog: Catalog, folder: Path, workers: int | None) -> str:
    """Write the features of an image set to `folder`, and say how it went."""
    # torch takes seconds to import: only where there are images
    from stages.fetch import alone_in, find_source
    from stages.machine import worker_count
    from stages.vision.extract import extract
    from stages.vision.index import read_index
    from stages.vision.network import load_network
    from stages.vision.rows import write_rows, write_thumbnails
    from stages.vision.summary import SUMMARY, sentence, write_speed, write_summary

    entry, raw = catalog.entry(name), paths.raw(name)
    assert entry.images, "a table has no features to extract"
    weights = catalog.weights[entry.images.weights]
    network = load_network(weights, paths.weights(entry.images.weights))
    index = read_index(find_source(entry, raw), raw)
    files = [raw / file for file in index.files]
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        for leftover in folder.rglob(".*.tmp"):  # of killed runs; no other run is in here now
            leftover.unlink()
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
        write_json(folder / "summary.json", {"images": 0})
        return 0
    try:
        said = features(args.dataset, catalog, folder, args.workers)
    except DataError as error:
        raise DataError(f"data set {args.dataset}: {error}") from None
    print(f"{args.dataset}: {said}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    run_command(main)
