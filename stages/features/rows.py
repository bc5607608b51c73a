"""What is known of each row of an image set besides its features, and small pictures of some."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages.common.files import read_json, write_json
from stages.common.image_features import (
    LABELS,
    ROWS,
    SPEED,
    SUMMARY,
    THUMBNAILS,
    parts,
    patches_of,
    read_rows,
)
from stages.common.sources import Pictures
from stages.common.tables import matrix_to_table, read_table, write_table
from stages.features.decode import thumbnail
from stages.features.extract import Speed
from stages.features.index import ImageIndex
from stages.features.network import Network

SIDE = 240  # pixels of the longer side of a small picture
MOST_THUMBNAILS = 400  # the report chooses its examples among these

SMALL = pa.schema(
    {"row": pa.int32(), "jpeg": pa.binary(), "width": pa.int16(), "height": pa.int16()}
)


def write_rows(folder: Path, index: ImageIndex) -> None:
    """Beside the parts, whose order is that of the rows."""
    tables = [read_table(path, ["problem", "detail"]) for path in parts(folder)]
    table = pa.concat_tables(tables).replace_schema_metadata(None)
    columns = {"file": pa.array(index.files), "part": pa.array(index.parts)}
    columns |= {name: table[name] for name in ("problem", "detail")}
    write_table(folder / LABELS, matrix_to_table(index.labels, index.label_names))
    write_table(folder / ROWS, pa.table(columns))


def write_thumbnails(folder: Path, index: ImageIndex, raw: Path, chosen: Iterable[str]) -> None:
    """Small pictures of the first rows that can be in a test part, and of the chosen ones."""
    examples = set(chosen)
    testable = [row for row, part in enumerate(index.parts) if part != "train"][:MOST_THUMBNAILS]
    rows = sorted({*testable, *(n for n, file in enumerate(index.files) if file in examples)})
    pictures = [(row, thumbnail(raw / index.files[row], SIDE)) for row in rows]
    usable = [(row, *image) for row, image in pictures if image]
    table = pa.Table.from_pylist(
        [dict(zip(SMALL.names, values, strict=True)) for values in usable], schema=SMALL
    )
    write_table(folder / THUMBNAILS, table)


def write_speed(folder: Path, speed: Speed, network: Network) -> None:
    """Note how fast the last run was. No two runs are equal, so it has a file of its own."""
    facts: dict[str, Any] = {"images": speed.images, "rate": round(speed.rate, 2)}
    facts |= {"share": round(speed.share, 3), "workers": speed.workers, "device": network.device}
    write_json(folder / SPEED, facts)


def write_summary(folder: Path, pictures: Pictures, network: str) -> None:
    """Written last: with it, the folder is complete."""
    rows = read_rows(folder)
    problems = Counter(problem for problem, _ in rows.problems if problem)
    summary = {
        "images": len(rows.files),
        "network": network,
        "patches": patches_of(folder),
        "map": pictures.map,
        "problems": dict(sorted(problems.items())),
    }
    write_json(folder / SUMMARY, summary)


def sentence(folder: Path, computed: bool) -> str:
    """How it went."""
    summary = read_json(folder / SUMMARY)
    if not computed:
        return f"{summary['images']:,} images, all of them seen before"
    speed = read_json(folder / SPEED)
    return (
        f"{speed['images']:,} of {summary['images']:,} images seen by {summary['network']} on "
        f"{speed['workers']} {speed['device']} workers: {speed['rate']:.1f} images/s, "
        f"{100 * speed['share']:.0f} % of the bare forward pass"
    )
