"""The figures of docs/reliability.md, from the ledgers: `python -m torture.figures`.

Each table of the page stands between two comments, `<!-- figures: theme -->` and `<!-- end -->`;
what is between them is written anew where there is a ledger of that theme. So no number is copied
by hand.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from torture import faults, kills, load, soak
from torture.ledger import FOLDER, Ledger
from torture.targets import TARGETS

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
PLACE = re.compile(r"(<!-- figures: ([a-z]+) -->\n).*?(<!-- end -->)", re.S)
READERS = {
    "arff": "ARFF", "xml": "Mulan XML", "csv": "CSV", "r-data": "R data", "coco": "COCO JSON",
    "image-csv": "labels of images, CSV", "zip": "zip archives", "image": "images",
    "params": "`params.yaml`", "catalog": "`catalog.yaml`", "model": "saved models",
    "published": "published results", "manifest": "cells of the store",
}  # fmt: skip
KILLED = {
    "worker": "worker", "lead": "lead", "dvc": "DVC", "scheduler": "Dask scheduler",
    "prefect-server": "Prefect server", "prefect-worker": "Prefect worker",
}  # fmt: skip
ASKED = {"hostile": 1_000_000, "kills": 1000, "faults": 440}
Data = dict[str, Any]


def table(head: str, align: str, rows: Iterable[str]) -> str:
    """A table of Markdown."""
    return "\n".join([head, align, *rows])


def of_asked(number: int, theme: str) -> str:
    """A number, and what is asked for where it is less."""
    asked = ASKED[theme]
    return f"{number:,}" if number >= asked else f"{number:,} so far, of the {asked:,} asked for"


def hostile(data: Data) -> str:
    """Inputs of each reader."""
    rows, total = [], Counter[str]()
    for name in TARGETS:
        entry = data[name]
        counts = Counter(entry["counts"])
        fine = counts["read"] + counts["refused"] + counts["lost"]
        wrong = counts.total() - fine
        total.update(inputs=entry["inputs"], wrong=wrong, mended=entry.get("mended", 0))
        rows.append(f"| {READERS[name]} | {entry['inputs']:,} | {counts['read']:,} | "
                    f"{counts['refused']:,} | {wrong} | {entry['peak'] / 2**20:.0f} |")  # fmt: skip
    mended = f" {total['mended']} was wrong, and is mended: read again, it is refused."
    lead = f"Inputs: {of_asked(total['inputs'], 'hostile')}; {total['wrong']} are wrong."
    lead += mended if total["mended"] else ""
    head = "| reader | inputs | read | refused | wrong | peak memory, MiB |"
    return f"{lead}\n\n{table(head, '|---|---:|---:|---:|---:|---:|', rows)}"


def killed(data: Data) -> str:
    """Kills of each kind."""
    rows = [f"| {text} | {data['killed'].get(kind, 0):,} |" for kind, text in KILLED.items()]
    number = sum(data["killed"].values())
    lead = (
        f"Kills: {of_asked(number, 'kills')}, in {data['runs']:,} runs of {kills.CELLS} cells; "
        f"{len(data['broken'])} promises broken."
    )
    return f"{lead}\n\n{table('| what was killed | times |', '|---|---:|', rows)}"


def loaded(data: Data) -> str:
    """Time and memory of each step."""
    sizes = sorted(map(int, data))
    rows = []
    for step in load.STEPS:
        known = {size: data[str(size)][step] for size in sizes if step in data[str(size)]}
        shown = [
            f"{known[s]['seconds']:.1f} s, {known[s]['peak']:.0f} MB"
            if s in known
            else "not measured"
            for s in sizes
        ]
        power = load.exponent({size: step["seconds"] for size, step in known.items()})
        rows.append(f"| {step} | {' | '.join(shown)} | {'' if power is None else f'{power:.2f}'} |")
    head = f"| step | {' | '.join(f'{size:,} cells' for size in sizes)} | exponent |"
    large = {s: data[str(s)]["page"]["bytes"] / 1e6 for s in sizes if "page" in data[str(s)]}
    pages = [f"{mb:.2f} MB for {s // load.EACH} data sets" for s, mb in large.items()]
    return (
        table(head, "|---|" + "---:|" * (len(sizes) + 1), rows)
        + f"\n\nThe report has {'; '.join(pages)}."
    )


def soaked(data: Data) -> str:
    """Memory as a day of cells comes in."""
    cells, lead, scheduler = zip(*data["samples"], strict=True)
    places = sorted({round(step * (len(cells) - 1) / 5) for step in range(6)})
    each = data["cells"] / data["hours"]
    rows = [f"| {cells[at]:,} | {cells[at] / each:.1f} | {lead[at]:.0f} | {scheduler[at]:.0f} |"
            for at in places]  # fmt: skip
    growth = data["growth"]
    lead_text = (
        f"{data['cells']:,} cells are {data['hours']:.1f} hours of {soak.WORKERS} workers; "
        f"they took {data['minutes']:.0f} minutes. A cell costs the lead {growth['lead']:.1f} KB, "
        f"the scheduler {growth['scheduler']:.1f} KB."
    )
    head = "| cells | hours | lead, MB | scheduler, MB |"
    return f"{lead_text}\n\n{table(head, '|---:|---:|---:|---:|', rows)}"


def faulted(data: Data) -> str:
    """Cases of each stage and fault."""
    counts, wrong = data["counts"], len(data["wrong"])
    total = Counter[str]()
    for known in counts.values():
        total.update(known)
    rows = []
    for stage in faults.STAGES:
        known = [Counter(counts.get(f"{stage}, {fault}", {})) for fault in faults.FAULTS]
        shown = " | ".join(f"{one['right']} + {one['refused']}" for one in known)
        rows.append(f"| {stage} | {shown} |")
    lead = (
        f"Cases: {of_asked(total.total(), 'faults')}. {total['right']} right results, "
        f"{total['refused']} clear errors that were followed by the right result, {wrong} wrong. "
        "Right results + clear errors:"
    )
    head = "| stage | " + " | ".join(faults.FAULTS).replace("memory", "1 GiB") + " |"
    return f"{lead}\n\n{table(head, '|---|' + '---:|' * len(faults.FAULTS), rows)}"


def same(data: Data) -> str:
    """Ways that gave the same bytes."""
    rows = [f"| {way} | {k['equal']} of {k['cells']} | {k['apart']:.3g} |"
            for way, k in data.items()]  # fmt: skip
    head = "| way | cells equal to the byte | scores at most apart |"
    return table(head, "|---|---:|---:|", rows)


THEMES: dict[str, Callable[[Data], str]] = {
    "hostile": hostile, "kills": killed, "load": loaded, "soak": soaked, "faults": faulted,
    "bits": same,
}  # fmt: skip


def written(page: str, ledgers: dict[str, Data]) -> str:
    """The page with the figures of these ledgers."""

    def place(match: re.Match[str]) -> str:
        theme = match[2]
        if theme not in ledgers or (theme == "soak" and "growth" not in ledgers[theme]):
            return match[0]  # a day that has not ended says nothing yet
        return f"{match[1]}\n{THEMES[theme](ledgers[theme])}\n\n{match[3]}"

    return PLACE.sub(place, page)


def main() -> int:
    """Command line."""
    ledgers = {name: Ledger(name).data for name in THEMES if (FOLDER / f"{name}.json").exists()}
    PAGE.write_text(written(PAGE.read_text(), ledgers))
    print(f"wrote the figures of {', '.join(ledgers)} into {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
