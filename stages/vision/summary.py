"""What a features folder holds, for people and for the report."""

from collections import Counter
from pathlib import Path
from typing import Any

from stages.config.pictures import Pictures
from stages.io.files import read_json, write_json
from stages.vision.extract import Speed
from stages.vision.network import Network
from stages.vision.rows import read_rows
from stages.vision.store import patches_of

SUMMARY, SPEED = "summary.json", "speed.json"


def write_speed(folder: Path, speed: Speed, network: Network) -> None:
    """Of the last run that had something to do; in a file of its own, as it is never the same."""
    told: dict[str, Any] = {"images": speed.images, "rate": round(speed.rate, 2)}
    told |= {"share": round(speed.share, 3), "workers": speed.workers, "device": network.device}
    write_json(folder / SPEED, told)


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
